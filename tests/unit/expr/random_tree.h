// Random integer formulas with a plain evaluator: the oracle that simplified ones must match.

#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace litz::testing {

__extension__ typedef __int128 WideInt;

enum class TreeOp {
  constant,
  symbol,
  add,
  subtract,
  multiply,
  floor_div,
  mod,
  ceil_div,
  min,
  max,
  where_less,
  where_equal,
  negate,
  abs,
  square,
  shift_left,
  shift_right,
  mask,
};

struct Tree {
  TreeOp op = TreeOp::constant;
  int64_t value = 0;  ///< A constant, or the index of a symbol.
  std::vector<Tree> children;
};

/// Symbols with small domains of several kinds, so that brute force can visit them.
struct SmallDomain {
  struct Variable {
    Expr symbol;
    int64_t lo;
    int64_t hi;
  };

  ExprPool pool;
  std::vector<Variable> variables;

  SmallDomain() {
    add("x", SymbolKind::size, {-9, 9}, 9);
    add("y", SymbolKind::size, {-6, 6}, 6);
    add("n", SymbolKind::size, {0, 5}, 5);
    add("s", SymbolKind::size, {2, 7}, 7);
    add("w", SymbolKind::size, {1, Interval::kMax}, 12);
    add("u", SymbolKind::data_dependent, {}, 8);
    add("i", SymbolKind::index, {0, 11}, 11);
    add("j", SymbolKind::index, {0, 6}, 6);
    pool.set_extent(variables[7].symbol.symbol(), variables[3].symbol);
  }

  void add(const char* name, SymbolKind kind, Interval range, int64_t visited_hi) {
    const Expr symbol = pool.add_symbol({name, kind, range, std::nullopt});
    variables.push_back({symbol, range.lo == Interval::kMin ? -visited_hi : range.lo, visited_hi});
  }

  std::vector<int64_t> random_values(std::mt19937& random) const {
    std::vector<int64_t> values;
    for (const Variable& variable : variables) {
      values.push_back(std::uniform_int_distribution<int64_t>(variable.lo, variable.hi)(random));
    }
    values[7] = std::uniform_int_distribution<int64_t>(0, values[3] - 1)(random);
    return values;
  }

  Bindings bind(const std::vector<int64_t>& values) const {
    Bindings bindings;
    for (size_t i = 0; i < values.size(); ++i)
      bindings.set(variables[i].symbol.symbol(), values[i]);
    return bindings;
  }
};

class TreeGenerator {
 public:
  TreeGenerator(unsigned seed, size_t symbol_count) : random_(seed), symbol_count_(symbol_count) {}

  std::mt19937& random() { return random_; }

  int64_t pick(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(random_);
  }

  Tree leaf() {
    if (pick(0, 2) == 0) return {TreeOp::constant, pick(-9, 12), {}};
    return {TreeOp::symbol, pick(0, static_cast<int64_t>(symbol_count_) - 1), {}};
  }

  Tree constant(int64_t lo, int64_t hi) { return {TreeOp::constant, pick(lo, hi), {}}; }

  /// What index arithmetic looks like: quotients and remainders of sums, by constants, nested.
  Tree index_tree(int depth) {
    Tree sum = scaled(depth);
    for (int64_t more = pick(0, 3); more > 0; --more) {
      sum = {TreeOp::add, 0, {std::move(sum), scaled(depth)}};
    }
    return sum;
  }

  Tree scaled(int depth) {
    constexpr int64_t kScales[] = {1, 1, 2, 3, 4, 6, 8, 12, 24, -1, -2, -4};
    Tree inner = leaf();
    if (depth > 0 && pick(0, 3) != 0) {
      const TreeOp op = pick(0, 1) == 0 ? TreeOp::floor_div : TreeOp::mod;
      inner = {op, 0, {index_tree(depth - 1), {TreeOp::constant, kScales[pick(1, 8)], {}}}};
    }
    return {TreeOp::multiply, 0, {std::move(inner), {TreeOp::constant, kScales[pick(0, 11)], {}}}};
  }

  Tree tree(int depth) {
    if (depth == 0) return leaf();
    const auto below = [&] { return tree(depth - 1 - static_cast<int>(pick(0, 1)) % depth); };
    switch (pick(0, 18)) {
      case 0:
        return leaf();
      case 1:
      case 2:
      case 3:
        return {TreeOp::add, 0, {below(), below()}};
      case 4:
        return {TreeOp::subtract, 0, {below(), below()}};
      case 5:
        return {TreeOp::multiply, 0, {below(), below()}};
      case 6:
        return {TreeOp::multiply, 0, {below(), constant(-4, 8)}};
      case 7:
      case 8:
        return {TreeOp::floor_div, 0, {below(), constant(-6, 8)}};
      case 9:
        return {TreeOp::floor_div, 0, {below(), below()}};
      case 10:
      case 11:
        return {TreeOp::mod, 0, {below(), constant(-6, 8)}};
      case 12:
        return {TreeOp::mod, 0, {below(), below()}};
      case 13:
        return {TreeOp::ceil_div, 0, {below(), below()}};
      case 14:
        return {pick(0, 1) == 0 ? TreeOp::min : TreeOp::max, 0, {below(), below()}};
      case 15:
        return {pick(0, 1) == 0 ? TreeOp::where_less : TreeOp::where_equal,
                0,
                {below(), below(), below(), below()}};
      case 16:
        return {TreeOp::negate, 0, {below()}};
      case 17:
        return {pick(0, 1) == 0 ? TreeOp::abs : TreeOp::square, 0, {below()}};
      default:
        break;
    }
    const TreeOp bits[] = {TreeOp::shift_left, TreeOp::shift_right, TreeOp::mask};
    return {bits[pick(0, 2)], 0, {below(), constant(0, 4)}};
  }

