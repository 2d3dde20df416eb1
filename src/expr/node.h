// The internals of an expression pool: nodes, interning, the order of terms, and sums as term
// lists.
//
// Only the sources of this component include this header. A node is immutable once interned, except
// its range, which set_range and set_extent narrow. Facts that simplifiers need often (depth, hash,
// range, free symbols, degree) are computed once, when the node is created.
//
// Integer sums have one canonical form: terms coefficient * monomial in decreasing order (degree
// first, then lexicographic), the constant last. A monomial is a product of atoms; an atom raised
// to a constant power is a pow node. `Terms` is that form as a list.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory_resource>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "expr/expr.h"
#include "support/check.h"

namespace litz {

/// Room for products of two 64-bit values; overflow beyond it is still checked where possible.
__extension__ typedef __int128 Wide;

/// An interval that contains every value of a real expression except NaN.
struct RealInterval {
  double lo;
  double hi;
};

struct ExprNode {
  ExprPool* pool = nullptr;
  const Expr* operand_data = nullptr;
  const SymbolId* symbol_data = nullptr;  ///< Free symbols, ascending.
  const ExprNode* monomial = nullptr;     ///< The monomial of coefficient * monomial.
  size_t hash = 0;
  Interval range;           ///< For an integer or boolean (0 or 1) node.
  RealInterval real_range;  ///< For a real node.
  uint32_t operand_count = 0;
  uint32_t symbol_count = 0;
  uint32_t tree_size = 1;  ///< Number of nodes as a tree; saturates.
  uint32_t degree = 1;     ///< The monomial's; 1 for atoms.
  SymbolId symbol = 0;
  uint16_t depth = 1;
  ExprKind kind = ExprKind::symbol;
  ExprDomain domain = ExprDomain::integer;

  std::span<const Expr> operands() const { return {operand_data, operand_count}; }

  std::span<const SymbolId> symbols() const { return {symbol_data, symbol_count}; }
};

struct ExprAccess {
  static Expr wrap(const ExprNode* node) {
    Expr result;
    result.node_ = node;
    return result;
  }

  static int64_t bits(Expr a) { return a.bits_; }

  static Expr constant(ExprDomain domain, int64_t bits) {
    Expr result;
    result.bits_ = bits;
    result.constant_domain_ = domain;
    return result;
  }
};

struct ExprPool::Impl {
  struct SymbolRecord {
    SymbolInfo info;
    Expr self;
    std::optional<Expr> extent;  ///< Exclusive symbolic upper bound.
  };

  struct MemoKey {
    ExprKind kind;
    Expr a;
    Expr b;
    bool operator==(const MemoKey&) const = default;
  };

  struct MemoHash {
    size_t operator()(const MemoKey& key) const;
  };

  explicit Impl(ExprPool* owner) : pool(owner), table(1024, nullptr) {}

  /// The node of this kind over these operands, which must already be canonical.
  Expr intern(ExprKind kind, ExprDomain domain, std::span<const Expr> operands,
              SymbolId symbol = 0);
  const SymbolRecord& record(SymbolId id) const;
  /// Recomputes every range, after a symbol's range was narrowed.
  void refresh_ranges();

  ExprPool* pool;
  std::pmr::monotonic_buffer_resource arena;
  std::vector<ExprNode*> nodes;  ///< In order of creation: operands precede their users.
  std::vector<ExprNode*> table;  ///< Open addressing; the size is a power of two.
  std::deque<SymbolRecord> symbols;
  std::map<std::string, SymbolId, std::less<>> by_name;
  std::unordered_map<MemoKey, Expr, MemoHash> memo;

 private:
  ExprNode* create(ExprKind kind, ExprDomain domain, std::span<const Expr> operands,
                   SymbolId symbol);
  void grow_table();
};

constexpr int kMaxExprDepth = 256;
/// Some 200 bytes each. Every kernel has index expressions of its own, up to ten a node of a graph.
constexpr size_t kMaxExprNodes = 4'000'000;

/// Evaluates an integer whose symbols have the value `unknown`, or the next one in their ranges.
int64_t evaluate_unknown(Expr a, int64_t unknown);

/// The pool of the first operand that has one, or null; check-fails if two differ.
ExprPool* pool_of(std::span<const Expr> operands);
/// Interns an application whose operands are not all constants.
Expr intern(ExprKind kind, ExprDomain domain, std::span<const Expr> operands);
Expr intern(ExprKind kind, ExprDomain domain, std::initializer_list<Expr> operands);

/// Looks up or computes `build(a, b)`, so each pair is simplified once per pool.
Expr memoised(ExprKind kind, Expr a, Expr b, Expr (*build)(Expr, Expr));

/// A total order that depends on structure and symbol names, not on the order of construction.
int compare(Expr a, Expr b);

/// Require-fails unless a has the domain; names the function.
void require_domain(Expr a, ExprDomain domain, const char* function);

// 64-bit arithmetic that throws Error{out_of_range} instead of overflowing.
int64_t checked_add(int64_t a, int64_t b);
int64_t checked_multiply(int64_t a, int64_t b);
int64_t checked_power(int64_t base, int64_t exponent);
[[noreturn]] void fail_out_of_range(const char* why);
int64_t narrow(Wide value);

Wide floor_quotient(Wide a, Wide b);
int64_t floor_quotient(int64_t a, int64_t b);
int64_t floor_remainder(int64_t a, int64_t b);

// --- Sums as lists of terms (linear.cpp)

struct Term {
  int64_t coefficient;
  Expr monomial;  ///< 1 for the constant term.

