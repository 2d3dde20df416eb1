#include "support/json_writer.h"

#include <cmath>
#include <utility>

#include "support/check.h"
#include "support/json.h"
#include "support/text.h"

namespace litz {

JsonWriter& JsonWriter::begin_object() { return begin(Scope::object, '{'); }

JsonWriter& JsonWriter::end_object() { return end(Scope::object, '}'); }

JsonWriter& JsonWriter::begin_array() { return begin(Scope::array, '['); }

JsonWriter& JsonWriter::end_array() { return end(Scope::array, ']'); }

JsonWriter& JsonWriter::key(std::string_view name) {
  check(!scopes_.empty() && scopes_.back() == Scope::object && !after_key_,
        "a key must stand in an object and follow a complete member:", name);
  if (!first_) text_ += ',';
  new_line();
  text_ += quote(name);
  text_ += indent_ > 0 ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) { return token(quote(text)); }

JsonWriter& JsonWriter::value(bool flag) { return token(flag ? "true" : "false"); }

JsonWriter& JsonWriter::value(double number) {
  return std::isfinite(number) ? token(format_double(number)) : null();
}

JsonWriter& JsonWriter::null() { return token("null"); }

JsonWriter& JsonWriter::value(const JsonValue& read) {
  switch (read.kind()) {
    case JsonKind::null:
      return null();
    case JsonKind::boolean:
      return value(read.as_bool());
    case JsonKind::integer:
      return value(read.as_int());
    case JsonKind::real:
      return value(read.as_double());
    case JsonKind::string:
      return value(read.as_string());
    case JsonKind::array:
      begin_array();
      for (const JsonValue& element : read.as_array()) value(element);
      return end_array();
    case JsonKind::object:
      begin_object();
      for (const JsonMember& each : read.as_object()) key(each.key).value(each.value);
      return end_object();
  }
  check(false, "a kind of JSON value is one of the seven");
  return *this;
}

std::string JsonWriter::take() {
  check(scopes_.empty() && !after_key_, "every begin must have met its end");
  first_ = true;
  return std::exchange(text_, {});
}

JsonWriter& JsonWriter::token(std::string_view text) {
  before_value();
  text_ += text;
  first_ = false;
  return *this;
}

JsonWriter& JsonWriter::begin(Scope scope, char bracket) {
  before_value();
  text_ += bracket;
  scopes_.push_back(scope);
  first_ = true;
  return *this;
}

JsonWriter& JsonWriter::end(Scope scope, char bracket) {
  check(!scopes_.empty() && scopes_.back() == scope && !after_key_,
        "an end must match the innermost begin");
  scopes_.pop_back();
  if (!first_) new_line();
  text_ += bracket;
  first_ = false;
  return *this;
}

void JsonWriter::before_value() {
  if (scopes_.empty()) {
    check(text_.empty(), "a document has one value");
  } else if (scopes_.back() == Scope::object) {
    check(after_key_, "a value in an object must follow its key");
    after_key_ = false;
  } else {
    if (!first_) text_ += ',';
    new_line();
  }
}

void JsonWriter::new_line() {
  if (indent_ == 0) return;
  text_ += '\n';
  text_.append(static_cast<size_t>(indent_) * scopes_.size(), ' ');
}

}  // namespace litz
