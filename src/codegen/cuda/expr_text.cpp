// Index expressions. Integers have 32 bits where all values of an expression fit, else 64.
// Divisions round down, as in all expressions; if neither side can be negative, C++'s own is used.

#include <algorithm>
#include <limits>

#include "codegen/cuda/kernel_text.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

bool fits_narrow(Interval range) {
  return range.lo >= std::numeric_limits<int32_t>::min() &&
         range.hi <= std::numeric_limits<int32_t>::max();
}

/// The C++ function that evaluates a function of sizes; null for others.
const char* real_function(ExprKind kind) {
  switch (kind) {
    case ExprKind::sqrt:
      return "sqrt";
    case ExprKind::exp:
      return "exp";
    case ExprKind::log:
      return "log";
    case ExprKind::log2:
      return "log2";
    case ExprKind::sin:
      return "sin";
    case ExprKind::cos:
      return "cos";
    case ExprKind::tan:
      return "tan";
    case ExprKind::sinh:
      return "sinh";
    case ExprKind::cosh:
      return "cosh";
    case ExprKind::tanh:
      return "tanh";
    case ExprKind::asin:
      return "asin";
    case ExprKind::acos:
      return "acos";
    case ExprKind::atan:
      return "atan";
    case ExprKind::asinh:
      return "asinh";
    case ExprKind::trunc_real:
      return "trunc";
    default:
      return nullptr;
  }
}

const char* infix(ExprKind kind) {
  switch (kind) {
    case ExprKind::add:
      return " + ";
    case ExprKind::mul:
      return " * ";
    case ExprKind::shift_left:
      return " << ";
    case ExprKind::shift_right:
      return " >> ";
    case ExprKind::bit_and:
      return " & ";
    case ExprKind::bit_or:
      return " | ";
    case ExprKind::bit_xor:
      return " ^ ";
    case ExprKind::eq:
      return " == ";
    case ExprKind::ne:
      return " != ";
    case ExprKind::lt:
      return " < ";
    case ExprKind::le:
      return " <= ";
    case ExprKind::logical_and:
      return " && ";
    case ExprKind::logical_or:
      return " || ";
    default:
      return nullptr;
  }
}

std::string real_literal(double value) {
  if (value != value) return "bits_as<f64>(0x7ff8000000000000ull)";
  if (value == std::numeric_limits<double>::infinity()) return "infinity_of(f64(0))";
  if (value == -std::numeric_limits<double>::infinity()) return "(-infinity_of(f64(0)))";
  char text[64];
  std::snprintf(text, sizeof text, "f64(%.17g)", value);
  return text;
}

}  // namespace

/// True if the expression is computed in 32 bits.
bool KernelText::is_narrow(Expr expr) const {
  if (expr.domain() != ExprDomain::integer) return false;
  if (!fits_narrow(bounds(expr))) return false;
  if (expr.is_constant()) return true;
  if (expr.is_symbol()) {
    const auto known = symbols_.find(expr.symbol());
    return known != symbols_.end() && !known->second.is_wide;
  }
  return std::ranges::all_of(expr.operands(), [&](Expr operand) {
    return operand.domain() != ExprDomain::integer || is_narrow(operand);
  });
}

KernelText::Text KernelText::expr_text(Expr expr) {
  if (expr.is_constant()) {
    switch (expr.domain()) {
      case ExprDomain::integer: {
        const int64_t value = expr.constant();
        if (value == std::numeric_limits<int64_t>::min())
          return {"i64(0x8000000000000000ull)", true};
        const bool is_wide =
            !fits_narrow({value, value}) || value == std::numeric_limits<int32_t>::min();
        std::string text = std::to_string(value) + (is_wide ? "ll" : "");
        return {value < 0 ? "(" + text + ")" : text, is_wide};
      }
      case ExprDomain::real:
        return {real_literal(expr.real_constant())};
      case ExprDomain::boolean:
        return {expr.boolean_constant() ? "true" : "false"};
    }
  }
  if (expr.is_symbol()) {
    const auto found = symbols_.find(expr.symbol());
    check(found != symbols_.end(),
          "a symbol must have a value here:", kernel_.pool->symbol(expr.symbol()).name);
    return found->second;
  }
  return node_text(expr);
}

