#include "types/npz.h"

#include <string_view>

#include "support/check.h"
#include "support/mapped_file.h"
#include "support/zip_reader.h"
#include "support/zip_writer.h"
#include "types/npy.h"

namespace litz {
namespace {

constexpr std::string_view kSuffix = ".npy";

ZipOptions npz_options() {
  ZipOptions options = ZipOptions::flat();
  // An array of zeros deflates by 1032, the maximum of the method; that is not an attack, because
  // the sizes of entries are limited as well.
  options.limits.max_ratio = 1100;
  return options;
}

std::vector<NamedTensor> read_arrays(const ZipReader& archive) {
  std::vector<NamedTensor> tensors;
  for (const ZipEntry& entry : archive.entries()) {
    std::string_view name = entry.name;
    require(name.ends_with(kSuffix), ErrorCode::unsupported,
            "an npz archive must hold only .npy entries:", name, "in", archive.origin());
    ZipContent content = archive.read_verified(entry);
    std::string origin = archive.origin() + ":" + std::string(name);
    name.remove_suffix(kSuffix.size());
    tensors.emplace_back(name, parse_npy(content.bytes(), origin));
  }
  return tensors;
}

}  // namespace

std::vector<NamedTensor> read_npz(const std::string& path) {
  const ZipReader archive = ZipReader::open_file(path, npz_options());
  return archive.file()->reading([&] { return read_arrays(archive); });
}

std::vector<NamedTensor> parse_npz(std::span<const std::byte> bytes, const std::string& origin) {
  return read_arrays(ZipReader::open(bytes, origin, npz_options()));
}

void write_npz(const std::string& path, std::span<const NamedTensor> tensors) {
  ZipWriter archive = ZipWriter::to_file(path);
  for (const auto& [name, tensor] : tensors) {
    archive.add(name + std::string(kSuffix), format_npy(tensor));
  }
  archive.finish();
}

const Tensor* find_tensor(std::span<const NamedTensor> tensors, std::string_view name) {
  for (const NamedTensor& entry : tensors) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

}  // namespace litz
