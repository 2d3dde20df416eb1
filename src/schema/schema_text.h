// The grammar of operator signatures, as a scanner that runs both at compile time and at run time.
//
//   schema   = name "(" [argument {"," argument}] ")" "->" returns
//   name     = word "." word ["." word]
//   argument = "*" | type word ["=" default]
//   type     = base ["(" alias ")"] {"?" | "[" [number] "]"}     alias = "a", "a!", "a -> *", "a|b"
//   returns  = result | "(" [result {"," result}] ")"            result = type [word]
//
// The scanner yields views of its text; schema.cpp converts them to owned values. Included by
// schema.h.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "schema/schema.h"

namespace litz::ir {
namespace detail {

struct ScannedType {
  std::string_view base;
  ArgKind kind = ArgKind::tensor;
  bool optional = false;
  int length = 0;
  bool mutated = false;
  char alias = 0;
};

struct ScannedArgument {
  ScannedType type;
  std::string_view name;
  bool keyword_only = false;
  std::string_view default_text;  ///< Empty: no default.
};

struct BaseKind {
  std::string_view name;
  ArgKind one;
  ArgKind list;
  bool has_list;
};

inline constexpr BaseKind kBaseKinds[] = {
    {"Tensor", ArgKind::tensor, ArgKind::tensor_list, true},
    {"Scalar", ArgKind::scalar, ArgKind::scalar_list, true},
    {"int", ArgKind::integer, ArgKind::integer_list, true},
    {"SymInt", ArgKind::integer, ArgKind::integer_list, true},
    {"float", ArgKind::real, ArgKind::real_list, true},
    {"SymFloat", ArgKind::real, ArgKind::real_list, true},
    {"bool", ArgKind::boolean, ArgKind::boolean_list, true},
    {"SymBool", ArgKind::boolean, ArgKind::boolean_list, true},
    {"str", ArgKind::string, ArgKind::string_list, true},
    {"ScalarType", ArgKind::dtype, ArgKind::dtype, false},
    {"Layout", ArgKind::layout, ArgKind::layout, false},
    {"Device", ArgKind::device, ArgKind::device, false},
    {"MemoryFormat", ArgKind::memory_format, ArgKind::memory_format, false},
    {"Generator", ArgKind::generator, ArgKind::generator, false},
    {"Graph", ArgKind::graph, ArgKind::graph, false},
    {"Op", ArgKind::op, ArgKind::op, false},
    {"Any", ArgKind::any, ArgKind::any_list, true},
};

/// Walks a schema from left to right. After a mistake `error` is set and `at` is its position.
class SchemaScanner {
 public:
  constexpr explicit SchemaScanner(std::string_view text) : text_(text) {}

  constexpr const char* error() const { return error_; }

  constexpr size_t at() const { return at_; }

  constexpr std::string_view operator_name() {
    skip_spaces();
    const size_t begin = at_;
    int words = 0;
    do {
      if (word().empty()) return stop("an operator name such as aten.relu must stand here"), "";
      ++words;
    } while (take('.'));
    if (words < 2) return stop("an operator name needs a namespace, as in aten.relu"), "";
    const std::string_view name = text_.substr(begin, at_ - begin);
    expect('(', "'(' must follow the operator name");
    return name;
  }

  /// False at the closing parenthesis or after a mistake.
  constexpr bool next_argument(ScannedArgument& out) {
    if (error_ != nullptr || take(')')) return false;
    if (seen_argument_ && !expect(',', "',' or ')' must follow an argument")) return false;
    seen_argument_ = true;
    if (take('*')) {
      if (keyword_only_) return stop("'*' may stand once"), false;
      keyword_only_ = true;
      if (!expect(',', "',' must follow '*'")) return false;
    }
    out = {};
    out.keyword_only = keyword_only_;
    if (!type(out.type)) return false;
    out.name = word();
    if (out.name.empty()) return stop("an argument name must follow its type"), false;
    if (take('=')) return default_value(out);
    return true;
  }

