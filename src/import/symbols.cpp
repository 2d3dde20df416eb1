#include "import/symbols.h"

#include <optional>

#include "expr/parse.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::import_ {
namespace {

// Writers use the largest integer minus one for "practically unbounded".
constexpr int64_t kPracticallyUnbounded = INT64_MAX - 1;

SymbolKind kind_of(std::string_view name) {
  if (name.starts_with("zuf")) return SymbolKind::real_data;
  if (name.starts_with("zf")) return SymbolKind::real_input;
  return name.starts_with('u') ? SymbolKind::data_dependent : SymbolKind::size;
}

int64_t read_bound(const JsonValue* value, int64_t unbounded, const JsonPath& path) {
  if (value == nullptr) return unbounded;
  if (value->is_string() || value->is_real()) {  // "Infinity" of old writers.
    value->as_double(path);
    return unbounded;
  }
  const int64_t bound = value->as_int(path);
  return bound >= kPracticallyUnbounded ? INT64_MAX : bound;
}

}  // namespace

void SymbolTable::read_ranges(const JsonValue& ranges, const JsonPath& path) {
  for (const JsonMember& member : ranges.as_object(path)) {
    const JsonPath at = path / member.key;
    Interval range;
    range.lo = read_bound(member.value.get("min_val", at), INT64_MIN, at / "min_val");
    range.hi = read_bound(member.value.get("max_val", at), INT64_MAX, at / "max_val");
    require(range.lo <= range.hi, ErrorCode::corrupt, "G12: a range must not be empty:", at,
            range.lo, range.hi);
    ranges_[std::string(member.key)] = range;
  }
}

void SymbolTable::fix(std::map<std::string, int64_t> values) {
  for (const auto& [name, value] : values) {
    Interval range{0, INT64_MAX};
    if (const auto found = ranges_.find(name); found != ranges_.end()) range = found->second;
    // Tracing assumes at least 2 for every dynamic size; that is not a fact about the program.
    if (range.lo <= 2) range.lo = 0;
    require(range.contains(value),
            "a size must lie in the range that the program was exported for:", name, "=", value);
  }
  fixed_ = std::move(values);
}

Expr SymbolTable::declare(const std::string& name, bool positive, std::optional<int64_t> hint) {
  if (const auto fixed = fixed_.find(name); fixed != fixed_.end()) return fixed->second;
  if (const auto known = pool_.find_symbol(name)) return *known;
  SymbolInfo info;
  info.name = name;
  info.kind = kind_of(name);
  info.hint = hint;
  if (const auto found = ranges_.find(name); found != ranges_.end()) {
    info.range = found->second;
  } else if (info.kind == SymbolKind::size) {
    info.range = {positive ? 1 : 0, INT64_MAX};
  }
  // Tracing treats 0 and 1 specially and records 2 as the minimum of any free size, but PyTorch
  // runs such programs at 1. So "at least 2" must not be used as a fact.
  if (info.kind == SymbolKind::size && info.range.lo == 2) info.range.lo = 1;
  // A size is never negative, even without a recorded lower bound.
  if (info.kind == SymbolKind::size && info.range.lo < 0) info.range.lo = 0;
  require(info.range.lo <= info.range.hi, ErrorCode::corrupt,
          "G12: the range of a size must not be empty:", name, info.range.lo, info.range.hi);
  return pool_.add_symbol(std::move(info));
}

Expr SymbolTable::expression(const JsonValue& expr, const JsonPath& path) {
  const JsonPath text_path = path / "expr_str";
  const std::string_view text = expr.at("expr_str", path).as_string(text_path);
  if (const auto found = parsed_.find(text); found != parsed_.end()) return found->second;
  std::optional<int64_t> hint;
  if (const JsonValue* value = expr.get("hint", path); value != nullptr && value->is_object()) {
    const JsonMember& member = value->as_union(path / "hint");
    if (member.key == "as_int") hint = member.value.as_int(path / "hint");
  }
  // A hint is the value of the whole expression; it is the symbol's value only if the expression is
  // just the symbol.
  const bool alone = text.starts_with("Symbol(") && text.rfind('(') == text.find('(');
  SymbolResolver resolver;
  resolver.symbol = [&](const std::string& name, bool positive) {
    return declare(name, positive, alone ? hint : std::nullopt);
  };
  try {
    const Expr parsed = parse_expr(text, pool_, resolver);
    parsed_.emplace(text, parsed);
    return parsed;
  } catch (Error& error) {
    throw Error(error.code() == ErrorCode::invalid_argument ? ErrorCode::corrupt : error.code(),
                "G11: " + error.message() + " (" + text_path.text() + ")");
  }
}

Expr SymbolTable::sym_int(const JsonValue& value, const JsonPath& path) {
  // Old writers stored a plain number if no symbol was possible.
  if (value.is_int()) return value.as_int(path);
  const JsonMember& member = value.as_union(path);
  if (member.key == "as_int") return member.value.as_int(path / "as_int");
  require(member.key == "as_expr", ErrorCode::corrupt, "J5: unknown kind of integer:", path,
          quote(member.key));
  const Expr expr = expression(member.value, path / "as_expr");
  require(expr.domain() == ExprDomain::integer, ErrorCode::corrupt,
          "G11: an integer expression is expected:", path, expr);
  return expr;
}

Expr SymbolTable::sym_float(const JsonValue& value, const JsonPath& path) {
  if (value.is_real() || value.is_int()) return Expr::real(value.as_double(path));
  const JsonMember& member = value.as_union(path);
  if (member.key == "as_float") return Expr::real(member.value.as_double(path / "as_float"));
  require(member.key == "as_expr", ErrorCode::corrupt, "J5: unknown kind of float:", path,
          quote(member.key));
  const Expr expr = expression(member.value, path / "as_expr");
  require(expr.domain() != ExprDomain::boolean, ErrorCode::corrupt,
          "G11: a numeric expression is expected:", path, expr);
  return expr.domain() == ExprDomain::real ? expr : to_real(expr);
}

Expr SymbolTable::sym_bool(const JsonValue& value, const JsonPath& path) {
  const JsonMember& member = value.as_union(path);
  if (member.key == "as_bool") return Expr::boolean(member.value.as_bool(path / "as_bool"));
  require(member.key == "as_expr", ErrorCode::corrupt, "J5: unknown kind of bool:", path,
          quote(member.key));
  const Expr expr = expression(member.value, path / "as_expr");
  require(expr.domain() == ExprDomain::boolean, ErrorCode::corrupt,
          "G11: a boolean expression is expected:", path, expr);
  return expr;
}

}  // namespace litz::import_