  bool is_constant() const { return monomial.is_constant(); }
};

using Terms = std::vector<Term>;

/// The terms of an integer expression; none for 0.
Terms terms_of(Expr a);
/// a * a_factor + b * b_factor; nothing on 64-bit overflow.
std::optional<Terms> combine(const Terms& a, int64_t a_factor, const Terms& b, int64_t b_factor);
/// The same, but overflow throws.
Terms combine_checked(const Terms& a, int64_t a_factor, const Terms& b, int64_t b_factor);
/// The expression of canonical terms, after joining quotients with their remainders.
Expr build_sum(Terms terms);
/// Orders and merges terms in any order.
Terms sorted_terms(Terms terms);
/// Expands sums that a division left small enough, then orders and merges terms.
Terms normalised_terms(const Terms& terms);
/// coefficient * monomial.
Expr build_term(const Term& term);
Term multiply_terms(const Term& a, const Term& b);
/// The polynomial quotient a / b, if b divides a.
std::optional<Term> divide_term(const Term& a, const Term& b);
std::optional<Terms> divide_exactly(const Terms& a, const Terms& b);
/// The greatest common divisor of all coefficients, at least 1.
int64_t content(const Terms& terms);
/// The largest monomial that divides every term of both.
Expr common_monomial(const Terms& a, const Terms& b);
Terms divide_by_monomial(const Terms& terms, Expr monomial, int64_t coefficient);
/// The constant term.
int64_t constant_of(const Terms& terms);
/// A positive constant known to divide the integer expression, as large as is easily found; 0 for
/// 0.
int64_t known_factor(Expr a);

/// One factor of a monomial: an atom to a constant power.
struct Factor {
  Expr atom;
  int64_t power;
};

std::vector<Factor> factors_of(Expr monomial);
bool is_integer_sum(Expr a);
/// True for min, max and where: choices between alternatives.
bool is_choice(Expr a);
/// True if the monomial contains a sum that was too large to expand.
bool has_sum_factor(Expr monomial);
/// The product of two sums, term by term.
Terms multiply_out(const Terms& a, const Terms& b);
Expr build_monomial(const std::vector<Factor>& factors);
/// The term with its sum factors expanded, if that is small.
Expr expanded_term(const Term& term);
/// True if the power of a sum would be expanded if it were alone.
bool is_expanding_power(Expr a);

// --- Ranges (range.cpp, bounds.cpp, size_box.cpp)

/// Supplies the ranges of parts for computing the range of a node.
class OperandRanges {
 public:
  virtual ~OperandRanges() = default;
  virtual Interval integer(Expr a) const = 0;
  virtual RealInterval real(Expr a) const = 0;
  virtual Interval symbol(SymbolId id) const = 0;
  virtual Interval sum(const ExprNode& node) const = 0;
};

Interval integer_range(const ExprNode& node, const OperandRanges& ranges);
RealInterval real_range(const ExprNode& node, const OperandRanges& ranges);
/// Computes the range of a node from those of its operands.
void compute_range(ExprNode& node, const ExprPool::Impl& pool);
Interval range_of(Expr a);
RealInterval real_range_of(Expr a);
/// Bounds of a sum that use relations between its terms; saturated to Interval's conventions.
int64_t lower_bound(const Terms& terms);
int64_t upper_bound(const Terms& terms);
/// True if the sum is proven to be at least `goal`; stops searching then.
bool proves_at_least(const Terms& terms, int64_t goal);

/// Floating-point functions of one argument, shared by folding and evaluation.
double apply_real_function(ExprKind kind, double x);
double round_half_even(double x);
double round_to_decimals(double x, int64_t decimals);
/// a / b correctly rounded, as Python divides two ints.
double divide_integers(int64_t a, int64_t b);
/// True if sizes, then strides describe storage without gaps or overlaps, in some order.
bool is_dense(std::span<const int64_t> sizes_then_strides);
/// Converts an integral double; out of range throws.
int64_t real_to_int(double x);

}  // namespace litz
