// Any bytes either are a stored kernel or are refused with an Error; one that is read can be written
// again. The payload is also tried by itself, since few inputs get past the checksum.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "artifact/kernel_file.h"
#include "support/check.h"

namespace {

constexpr litz::artifact::KernelKey kKey{1, 2};

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
  const std::span<const std::byte> bytes = std::as_bytes(std::span(data, size));
  litz::ExprPool pool;
  litz::SymbolInfo info;
  info.name = "s0";
  pool.add_symbol(info);
  refuse_or([&] {
    const auto payload = litz::artifact::unseal(bytes, kKey);
    litz::artifact::parse_kernel_payload(payload, kKey, pool);
  });
  refuse_or([&] {
    const auto code = litz::artifact::parse_kernel_payload(bytes, kKey, pool);
    const auto again = litz::artifact::kernel_payload(code, pool);
    if (litz::artifact::parse_kernel_payload(again, kKey, pool).object != code.object) std::abort();
    const auto sealed = litz::artifact::seal(again, kKey);
    if (litz::artifact::unseal(sealed, kKey).size() != again.size()) std::abort();
  });
  return 0;
}
