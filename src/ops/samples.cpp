#include "ops/samples.h"

#include <charconv>
#include <cstdlib>
#include <limits>
#include <utility>

#include "ops/op_table.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::ArgKind;
using ir::Argument;
using ir::Attribute;

// Symbolic sizes of samples are like those of exports, never 0 or 1.
constexpr Interval kSizeRange{2, Interval::kMax};
constexpr int64_t kSizeHint = 3;

class SampleParser {
 public:
  SampleParser(const ir::OpInfo& op, std::string_view text, ir::Graph& graph)
      : op_(op), samples_(definition(op).samples), text_(text), graph_(graph) {}

  SampleCall parse() && {
    const auto& arguments = op_.schema.arguments;
    std::vector<bool> given(arguments.size(), false);
    call_.arguments.resize(arguments.size());
    expect('(');
    size_t position = 0;
    while (!take(')')) {
      if (position > 0) expect(',');
      const size_t slot = named_slot().value_or(position);
      if (slot >= arguments.size() || given[slot]) fail_here("an argument too many");
      call_.arguments[slot] = argument(arguments[slot].kind);
      given[slot] = true;
      ++position;
    }
    for (size_t i = 0; i < arguments.size(); ++i) {
      if (given[i]) continue;
      if (!arguments[i].has_default) fail_here("an argument without default is missing");
      call_.arguments[i] = arguments[i].default_value;
    }
    return std::move(call_);
  }

