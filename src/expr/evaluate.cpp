// Evaluates expressions for given values of their symbols.
//
// Integers are computed in 128 bits and narrowed at the end, so that the canonical form never fails
// if the original formula fits: (a - b)*c is stored as a*c - b*c.

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>

#include "expr/node.h"

namespace litz {
namespace {

// Above this tree size, values are memoised per node: shared parts could otherwise be visited
// exponentially often.
constexpr uint32_t kMemoTreeSize = 512;

Wide add_wide(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_add_overflow(a, b, &result)) fail_out_of_range("sum overflows");
  return result;
}

Wide multiply_wide(Wide a, Wide b) {
  Wide result = 0;
  if (__builtin_mul_overflow(a, b, &result)) fail_out_of_range("product overflows");
  return result;
}

Wide power_wide(Wide base, Wide exponent) {
  if (exponent < 0) fail_out_of_range("integer power with a negative exponent");
  if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
  if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  if (exponent > 128) fail_out_of_range("power overflows");
  Wide result = 1;
  for (Wide i = 0; i < exponent; ++i) result = multiply_wide(result, base);
  return result;
}

/// `Values` has a `find(SymbolId)` as Bindings has.
template <typename Values>
class Evaluator {
 public:
  Evaluator(const Values& values, bool remember) : values_(values), remember_(remember) {}

  Wide integer(Expr a) {
    if (a.is_constant()) return a.constant();
    const ExprNode& node = *a.node();
    if (node.kind == ExprKind::symbol) return symbol_bits(node);
    if (!remember_) return compute_integer(node);
    if (const auto found = integers_.find(&node); found != integers_.end()) return found->second;
    const Wide value = compute_integer(node);
    integers_.emplace(&node, value);
    return value;
  }

  double real(Expr a) {
    if (a.is_constant()) return a.real_constant();
    const ExprNode& node = *a.node();
    if (node.kind == ExprKind::symbol) return std::bit_cast<double>(symbol_bits(node));
    if (!remember_) return compute_real(node);
    if (const auto found = reals_.find(&node); found != reals_.end()) return found->second;
    const double value = compute_real(node);
    reals_.emplace(&node, value);
    return value;
  }

  bool boolean(Expr a) {
    if (a.is_constant()) return a.boolean_constant();
    const ExprNode& node = *a.node();
    if (node.kind == ExprKind::symbol) return symbol_bits(node) != 0;
    if (!remember_) return compute_boolean(node);
    if (const auto found = integers_.find(&node); found != integers_.end()) {
      return found->second != 0;
    }
    const bool value = compute_boolean(node);
    integers_.emplace(&node, value ? 1 : 0);
    return value;
  }

 private:
  int64_t symbol_bits(const ExprNode& node) const {
    const std::optional<int64_t> value = values_.find(node.symbol);
    if (!value) {
      fail(ErrorCode::invalid_argument,
           "every symbol must have a value:", node.pool->symbol(node.symbol).name);
    }
    return *value;
  }

  int64_t small(Expr a) { return narrow(integer(a)); }

  Wide shifted(const ExprNode& node) {
    const Wide value = integer(node.operands()[0]);
    const Wide amount = integer(node.operands()[1]);
    if (amount < 0) fail_out_of_range("negative shift");
    if (node.kind == ExprKind::shift_right) {
      return floor_quotient(value, Wide{1} << static_cast<int>(std::min<Wide>(amount, 120)));
    }
    if (value == 0) return 0;
    if (amount > 120) fail_out_of_range("shifted value does not fit in 64 bits");
    return multiply_wide(value, Wide{1} << static_cast<int>(amount));
  }

  Wide bits(const ExprNode& node) {
    const int64_t a = small(node.operands()[0]);
    const int64_t b = small(node.operands()[1]);
    if (node.kind == ExprKind::bit_and) return a & b;
    return node.kind == ExprKind::bit_or ? a | b : a ^ b;
  }

