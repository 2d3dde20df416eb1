// Any bytes either parse or are refused with an Error; what parses can be walked whole, and its
// numbers and strings survive being written and read again.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"

namespace {

using litz::JsonMember;
using litz::JsonValue;
using litz::JsonWriter;

void expect(bool condition) {
  if (!condition) std::abort();
}

void find_every_member(const JsonValue& value) {
  if (value.is_array()) {
    for (const JsonValue& element : value.as_array()) find_every_member(element);
  } else if (value.is_object()) {
    for (const JsonMember& member : value.as_object()) {
      expect(value.find(member.key) == &member.value);
      find_every_member(member.value);
    }
  }
}

std::string text_of(const JsonValue& value) {
  JsonWriter out;
  out.value(value);
  return out.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const litz::JsonDocument first =
        litz::JsonDocument::parse(input, "fuzz", {.allow_bare_nonfinite = true});
    find_every_member(first.root());
    const std::string once = text_of(first.root());
    const litz::JsonDocument second = litz::JsonDocument::parse(once);
    expect(text_of(second.root()) == once);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