 private:
  std::mt19937 random_;
  size_t symbol_count_;
};

inline Expr build(const Tree& tree, const SmallDomain& domain) {
  std::vector<Expr> c;
  for (const Tree& child : tree.children) c.push_back(build(child, domain));
  switch (tree.op) {
    case TreeOp::constant:
      return tree.value;
    case TreeOp::symbol:
      return domain.variables[static_cast<size_t>(tree.value)].symbol;
    case TreeOp::add:
      return c[0] + c[1];
    case TreeOp::subtract:
      return c[0] - c[1];
    case TreeOp::multiply:
      return c[0] * c[1];
    case TreeOp::floor_div:
      return floor_div(c[0], c[1]);
    case TreeOp::mod:
      return mod(c[0], c[1]);
    case TreeOp::ceil_div:
      return ceil_div(c[0], c[1]);
    case TreeOp::min:
      return litz::min(c[0], c[1]);
    case TreeOp::max:
      return litz::max(c[0], c[1]);
    case TreeOp::where_less:
      return where(lt(c[0], c[1]), c[2], c[3]);
    case TreeOp::where_equal:
      return where(eq(c[0], c[1]), c[2], c[3]);
    case TreeOp::negate:
      return -c[0];
    case TreeOp::abs:
      return litz::apply(ExprKind::abs, c);
    case TreeOp::square:
      return pow(c[0], 2);
    case TreeOp::shift_left:
      return litz::apply(ExprKind::shift_left, c);
    case TreeOp::shift_right:
      return litz::apply(ExprKind::shift_right, c);
    case TreeOp::mask: {
      const Expr pair[] = {c[0], Expr((int64_t{1} << c[1].constant()) - 1)};
      return litz::apply(ExprKind::bit_and, pair);
    }
  }
  return 0;
}

inline WideInt floor_quotient(WideInt a, WideInt b) {
  const WideInt q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/// The value, or nothing where the formula has none.
inline std::optional<int64_t> value_of(const Tree& tree, const std::vector<int64_t>& values) {
  std::vector<WideInt> c;
  for (const Tree& child : tree.children) {
    const auto value = value_of(child, values);
    if (!value) return std::nullopt;
    c.push_back(*value);
  }
  WideInt out = 0;
  switch (tree.op) {
    case TreeOp::constant:
      return tree.value;
    case TreeOp::symbol:
      return values[static_cast<size_t>(tree.value)];
    case TreeOp::add:
      out = c[0] + c[1];
      break;
    case TreeOp::subtract:
      out = c[0] - c[1];
      break;
    case TreeOp::multiply:
      out = c[0] * c[1];
      break;
    case TreeOp::floor_div:
      if (c[1] == 0) return std::nullopt;
      out = floor_quotient(c[0], c[1]);
      break;
    case TreeOp::mod:
      if (c[1] == 0) return std::nullopt;
      out = c[0] - floor_quotient(c[0], c[1]) * c[1];
      break;
    case TreeOp::ceil_div:
      if (c[1] == 0) return std::nullopt;
      out = -floor_quotient(-c[0], c[1]);
      break;
    case TreeOp::min:
      out = std::min(c[0], c[1]);
      break;
    case TreeOp::max:
      out = std::max(c[0], c[1]);
      break;
    case TreeOp::where_less:
      out = c[0] < c[1] ? c[2] : c[3];
      break;
    case TreeOp::where_equal:
      out = c[0] == c[1] ? c[2] : c[3];
      break;
    case TreeOp::negate:
      out = -c[0];
      break;
    case TreeOp::abs:
      out = c[0] < 0 ? -c[0] : c[0];
      break;
    case TreeOp::square:
      out = c[0] * c[0];
      break;
    case TreeOp::shift_left:
      out = c[0] * (WideInt{1} << static_cast<int>(c[1]));
      break;
    case TreeOp::shift_right:
      out = floor_quotient(c[0], WideInt{1} << static_cast<int>(c[1]));
      break;
    case TreeOp::mask:
      out = c[0] & ((WideInt{1} << static_cast<int>(c[1])) - 1);
      break;
  }
  if (out > INT64_MAX || out < INT64_MIN) return std::nullopt;
  return static_cast<int64_t>(out);
}

inline std::string describe(const Tree& tree, const SmallDomain& domain) {
  constexpr const char* kNames[] = {"",    "",        "add", "sub", "mul", "floordiv",
                                    "mod", "ceildiv", "min", "max", "wlt", "weq",
                                    "neg", "abs",     "sq",  "shl", "shr", "mask"};
  if (tree.op == TreeOp::constant) return std::to_string(tree.value);
  if (tree.op == TreeOp::symbol) {
    return to_string(domain.variables[static_cast<size_t>(tree.value)].symbol);
  }
  std::string text = std::string(kNames[static_cast<size_t>(tree.op)]) + "(";
  for (const Tree& child : tree.children) text += describe(child, domain) + ",";
  text.back() = ')';
  return text;
}

}  // namespace litz::testing
