#include "import/torch_save.h"

#include <cstdint>
#include <cstring>
#include <map>

#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

// Sufficient for the largest element (complex128); PyTorch's files align to 64.
constexpr uintptr_t kAlignment = 16;

void check_byte_order(const ZipReader& zip) {
  const ZipEntry* entry = zip.find_path("byteorder");
  if (entry == nullptr) return;
  const ZipContent content = zip.read_verified(*entry);
  const std::string_view order = trim(content.text());
  require(order == "little" || order == "big", ErrorCode::corrupt,
          "zip C13: byteorder must be little or big:", zip.origin(), quote(order));
  require(order == "little", ErrorCode::unsupported,
          "weights must be little-endian:", zip.origin());
}

}  // namespace

std::shared_ptr<Storage> entry_storage(const ZipReader& zip, const ZipEntry& entry,
                                       bool check_crc) {
  const ZipContent content =
      check_crc || entry.size <= kAlwaysChecked ? zip.read_verified(entry) : zip.read(entry);
  const std::span<const std::byte> bytes = content.bytes();
  const bool aligned = reinterpret_cast<uintptr_t>(bytes.data()) % kAlignment == 0;
  if (aligned || bytes.empty()) {
    if (content.owner()) return Storage::borrow(bytes, content.owner());
    return Storage::borrow(bytes, zip.owner(), zip.file());
  }
  std::shared_ptr<Storage> copy = Storage::allocate_uninitialized(bytes.size());
  std::memcpy(copy->mutable_data(), bytes.data(), bytes.size());
  return copy;
}

PickleDocument read_torch_save(const ZipReader& zip, const ZipEntry& entry,
                               const TorchSaveOptions& options) {
  const ZipReader inner = zip.nested(entry);
  require(inner.find_path("constants.pkl") == nullptr, ErrorCode::unsupported,
          "a payload must not be a TorchScript archive:", inner.origin());
  const ZipEntry* pickle = inner.find_path("data.pkl");
  require(pickle != nullptr, ErrorCode::corrupt,
          "W5: a torch.save payload must hold data.pkl:", inner.origin());
  check_byte_order(inner);
  PickleOptions pickle_options;
  pickle_options.origin = inner.origin();
  pickle_options.opaque_objects = options.opaque_objects;
  pickle_options.storage = [&](const std::string& key) -> std::shared_ptr<Storage> {
    const ZipEntry* record = inner.find_path("data/" + key);
    return record == nullptr ? nullptr : entry_storage(inner, *record, options.check_crc);
  };
  const ZipContent content = inner.read_verified(*pickle);
  return PickleDocument::parse(content.bytes(), pickle_options);
}

}  // namespace litz::import_
