// Any bytes either parse or are refused with an Error; what parses can be walked whole, and its
// numbers and strings survive being written and read again.

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"

namespace {

using litz::JsonKind;
using litz::JsonMember;
using litz::JsonValue;
using litz::JsonWriter;

void expect(bool condition) {
  if (!condition) std::abort();
}

void write(JsonWriter& out, const JsonValue& value) {
  switch (value.kind()) {
    case JsonKind::null:
      out.null();
      return;
    case JsonKind::boolean:
      out.value(value.as_bool());
      return;
    case JsonKind::integer:
      out.value(value.as_int());
      return;
    case JsonKind::real:
      out.value(value.as_double());
      return;
    case JsonKind::string:
      out.value(value.as_string());
      return;
    case JsonKind::array:
      out.begin_array();
      for (const JsonValue& element : value.as_array()) write(out, element);
      out.end_array();
      return;
    case JsonKind::object:
      out.begin_object();
      for (const JsonMember& member : value.as_object()) {
        expect(value.find(member.key) == &member.value);
        out.key(member.key);
        write(out, member.value);
      }
      out.end_object();
      return;
  }
}

std::string text_of(const JsonValue& value) {
  JsonWriter out;
  write(out, value);
  return out.take();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  try {
    const litz::JsonDocument first =
        litz::JsonDocument::parse(input, "fuzz", {.allow_bare_nonfinite = true});
    const std::string once = text_of(first.root());
    const litz::JsonDocument second = litz::JsonDocument::parse(once);
    expect(text_of(second.root()) == once);
  } catch (const litz::InternalError&) {
    std::abort();
  } catch (const litz::Error&) {
  }
  return 0;
}
