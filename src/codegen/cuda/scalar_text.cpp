// Scalar operations on registers.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

#include "codegen/cuda/kernel_text.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

bool is_narrow_float(DType dtype) { return is_half(dtype) || is_float8(dtype); }

bool is_real(DType dtype) {
  return is_narrow_float(dtype) || dtype == DType::f32 || dtype == DType::f64;
}

/// A float as the nearest value of a format that lives in a float.
std::string rounded(const std::string& value, DType to) {
  if (to == DType::f16) return "round_f16(" + value + ")";
  if (to == DType::bf16) return "round_bf16(" + value + ")";
  if (is_float8(to)) return std::string("round_f8<") + float8_format(to) + ">(" + value + ")";
  return value;
}

std::string integer_literal(int64_t value, DType dtype) {
  const std::string type = register_type(dtype);
  if (dtype == DType::bool_) return value != 0 ? "true" : "false";
  if (value == std::numeric_limits<int64_t>::min()) return type + "(0x8000000000000000ull)";
  const bool is_plain = value >= 0 && value <= std::numeric_limits<int32_t>::max();
  const std::string digits = std::to_string(value) + (is_plain              ? ""
                                                      : dtype == DType::u64 ? "ull"
                                                                            : "ll");
  return dtype == DType::i32 && is_plain ? digits : type + "(" + digits + ")";
}

/// Functions that are spelled alike for f32 and f64.
const char* real_function(ScalarOp op) {
  switch (op) {
    case ScalarOp::abs:
      return "fabs";
    case ScalarOp::sign:
      return "sign_of";
    case ScalarOp::min:
      return "real_min";
    case ScalarOp::max:
      return "real_max";
    case ScalarOp::fmin:
      return "number_min";
    case ScalarOp::fmax:
      return "number_max";
    case ScalarOp::fma:
      return "fma";
    case ScalarOp::copysign:
      return "copysign";
    case ScalarOp::nextafter:
      return "nextafter";
    case ScalarOp::hypot:
      return "hypot";
    case ScalarOp::is_nan:
      return "is_nan";
    case ScalarOp::is_inf:
      return "is_inf";
    case ScalarOp::signbit:
      return "sign_bit";
    case ScalarOp::floor:
      return "floor";
    case ScalarOp::ceil:
      return "ceil";
    case ScalarOp::trunc:
      return "trunc";
    case ScalarOp::round_even:
      return "rint";
    case ScalarOp::sqrt:
      return "sqrt";
    case ScalarOp::rsqrt:
      return "inverse_root";
    case ScalarOp::exp:
      return "exp";
    case ScalarOp::exp2:
      return "exp2";
    case ScalarOp::expm1:
      return "expm1";
    case ScalarOp::log:
      return "log";
    case ScalarOp::log2:
      return "log2";
    case ScalarOp::log10:
      return "log10";
    case ScalarOp::log1p:
      return "log1p";
    case ScalarOp::pow:
      return "pow";
    case ScalarOp::sin:
      return "sin";
    case ScalarOp::cos:
      return "cos";
    case ScalarOp::tan:
      return "tan";
    case ScalarOp::asin:
      return "asin";
    case ScalarOp::acos:
      return "acos";
    case ScalarOp::atan:
      return "atan";
    case ScalarOp::atan2:
      return "atan2";
    case ScalarOp::sinh:
      return "sinh";
    case ScalarOp::cosh:
      return "cosh";
    case ScalarOp::tanh:
      return "tanh";
    case ScalarOp::asinh:
      return "asinh";
    case ScalarOp::acosh:
      return "acosh";
    case ScalarOp::atanh:
      return "atanh";
    case ScalarOp::erf:
      return "erf";
    case ScalarOp::erfc:
      return "erfc";
    case ScalarOp::erfinv:
      return "erfinv";
    case ScalarOp::lgamma:
      return "lgamma";
    case ScalarOp::digamma:
      return "digamma_of";
    case ScalarOp::angle:
      return "angle_of";
    case ScalarOp::fmod:
      return "fmod";
    case ScalarOp::mod:
      return "real_mod";
    case ScalarOp::floor_div:
      return "real_floor_div";
    default:
      return nullptr;
  }
}

