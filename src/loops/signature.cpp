#include "loops/signature.h"

namespace litz::loops {
namespace {

// Bits of a set of operand classes.
enum : unsigned { kBool = 1, kInt = 2, kReal = 4, kComplex = 8, kNarrow = 16, kNarrowComplex = 32 };

constexpr unsigned kNumber = kInt | kReal | kComplex;
constexpr unsigned kAnything = kBool | kNumber | kNarrow | kNarrowComplex;

unsigned class_of(DType dtype) {
  if (dtype == DType::bool_) return kBool;
  if (is_integer(dtype)) return kInt;
  if (dtype == DType::f32 || dtype == DType::f64) return kReal;
  if (dtype == DType::c64 || dtype == DType::c128) return kComplex;
  return dtype == DType::c32 ? kNarrowComplex : kNarrow;
}

// The dtypes that an operation accepts for all its operands (of one dtype).
unsigned accepted(ScalarOp op) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::mul:
      return kBool | kNumber;
    case ScalarOp::sub:
    case ScalarOp::neg:
    case ScalarOp::abs:
    case ScalarOp::sign:
    case ScalarOp::pow:
      return kNumber;
    case ScalarOp::div:
      return kReal | kComplex;
    case ScalarOp::floor_div:
    case ScalarOp::trunc_div:
    case ScalarOp::mod:
    case ScalarOp::fmod:
    case ScalarOp::fma:
      return kInt | kReal;
    case ScalarOp::min:
    case ScalarOp::max:
    case ScalarOp::fmin:
    case ScalarOp::fmax:
      return kBool | kInt | kReal;
    case ScalarOp::eq:
    case ScalarOp::ne:
    case ScalarOp::select:
    case ScalarOp::cast:
    case ScalarOp::bitcast:
      return kAnything;
    case ScalarOp::lt:
    case ScalarOp::le:
      return kBool | kInt | kReal | kNarrow;
    case ScalarOp::is_nan:
    case ScalarOp::is_inf:
      return kReal | kComplex | kNarrow | kNarrowComplex;
    case ScalarOp::signbit:
      return kInt | kReal | kNarrow;
    case ScalarOp::bit_and:
    case ScalarOp::bit_or:
    case ScalarOp::bit_xor:
    case ScalarOp::bit_not:
      return kBool | kInt;
    case ScalarOp::shift_left:
    case ScalarOp::shift_right:
    case ScalarOp::philox:
      return kInt;
    case ScalarOp::copysign:
    case ScalarOp::nextafter:
    case ScalarOp::hypot:
    case ScalarOp::floor:
    case ScalarOp::ceil:
    case ScalarOp::trunc:
    case ScalarOp::round_even:
    case ScalarOp::atan2:
    case ScalarOp::erf:
    case ScalarOp::erfc:
    case ScalarOp::erfinv:
    case ScalarOp::lgamma:
    case ScalarOp::digamma:
    case ScalarOp::make_complex:
      return kReal;
    case ScalarOp::sqrt:
    case ScalarOp::rsqrt:
    case ScalarOp::exp:
    case ScalarOp::exp2:
    case ScalarOp::expm1:
    case ScalarOp::log:
    case ScalarOp::log2:
    case ScalarOp::log10:
    case ScalarOp::log1p:
    case ScalarOp::sin:
    case ScalarOp::cos:
    case ScalarOp::tan:
    case ScalarOp::asin:
    case ScalarOp::acos:
    case ScalarOp::atan:
    case ScalarOp::sinh:
    case ScalarOp::cosh:
    case ScalarOp::tanh:
    case ScalarOp::asinh:
    case ScalarOp::acosh:
    case ScalarOp::atanh:
    case ScalarOp::angle:
      return kReal | kComplex;
    case ScalarOp::real:
    case ScalarOp::imag:
    case ScalarOp::conj:
      return kComplex;
  }
  return 0;
}

bool is_predicate(ScalarOp op) {
  return op == ScalarOp::eq || op == ScalarOp::ne || op == ScalarOp::lt || op == ScalarOp::le ||
         op == ScalarOp::is_nan || op == ScalarOp::is_inf || op == ScalarOp::signbit;
}

}  // namespace

std::optional<DType> result_dtype(ScalarOp op, std::span<const DType> operands, DType target) {
  if (operands.size() != static_cast<size_t>(arity(op))) return std::nullopt;
  if (op == ScalarOp::select) {
    if (operands[0] != DType::bool_ || operands[1] != operands[2]) return std::nullopt;
    return operands[1];
  }
  const DType first = operands[0];
  for (const DType dtype : operands) {
    if (dtype != first) return std::nullopt;
  }
  if ((accepted(op) & class_of(first)) == 0) return std::nullopt;
  if (op == ScalarOp::philox) {
    const bool is_known = target == DType::i32 || target == DType::i64;
    return first == DType::i64 && is_known ? std::optional(target) : std::nullopt;
  }
  if (op == ScalarOp::cast) return target;
  if (op == ScalarOp::bitcast) {
    if (item_size(first) != item_size(target)) return std::nullopt;
    return target;
  }
  if (is_predicate(op)) return DType::bool_;
  if (op == ScalarOp::make_complex) return complex_dtype(first);
  if (op == ScalarOp::real || op == ScalarOp::imag || op == ScalarOp::abs ||
      op == ScalarOp::angle) {
    return is_complex(first) ? real_dtype(first) : first;
  }
  return first;
}

bool chooses_dtype(ScalarOp op) {
  return op == ScalarOp::cast || op == ScalarOp::bitcast || op == ScalarOp::philox;
}

std::optional<DType> reduced_dtype(ReduceKind kind, DType value) {
  const unsigned operand = class_of(value);
  const auto when = [&](unsigned classes, DType result) -> std::optional<DType> {
    if ((operand & classes) == 0) return std::nullopt;
    return result;
  };
  switch (kind) {
    case ReduceKind::sum:
    case ReduceKind::prod:
      return when(kNumber, value);
    case ReduceKind::max:
    case ReduceKind::min:
      return when(kBool | kInt | kReal, value);
    case ReduceKind::any:
    case ReduceKind::all:
      return when(kBool, value);
    case ReduceKind::bit_xor:
      return when(kBool | kInt, value);
    case ReduceKind::argmax:
    case ReduceKind::argmin:
      return when(kBool | kInt | kReal, DType::i64);
    case ReduceKind::softmax:
      return when(kReal, value);
  }
  return std::nullopt;
}

bool has_store_mode(StoreMode mode, DType dtype) {
  switch (mode) {
    case StoreMode::assign:
    case StoreMode::add:
    case StoreMode::mul:
      return true;
    case StoreMode::min:
    case StoreMode::max:
      return !is_complex(dtype);
  }
  return false;
}

bool is_order_free(StoreMode mode, DType dtype) {
  return mode != StoreMode::assign && (class_of(dtype) & (kBool | kInt)) != 0;
}

bool is_sortable(DType dtype) { return !is_complex(dtype); }

bool has_identity(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
    case ReduceKind::prod:
    case ReduceKind::any:
    case ReduceKind::all:
    case ReduceKind::bit_xor:
      return true;
    case ReduceKind::max:
    case ReduceKind::min:
    case ReduceKind::argmax:
    case ReduceKind::argmin:
    case ReduceKind::softmax:
      return false;
  }
  return false;
}

bool has_limit(ReduceKind kind, DType value) {
  const bool is_limited =
      kind == ReduceKind::max || kind == ReduceKind::min || kind == ReduceKind::softmax;
  return is_limited && is_floating(value);
}

}  // namespace litz::loops
