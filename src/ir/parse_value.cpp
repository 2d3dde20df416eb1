// Parses types, attributes, annotations, locations and symbols of IR text. See parse_value.h.

#include "ir/parse_value.h"

#include <bit>
#include <charconv>
#include <limits>

#include "expr/parse.h"
#include "ir/printed_symbols.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// Numbers may have a point or an exponent, or be spelled out; everything else is symbolic.
std::optional<Expr> parse_constant(std::string_view text) {
  if (text == "true") return Expr::boolean(true);
  if (text == "false") return Expr::boolean(false);
  if (text == "inf") return Expr::real(std::numeric_limits<double>::infinity());
  if (text == "-inf") return Expr::real(-std::numeric_limits<double>::infinity());
  if (text == "nan") return Expr::real(std::numeric_limits<double>::quiet_NaN());
  const char* end = text.data() + text.size();
  if (text.starts_with("nan(0x") && text.ends_with(")")) {
    uint64_t bits = 0;
    const auto parsed = std::from_chars(text.data() + 6, end - 1, bits, 16);
    if (parsed.ec == std::errc() && parsed.ptr == end - 1) {
      return Expr::real(std::bit_cast<double>(bits));
    }
  }
  int64_t integer = 0;
  const auto whole = std::from_chars(text.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) return Expr(integer);
  double real = 0;
  const auto parsed = std::from_chars(text.data(), end, real);
  const bool is_real = text.find_first_of(".e") != std::string_view::npos;
  if (is_real && parsed.ec == std::errc() && parsed.ptr == end) return Expr::real(real);
  return std::nullopt;
}

Expr scalar_of(TextCursor& cursor, Module& module, size_t at, std::string_view text) {
  if (const auto constant = parse_constant(text)) return *constant;
  // Simplification relies on the ranges of symbols, so each must be declared.
  SymbolResolver declared;
  declared.symbol = [&](const std::string& name, bool /*positive*/) {
    const auto symbol = module.exprs().find_symbol(name);
    require(symbol.has_value(), "a symbol must be declared with 'sym' before its use:", name);
    return *symbol;
  };
  try {
    return parse_expr(text, module.exprs(), declared);
  } catch (const Error& error) {
    cursor.fail_at(at, error.message());
  }
}

Expr parse_scalar(TextCursor& cursor, Module& module) {
  cursor.peek();
  const size_t at = cursor.at();
  return scalar_of(cursor, module, at, cursor.expression());
}

Scalars parse_scalars(TextCursor& cursor, Module& module, char close) {
  Scalars values;
  if (cursor.take(close)) return values;
  do {
    values.push_back(parse_scalar(cursor, module));
  } while (cursor.take(','));
  cursor.expect(close);
  return values;
}

std::string_view device_text(TextCursor& cursor) {
  cursor.peek();
  const size_t begin = cursor.at();
  while (is_word_char(cursor.adjacent()) || cursor.adjacent() == ':') cursor.seek(cursor.at() + 1);
  return cursor.text().substr(begin, cursor.at() - begin);
}

ValueType parse_tensor_type(TextCursor& cursor, Module& module, DType dtype) {
  TensorType type;
  type.dtype = dtype;
  cursor.expect('[');
  type.sizes = parse_scalars(cursor, module, ']');
  for (const Expr& size : type.sizes) {
    if (size.domain() != ExprDomain::integer) cursor.fail("sizes are integers");
  }
  // Only an adjacent brace belongs to the type: `f32[2] {` opens a graph.
  if (cursor.adjacent() == '{') {
    cursor.take('{');
    type.strides = parse_scalars(cursor, module, '}');
    if (type.strides.size() != type.sizes.size()) cursor.fail("expected as many strides as sizes");
    for (const Expr& stride : type.strides) {
      if (stride.domain() != ExprDomain::integer) cursor.fail("strides are integers");
    }
  } else {
    type.strides = contiguous_strides(type.sizes);
  }
  if (cursor.adjacent() == '+') {
    cursor.take('+');
    type.offset = parse_scalar(cursor, module);
    if (type.offset.domain() != ExprDomain::integer) cursor.fail("an offset is an integer");
  }
  if (cursor.adjacent() == '@') {
    cursor.take('@');
    const size_t at = cursor.at();
    const auto device = parse_device(device_text(cursor));
    if (!device) cursor.fail_at(at, "expected a device such as cpu or cuda:0");
    type.device = *device;
  }
  return type;
}

std::optional<ExprDomain> scalar_domain(std::string_view word) {
  for (const ExprDomain domain : {ExprDomain::integer, ExprDomain::real, ExprDomain::boolean}) {
    if (word == scalar_domain_name(domain)) return domain;
  }
  return std::nullopt;
}

// A bare word: a keyword of the slot's kind, else of any kind, else an expression.
Attribute parse_bare(TextCursor& cursor, Module& module, ArgKind kind) {
  const size_t at = cursor.at();
  const std::string_view text = cursor.expression();
  if (text == "none") return std::monostate{};
  const bool any = kind == ArgKind::any || kind == ArgKind::any_list;
  if (kind == ArgKind::dtype || any) {
    if (const auto dtype = parse_dtype(text)) return *dtype;
  }
  if (kind == ArgKind::device || any) {
    if (const auto device = parse_device(text)) return *device;
  }
  if (kind == ArgKind::memory_format || any) {
    if (const auto format = parse_memory_format(text)) return *format;
  }
  if ((kind == ArgKind::layout || any) && text == "strided") return Layout::strided;
  return scalar_of(cursor, module, at, text);
}