const char* comparison(ScalarOp op) {
  switch (op) {
    case ScalarOp::eq:
      return " == ";
    case ScalarOp::ne:
      return " != ";
    case ScalarOp::lt:
      return " < ";
    case ScalarOp::le:
      return " <= ";
    default:
      return nullptr;
  }
}

std::string call(const std::string& function, const std::vector<std::string>& v) {
  std::string text = function + "(";
  for (size_t i = 0; i < v.size(); ++i) text += (i == 0 ? "" : ", ") + v[i];
  return text + ")";
}

}  // namespace

std::string real_literal(double value, bool is_double) {
  const char* const type = is_double ? "f64" : "f32";
  if (std::isnan(value)) {
    return is_double ? "bits_as<f64>(0x7ff8000000000000ull)" : "bits_as<f32>(0x7fc00000u)";
  }
  if (std::isinf(value)) {
    return std::string(value < 0 ? "-" : "") + "infinity_of(" + type + "(0))";
  }
  char text[64];
  std::snprintf(text, sizeof text, is_double ? "%.17g" : "%.9g", value);
  std::string digits = text;
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return is_double ? digits : digits + "f";
}

void KernelText::add_constant(const Instr& instr) {
  const DType to = dtype(instr.results[0]);
  if (const auto* z = std::get_if<std::complex<double>>(&instr.literal)) {
    has_complex_ = true;
    return define(instr.results[0], "C128{" + real_literal(z->real(), true) + ", " +
                                        real_literal(z->imag(), true) + "}");
  }
  if (const auto* whole = std::get_if<int64_t>(&instr.literal)) {
    if (!is_real(to)) return define(instr.results[0], integer_literal(*whole, to));
    return define(instr.results[0], real_literal(static_cast<double>(*whole), to == DType::f64));
  }
  const double real = std::get<double>(instr.literal);
  if (to == DType::f64) return define(instr.results[0], real_literal(real, true));
  if (!is_real(to)) return define(instr.results[0], cast(real_literal(real, true), DType::f64, to));
  const auto single = static_cast<double>(static_cast<float>(real));
  define(instr.results[0], rounded(real_literal(single, false), to));
}

void KernelText::add_op(const Instr& instr) {
  const std::string kept = kept_value(instr);
  if (!kept.empty() && schedule_.kept_values[schedule_.kept_value_of.at(&instr)].first != &instr) {
    return define(instr.results[0], kept);
  }
  add_computed(instr);
  if (!kept.empty()) line(kept + " = " + name(instr.results[0]) + ";");
}

void KernelText::add_computed(const Instr& instr) {
  std::vector<std::string> v;
  for (const ValueId id : instr.operands) v.push_back(name(id));
  const DType from = dtype(instr.operands.back());
  const DType to = dtype(instr.results[0]);
  const auto result = [&](const std::string& text) { define(instr.results[0], text); };
  switch (instr.op) {
    case ScalarOp::cast: {
      const std::string at_once = to == DType::bf16 ? bf16_op(instr) : "";
      return result(at_once.empty() ? cast(v[0], from, to) : at_once);
    }
    case ScalarOp::bitcast:
      return result(bitcast(v[0], from, to));
    case ScalarOp::select:
      return result(v[0] + " ? " + v[1] + " : " + v[2]);
    case ScalarOp::philox:
      return result(call(to == DType::i32 ? "philox_i32" : "philox_i64", v));
    default:
      break;
  }
  if (is_complex(from) || is_complex(to)) return result(complex_op(instr, from, to, v));
  if (from == DType::bool_) return result(bool_op(instr.op, v));
  if (is_integer(from)) return result(integer_op(instr, from, v));
  if (instr.op == ScalarOp::div && is_shared_divisor(instr)) return result(call("divided", v));
  result(real_op(instr.op, from, v));
}

