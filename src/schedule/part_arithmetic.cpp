#include "schedule/part_arithmetic.h"

#include <utility>

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;
using loops::kNoValue;
using loops::ScalarOp;
using loops::ValueId;

DType part_dtype(DType dtype) {
  if (dtype == DType::c32) return DType::f16;
  return dtype == DType::c64 ? DType::f32 : DType::f64;
}

DType PartArithmetic::dtype(ValueId value) const {
  return kernel_.values[static_cast<size_t>(value)].dtype;
}

ValueId PartArithmetic::new_value(DType dtype) {
  kernel_.values.push_back({dtype});
  return static_cast<ValueId>(kernel_.values.size()) - 1;
}

ValueId PartArithmetic::op(ScalarOp op, std::vector<ValueId> operands, DType result) {
  Instr instr;
  instr.op = op;
  instr.operands = std::move(operands);
  instr.results = {new_value(result)};
  out_.instrs.push_back(std::move(instr));
  return out_.instrs.back().results[0];
}

ValueId PartArithmetic::cast(ValueId value, DType to) {
  return dtype(value) == to ? value : op(ScalarOp::cast, {value}, to);
}

Parts PartArithmetic::cast(Parts value, DType part) {
  const ValueId real = cast(value.real, part);
  return {real, value.imaginary == kNoValue ? kNoValue : cast(value.imaginary, part)};
}

ValueId PartArithmetic::constant(loops::Literal literal, DType dtype) {
  Instr instr;
  instr.kind = InstrKind::constant;
  instr.literal = literal;
  instr.results = {new_value(dtype)};
  out_.instrs.push_back(std::move(instr));
  return out_.instrs.back().results[0];
}

ValueId PartArithmetic::number(double value, DType dtype) { return constant(value, dtype); }

ValueId PartArithmetic::word(Parts value) {
  const auto bits = [&](ValueId part) {
    return cast(op(ScalarOp::bitcast, {part}, DType::u32), DType::u64);
  };
  const ValueId low = bits(value.real);
  const ValueId half = constant(int64_t{32}, DType::u64);
  const ValueId high = op(ScalarOp::shift_left, {bits(value.imaginary), half}, DType::u64);
  return op(ScalarOp::bit_or, {high, low}, DType::u64);
}

Parts PartArithmetic::from_word(ValueId word) {
  const ValueId half = constant(int64_t{32}, DType::u64);
  const ValueId high = op(ScalarOp::shift_right, {word, half}, DType::u64);
  const ValueId real = cast(word, DType::u32);
  const ValueId imaginary = cast(high, DType::u32);
  return {op(ScalarOp::bitcast, {real}, DType::f32),
          op(ScalarOp::bitcast, {imaginary}, DType::f32)};
}

Parts PartArithmetic::product(Parts a, Parts b) {
  const DType part = dtype(a.real);
  a = cast(a, DType::f64);
  b = cast(b, DType::f64);
  const auto times = [&](ValueId x, ValueId y) { return op(ScalarOp::mul, {x, y}, DType::f64); };
  const ValueId real =
      op(ScalarOp::sub, {times(a.real, b.real), times(a.imaginary, b.imaginary)}, DType::f64);
  const ValueId imaginary =
      op(ScalarOp::add, {times(a.real, b.imaginary), times(a.imaginary, b.real)}, DType::f64);
  return cast(Parts{real, imaginary}, part);
}

ValueId PartArithmetic::chosen(ValueId condition, ValueId a, ValueId b) {
  return op(ScalarOp::select, {condition, a, b}, dtype(a));
}