  /// Call it after the last argument.
  constexpr bool begin_returns() {
    if (error_ != nullptr || !expect('-', "'->' must follow the arguments") ||
        !expect('>', "'->' must follow the arguments")) {
      return false;
    }
    in_tuple_ = take('(');
    return true;
  }

  constexpr bool next_return(ScannedType& out, std::string_view& name) {
    if (error_ != nullptr || done_) return false;
    if (in_tuple_ && take(')')) return finish();
    if (seen_return_ && !expect(',', "',' or ')' must follow a result")) return false;
    seen_return_ = true;
    out = {};
    if (!type(out)) return false;
    name = word();
    if (!in_tuple_) finish();
    return error_ == nullptr;
  }

 private:
  static constexpr bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  constexpr bool stop(const char* message) {
    if (error_ == nullptr) error_ = message;
    return false;
  }

  constexpr bool finish() {
    done_ = true;
    skip_spaces();
    if (at_ != text_.size()) stop("nothing may follow the results");
    return false;
  }

  constexpr char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  constexpr void skip_spaces() {
    while (peek() == ' ') ++at_;
  }

  constexpr bool take(char c) {
    skip_spaces();
    if (peek() != c || c == '\0') return false;
    ++at_;
    return true;
  }

  constexpr bool expect(char c, const char* message) { return take(c) || stop(message); }

