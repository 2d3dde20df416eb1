// Any text either is a program as JSON or is refused with an Error; one that is read gives a text that
// reads back to the same text.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "artifact/program_json.h"
#include "support/check.h"

namespace {

using namespace litz::artifact;

constexpr const char* kBuild = "fuzz";

std::string text_of(const Program& program) {
  return program_json(program, *program.symbols, kBuild, true);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    const std::string text =
        text_of(read_program_json({reinterpret_cast<const char*>(data), size}, kBuild));
    if (text_of(read_program_json(text, kBuild)) != text) std::abort();
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
