#include "loops/scalar_op.h"

#include <array>

namespace litz::loops {
namespace {

// Costs are those of f32, measured by bench_scalar_costs. AVX2 and AVX-512 differ little, since the
// unit is a vector of any width. Up to three additions count as one, because the surrounding loads
// and stores hide the difference. Divisions with a remainder are those of i64, element by element;
// those of reals take ten times as long. Complex numbers are computed in parts, whose operations
// count.
struct OpRow {
  std::string_view name;
  int arity;
  double cost;
};

// In the order of the enumerators.
constexpr std::array<OpRow, kScalarOpCount> kOps{{
    {"add", 2, 1},        {"sub", 2, 1},          {"mul", 2, 1},        {"div", 2, 4},
    {"floor_div", 2, 55}, {"trunc_div", 2, 55},   {"mod", 2, 55},       {"fmod", 2, 55},
    {"neg", 1, 1},        {"abs", 1, 1},          {"sign", 1, 3},       {"min", 2, 1},
    {"max", 2, 1},        {"fmin", 2, 1},         {"fmax", 2, 1},       {"fma", 3, 1},
    {"copysign", 2, 1},   {"nextafter", 2, 10},   {"hypot", 2, 48},     {"eq", 2, 1},
    {"ne", 2, 1},         {"lt", 2, 1},           {"le", 2, 1},         {"is_nan", 1, 1},
    {"is_inf", 1, 1},     {"signbit", 1, 1},      {"bit_and", 2, 1},    {"bit_or", 2, 1},
    {"bit_xor", 2, 1},    {"bit_not", 1, 1},      {"shift_left", 2, 1}, {"shift_right", 2, 1},
    {"select", 3, 1},     {"floor", 1, 1},        {"ceil", 1, 1},       {"trunc", 1, 1},
    {"round_even", 1, 1}, {"sqrt", 1, 8},         {"rsqrt", 1, 18},     {"exp", 1, 16},
    {"exp2", 1, 13},      {"expm1", 1, 26},       {"log", 1, 32},       {"log2", 1, 32},
    {"log10", 1, 32},     {"log1p", 1, 40},       {"pow", 2, 145},      {"sin", 1, 130},
    {"cos", 1, 130},      {"tan", 1, 140},        {"asin", 1, 88},      {"acos", 1, 104},
    {"atan", 1, 90},      {"atan2", 2, 128},      {"sinh", 1, 102},     {"cosh", 1, 61},
    {"tanh", 1, 25},      {"asinh", 1, 184},      {"acosh", 1, 166},    {"atanh", 1, 137},
    {"erf", 1, 18},       {"erfc", 1, 84},        {"erfinv", 1, 176},   {"lgamma", 1, 750},
    {"digamma", 1, 4700}, {"real", 1, 1},         {"imag", 1, 1},       {"conj", 1, 1},
    {"angle", 1, 128},    {"make_complex", 2, 1}, {"cast", 1, 1},       {"bitcast", 1, 1},
    {"philox", 2, 15},
}};

constexpr std::array<std::string_view, 10> kReductions{
    "sum", "prod", "max", "min", "any", "all", "bit_xor", "argmax", "argmin", "softmax"};
constexpr std::array<std::string_view, 5> kModes{"assign", "add", "mul", "min", "max"};

}  // namespace

std::string_view name(ScalarOp op) { return kOps.at(static_cast<size_t>(op)).name; }

std::optional<ScalarOp> parse_scalar_op(std::string_view text) {
  for (size_t i = 0; i < kOps.size(); ++i) {
    if (kOps[i].name == text) return static_cast<ScalarOp>(i);
  }
  return std::nullopt;
}

int arity(ScalarOp op) { return kOps.at(static_cast<size_t>(op)).arity; }

double cost(ScalarOp op) { return kOps.at(static_cast<size_t>(op)).cost; }

std::string_view name(ReduceKind kind) { return kReductions.at(static_cast<size_t>(kind)); }

std::optional<ReduceKind> parse_reduce_kind(std::string_view text) {
  for (size_t i = 0; i < kReductions.size(); ++i) {
    if (kReductions[i] == text) return static_cast<ReduceKind>(i);
  }
  return std::nullopt;
}

int result_count(ReduceKind kind) { return kind == ReduceKind::softmax ? 2 : 1; }

std::string_view name(StoreMode mode) { return kModes.at(static_cast<size_t>(mode)); }

std::optional<StoreMode> parse_store_mode(std::string_view text) {
  for (size_t i = 0; i < kModes.size(); ++i) {
    if (kModes[i] == text) return static_cast<StoreMode>(i);
  }
  return std::nullopt;
}

}  // namespace litz::loops
