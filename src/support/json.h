// JSON for reading: a bounded parser and a compact immutable tree.
//
// Integers keep all 64 bits and never pass through a double. Documents are hostile until parsed:
// depth, size, string and element counts are limited, duplicate keys are refused, and strings are
// valid UTF-8 without NUL. simdjson does the scanning; its headers stay in json.cpp.
//
// Readers carry a JsonPath along, two words per level on the stack; its text is only made when a
// value has the wrong type:
//
//   void read_node(const JsonValue& node, const JsonPath& path) {
//     std::string_view target = node.at("target", path).as_string(path / "target");

#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "support/check.h"

namespace litz {

enum class JsonKind : uint8_t { null, boolean, integer, real, string, array, object };

std::string_view name(JsonKind kind);

/// The place of a value in its document: a chain of keys and indices on the reader's stack. A child
/// points to its parent, so it must not outlive it.
class JsonPath {
 public:
  /// The root; `document` names the file or entry in messages.
  // Implicit, so that a call site can name the document by a literal.
  JsonPath(std::string_view document) : key_(document) {}  // NOLINT

  JsonPath(const char* document) : JsonPath(std::string_view(document)) {}  // NOLINT

  JsonPath() : JsonPath(std::string_view("$")) {}

  JsonPath operator/(std::string_view key) const { return {this, key, -1}; }

  JsonPath operator/(const char* key) const { return *this / std::string_view(key); }

  JsonPath operator/(size_t index) const { return {this, {}, static_cast<int64_t>(index)}; }

  /// For example "models/model.json: graph.nodes[3].target".
  std::string text() const;

 private:
  JsonPath(const JsonPath* parent, std::string_view key, int64_t index)
      : parent_(parent), key_(key), index_(index) {}

  const JsonPath* parent_ = nullptr;
  std::string_view key_;
  int64_t index_ = -1;
};

/// For checks, which format the path only on failure.
std::ostream& operator<<(std::ostream& out, const JsonPath& path);

struct JsonMember;

/// A value inside a JsonDocument: 16 bytes, cheap to copy, valid as long as the document.
class JsonValue {
 public:
  JsonKind kind() const { return kind_; }

  bool is_null() const { return kind_ == JsonKind::null; }

  bool is_bool() const { return kind_ == JsonKind::boolean; }

  bool is_int() const { return kind_ == JsonKind::integer; }

  bool is_real() const { return kind_ == JsonKind::real; }

  bool is_string() const { return kind_ == JsonKind::string; }

  bool is_array() const { return kind_ == JsonKind::array; }

  bool is_object() const { return kind_ == JsonKind::object; }

  // Typed access; each throws Error{corrupt} with the path, the kind wanted and the kind found.
  bool as_bool(const JsonPath& path = {}) const;
  /// An integer in int64 range; a number with a fraction or exponent is refused.
  int64_t as_int(const JsonPath& path = {}) const;
  /// A number, or one of the strings "Infinity", "-Infinity", "NaN". Integers are converted.
  double as_double(const JsonPath& path = {}) const;
  std::string_view as_string(const JsonPath& path = {}) const;
  /// The elements in order.
  std::span<const JsonValue> as_array(const JsonPath& path = {}) const;
  /// The members in the order of the document.
  std::span<const JsonMember> as_object(const JsonPath& path = {}) const;

  /// The member of an object, or null when it is absent. Throws when this is not an object.
  const JsonValue* find(std::string_view key, const JsonPath& path = {}) const;
  /// Like `find`, but also null if the member's value is `null`: the rule for optional fields.
  const JsonValue* get(std::string_view key, const JsonPath& path = {}) const;
  /// The member of an object; throws Error{corrupt} when it is absent.
  const JsonValue& at(std::string_view key, const JsonPath& path = {}) const;
  /// The element of an array; throws Error{corrupt} when it is out of range.
  const JsonValue& at(size_t index, const JsonPath& path = {}) const;
  /// The only member of an object that must have exactly one: a tagged union.
  const JsonMember& as_union(const JsonPath& path = {}) const;

  /// The number of elements or members; 0 for other kinds.
  size_t size() const { return is_array() || is_object() ? size_ : 0; }

 private:
  friend class JsonTreeBuilder;

  [[noreturn]] void fail_kind(std::string_view wanted, const JsonPath& path) const;

  JsonKind kind_ = JsonKind::null;
  bool boolean_ = false;
  // An integer beyond int64, kept as the nearest double: fine as a float, refused as an integer.
  bool beyond_int64_ = false;
  uint32_t size_ = 0;

  union {
    int64_t integer_ = 0;
    double real_;
    const char* string_;
    const JsonValue* elements_;
    // Objects of more than kIndexedObject members are followed by their members' sorted order.
    const JsonMember* members_;
  };
};

/// One member of an object.
struct JsonMember {
  std::string_view key;
  JsonValue value;
};

/// Limits and leniency of the parser.
struct JsonOptions {
  uint64_t max_bytes = uint64_t{1} << 30;
  uint32_t max_depth = 512;
  uint64_t max_string_bytes = uint64_t{64} << 20;
  uint64_t max_elements = 10'000'000;  ///< In one array or object; at most 16 million.
  /// Accept the bare tokens NaN, Infinity and -Infinity (files of old writers). They become the
  /// strings of the same text, which `as_double` reads.
  bool allow_bare_nonfinite = false;
};

/// A parsed document; owns every value and string of its tree. Move-only.
class JsonDocument {
 public:
  /// Parses a whole document. Throws Error{corrupt} or Error{limit_exceeded}; `origin` names the
  /// document in the message.
  static JsonDocument parse(std::string_view text, std::string_view origin = "JSON",
                            const JsonOptions& options = {});
  static JsonDocument parse(std::span<const std::byte> bytes, std::string_view origin = "JSON",
                            const JsonOptions& options = {});

  JsonDocument(JsonDocument&&) noexcept;
  JsonDocument& operator=(JsonDocument&&) noexcept;
  ~JsonDocument();

  const JsonValue& root() const;

 private:
  struct Storage;
  explicit JsonDocument(std::unique_ptr<Storage> storage);

  std::unique_ptr<Storage> storage_;
};

}  // namespace litz