KernelText::Text KernelText::node_text(Expr expr) {
  std::vector<Text> v;
  for (const Expr operand : expr.operands()) v.push_back(expr_text(operand));
  const bool of_integers = expr.operands()[0].domain() == ExprDomain::integer;
  const bool is_integer = expr.domain() == ExprDomain::integer;
  const bool is_wide = is_integer && !is_narrow(expr);
  // Operands of a wide result are widened first, so that nothing overflows on the way.
  const bool widens = of_integers && (is_wide || std::ranges::any_of(v, &Text::is_wide));
  if (widens) {
    for (size_t i = expr.kind() == ExprKind::where ? 1 : 0; i < v.size(); ++i) {
      if (!v[i].is_wide && expr.operands()[i].domain() == ExprDomain::integer) {
        v[i].text = "i64(" + v[i].text + ")";
      }
    }
  }
  if (const char* symbol = infix(expr.kind())) {
    std::string text = "(";
    for (size_t i = 0; i < v.size(); ++i) text += (i == 0 ? "" : symbol) + v[i].text;
    return {text + ")", is_wide};
  }
  const auto call = [&](const std::string& function) {
    return Text{function + "(" + v[0].text + ", " + v[1].text + ")", is_wide};
  };
  // Quotients by the size of an empty dimension may be computed without being used.
  const auto divisor = [&] {
    return schedule_.safe_divisions.contains(expr) ? v[1].text : "nonzero(" + v[1].text + ")";
  };
  switch (expr.kind()) {
    case ExprKind::floor_div:
    case ExprKind::clean_div:
      if (schedule_.natural_divisions.contains(expr)) {
        return {"(" + v[0].text + " / " + v[1].text + ")", is_wide};
      }
      return {"floor_quotient(" + v[0].text + ", " + divisor() + ")", is_wide};
    case ExprKind::mod:
      if (schedule_.natural_divisions.contains(expr)) {
        return {"(" + v[0].text + " % " + v[1].text + ")", is_wide};
      }
      return {"floor_remainder(" + v[0].text + ", " + divisor() + ")", is_wide};
    case ExprKind::ceil_div:
      return {"(-floor_quotient(-" + v[0].text + ", " + divisor() + "))", is_wide};
    case ExprKind::min:
    case ExprKind::max: {
      const char* const function = of_integers
                                       ? (expr.kind() == ExprKind::min ? "least" : "greatest")
                                       : (expr.kind() == ExprKind::min ? "fmin" : "fmax");
      std::string text = v[0].text;
      for (size_t i = 1; i < v.size(); ++i) {
        text = std::string(function) + "(" + text + ", " + v[i].text + ")";
      }
      return {text, is_wide};
    }
    case ExprKind::where:
      return {"(" + v[0].text + " ? " + v[1].text + " : " + v[2].text + ")", is_wide};
    case ExprKind::logical_not:
      return {"(!" + v[0].text + ")"};
    case ExprKind::pow:
      return of_integers ? call("int_pow") : call("pow");
    case ExprKind::abs:
      if (of_integers) return {"wrap_abs(" + v[0].text + ")", is_wide};
      return {"fabs(" + v[0].text + ")"};
    default:
      return {real_node(expr, v), is_wide};
  }
}

std::string KernelText::real_node(Expr expr, const std::vector<Text>& operands) {
  const std::string& a = operands[0].text;
  switch (expr.kind()) {
    case ExprKind::to_real:
      return "f64(" + a + ")";
    case ExprKind::true_div:
      return "(f64(" + a + ") / f64(" + operands[1].text + "))";
    case ExprKind::trunc_to_int:
      return "to_i64(" + a + ")";
    case ExprKind::floor_to_int:
      return "to_i64(floor(" + a + "))";
    case ExprKind::ceil_to_int:
      return "to_i64(ceil(" + a + "))";
    case ExprKind::round_to_int:
      return "to_i64(rint(" + a + "))";
    default: {
      const char* const function = real_function(expr.kind());
      check(function != nullptr, "this function of sizes is not compiled:", to_string(expr));
      return std::string(function) + "(" + a + ")";
    }
  }
}

}  // namespace litz::codegen
