// Any bytes either parse as an array or are refused with an Error; what parses can be written and
// read back with the same dtype, sizes and bytes.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

#include "support/check.h"
#include "types/npy.h"
#include "types/npz.h"

namespace {

// Runs `action`; an Error is a legal answer, a broken invariant is a find.
template <typename Action>
void refuse_or(const Action& action) {
  try {
    action();
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
}

void expect_round_trip(const litz::Tensor& tensor) {
  litz::Tensor dense = tensor.contiguous();
  litz::Tensor back = litz::parse_npy(litz::format_npy(tensor));
  if (back.dtype() != dense.dtype() || back.sizes() != dense.sizes()) std::abort();
  auto bytes = static_cast<size_t>(dense.numel() * litz::item_size(dense.dtype()));
  if (bytes > 0 && std::memcmp(back.data(), dense.data(), bytes) != 0) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  refuse_or([&] { expect_round_trip(litz::parse_npy(bytes)); });
  refuse_or([&] {
    for (const auto& [name, tensor] : litz::parse_npz(bytes)) expect_round_trip(tensor);
  });
  return 0;
}
