// The table of functions in expression text. Rows are sorted by name.

#include "expr/parse_functions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "support/check.h"

namespace litz {
namespace {

using Arguments = std::span<const Expr>;

Expr as_real(Expr a) { return a.domain() == ExprDomain::integer ? to_real(a) : a; }

bool any_real(Arguments arguments) {
  return std::ranges::any_of(arguments, [](Expr a) { return a.domain() == ExprDomain::real; });
}

std::vector<Expr> promoted(Arguments arguments) {
  std::vector<Expr> out(arguments.begin(), arguments.end());
  if (any_real(arguments)) std::ranges::transform(out, out.begin(), as_real);
  return out;
}

template <ExprKind kind>
Expr build(Arguments arguments) {
  return litz::apply(kind, arguments);
}

template <ExprKind kind>
Expr build_promoted(Arguments arguments) {
  return litz::apply(kind, promoted(arguments));
}

// Real functions accept ints: sqrt(s0).
template <ExprKind kind>
Expr build_real(Arguments arguments) {
  std::vector<Expr> reals(arguments.begin(), arguments.end());
  std::ranges::transform(reals, reals.begin(), as_real);
  return litz::apply(kind, reals);
}

template <ExprKind kind>
Expr compare(Arguments arguments) {
  return text_comparison(kind, arguments[0], arguments[1]);
}

template <ExprKind kind>
Expr compare_swapped(Arguments arguments) {
  return text_comparison(kind, arguments[1], arguments[0]);
}

Expr identity(Arguments arguments) { return arguments[0]; }

Expr to_double(Arguments arguments) { return as_real(arguments[0]); }

Expr power(Arguments arguments) { return text_power(arguments[0], arguments[1]); }

Expr quotient(Arguments arguments) { return text_true_div(arguments[0], arguments[1]); }

Expr rational(Arguments arguments) {
  require(arguments[0].maybe_constant() && arguments[1].maybe_constant(),
          "Rational takes two integer literals");
  return text_true_div(arguments[0], arguments[1]);
}

Expr modular_indexing(Arguments arguments) {
  return mod(floor_div(arguments[0], arguments[1]), arguments[2]);
}

Expr choose(Arguments arguments) {
  const std::vector<Expr> branches = promoted(arguments.subspan(1));
  return where(arguments[0], branches[0], branches[1]);
}

bool is_integer_quotient(Expr a) {
  return a.kind() == ExprKind::true_div && a.operands()[0].domain() == ExprDomain::integer;
}

// In older writers' algebra `s0/2` is a rational number, so its floor is exact.
Expr exact_floor(Arguments arguments) {
  const Expr a = arguments[0];
  if (is_integer_quotient(a)) return floor_div(a.operands()[0], a.operands()[1]);
  return litz::apply(ExprKind::floor_to_int, arguments);
}

Expr exact_ceiling(Arguments arguments) {
  const Expr a = arguments[0];
  if (is_integer_quotient(a)) return ceil_div(a.operands()[0], a.operands()[1]);
  return litz::apply(ExprKind::ceil_to_int, arguments);
}

Expr round_off(Arguments arguments) {
  if (arguments.size() == 1) return litz::apply(ExprKind::round_to_int, arguments);
  return litz::apply(ExprKind::round_decimals, std::array{as_real(arguments[0]), arguments[1]});
}

constexpr TextFunction kFunctions[] = {
    {"Abs", 1, 1, build<ExprKind::abs>},
    {"Add", 1, -1, text_sum},
    {"And", 1, -1, build<ExprKind::logical_and>},
    {"BitwiseFn_bitwise_and", 2, 2, build<ExprKind::bit_and>},
    {"BitwiseFn_bitwise_or", 2, 2, build<ExprKind::bit_or>},
    {"BitwiseFn_bitwise_xor", 2, 2, build<ExprKind::bit_xor>},
    {"CeilDiv", 2, 2, build<ExprKind::ceil_div>},
    {"CeilToInt", 1, 1, build<ExprKind::ceil_to_int>},
    {"CleanDiv", 2, 2, build<ExprKind::clean_div>},
    {"Eq", 2, 2, compare<ExprKind::eq>},
    {"Equality", 2, 2, compare<ExprKind::eq>},
    {"FloatPow", 2, 2, build_real<ExprKind::pow>},
    {"FloatTrueDiv", 2, 2, build_real<ExprKind::true_div>},
    {"FloorDiv", 2, 2, build<ExprKind::floor_div>},
    {"FloorToInt", 1, 1, build<ExprKind::floor_to_int>},
    {"Ge", 2, 2, compare_swapped<ExprKind::le>},
    {"GreaterThan", 2, 2, compare_swapped<ExprKind::le>},
    {"Gt", 2, 2, compare_swapped<ExprKind::lt>},
    {"Identity", 1, 1, identity},
    {"IntTrueDiv", 2, 2, quotient},
    {"IsNonOverlappingAndDenseIndicator", 0, -1, build<ExprKind::dense_indicator>},
    {"LShift", 2, 2, build<ExprKind::shift_left>},
    {"Le", 2, 2, compare<ExprKind::le>},
    {"LessThan", 2, 2, compare<ExprKind::le>},
    {"Lt", 2, 2, compare<ExprKind::lt>},
    {"Max", 1, -1, build_promoted<ExprKind::max>},
    {"Min", 1, -1, build_promoted<ExprKind::min>},
    {"Mod", 2, 2, build<ExprKind::mod>},
    {"ModularIndexing", 3, 3, modular_indexing},
    {"Mul", 1, -1, text_product},
    {"Ne", 2, 2, compare<ExprKind::ne>},
    {"Not", 1, 1, build<ExprKind::logical_not>},
    {"OpaqueUnaryFn_acos", 1, 1, build_real<ExprKind::acos>},
    {"OpaqueUnaryFn_asin", 1, 1, build_real<ExprKind::asin>},
    {"OpaqueUnaryFn_asinh", 1, 1, build_real<ExprKind::asinh>},
    {"OpaqueUnaryFn_atan", 1, 1, build_real<ExprKind::atan>},
    {"OpaqueUnaryFn_cos", 1, 1, build_real<ExprKind::cos>},
    {"OpaqueUnaryFn_cosh", 1, 1, build_real<ExprKind::cosh>},
    {"OpaqueUnaryFn_exp", 1, 1, build_real<ExprKind::exp>},
    {"OpaqueUnaryFn_log", 1, 1, build_real<ExprKind::log>},
    {"OpaqueUnaryFn_log2", 1, 1, build_real<ExprKind::log2>},
    {"OpaqueUnaryFn_sin", 1, 1, build_real<ExprKind::sin>},
    {"OpaqueUnaryFn_sinh", 1, 1, build_real<ExprKind::sinh>},
    {"OpaqueUnaryFn_sqrt", 1, 1, build_real<ExprKind::sqrt>},
    {"OpaqueUnaryFn_tan", 1, 1, build_real<ExprKind::tan>},
    {"OpaqueUnaryFn_tanh", 1, 1, build_real<ExprKind::tanh>},
    {"Or", 1, -1, build<ExprKind::logical_or>},
    {"Pow", 2, 2, power},
    {"PowByNatural", 2, 2, build<ExprKind::pow>},
    {"PythonMod", 2, 2, build<ExprKind::mod>},
    {"RShift", 2, 2, build<ExprKind::shift_right>},
    {"Rational", 2, 2, rational},
    {"RoundDecimal", 2, 2, round_off},
    {"RoundToInt", 1, 1, build<ExprKind::round_to_int>},
    {"StrictGreaterThan", 2, 2, compare_swapped<ExprKind::lt>},
    {"StrictLessThan", 2, 2, compare<ExprKind::lt>},
    {"ToFloat", 1, 1, to_double},
    {"TruncToFloat", 1, 1, build_real<ExprKind::trunc_real>},
    {"TruncToInt", 1, 1, build<ExprKind::trunc_to_int>},
    {"Unequality", 2, 2, compare<ExprKind::ne>},
    {"Where", 3, 3, choose},
    {"abs", 1, 1, build<ExprKind::abs>},
    {"acos", 1, 1, build_real<ExprKind::acos>},
    {"asin", 1, 1, build_real<ExprKind::asin>},
    {"asinh", 1, 1, build_real<ExprKind::asinh>},
    {"atan", 1, 1, build_real<ExprKind::atan>},
    {"ceil", 1, 1, exact_ceiling},
    {"ceil_div", 2, 2, build<ExprKind::ceil_div>},
    {"ceil_to_int", 1, 1, build<ExprKind::ceil_to_int>},
    {"ceiling", 1, 1, exact_ceiling},
    {"clean_div", 2, 2, build<ExprKind::clean_div>},
    {"cos", 1, 1, build_real<ExprKind::cos>},
    {"cosh", 1, 1, build_real<ExprKind::cosh>},
    {"dense_indicator", 0, -1, build<ExprKind::dense_indicator>},
    {"exp", 1, 1, build_real<ExprKind::exp>},
    {"float", 1, 1, to_double},
    {"floor", 1, 1, exact_floor},
    {"floor_div", 2, 2, build<ExprKind::floor_div>},
    {"floor_to_int", 1, 1, build<ExprKind::floor_to_int>},
    {"int", 1, 1, build<ExprKind::trunc_to_int>},
    {"log", 1, 1, build_real<ExprKind::log>},
    {"log2", 1, 1, build_real<ExprKind::log2>},
    {"math.acos", 1, 1, build_real<ExprKind::acos>},
    {"math.asin", 1, 1, build_real<ExprKind::asin>},
    {"math.asinh", 1, 1, build_real<ExprKind::asinh>},
    {"math.atan", 1, 1, build_real<ExprKind::atan>},
    {"math.ceil", 1, 1, build<ExprKind::ceil_to_int>},
    {"math.cos", 1, 1, build_real<ExprKind::cos>},
    {"math.cosh", 1, 1, build_real<ExprKind::cosh>},
    {"math.exp", 1, 1, build_real<ExprKind::exp>},
    {"math.fabs", 1, 1, build_real<ExprKind::abs>},
    {"math.floor", 1, 1, build<ExprKind::floor_to_int>},
    {"math.log", 1, 1, build_real<ExprKind::log>},
    {"math.log2", 1, 1, build_real<ExprKind::log2>},
    {"math.pow", 2, 2, build_real<ExprKind::pow>},
    {"math.sin", 1, 1, build_real<ExprKind::sin>},
    {"math.sinh", 1, 1, build_real<ExprKind::sinh>},
    {"math.sqrt", 1, 1, build_real<ExprKind::sqrt>},
    {"math.tan", 1, 1, build_real<ExprKind::tan>},
    {"math.tanh", 1, 1, build_real<ExprKind::tanh>},
    {"math.trunc", 1, 1, build<ExprKind::trunc_to_int>},
    {"max", 1, -1, build_promoted<ExprKind::max>},
    {"min", 1, -1, build_promoted<ExprKind::min>},
    {"mod", 2, 2, build<ExprKind::mod>},
    {"pow", 2, 2, power},
    {"round", 1, 2, round_off},
    {"round_decimals", 2, 2, round_off},
    {"round_to_int", 1, 1, build<ExprKind::round_to_int>},
    {"shift_left", 2, 2, build<ExprKind::shift_left>},
    {"shift_right", 2, 2, build<ExprKind::shift_right>},
    {"sign", 1, 1, build<ExprKind::sign>},
    {"sin", 1, 1, build_real<ExprKind::sin>},
    {"sinh", 1, 1, build_real<ExprKind::sinh>},
    {"sqrt", 1, 1, build_real<ExprKind::sqrt>},
    {"tan", 1, 1, build_real<ExprKind::tan>},
    {"tanh", 1, 1, build_real<ExprKind::tanh>},
    {"to_real", 1, 1, to_double},
    {"torch._sym_acos", 1, 1, build_real<ExprKind::acos>},
    {"torch._sym_asin", 1, 1, build_real<ExprKind::asin>},
    {"torch._sym_atan", 1, 1, build_real<ExprKind::atan>},
    {"torch._sym_cos", 1, 1, build_real<ExprKind::cos>},
    {"torch._sym_cosh", 1, 1, build_real<ExprKind::cosh>},
    {"torch._sym_exp", 1, 1, build_real<ExprKind::exp>},
    {"torch._sym_log", 1, 1, build_real<ExprKind::log>},
    {"torch._sym_log2", 1, 1, build_real<ExprKind::log2>},
    {"torch._sym_sin", 1, 1, build_real<ExprKind::sin>},
    {"torch._sym_sinh", 1, 1, build_real<ExprKind::sinh>},
    {"torch._sym_sqrt", 1, 1, build_real<ExprKind::sqrt>},
    {"torch._sym_tan", 1, 1, build_real<ExprKind::tan>},
    {"torch._sym_tanh", 1, 1, build_real<ExprKind::tanh>},
    {"torch.sym_float", 1, 1, to_double},
    {"torch.sym_int", 1, 1, build<ExprKind::trunc_to_int>},
    {"torch.sym_ite", 3, 3, choose},
    {"torch.sym_max", 2, 2, build_promoted<ExprKind::max>},
    {"torch.sym_min", 2, 2, build_promoted<ExprKind::min>},
    {"torch.sym_not", 1, 1, build<ExprKind::logical_not>},
    {"torch.sym_sqrt", 1, 1, build_real<ExprKind::sqrt>},
    {"true_div", 2, 2, quotient},
    {"trunc_real", 1, 1, build_real<ExprKind::trunc_real>},
    {"trunc_to_int", 1, 1, build<ExprKind::trunc_to_int>},
    {"where", 3, 3, choose},
};

struct NamedConstant {
  std::string_view name;
  Expr (*value)();
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// int_oo bounds integers in ranges; as a value it is the largest integer.
constexpr NamedConstant kConstants[] = {
    {"E", [] { return Expr::real(std::numbers::e); }},
    {"False", [] { return Expr::boolean(false); }},
    {"True", [] { return Expr::boolean(true); }},
    {"false", [] { return Expr::boolean(false); }},
    {"inf", [] { return Expr::real(kInfinity); }},
    {"int_oo", [] { return Expr(INT64_MAX); }},
    {"math.e", [] { return Expr::real(std::numbers::e); }},
    {"math.inf", [] { return Expr::real(kInfinity); }},
    {"math.nan", [] { return Expr::real(std::nan("")); }},
    {"math.pi", [] { return Expr::real(std::numbers::pi); }},
    {"nan", [] { return Expr::real(std::nan("")); }},
    {"oo", [] { return Expr::real(kInfinity); }},
    {"pi", [] { return Expr::real(std::numbers::pi); }},
    {"true", [] { return Expr::boolean(true); }},
};

static_assert(std::ranges::is_sorted(kFunctions, {}, &TextFunction::name));

}  // namespace

const TextFunction* find_text_function(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFunctions, name, {}, &TextFunction::name);
  return found != std::end(kFunctions) && found->name == name ? &*found : nullptr;
}

std::optional<Expr> find_text_constant(std::string_view name) {
  for (const NamedConstant& constant : kConstants) {
    if (constant.name == name) return constant.value();
  }
  return std::nullopt;
}

Expr text_sum(std::span<const Expr> terms) { return sum(promoted(terms)); }

Expr text_product(std::span<const Expr> factors) { return product(promoted(factors)); }

Expr text_true_div(Expr a, Expr b) {
  const std::vector<Expr> pair = promoted(std::array{a, b});
  return true_div(pair[0], pair[1]);
}

Expr text_power(Expr a, Expr b) {
  const auto exponent = b.maybe_constant();
  if (a.domain() == ExprDomain::integer && exponent && *exponent < 0 && *exponent != INT64_MIN) {
    return true_div(1, pow(a, -*exponent));
  }
  const std::vector<Expr> pair = promoted(std::array{a, b});
  return pow(pair[0], pair[1]);
}

Expr text_negation(Expr a) { return -a; }

Expr text_comparison(ExprKind kind, Expr a, Expr b) {
  return litz::apply(kind, promoted(std::array{a, b}));
}

}  // namespace litz
