// Converts plain data to JSON and back by its fields (field_stream.h).
//
//   a structure       an object with its fields
//   an enumerator     its word
//   an expression     a number, true or false, or a string: "4*s0 + 1"; {"real": 0.5}
//   an alternative    null for none, else its name and content: {"tensor": {...}}
//   bytes             a string of two hexadecimal digits each
//
// A real that JSON cannot express is its bits: {"bits": 9221120237041090560}.

#pragma once

#include <bit>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/field_stream.h"
#include "expr/expr.h"
#include "support/check.h"
#include "support/json.h"
#include "support/json_writer.h"

namespace litz::artifact {

std::string hex_text(std::span<const std::byte> bytes);
/// Throws Error{corrupt} for text that is not hexadecimal digits.
std::vector<std::byte> bytes_of_hex(std::string_view text, const JsonPath& path);

class JsonFieldWriter {
 public:
  JsonFieldWriter(JsonWriter& out, const ExprPool& pool) : out_(out), pool_(pool) {}

  template <typename T, typename... More>
  void operator()(const char* name, const T& value, const More&... more) {
    out_.key(name);
    write(value);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
  }

  void symbol(const char* name, SymbolId id) { out_.member(name, pool_.symbol(id).name); }

  void symbols(const char* name, const std::vector<SymbolId>& ids) {
    out_.key(name).begin_array();
    for (const SymbolId id : ids) out_.value(pool_.symbol(id).name);
    out_.end_array();
  }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      out_.value(WordsOf<T>::word(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      out_.value(value);
    } else {
      out_.begin_object();
      fields(*this, value);
      out_.end_object();
    }
  }

  void write(double number) {
    if (std::isfinite(number)) {
      out_.value(number);
    } else {
      out_.begin_object().member("bits", std::bit_cast<int64_t>(number)).end_object();
    }
  }

  void write(const std::string& text) { out_.value(text); }

  void write(const Expr& expr) {
    if (!expr.is_constant()) {
      out_.value(to_string(expr));
    } else if (expr.domain() == ExprDomain::real) {
      out_.begin_object().key("real");
      write(expr.real_constant());
      out_.end_object();
    } else if (expr.domain() == ExprDomain::boolean) {
      out_.value(expr.boolean_constant());
    } else {
      out_.value(expr.constant());
    }
  }

  void write(const std::complex<double>& value) {
    out_.begin_array();
    write(value.real());
    write(value.imag());
    out_.end_array();
  }

  void write(std::monostate) { out_.null(); }

  void write(const std::vector<std::byte>& block) { out_.value(hex_text(block)); }

  template <typename T>
  void write(const std::vector<T>& list) {
    out_.begin_array();
    for (const T& item : list) write(item);
    out_.end_array();
  }

  template <typename T>
  void write(const std::optional<T>& value) {
    if (value) {
      write(*value);
    } else {
      out_.null();
    }
  }

  template <typename... Kinds>
  void write(const std::variant<Kinds...>& value) {
    std::visit([&](const auto& content) { write_kind(content); }, value);
  }

  template <typename Kind>
  void write_kind(const Kind& content) {
    if constexpr (std::is_same_v<Kind, std::monostate>) {
      out_.null();
    } else {
      static_assert(!kNameOf<Kind>.empty(), "an alternative must have a name");
      out_.begin_object().key(kNameOf<Kind>);
      write(content);
      out_.end_object();
    }
  }

  JsonWriter& out_;
  const ExprPool& pool_;
};

/// A symbol of the pool by name. Throws Error{corrupt} if it has none.
Expr symbol_of_json(std::string_view name, const ExprPool& pool, const JsonPath& path);
/// Throws Error{corrupt} for a text that is not an expression over symbols of the pool.
Expr expr_of_json(std::string_view text, ExprPool& pool, const JsonPath& path);

/// Reads the fields of one object. Throws Error{corrupt}, with the place in the document, for what
/// JsonFieldWriter does not write.
class JsonFieldReader {
 public:
  JsonFieldReader(const JsonValue& object, const JsonPath& path, ExprPool& pool)
      : object_(object), path_(path), pool_(pool) {}

  template <typename T, typename... More>
  void operator()(const char* name, T& value, More&&... more) {
    read(value, next(name), path_ / name);
    if constexpr (sizeof...(More) > 0) (*this)(std::forward<More>(more)...);
  }

  void symbol(const char* name, SymbolId& id) {
    const JsonPath path = path_ / name;
    id = symbol_of_json(next(name).as_string(path), pool_, path).symbol();
  }

