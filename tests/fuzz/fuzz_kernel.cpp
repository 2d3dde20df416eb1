// Any text either parses as a kernel or is refused with an Error; what parses verifies, prints to
// text that reads back and prints the same, and survives simplification.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "loops/kernel.h"
#include "loops/simplify.h"
#include "support/check.h"

namespace {

void expect(bool condition) {
  if (!condition) std::abort();
}

void exercise(std::string_view input) {
  litz::ExprPool pool;
  litz::loops::Kernel kernel = litz::loops::parse_kernel(input, pool);
  const std::string text = litz::loops::to_string(kernel);
  litz::ExprPool fresh;
  expect(litz::loops::to_string(litz::loops::parse_kernel(text, fresh)) == text);
  litz::loops::simplify(kernel);
  litz::loops::verify(kernel);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    exercise(input);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
