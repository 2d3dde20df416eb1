// Any bytes either are a pickle of plain values and tensors or are refused with an Error, within
// limits; tensors lie inside their storages.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "import/pickle.h"
#include "support/check.h"

namespace {

size_t count(const litz::import_::PickleObject& object, size_t budget) {
  using litz::import_::PickleKind;
  switch (object.kind) {
    case PickleKind::list:
    case PickleKind::tuple:
    case PickleKind::dict:
    case PickleKind::set: {
      size_t total = 1;
      for (const auto* item : object.items()) {
        if (total < budget) total += count(*item, budget - total);
      }
      return total;
    }
    case PickleKind::tensor: {
      const litz::Tensor tensor = object.tensor().tensor();
      if (tensor.defined() && tensor.numel() > 0) {
        volatile std::byte first = *tensor.data();
        static_cast<void>(first);
      }
      return 1;
    }
    default:
      return 1;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  litz::import_::PickleOptions options;
  options.opaque_objects = size % 2 == 0;
  options.max_opcodes = 100'000;
  options.storage = [](const std::string& key) {
    return key.size() > 2 ? nullptr : litz::Storage::allocate(64);
  };
  try {
    const auto document =
        litz::import_::PickleDocument::parse(std::as_bytes(std::span(data, size)), options);
    count(document.root(), 100'000);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
