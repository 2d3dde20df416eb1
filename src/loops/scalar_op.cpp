#include "loops/scalar_op.h"

#include <array>

namespace litz::loops {
namespace {

struct OpRow {
  std::string_view name;
  int arity;
};

// In the order of the enumerators; a test checks the correspondence through the switch below.
constexpr std::array<OpRow, kScalarOpCount> kOps{{
    {"add", 2},        {"sub", 2},         {"mul", 2},       {"div", 2},     {"floor_div", 2},
    {"trunc_div", 2},  {"mod", 2},         {"fmod", 2},      {"neg", 1},     {"abs", 1},
    {"sign", 1},       {"min", 2},         {"max", 2},       {"fmin", 2},    {"fmax", 2},
    {"fma", 3},        {"copysign", 2},    {"nextafter", 2}, {"hypot", 2},   {"eq", 2},
    {"ne", 2},         {"lt", 2},          {"le", 2},        {"is_nan", 1},  {"is_inf", 1},
    {"signbit", 1},    {"bit_and", 2},     {"bit_or", 2},    {"bit_xor", 2}, {"bit_not", 1},
    {"shift_left", 2}, {"shift_right", 2}, {"select", 3},    {"floor", 1},   {"ceil", 1},
    {"trunc", 1},      {"round_even", 1},  {"sqrt", 1},      {"rsqrt", 1},   {"exp", 1},
    {"exp2", 1},       {"expm1", 1},       {"log", 1},       {"log2", 1},    {"log10", 1},
    {"log1p", 1},      {"pow", 2},         {"sin", 1},       {"cos", 1},     {"tan", 1},
    {"asin", 1},       {"acos", 1},        {"atan", 1},      {"atan2", 2},   {"sinh", 1},
    {"cosh", 1},       {"tanh", 1},        {"asinh", 1},     {"acosh", 1},   {"atanh", 1},
    {"erf", 1},        {"erfc", 1},        {"erfinv", 1},    {"lgamma", 1},  {"digamma", 1},
    {"real", 1},       {"imag", 1},        {"conj", 1},      {"angle", 1},   {"make_complex", 2},
    {"cast", 1},       {"bitcast", 1},     {"philox", 2},
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
