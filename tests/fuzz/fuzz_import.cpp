// Any bytes either import as a program that verifies or are refused with an Error.
//
// Half of the inputs are whole archives. The others are the JSON of a program, wrapped into an
// archive without weights, since random bytes seldom keep a zip directory intact.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "import/archive.h"
#include "import/archive_info.h"
#include "import/import_archive.h"
#include "import/sample_inputs.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "support/zip_writer.h"

namespace {

std::vector<std::byte> wrap(std::string_view json) {
  litz::ZipWriter writer = litz::ZipWriter::to_memory();
  writer.add("m/archive_format", std::string_view("pt2"));
  writer.add("m/archive_version", std::string_view("0"));
  writer.add("m/models/model.json", json);
  writer.finish();
  return writer.take_bytes();
}

template <typename Action>
void refuse_or(const Action& action) {
  try {
    action();
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto kOps = litz::ops::standard_ops();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool is_json = text.starts_with('{');
  const std::vector<std::byte> archive_bytes =
      is_json ? wrap(text)
              : std::vector<std::byte>(reinterpret_cast<const std::byte*>(data),
                                       reinterpret_cast<const std::byte*>(data) + size);
  refuse_or([&] {
    const auto archive = litz::import_::Archive::open(archive_bytes, "fuzz");
    refuse_or([&] { litz::import_::read_archive_info(archive); });
    refuse_or([&] { litz::import_::read_sample_inputs(archive); });
    refuse_or([&] { litz::import_::import_archive(archive, kOps); });
  });
  return 0;
}