bool KernelText::is_bf16(ValueId id) const {
  const Instr* const from = origins_[static_cast<size_t>(id)].instr;
  if (from == nullptr || dtype(id) != DType::f32) return false;
  if (from->kind == loops::InstrKind::op) {
    return from->op == ScalarOp::cast && dtype(from->operands[0]) == DType::bf16;
  }
  if (from->kind != loops::InstrKind::constant) return false;
  const auto* const whole = std::get_if<int64_t>(&from->literal);
  const auto* const real = std::get_if<double>(&from->literal);
  if (whole == nullptr && real == nullptr) return false;
  const auto value = static_cast<float>(whole != nullptr ? static_cast<double>(*whole) : *real);
  // All but the sign, the exponent and seven bits of the float are 0.
  return (std::bit_cast<uint32_t>(value) & 0xffff) == 0;
}

std::string KernelText::bf16_op(const Instr& cast) const {
  const Instr* const from = origins_[static_cast<size_t>(cast.operands[0])].instr;
  if (from == nullptr || from->kind != loops::InstrKind::op) return "";
  const char* const function = from->op == ScalarOp::add   ? "add_bf16"
                               : from->op == ScalarOp::sub ? "sub_bf16"
                               : from->op == ScalarOp::mul ? "mul_bf16"
                                                           : nullptr;
  if (function == nullptr ||
      !std::ranges::all_of(from->operands, [&](ValueId id) { return is_bf16(id); })) {
    return "";
  }
  return call(function, {name(from->operands[0]), name(from->operands[1])});
}

bool KernelText::is_shared_divisor(const Instr& division) const {
  const Origin& quotient = origins_[static_cast<size_t>(division.results[0])];
  const Origin& divisor = origins_[static_cast<size_t>(division.operands[1])];
  if (divisor.instr == nullptr) return false;
  return divisor.block != quotient.block || schedule_.invariant.contains(divisor.instr) ||
         divisor.instr->kind == loops::InstrKind::constant;
}

std::string KernelText::bool_op(ScalarOp op, const std::vector<std::string>& v) const {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::max:
    case ScalarOp::fmax:
    case ScalarOp::bit_or:
      return v[0] + " || " + v[1];
    case ScalarOp::mul:
    case ScalarOp::min:
    case ScalarOp::fmin:
    case ScalarOp::bit_and:
      return v[0] + " && " + v[1];
    case ScalarOp::bit_xor:
    case ScalarOp::ne:
      return v[0] + " != " + v[1];
    case ScalarOp::eq:
      return v[0] + " == " + v[1];
    case ScalarOp::bit_not:
      return "!" + v[0];
    case ScalarOp::lt:
      return "!" + v[0] + " && " + v[1];
    case ScalarOp::le:
      return "!" + v[0] + " || " + v[1];
    default:
      check(false, "this operation is not for bool:", loops::name(op));
      return "";
  }
}