  Wide quotient(const ExprNode& node) {
    const Wide a = integer(node.operands()[0]);
    const Wide b = integer(node.operands()[1]);
    const Wide result = floor_quotient(a, b);
    if (node.kind == ExprKind::ceil_div) return a % b == 0 ? result : result + 1;
    if (node.kind == ExprKind::clean_div && a % b != 0) {
      fail_out_of_range("an exact quotient leaves a remainder");
    }
    return result;
  }

  Wide compute_integer(const ExprNode& node) {
    const auto operands = node.operands();
    switch (node.kind) {
      case ExprKind::add: {
        Wide total = 0;
        for (const Expr& term : operands) total = add_wide(total, integer(term));
        return total;
      }
      case ExprKind::mul: {
        Wide total = 1;
        for (const Expr& factor : operands) total = multiply_wide(total, integer(factor));
        return total;
      }
      case ExprKind::floor_div:
      case ExprKind::ceil_div:
      case ExprKind::clean_div:
        return quotient(node);
      case ExprKind::mod: {
        const Wide a = integer(operands[0]);
        const Wide b = integer(operands[1]);
        return a - floor_quotient(a, b) * b;
      }
      case ExprKind::pow:
        return power_wide(integer(operands[0]), integer(operands[1]));
      case ExprKind::min:
      case ExprKind::max: {
        Wide best = integer(operands[0]);
        for (const Expr& operand : operands.subspan(1)) {
          const Wide next = integer(operand);
          best = node.kind == ExprKind::min ? std::min(best, next) : std::max(best, next);
        }
        return best;
      }
      case ExprKind::where:
        return integer(operands[boolean(operands[0]) ? 1 : 2]);
      case ExprKind::shift_left:
      case ExprKind::shift_right:
        return shifted(node);
      case ExprKind::bit_and:
      case ExprKind::bit_or:
      case ExprKind::bit_xor:
        return bits(node);
      case ExprKind::abs: {
        const Wide value = integer(operands[0]);
        return value < 0 ? -value : value;
      }
      case ExprKind::sign: {
        const Wide value = integer(operands[0]);
        return value > 0 ? 1 : (value < 0 ? -1 : 0);
      }
      case ExprKind::trunc_to_int:
      case ExprKind::floor_to_int:
      case ExprKind::ceil_to_int:
      case ExprKind::round_to_int:
        return real_to_int(apply_real_function(node.kind, real(operands[0])));
      case ExprKind::dense_indicator: {
        std::vector<int64_t> values;
        for (const Expr& operand : operands) values.push_back(small(operand));
        return is_dense(values) ? 1 : 0;
      }
      default:
        break;
    }
    check(false, "kind has an integer value:", name(node.kind));
    return 0;
  }

  double divided(const ExprNode& node) {
    const auto operands = node.operands();
    if (operands[0].domain() == ExprDomain::integer) {
      return divide_integers(small(operands[0]), small(operands[1]));
    }
    const double divisor = real(operands[1]);
    if (divisor == 0) fail_out_of_range("division by zero");
    return real(operands[0]) / divisor;
  }

  double compute_real(const ExprNode& node) {
    const auto operands = node.operands();
    switch (node.kind) {
      case ExprKind::add:
        return real(operands[0]) + real(operands[1]);
      case ExprKind::mul:
        return real(operands[0]) * real(operands[1]);
      case ExprKind::to_real:
        return static_cast<double>(small(operands[0]));
      case ExprKind::true_div:
        return divided(node);
      case ExprKind::pow:
        return std::pow(real(operands[0]), real(operands[1]));
      case ExprKind::min:
      case ExprKind::max: {
        const double a = real(operands[0]);
        const double b = real(operands[1]);
        return (node.kind == ExprKind::min ? b < a : b > a) ? b : a;
      }
      case ExprKind::where:
        return real(operands[boolean(operands[0]) ? 1 : 2]);
      case ExprKind::round_decimals:
        return round_to_decimals(real(operands[0]), small(operands[1]));
      default:
        return apply_real_function(node.kind, real(operands[0]));
    }
  }

