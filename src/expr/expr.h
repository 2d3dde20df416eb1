// Symbolic scalars: sizes, strides, offsets and loop indices as hash-consed expressions.
//
// An Expr is a constant (stored inline, without a pool) or a node interned in an ExprPool, so two
// equal expressions are one pointer and comparing them is free. Building simplifies: every function
// below returns the canonical form (sums of products in a fixed order, folded constants, the index
// identities of floor division and modulus), using the ranges of its symbols.
//
// Three domains never mix silently: int (64-bit, checked), real (double) and boolean. Integer
// arithmetic never wraps: folding or evaluating past 64 bits throws Error{out_of_range}.
// Division and modulus are floor division and its remainder (Python's), for any sign.
//
// A pool is not locked: one thread builds or proves at a time (proofs build too); reading, printing
// and evaluating are safe in parallel.
//
// Limits: an expression nests at most 256 deep and a pool holds at most a million nodes; beyond
// that building throws Error{limit_exceeded}.

#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace litz {

enum class ExprKind : uint8_t {
  constant,
  symbol,
  add,  ///< n-ary
  mul,  ///< n-ary
  floor_div,
  mod,        ///< a - floor_div(a, b) * b
  clean_div,  ///< Exact quotient: evaluating with a remainder is an error.
  ceil_div,
  pow,  ///< Integer power, exponent >= 0; real power in the real domain.
  min,  ///< n-ary
  max,  ///< n-ary
  where,
  shift_left,
  shift_right,
  bit_and,
  bit_or,
  bit_xor,
  eq,
  ne,
  lt,
  le,
  logical_and,  ///< n-ary
  logical_or,   ///< n-ary
  logical_not,
  to_real,
  true_div,  ///< Real quotient; for two ints, correctly rounded.
  trunc_to_int,
  floor_to_int,
  ceil_to_int,
  round_to_int,    ///< Half to even.
  trunc_real,      ///< Truncates, stays real.
  round_decimals,  ///< (x, n): half to even at n decimals, stays real.
  abs,
  sign,
  dense_indicator,  ///< Of sizes, then strides: 1 if non-overlapping and dense, else 0.
  sqrt,
  cos,
  sin,
  tan,
  cosh,
  sinh,
  tanh,
  asin,
  acos,
  atan,
  asinh,
  exp,
  log,
  log2,
};

enum class ExprDomain : uint8_t { integer, real, boolean };

/// An inclusive range of integers; the extreme values of int64_t mean unbounded.
struct Interval {
  static constexpr int64_t kMin = INT64_MIN;
  static constexpr int64_t kMax = INT64_MAX;
  int64_t lo = kMin;
  int64_t hi = kMax;

  bool contains(int64_t value) const { return lo <= value && value <= hi; }

  bool operator==(const Interval&) const = default;
};

enum class SymbolKind : uint8_t {
  size,            ///< Bound from an input: s77.
  data_dependent,  ///< Bound when the node that defines it runs: u0.
  index,           ///< A loop variable of a kernel.
  real_input,      ///< zf3
  real_data,       ///< zuf0
  boolean,         ///< A flag that the caller gives at run time.
};

/// Bound when a node runs, not from the sizes of inputs.
constexpr bool comes_from_data(SymbolKind kind) {
  return kind == SymbolKind::data_dependent || kind == SymbolKind::real_data;
}

using SymbolId = uint32_t;

struct SymbolInfo {
  std::string name;
  SymbolKind kind = SymbolKind::size;
  Interval range;
  std::optional<int64_t> hint;  ///< The value at export; an oracle for tests, never a fact.
};

class ExprPool;
struct ExprAccess;
struct ExprNode;

class Expr {
 public:
  /// The integer 0.
  Expr() = default;

  // Implicit: an Expr is the vocabulary type for sizes, and most sizes are literals.
  Expr(int64_t value) : bits_(value) {}  // NOLINT(google-explicit-constructor)