  constexpr std::string_view word() {
    skip_spaces();
    const size_t begin = at_;
    while (is_word(peek())) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  constexpr bool type(ScannedType& out) {
    out.base = word();
    const BaseKind* base = nullptr;
    for (const BaseKind& candidate : kBaseKinds) {
      if (candidate.name == out.base) base = &candidate;
    }
    if (base == nullptr) return stop("a type such as Tensor, Scalar, int or bool must stand here");
    out.kind = base->one;
    if (take('(') && !alias(out)) return false;
    while (true) {
      if (take('?')) {
        out.optional = true;
      } else if (take('[')) {
        if (!base->has_list) return stop("there are no lists of this type");
        const bool of_optionals = out.optional;
        if (of_optionals && out.kind != ArgKind::tensor) {
          return stop("only Tensor?[] may hold None");
        }
        out.kind = of_optionals ? ArgKind::optional_tensor_list : base->list;
        out.optional = false;
        if (!length(out)) return false;
      } else {
        return true;
      }
    }
  }

  constexpr bool length(ScannedType& out) {
    const std::string_view digits = word();
    if (digits.size() > 4) return stop("a list length has at most four digits");
    for (const char c : digits) {
      if (c < '0' || c > '9') return stop("a list length is a number");
      out.length = out.length * 10 + (c - '0');
    }
    return expect(']', "']' must close the list");
  }

  constexpr bool alias(ScannedType& out) {
    const std::string_view set = word();
    out.alias = alias_letter(set);
    if (out.alias == 0) return stop("an alias set is one letter, or a0 to a25");
    if (take('|') && word().size() != 1) return stop("an alias set is one letter");
    out.mutated = take('!');
    if (take('-')) {  // "(a -> *)": the results are views of the argument.
      if (!take('>') || !take('*')) return stop("'-> *' may follow an alias set");
    }
    return expect(')', "')' must close the alias set");
  }

  // Schemas that PyTorch infers have sets a0, a1, ...: they become letters here.
  static constexpr char alias_letter(std::string_view set) {
    if (set.size() == 1) return set[0];
    if (set.size() < 2 || set.size() > 3 || set[0] != 'a') return 0;
    int number = 0;
    for (const char c : set.substr(1)) {
      if (c < '0' || c > '9') return 0;
      number = number * 10 + (c - '0');
    }
    return number < 26 ? static_cast<char>('a' + number) : char{0};
  }

  constexpr bool default_value(ScannedArgument& out) {
    skip_spaces();
    const size_t begin = at_;
    if (!default_fits(out.type)) return stop("this default does not fit the type");
    out.default_text = text_.substr(begin, at_ - begin);
    return true;
  }

  constexpr bool default_fits(const ScannedType& type) {
    if (text_.substr(at_).starts_with("None") && !is_word_at(at_ + 4)) {
      at_ += 4;
      return type.optional || type.kind == ArgKind::generator || type.kind == ArgKind::any;
    }
    switch (type.kind) {
      case ArgKind::scalar:
        return number(true) || truth();
      case ArgKind::integer:
        return number(false);
      case ArgKind::real:
        return number(true);
      case ArgKind::boolean:
        return truth();
      case ArgKind::string:
        return quoted();
      case ArgKind::dtype:
      case ArgKind::layout:
      case ArgKind::device:
      case ArgKind::memory_format:
        return !word().empty();
      case ArgKind::integer_list:
        return list(false, false) || (type.length > 0 && number(false));
      case ArgKind::scalar_list:
      case ArgKind::real_list:
        return list(true, false) || (type.length > 0 && number(true));
      case ArgKind::boolean_list:
        return list(false, true) || (type.length > 0 && truth());
      case ArgKind::tensor_list:
      case ArgKind::optional_tensor_list:
      case ArgKind::string_list:
      case ArgKind::any_list:
        return take('[') && take(']');
      case ArgKind::tensor:
      case ArgKind::generator:
      case ArgKind::graph:
      case ArgKind::op:
      case ArgKind::any:
        return false;
    }
    return false;
  }

  constexpr bool is_word_at(size_t i) const { return i < text_.size() && is_word(text_[i]); }

  constexpr bool truth() {
    const size_t begin = at_;
    const std::string_view text = word();
    if (text == "True" || text == "False") return true;
    at_ = begin;
    return false;
  }

  constexpr size_t digits() {
    const size_t begin = at_;
    while (peek() >= '0' && peek() <= '9') ++at_;
    return at_ - begin;
  }

  constexpr bool number(bool may_be_real) {
    const size_t begin = at_;
    if (peek() == '-') ++at_;
    bool ok = digits() > 0;
    if (ok && may_be_real && peek() == '.') {
      ++at_;
      digits();
    }
    if (ok && may_be_real && peek() == 'e') {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      ok = digits() > 0;
    }
    if (!ok || is_word(peek()) || peek() == '.') {
      at_ = begin;
      return false;
    }
    return true;
  }

  constexpr bool quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') return false;
    ++at_;
    while (peek() != quote) {
      if (peek() == '\0') return false;
      ++at_;
    }
    ++at_;
    return true;
  }

  constexpr bool list(bool may_be_real, bool of_booleans) {
    if (!take('[')) return false;
    if (take(']')) return true;
    do {
      skip_spaces();
      if (!(of_booleans ? truth() : number(may_be_real))) return false;
    } while (take(','));
    return take(']');
  }

  std::string_view text_;
  size_t at_ = 0;
  const char* error_ = nullptr;
  bool seen_argument_ = false;
  bool keyword_only_ = false;
  bool in_tuple_ = false;
  bool seen_return_ = false;
  bool done_ = false;
};

/// Null when the schema is well formed.
constexpr const char* schema_mistake(std::string_view text) {
  SchemaScanner scanner(text);
  scanner.operator_name();
  ScannedArgument argument;
  while (scanner.next_argument(argument)) {
  }
  ScannedType type;
  std::string_view name;
  if (scanner.begin_returns()) {
    while (scanner.next_return(type, name)) {
    }
  }
  return scanner.error();
}

// Deliberately not constexpr: reaching the call at compile time is the compile error.
inline void this_schema_is_malformed(const char* /*mistake*/) {}

}  // namespace detail

consteval SchemaText::SchemaText(const char* text) : text_(text) {
  if (const char* mistake = detail::schema_mistake(text_)) {
    detail::this_schema_is_malformed(mistake);
  }
}

}  // namespace litz::ir