  void symbols(const char* name, std::vector<SymbolId>& ids) {
    const JsonPath path = path_ / name;
    for (const JsonValue& each : next(name).as_array(path)) {
      ids.push_back(symbol_of_json(each.as_string(path), pool_, path).symbol());
    }
  }

  /// Throws Error{corrupt} if the object has fields that were not read.
  void finish() const {
    require(fields_ == object_.size(), ErrorCode::corrupt, "a program as JSON:", path_,
            "must have only the fields of its kind:", object_.size(), "instead of", fields_);
  }

 private:
  const JsonValue& next(const char* name) {
    ++fields_;
    return object_.at(name, path_);
  }

  template <typename T>
  void read(T& value, const JsonValue& from, const JsonPath& path) {
    if constexpr (std::is_same_v<T, bool>) {
      value = from.as_bool(path);
    } else if constexpr (std::is_enum_v<T>) {
      value = enumerator<T>(from.as_string(path), path);
    } else if constexpr (std::is_arithmetic_v<T>) {
      const int64_t number = from.as_int(path);
      require(std::in_range<T>(number), ErrorCode::corrupt, "a program as JSON:", path,
              "must fit its field:", number);
      value = static_cast<T>(number);
    } else {
      JsonFieldReader inside(from, path, pool_);
      fields(inside, value);
      inside.finish();
    }
  }

  template <typename Enum>
  static Enum enumerator(std::string_view word, const JsonPath& path) {
    for (size_t i = 0; i < WordsOf<Enum>::count; ++i) {
      if (WordsOf<Enum>::word(static_cast<Enum>(i)) == word) return static_cast<Enum>(i);
    }
    fail(ErrorCode::corrupt, "a program as JSON:", path, "must be a word that is known:", word);
  }

  void read(double& number, const JsonValue& from, const JsonPath& path) {
    number = from.is_object() ? std::bit_cast<double>(from.at("bits", path).as_int(path / "bits"))
                              : from.as_double(path);
  }

  void read(std::string& text, const JsonValue& from, const JsonPath& path) {
    text = from.as_string(path);
  }

  void read(Expr& expr, const JsonValue& from, const JsonPath& path) {
    if (from.is_string()) {
      expr = expr_of_json(from.as_string(path), pool_, path);
    } else if (from.is_object()) {
      double number = 0;
      read(number, from.at("real", path), path / "real");
      expr = Expr::real(number);
    } else if (from.is_bool()) {
      expr = Expr::boolean(from.as_bool(path));
    } else {
      expr = from.as_int(path);
    }
  }

  void read(std::complex<double>& value, const JsonValue& from, const JsonPath& path) {
    double parts[2] = {};
    for (size_t i = 0; i < 2; ++i) read(parts[i], from.at(i, path), path / i);
    value = {parts[0], parts[1]};
  }

  void read(std::vector<std::byte>& block, const JsonValue& from, const JsonPath& path) {
    block = bytes_of_hex(from.as_string(path), path);
  }

  template <typename T>
  void read(std::vector<T>& list, const JsonValue& from, const JsonPath& path) {
    const std::span<const JsonValue> items = from.as_array(path);
    list.reserve(items.size());
    for (size_t i = 0; i < items.size(); ++i) read(list.emplace_back(), items[i], path / i);
  }

  template <typename T>
  void read(std::optional<T>& value, const JsonValue& from, const JsonPath& path) {
    if (!from.is_null()) read(value.emplace(), from, path);
  }

  template <typename... Kinds>
  void read(std::variant<Kinds...>& value, const JsonValue& from, const JsonPath& path) {
    if (from.is_null() && (std::is_same_v<Kinds, std::monostate> || ...)) {
      value = {};
      return;
    }
    const JsonMember& kind = from.as_union(path);
    const bool is_known = (read_kind<Kinds>(value, kind, path) || ...);
    require(is_known, ErrorCode::corrupt, "a program as JSON:", path,
            "must be of a kind that is known:", kind.key);
  }

  template <typename Kind, typename Variant>
  bool read_kind(Variant& value, const JsonMember& from, const JsonPath& path) {
    if constexpr (std::is_same_v<Kind, std::monostate>) {
      return false;
    } else {
      if (from.key != kNameOf<Kind>) return false;
      read(value.template emplace<Kind>(), from.value, path / from.key);
      return true;
    }
  }

  const JsonValue& object_;
  const JsonPath& path_;
  ExprPool& pool_;
  size_t fields_ = 0;
};

}  // namespace litz::artifact