  Expr(int value) : bits_(value) {}  // NOLINT(google-explicit-constructor)

  static Expr real(double value);
  static Expr boolean(bool value);

  ExprKind kind() const;
  ExprDomain domain() const;

  bool is_constant() const { return node_ == nullptr; }

  /// The value of an integer constant; check-fails otherwise.
  int64_t constant() const;
  double real_constant() const;
  bool boolean_constant() const;
  /// The integer if this is an integer constant.
  std::optional<int64_t> maybe_constant() const;
  bool is(int64_t value) const;

  bool is_symbol() const { return kind() == ExprKind::symbol; }

  SymbolId symbol() const;
  std::span<const Expr> operands() const;
  /// The pool of a non-constant; null for constants.
  ExprPool* pool() const;

  const ExprNode* node() const { return node_; }

  /// Structural identity, which is equality up to simplification for most forms in practice.
  friend bool operator==(const Expr& a, const Expr& b) {
    return a.node_ == b.node_ && a.bits_ == b.bits_ && a.constant_domain_ == b.constant_domain_;
  }

  /// A hash that is stable within a process.
  size_t hash() const;

 private:
  friend struct ExprAccess;

  const ExprNode* node_ = nullptr;
  int64_t bits_ = 0;  ///< Constant payload: the integer, the double's bits, or 0/1.
  ExprDomain constant_domain_ = ExprDomain::integer;
};

/// Answers the questions that proofs leave open, while a program is traced for the sizes of one call.
class OpenQuestions {
 public:
  virtual ~OpenQuestions() = default;
  /// Whether the condition holds in that call; the one who asked then relies on it in every call.
  /// Nothing if that call does not say.
  virtual std::optional<bool> decide(Expr condition) = 0;
  /// The number in that call, with the same consequence.
  virtual std::optional<int64_t> fix(Expr number) = 0;
};

/// Owns the nodes and the symbols of one module. Addresses are stable.
class ExprPool {
 public:
  ExprPool();
  ~ExprPool();
  ExprPool(const ExprPool&) = delete;
  ExprPool& operator=(const ExprPool&) = delete;

  /// Adds a symbol. Requires unique names, except for index symbols, and non-empty ranges.
  Expr add_symbol(SymbolInfo info);
  /// The symbol of that name, if any; does not find index symbols.
  std::optional<Expr> find_symbol(std::string_view name) const;
  const SymbolInfo& symbol(SymbolId id) const;
  /// Narrows a symbol's declared range (intersection); only before expressions rely on it.
  void set_range(SymbolId id, Interval range);
  /// Declares 0 <= symbol < extent; the extent may be symbolic.
  void set_extent(SymbolId id, Expr extent);
  size_t symbol_count() const;
  /// The symbol as an expression.
  Expr symbol_expr(SymbolId id) const;
  size_t node_count() const;

  /// Whom known() and its kin ask; null: nobody. Must live until it is replaced.
  void set_open_questions(OpenQuestions* answers) { open_questions_ = answers; }

  OpenQuestions* open_questions() const { return open_questions_; }

  /// The implementation, only for the sources of this component.
  struct Impl;

  Impl& impl() { return *impl_; }

  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
  OpenQuestions* open_questions_ = nullptr;
};

