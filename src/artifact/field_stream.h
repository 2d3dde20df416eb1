// Converts plain data to bytes and back by its fields. A structure lists its fields once, for both
// directions and for JSON (json_fields.h), which also uses the names:
//
//   template <typename Stream, typename Self>
//   requires std::is_same_v<std::remove_const_t<Self>, Slot>
//   void fields(Stream& stream, Self& slot) {
//     stream("storage", slot.storage, "offset", slot.offset);
//   }
//
// WordsOf gives the enumerators of an enumeration.

#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "artifact/byte_stream.h"
#include "artifact/expr_table.h"
#include "expr/expr.h"

namespace litz::artifact {

/// A string literal as a template argument.
template <size_t kSize>
struct Word {
  consteval Word(const char (&literal)[kSize]) {  // NOLINT: literals are words.
    for (size_t i = 0; i + 1 < kSize; ++i) text[i] = literal[i];
  }

  char text[kSize] = {};
};

/// The enumerators of an enumeration that is stored in files: `count`, from 0 on, and
/// `word(enumerator)`.
template <typename Enum>
struct WordsOf;

template <typename Enum, Word... kWords>
struct Words {
  static constexpr size_t count = sizeof...(kWords);

  static std::string_view word(Enum value) {
    static constexpr std::string_view kAll[] = {kWords.text...};
    return kAll[static_cast<size_t>(value)];
  }
};

/// The name of T as an alternative of variants.
template <typename T>
inline constexpr std::string_view kNameOf = "";

template <>
inline constexpr std::string_view kNameOf<Expr> = "expr";
template <>
inline constexpr std::string_view kNameOf<std::vector<Expr>> = "exprs";
template <>
inline constexpr std::string_view kNameOf<std::string> = "text";
template <>
inline constexpr std::string_view kNameOf<std::vector<std::string>> = "texts";
template <>
inline constexpr std::string_view kNameOf<std::complex<double>> = "complex";

class FieldWriter {
 public:
  explicit FieldWriter(const ExprPool* pool) : pool_(pool) {}

  template <typename T, typename... More>
  void operator()(const char* /*name*/, const T& value, const More&... more) {
    write(value);
    if constexpr (sizeof...(More) > 0) (*this)(more...);
  }

  /// Writes a symbol as its number in the table.
  void symbol(const char* /*name*/, SymbolId id) { out_.number(table_.symbol(id, *pool_)); }

  void symbols(const char* name, const std::vector<SymbolId>& ids) {
    out_.number<uint64_t>(ids.size());
    for (const SymbolId id : ids) symbol(name, id);
  }

  ByteWriter& bytes() { return out_; }

  std::vector<std::byte> take_table() { return table_.take(); }

 private:
  template <typename T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      out_.number(static_cast<uint8_t>(value));
    } else if constexpr (std::is_enum_v<T>) {
      out_.number(static_cast<uint8_t>(value));
    } else if constexpr (std::is_arithmetic_v<T>) {
      out_.number(value);
    } else {
      fields(*this, value);
    }
  }

  void write(const std::string& text) { out_.text(text); }

  void write(const Expr& expr) { table_.write(out_, expr); }

  void write(const std::complex<double>& value) {
    out_.number(value.real());
    out_.number(value.imag());
  }

  void write(std::monostate) {}

  void write(const std::vector<std::byte>& block) { out_.block(block); }

  template <typename T>
  void write(const std::vector<T>& list) {
    out_.number<uint64_t>(list.size());
    for (const T& item : list) write(item);
  }

  template <typename T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }

  template <typename... Kinds>
  void write(const std::variant<Kinds...>& value) {
    out_.number(static_cast<uint8_t>(value.index()));
    std::visit([&](const auto& content) { write(content); }, value);
  }

  const ExprPool* pool_;
  ByteWriter out_;
  ExprTableWriter table_;
};

/// Throws Error{corrupt} for bytes that FieldWriter does not write.
class FieldReader {
 public:
  FieldReader(ByteReader& in, const ExprTable& table) : in_(in), table_(table) {}

  template <typename T, typename... More>
  void operator()(const char* /*name*/, T& value, More&&... more) {
    read(value);
    if constexpr (sizeof...(More) > 0) (*this)(std::forward<More>(more)...);
  }

  void symbol(const char* /*name*/, SymbolId& id) { id = table_.symbol(in_.number<uint32_t>()); }

  void symbols(const char* name, std::vector<SymbolId>& ids) {
    for (size_t left = in_.entries(); left > 0; --left) symbol(name, ids.emplace_back());
  }

 private:
  template <typename T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = below(2) != 0;
    } else if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(below(WordsOf<T>::count));
    } else if constexpr (std::is_arithmetic_v<T>) {
      value = in_.number<T>();
    } else {
      fields(*this, value);
    }
  }

  size_t below(size_t limit) {
    const auto number = in_.number<uint8_t>();
    require(number < limit, ErrorCode::corrupt,
            "a stored program must hold what is known:", int{number});
    return number;
  }

  void read(std::string& text) { text = in_.text(); }

  void read(Expr& expr) { expr = table_.read(in_); }

  void read(std::complex<double>& value) {
    const auto real = in_.number<double>();
    value = {real, in_.number<double>()};
  }

  void read(std::monostate&) {}

  void read(std::vector<std::byte>& block) {
    const std::span<const std::byte> bytes = in_.block();
    block.assign(bytes.begin(), bytes.end());
  }

  template <typename T>
  void read(std::vector<T>& list) {
    for (size_t left = in_.entries(); left > 0; --left) read(list.emplace_back());
  }

  template <typename T>
  void read(std::optional<T>& value) {
    bool has_value = false;
    read(has_value);
    if (has_value) read(value.emplace());
  }

  template <typename... Kinds>
  void read(std::variant<Kinds...>& value) {
    read_kind(value, below(sizeof...(Kinds)), std::index_sequence_for<Kinds...>());
  }

  template <typename Variant, size_t... I>
  void read_kind(Variant& value, size_t kind, std::index_sequence<I...> /*kinds*/) {
    ((kind == I ? read(value.template emplace<I>()) : void()), ...);
  }

  ByteReader& in_;
  const ExprTable& table_;
};

}  // namespace litz::artifact