Attribute parse_list(TextCursor& cursor, Module& module, ArgKind kind) {
  cursor.expect('[');
  if (cursor.peek() != '"' && kind != ArgKind::string_list) {
    return parse_scalars(cursor, module, ']');
  }
  Strings strings;
  if (cursor.take(']')) return strings;
  do {
    strings.push_back(cursor.quoted());
  } while (cursor.take(','));
  cursor.expect(']');
  return strings;
}

double parse_real(TextCursor& cursor, Module& module) {
  const size_t at = cursor.at();
  const Expr value = parse_scalar(cursor, module);
  if (!value.is_constant() || value.domain() != ExprDomain::real) {
    cursor.fail_at(at, "expected a real number such as 1.0");
  }
  return value.real_constant();
}

int64_t parse_bound(TextCursor& cursor) {
  if (cursor.take_word("-inf")) return Interval::kMin;
  return cursor.take_word("inf") ? Interval::kMax : cursor.integer();
}

}  // namespace

ValueType parse_value_type(TextCursor& cursor, Module& module) {
  cursor.peek();
  const size_t at = cursor.at();
  const std::string_view word = cursor.word();
  if (word == "token") return TokenType{};
  if (word == "none") return NoneType{};
  if (cursor.adjacent() == '(') {
    if (const auto domain = scalar_domain(word)) {
      cursor.expect('(');
      const Expr value = parse_scalar(cursor, module);
      cursor.expect(')');
      return ScalarType{*domain, value};
    }
  }
  const auto dtype = parse_dtype(word);
  if (!dtype) {
    cursor.seek(at);
    cursor.expected("a type such as f32[2, 3], int(s0) or token");
  }
  return parse_tensor_type(cursor, module, *dtype);
}

std::vector<ValueType> parse_value_types(TextCursor& cursor, Module& module) {
  std::vector<ValueType> types;
  if (!cursor.take('(')) {
    types.push_back(parse_value_type(cursor, module));
    return types;
  }
  if (cursor.take(')')) return types;
  do {
    types.push_back(parse_value_type(cursor, module));
  } while (cursor.take(','));
  cursor.expect(')');
  return types;
}

Attribute parse_attribute(TextCursor& cursor, Module& module, ArgKind kind) {
  const char c = cursor.peek();
  if (c == '[') return parse_list(cursor, module, kind);
  if (c == '"') return cursor.quoted();
  if (c == '@') {
    cursor.take('@');
    const size_t at = cursor.at();
    const std::string name(cursor.dotted());
    const Graph* graph = module.find_graph(name);
    if (graph == nullptr) cursor.fail_at(at, "expected the name of a graph of this text: " + name);
    return GraphRef{graph->id()};
  }
  const size_t begin = cursor.at();
  const std::string_view word = cursor.word();
  if (word == "op" && cursor.take('(')) {
    OpRef op{std::string(cursor.dotted())};
    cursor.expect(')');
    return op;
  }
  if (word == "complex" && cursor.take('(')) {
    const double real = parse_real(cursor, module);
    cursor.expect(',');
    const double imaginary = parse_real(cursor, module);
    cursor.expect(')');
    return std::complex<double>(real, imaginary);
  }
  cursor.seek(begin);
  return parse_bare(cursor, module, kind);
}

Annotations parse_annotations(TextCursor& cursor) {
  Annotations annotations;
  cursor.expect('{');
  if (cursor.take('}')) return annotations;
  do {
    const bool quoted = cursor.peek() == '"';
    const size_t at = cursor.at();
    std::string key = quoted ? cursor.quoted() : std::string(cursor.word());
    if (!quoted && key.empty()) cursor.expected("an annotation key");
    cursor.expect('=');
    std::string value = cursor.peek() == '"' ? cursor.quoted() : std::to_string(cursor.integer());
    if (!annotations.emplace(std::move(key), std::move(value)).second) {
      cursor.fail_at(at, "an annotation key may stand once");
    }
  } while (cursor.take(','));
  cursor.expect('}');
  return annotations;
}

Location parse_location(TextCursor& cursor) {
  Location location;
  cursor.expect('(');
  location.file = cursor.quoted();
  cursor.expect(':');
  const size_t at = cursor.at();
  const int64_t line = cursor.integer();
  if (line < 0 || line > std::numeric_limits<int>::max()) {
    cursor.fail_at(at, "expected a line number");
  }
  location.line = static_cast<int>(line);
  if (cursor.take(',')) location.module_path = cursor.quoted();
  cursor.expect(')');
  return location;
}

void parse_symbol(TextCursor& cursor, Module& module) {
  SymbolInfo symbol;
  cursor.peek();
  const size_t at = cursor.at();
  symbol.name = cursor.word();
  if (symbol.name.empty() || (symbol.name.front() >= '0' && symbol.name.front() <= '9')) {
    cursor.seek(at);
    cursor.expected("the name of a symbol");
  }
  symbol.kind = implied_symbol_kind(symbol.name).value_or(SymbolKind::size);
  const size_t kind_at = cursor.at();
  if (const auto kind = parse_symbol_kind(cursor.word())) {
    symbol.kind = *kind;
  } else {
    cursor.seek(kind_at);
  }
  if (cursor.take_word("in")) {
    cursor.expect('[');
    symbol.range.lo = parse_bound(cursor);
    cursor.expect(',');
    symbol.range.hi = parse_bound(cursor);
    if (symbol.range.lo > symbol.range.hi) cursor.fail("a range must not be empty");
    cursor.expect(']');
  }
  if (cursor.take_word("hint")) symbol.hint = cursor.integer();
  cursor.expect_line_end();
  try {
    module.exprs().add_symbol(std::move(symbol));
  } catch (const Error& error) {
    cursor.fail_at(at, error.message());
  }
}

}  // namespace litz::ir