// --- Building. Operands of one call must be constants or share a pool.
Expr operator+(Expr a, Expr b);
Expr operator-(Expr a, Expr b);
Expr operator*(Expr a, Expr b);
Expr operator-(Expr a);
Expr sum(std::span<const Expr> terms);
Expr product(std::span<const Expr> factors);
Expr floor_div(Expr a, Expr b);
Expr mod(Expr a, Expr b);
Expr ceil_div(Expr a, Expr b);
Expr clean_div(Expr a, Expr b);
Expr min(Expr a, Expr b);
Expr max(Expr a, Expr b);
Expr min(std::span<const Expr> operands);
Expr max(std::span<const Expr> operands);
Expr pow(Expr base, Expr exponent);
Expr to_real(Expr a);
Expr true_div(Expr a, Expr b);
Expr where(Expr condition, Expr yes, Expr no);
Expr eq(Expr a, Expr b);
Expr ne(Expr a, Expr b);
Expr lt(Expr a, Expr b);
Expr le(Expr a, Expr b);
Expr logical_and(Expr a, Expr b);
Expr logical_or(Expr a, Expr b);
/// Without operands: true for and, false for or.
Expr logical_and(std::span<const Expr> operands);
Expr logical_or(std::span<const Expr> operands);
Expr logical_not(Expr a);
/// Any function by kind, except constant and symbol; requires matching arity and domains.
/// Write litz::apply when passing a std container, which would also find std::apply.
Expr apply(ExprKind kind, std::span<const Expr> operands);

// --- Proofs from constants, structure and symbol ranges; never from hints. What they leave open goes to
// the pool's open questions, if there are any.
/// The tightest interval that the analysis finds for an integer expression.
Interval bounds(Expr a);
/// True or false when decided for every value of the symbols, else nothing.
std::optional<bool> known(Expr boolean);
bool known_equal(Expr a, Expr b);
bool known_not_equal(Expr a, Expr b);
bool known_less(Expr a, Expr b);
bool known_less_equal(Expr a, Expr b);
/// The value of an integer that is one number in every call.
std::optional<int64_t> known_value(Expr a);
/// True if b is known to divide a.
bool known_divisible(Expr a, Expr b);
/// The exact quotient if a is a polynomial multiple of b: 6*s0*s1 by 2*s0 gives 3*s1.
std::optional<Expr> exact_quotient(Expr a, Expr b);

/// Replaces symbols; rebuilds (and so simplifies) the changed parts.
Expr substitute(Expr a, std::span<const std::pair<SymbolId, Expr>> replacements);
/// Ids of the symbols that occur, ascending, each once.
std::vector<SymbolId> free_symbols(Expr a);
bool mentions(Expr a, SymbolId symbol);
/// True if it mentions a data-dependent symbol.
bool depends_on_data(Expr a);
/// a = coefficient * symbol + rest, neither mentioning the symbol; nothing if a is not affine in
/// it.
std::optional<std::pair<Expr, Expr>> linear_in(Expr a, SymbolId symbol);

/// The printed name of a kind that is a function: "floor_div", "trunc_to_int".
std::string_view name(ExprKind kind);

/// Python-like infix text that `parse_expr` reads back to the same Expr: `2*s0 + 1`, `s0//2`.
std::string to_string(Expr a);
std::ostream& operator<<(std::ostream& out, Expr a);

/// Values of symbols for one call.
class Bindings {
 public:
  void set(SymbolId symbol, int64_t value);
  void set_real(SymbolId symbol, double value);

  void set_boolean(SymbolId symbol, bool value) { set(symbol, value ? 1 : 0); }

  std::optional<int64_t> find(SymbolId symbol) const;
  std::optional<double> find_real(SymbolId symbol) const;

  void clear() { slots_.clear(); }

 private:
  struct Slot {
    bool bound = false;
    int64_t bits = 0;
  };

  std::vector<Slot> slots_;
};

/// Evaluates in checked arithmetic. Throws Error{out_of_range} "shape expression out of range" on
/// overflow, division by zero or a negative shift, Error{invalid_argument} for an unbound symbol.
int64_t evaluate(Expr a, const Bindings& bindings);
double evaluate_real(Expr a, const Bindings& bindings);
bool evaluate_boolean(Expr a, const Bindings& bindings);
std::vector<int64_t> evaluate(std::span<const Expr> exprs, const Bindings& bindings);

}  // namespace litz

template <>
struct std::hash<litz::Expr> {
  size_t operator()(const litz::Expr& a) const { return a.hash(); }
};
