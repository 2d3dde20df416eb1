// Any bytes either parse as a safetensors file or are refused with an Error; every tensor of what
// parses lies inside the input, and can be read.

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>

#include "support/check.h"
#include "types/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  // The bytes outlive the call; any non-null keeper makes the tensors views of them.
  auto keeper = std::make_shared<int>(0);
  try {
    for (const auto& [name, tensor] : litz::parse_safetensors(bytes, keeper).tensors) {
      litz::Tensor copy = tensor.clone();
      if (copy.numel() != tensor.numel() || litz::to_string(copy).empty()) std::abort();
    }
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