 private:
  [[noreturn]] void fail_here(const char* what) const {
    fail(ErrorCode::invalid_argument, "a sample call must be well formed:", op_.name(), text_, what,
         "at column", at_ + 1);
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) fail_here("unexpected text");
  }

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }

  std::string_view word() {
    peek();
    const size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // "name=" of a schema argument.
  std::optional<size_t> named_slot() {
    const size_t begin = at_;
    const std::string_view name = word();
    if (!name.empty() && take('=')) {
      const int slot = op_.schema.find(name);
      if (slot < 0) fail_here("no such argument");
      return static_cast<size_t>(slot);
    }
    at_ = begin;
    return std::nullopt;
  }

  bool take_word(std::string_view wanted) {
    const size_t begin = at_;
    if (word() == wanted) return true;
    at_ = begin;
    return false;
  }

  Argument argument(ArgKind kind) {
    if (take_word("None")) return {};
    switch (kind) {
      case ArgKind::tensor_list:
      case ArgKind::optional_tensor_list:
        return tensors();
      case ArgKind::tensor:
      case ArgKind::any:
        if (const ir::Value value = tensor()) return value;
        return number();
      case ArgKind::string:
        return Attribute(quoted());
      case ArgKind::dtype:
        return enumerator(parse_dtype(word()));
      case ArgKind::device:
        return enumerator(parse_device(word()));
      case ArgKind::memory_format:
        return enumerator(parse_memory_format(word()));
      default:
        return peek() == '[' ? Attribute(numbers()) : number();
    }
  }

  template <typename T>
  Attribute enumerator(std::optional<T> value) {
    if (!value) fail_here("an unknown name");
    return *value;
  }

  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail_here("a string must stand here");
    const size_t end = text_.find(quote, ++at_);
    if (end == std::string_view::npos) fail_here("an open string");
    std::string value(text_.substr(at_, end - at_));
    at_ = end + 1;
    return value;
  }

  std::vector<ir::Value> tensors() {
    std::vector<ir::Value> values;
    expect('[');
    while (!take(']')) {
      if (!values.empty()) expect(',');
      if (take_word("None")) {
        values.emplace_back();
        continue;
      }
      const ir::Value value = tensor();
      if (!value) fail_here("a tensor type must stand here");
      values.push_back(value);
    }
    return values;
  }

  // A tensor type; null, consuming nothing, if there is none.
  ir::Value tensor() {
    const size_t begin = at_;
    const std::optional<DType> dtype = parse_dtype(word());
    if (!dtype || peek() != '[') {
      at_ = begin;
      return {};
    }
    TensorType type = contiguous_type(*dtype, numbers());
    if (take('{')) {
      --at_;
      type.strides = numbers('{', '}');
    }
    SampleInput input = default_range(*dtype);
    if (take_word("in")) {
      expect('[');
      input.lo = real();
      expect(',');
      input.hi = real();
      expect(')');
    }
    input.value = graph_.add_input("in" + std::to_string(call_.inputs.size()), std::move(type));
    call_.inputs.push_back(input);
    return input.value;
  }

  SampleInput default_range(DType dtype) const {
    if (is_floating(dtype) || is_complex(dtype)) return {{}, samples_.lo, samples_.hi};
    if (dtype == DType::bool_) return {{}, 0, 2};
    return {{}, is_signed(dtype) ? -5.0 : 0.0, 6};
  }

  ir::Scalars numbers(char open = '[', char close = ']') {
    ir::Scalars values;
    expect(open);
    while (!take(close)) {
      if (!values.empty()) expect(',');
      const Attribute value = number();
      const Expr* expr = std::get_if<Expr>(&value);
      if (expr == nullptr) fail_here("a list holds real numbers");
      values.push_back(*expr);
    }
    return values;
  }

  double real() {
    const Attribute value = number();
    const Expr* expr = std::get_if<Expr>(&value);
    if (expr == nullptr || !expr->is_constant()) fail_here("a number must stand here");
    return expr->domain() == ExprDomain::real ? expr->real_constant()
                                              : static_cast<double>(expr->constant());
  }

  // An int, a float, a bool, an imaginary number (2j) or a symbolic size.
  Attribute number() {
    const char first = peek();
    const bool is_negative = first == '-';
    const bool is_digit = first >= '0' && first <= '9';
    if (!is_negative && !is_digit) return named_number();
    if (is_negative) {
      ++at_;
      if (take_word("inf")) return Expr::real(-std::numeric_limits<double>::infinity());
      --at_;
    }
    const std::string rest(text_.substr(at_));
    char* end = nullptr;
    const double value = std::strtod(rest.c_str(), &end);
    const auto length = static_cast<size_t>(end - rest.c_str());
    if (length == 0) fail_here("a number must stand here");
    at_ += length;
    if (take('j')) return std::complex<double>(0, value);
    if (rest.substr(0, length).find_first_of(".eE") != std::string::npos) return Expr::real(value);
    int64_t integer = 0;
    std::from_chars(rest.data(), rest.data() + length, integer);
    return Expr(integer);
  }

  Attribute named_number() {
    const std::string name(word());
    if (name == "True" || name == "true") return Expr::boolean(true);
    if (name == "False" || name == "false") return Expr::boolean(false);
    if (name == "inf") return Expr::real(std::numeric_limits<double>::infinity());
    if (name == "nan") return Expr::real(std::numeric_limits<double>::quiet_NaN());
    if (name.empty()) fail_here("a number must stand here");
    ExprPool& pool = graph_.module().exprs();
    if (const std::optional<Expr> known = pool.find_symbol(name)) return *known;
    return pool.add_symbol({name, SymbolKind::size, kSizeRange, kSizeHint});
  }

  const ir::OpInfo& op_;
  const Samples& samples_;
  std::string_view text_;
  ir::Graph& graph_;
  SampleCall call_;
  size_t at_ = 0;
};

const char* default_text(ArgKind kind) {
  switch (kind) {
    case ArgKind::tensor:
      return "f32[2, 3]";
    case ArgKind::tensor_list:
    case ArgKind::optional_tensor_list:
      return "[f32[2, 3], f32[2, 3]]";
    case ArgKind::boolean:
      return "True";
    case ArgKind::real:
      return "0.5";
    case ArgKind::dtype:
      return "f64";
    default:
      return "2";
  }
}

}  // namespace

std::vector<std::string> sample_texts(const ir::OpInfo& op) {
  const OpDef& definition = ops::definition(op);
  if (!definition.samples.calls.empty()) {
    return {definition.samples.calls.begin(), definition.samples.calls.end()};
  }
  if (std::holds_alternative<Structural>(definition.impl)) return {};
  std::string text = "(";
  for (const ir::SchemaArgument& argument : op.schema.arguments) {
    if (argument.has_default) continue;
    if (text.size() > 1) text += ", ";
    text += argument.name + "=" + default_text(argument.kind);
  }
  return {text + ")"};
}

SampleCall parse_sample(const ir::OpInfo& op, std::string_view text, ir::Graph& graph) {
  return SampleParser(op, text, graph).parse();
}

}  // namespace litz::ops
