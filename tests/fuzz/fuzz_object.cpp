// Any bytes either load as code or are refused with an Error. Nothing is called: a changed
// instruction is not the loader's to find.

#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

#include "runtime/cpu/object_code.h"
#include "runtime/cpu/object_linker.h"
#include "support/check.h"

namespace {

void* resolve(std::string_view name) {
  return name.empty() ? nullptr : reinterpret_cast<void*>(&std::abort);
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
  const std::span<const std::byte> object = std::as_bytes(std::span(data, size));
  refuse_or([&] {
    const litz::runtime::LoadedCode code = litz::runtime::LoadedCode::load({&object, 1}, resolve);
    if (code.find("entry") != nullptr && code.bytes() == 0) std::abort();
  });
  // Also what is for the other machine.
  refuse_or([&] {
    const litz::runtime::ObjectLinker linker({&object, 1}, resolve);
    std::vector<std::byte> image(linker.bytes());
    linker.write(image, 0x10000);
  });
  return 0;
}
