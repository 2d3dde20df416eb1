// Writes JSON text: escapes strings, places commas, and prints numbers that read back exactly.

#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace litz {

class JsonValue;

/// Builds one JSON document from calls in document order:
///
///   JsonWriter out;
///   out.begin_object().key("name").value("gelu").key("ms").value(1.25).end_object();
///   std::string text = out.take();
///
/// Misuse (a value without a key, an end without its begin) is an InternalError.
class JsonWriter {
 public:
  /// `indent` spaces per level; 0 writes one line.
  explicit JsonWriter(int indent = 0) : indent_(indent) {}

  JsonWriter& begin_object();
  JsonWriter& end_object();
  JsonWriter& begin_array();
  JsonWriter& end_array();
  JsonWriter& key(std::string_view name);
  JsonWriter& value(std::string_view text);

  JsonWriter& value(const char* text) { return value(std::string_view(text)); }

  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }

  JsonWriter& value(bool flag);
  /// NaN and infinities become null, since JSON cannot express them.
  JsonWriter& value(double number);

  JsonWriter& value(float number) { return value(static_cast<double>(number)); }

  JsonWriter& null();
  /// Writes a parsed value with everything in it.
  JsonWriter& value(const JsonValue& read);

  template <typename T>

  requires(std::integral<T> && !std::same_as<T, bool>) JsonWriter& value(T number) {
    return token(std::to_string(number));
  }

  /// Writes a key and its value.
  template <typename T>
  JsonWriter& member(std::string_view name, const T& member_value) {
    return key(name).value(member_value);
  }

  /// Returns the text; every begin must have its end.
  std::string take();

 private:
  enum class Scope : uint8_t { object, array };

  JsonWriter& token(std::string_view text);
  JsonWriter& begin(Scope scope, char bracket);
  JsonWriter& end(Scope scope, char bracket);
  void before_value();
  void new_line();

  int indent_;
  std::string text_;
  std::vector<Scope> scopes_;
  bool first_ = true;
  bool after_key_ = false;
};

}  // namespace litz