Parts PartArithmetic::quotient(Parts a, Parts b) {
  const DType part = dtype(a.real);
  const auto of = [&](ScalarOp own, ValueId x, ValueId y) { return op(own, {x, y}, part); };
  const ValueId zero = number(0, part);
  const ValueId real_size = op(ScalarOp::abs, {b.real}, part);
  const ValueId imaginary_size = op(ScalarOp::abs, {b.imaginary}, part);
  const ValueId is_real_larger = op(ScalarOp::le, {imaginary_size, real_size}, DType::bool_);
  const ValueId large = chosen(is_real_larger, b.real, b.imaginary);
  const ValueId small = chosen(is_real_larger, b.imaginary, b.real);
  const ValueId ratio = of(ScalarOp::div, small, large);
  const ValueId scale =
      of(ScalarOp::div, number(1, part), of(ScalarOp::add, large, of(ScalarOp::mul, small, ratio)));
  const ValueId first = chosen(is_real_larger, a.real, a.imaginary);
  const ValueId second = chosen(is_real_larger, a.imaginary, a.real);
  const ValueId turned = of(ScalarOp::mul, second, ratio);
  const ValueId real = of(ScalarOp::mul, of(ScalarOp::add, first, turned), scale);
  const ValueId falls = of(ScalarOp::sub, a.imaginary, of(ScalarOp::mul, a.real, ratio));
  const ValueId rises = of(ScalarOp::sub, of(ScalarOp::mul, a.imaginary, ratio), a.real);
  const ValueId imaginary = of(ScalarOp::mul, chosen(is_real_larger, falls, rises), scale);
  const ValueId is_zero = op(ScalarOp::bit_and,
                             {op(ScalarOp::eq, {real_size, zero}, DType::bool_),
                              op(ScalarOp::eq, {imaginary_size, zero}, DType::bool_)},
                             DType::bool_);
  return {chosen(is_zero, of(ScalarOp::div, a.real, real_size), real),
          chosen(is_zero, of(ScalarOp::div, a.imaginary, imaginary_size), imaginary)};
}

Parts PartArithmetic::direction(Parts a) {
  const DType part = dtype(a.real);
  a = cast(a, DType::f64);
  const ValueId zero = number(0, DType::f64);
  const ValueId length = op(ScalarOp::hypot, {a.real, a.imaginary}, DType::f64);
  const ValueId is_zero = op(ScalarOp::eq, {length, zero}, DType::bool_);
  const auto component = [&](ValueId x) {
    return chosen(is_zero, zero, op(ScalarOp::div, {x, length}, DType::f64));
  };
  const ValueId real = component(a.real);
  return cast(Parts{real, component(a.imaginary)}, part);
}

ValueId PartArithmetic::in_double(ScalarOp own, ValueId x, ValueId y) {
  const DType part = dtype(x);
  const ValueId wide = cast(x, DType::f64);
  return cast(op(own, {wide, cast(y, DType::f64)}, DType::f64), part);
}

ValueId PartArithmetic::magnitude(Parts a) {
  return in_double(ScalarOp::hypot, a.real, a.imaginary);
}

ValueId PartArithmetic::angle(Parts a) { return in_double(ScalarOp::atan2, a.imaginary, a.real); }

Parts PartArithmetic::function(ScalarOp own, const std::vector<Parts>& operands) {
  const DType part = dtype(operands[0].real);
  std::vector<ValueId> wide;
  for (const Parts& operand : operands) {
    const Parts parts = cast(operand, DType::f64);
    wide.push_back(op(ScalarOp::make_complex, {parts.real, parts.imaginary}, DType::c128));
  }
  const ValueId result = op(own, std::move(wide), DType::c128);
  const ValueId real = op(ScalarOp::real, {result}, DType::f64);
  return cast(Parts{real, op(ScalarOp::imag, {result}, DType::f64)}, part);
}

Parts PartArithmetic::converted(Parts a, DType to) {
  if (is_complex(to)) {
    const DType part = part_dtype(to);
    const ValueId real = cast(a.real, part);
    return {real, a.imaginary == kNoValue ? number(0, part) : cast(a.imaginary, part)};
  }
  if (to != DType::bool_) return {cast(a.real, to), kNoValue};
  const ValueId real = cast(a.real, to);
  return {op(ScalarOp::bit_or, {real, cast(a.imaginary, to)}, to), kNoValue};
}

}  // namespace litz::schedule