  int compare_values(Expr a, Expr b) {
    if (a.domain() == ExprDomain::boolean) return boolean(a) == boolean(b) ? 0 : 1;
    const Wide x = integer(a);
    const Wide y = integer(b);
    return x < y ? -1 : (x > y ? 1 : 0);
  }

  bool compute_comparison(const ExprNode& node) {
    const auto operands = node.operands();
    if (operands[0].domain() == ExprDomain::real) {
      const double a = real(operands[0]);
      const double b = real(operands[1]);
      if (node.kind == ExprKind::eq) return a == b;
      if (node.kind == ExprKind::ne) return a != b;
      return node.kind == ExprKind::lt ? a < b : a <= b;
    }
    const int order = compare_values(operands[0], operands[1]);
    if (node.kind == ExprKind::eq) return order == 0;
    if (node.kind == ExprKind::ne) return order != 0;
    return node.kind == ExprKind::lt ? order < 0 : order <= 0;
  }

  // True if an operand has the deciding value. The canonical order differs from the written one, so
  // an operand that the program protects (`b != 0 and a//b == 2`) may fail before its guard is
  // evaluated: its error only counts if no operand decides.
  bool decided_by(std::span<const Expr> operands, bool value) {
    std::exception_ptr failure;
    for (const Expr& operand : operands) {
      try {
        if (boolean(operand) == value) return true;
      } catch (const Error& error) {
        if (error.code() != ErrorCode::out_of_range) throw;
        if (!failure) failure = std::current_exception();
      }
    }
    if (failure) std::rethrow_exception(failure);
    return false;
  }

  bool compute_boolean(const ExprNode& node) {
    const auto operands = node.operands();
    switch (node.kind) {
      case ExprKind::logical_and:
        return !decided_by(operands, false);
      case ExprKind::logical_or:
        return decided_by(operands, true);
      case ExprKind::logical_not:
        return !boolean(operands[0]);
      default:
        return compute_comparison(node);
    }
  }

  const Values& values_;
  bool remember_;
  std::unordered_map<const ExprNode*, Wide> integers_;
  std::unordered_map<const ExprNode*, double> reals_;
};

template <typename Values>
Evaluator<Values> evaluator_for(Expr a, const Values& values) {
  return {values, !a.is_constant() && a.node()->tree_size > kMemoTreeSize};
}

/// Unknown sizes, within their ranges. A Bindings of loop variables would be as long as the
/// program has any.
struct UnknownSizes {
  const ExprPool& pool;
  int64_t unknown;

  std::optional<int64_t> find(SymbolId symbol) const {
    const Interval range = pool.symbol(symbol).range;
    return std::clamp(unknown, range.lo, std::max(range.lo, range.hi));
  }
};

}  // namespace

int64_t evaluate(Expr a, const Bindings& bindings) {
  require_domain(a, ExprDomain::integer, "evaluate");
  return narrow(evaluator_for(a, bindings).integer(a));
}

double evaluate_real(Expr a, const Bindings& bindings) {
  require_domain(a, ExprDomain::real, "evaluate_real");
  return evaluator_for(a, bindings).real(a);
}

bool evaluate_boolean(Expr a, const Bindings& bindings) {
  require_domain(a, ExprDomain::boolean, "evaluate_boolean");
  return evaluator_for(a, bindings).boolean(a);
}

int64_t evaluate_unknown(Expr a, int64_t unknown) {
  require_domain(a, ExprDomain::integer, "evaluate_unknown");
  if (a.is_constant()) return a.constant();
  return narrow(evaluator_for(a, UnknownSizes{*a.pool(), unknown}).integer(a));
}

std::vector<int64_t> evaluate(std::span<const Expr> exprs, const Bindings& bindings) {
  std::vector<int64_t> values;
  values.reserve(exprs.size());
  for (const Expr& a : exprs) values.push_back(evaluate(a, bindings));
  return values;
}

}  // namespace litz