std::string KernelText::integer_op(const Instr& instr, DType dtype,
                                   const std::vector<std::string>& v) {
  const std::string type = register_type(dtype);
  if (const char* symbol = comparison(instr.op)) return v[0] + symbol + v[1];
  const auto divided = [&](const char* function) {
    const std::string divisor = unique("divisor");
    line(type + " " + divisor + " = " + v[1] + ";");
    add_failure(divisor + " == 0", {artifact::CheckKind::division, ""}, "0", "0",
                [&] { line(divisor + " = 1;"); });
    return call(function, {v[0], divisor});
  };
  switch (instr.op) {
    case ScalarOp::add:
      return call("wrap_add", v);
    case ScalarOp::sub:
      return call("wrap_sub", v);
    case ScalarOp::mul:
      return call("wrap_mul", v);
    case ScalarOp::fma:
      return "wrap_add(wrap_mul(" + v[0] + ", " + v[1] + "), " + v[2] + ")";
    case ScalarOp::pow:
      return call("int_pow", v);
    case ScalarOp::neg:
      return call("wrap_neg", v);
    case ScalarOp::abs:
      return is_signed(dtype) ? call("wrap_abs", v) : v[0];
    case ScalarOp::sign:
      return call("sign_of", v);
    case ScalarOp::floor_div:
      return divided("floor_quotient");
    case ScalarOp::trunc_div:
      return divided("quotient");
    case ScalarOp::mod:
      return divided("floor_remainder");
    case ScalarOp::fmod:
      return divided("remainder_of");
    case ScalarOp::min:
    case ScalarOp::fmin:
      return call("least", v);
    case ScalarOp::max:
    case ScalarOp::fmax:
      return call("greatest", v);
    case ScalarOp::signbit:
      return is_signed(dtype) ? v[0] + " < 0" : "false";
    case ScalarOp::bit_and:
      return type + "(" + v[0] + " & " + v[1] + ")";
    case ScalarOp::bit_or:
      return type + "(" + v[0] + " | " + v[1] + ")";
    case ScalarOp::bit_xor:
      return type + "(" + v[0] + " ^ " + v[1] + ")";
    case ScalarOp::bit_not:
      return type + "(~" + v[0] + ")";
    case ScalarOp::shift_left:
      return call("shifted_left", v);
    case ScalarOp::shift_right:
      return call("shifted_right", v);
    default:
      check(false, "this operation is not for integers:", loops::name(instr.op));
      return "";
  }
}

std::string KernelText::real_op(ScalarOp op, DType dtype, const std::vector<std::string>& v) const {
  if (const char* symbol = comparison(op)) return v[0] + symbol + v[1];
  if (const char* function = real_function(op)) return call(function, v);
  switch (op) {
    case ScalarOp::add:
      return v[0] + " + " + v[1];
    case ScalarOp::sub:
      return v[0] + " - " + v[1];
    case ScalarOp::mul:
      return v[0] + " * " + v[1];
    case ScalarOp::div:
      return v[0] + " / " + v[1];
    case ScalarOp::trunc_div:
      return "trunc(" + v[0] + " / " + v[1] + ")";
    case ScalarOp::neg:
      return "-" + v[0];
    default:
      check(false, "this operation is not for reals:", loops::name(op), litz::name(dtype));
      return "";
  }
}

std::string KernelText::complex_op(const Instr& instr, DType /*from*/, DType /*to*/,
                                   const std::vector<std::string>& v) {
  has_complex_ = true;
  switch (instr.op) {
    case ScalarOp::make_complex:
      return "C128{" + v[0] + ", " + v[1] + "}";
    case ScalarOp::real:
      return v[0] + ".real";
    case ScalarOp::imag:
      return v[0] + ".imag";
    default:
      return call("complex_" + std::string(loops::name(instr.op)), v);
  }
}

std::string KernelText::cast(const std::string& value, DType from, DType to) const {
  if (from == to) return value;
  const std::string type = register_type(to);
  if (to == DType::bool_) return value + " != 0";
  if (is_real(from) && is_real(to)) {
    if (to == DType::f64) return "f64(" + value + ")";
    return rounded(from == DType::f64 ? "f32(" + value + ")" : value, to);
  }
  if (is_real(from)) {
    if (to == DType::u64) return "to_u64(" + value + ")";
    const bool is_wide = to == DType::i64 || to == DType::u8 || to == DType::u32;
    return type + (is_wide ? "(to_i64(" : "(to_i32(") + value + "))";
  }
  if (is_real(to)) return rounded((to == DType::f64 ? "f64(" : "f32(") + value + ")", to);
  return type + "(" + value + ")";
}

std::string KernelText::bitcast(const std::string& value, DType from, DType to) const {
  const std::string bits = std::string(memory_type(from)) + "(" + to_memory(from, value) + ")";
  return from_memory(to, "bits_as<" + std::string(memory_type(to)) + ">(" + bits + ")");
}

}  // namespace litz::codegen
