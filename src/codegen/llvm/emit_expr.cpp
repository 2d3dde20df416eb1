// Index expressions. Divisions round down, as in all expressions; if neither side can be negative,
// the machine's own division is used.

#include <bit>
#include <llvm/IR/Intrinsics.h>
#include <optional>

#include "codegen/llvm/elementary.h"
#include "codegen/llvm/kernel_emitter.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

bool is_division(ExprKind kind) {
  return kind == ExprKind::floor_div || kind == ExprKind::clean_div || kind == ExprKind::ceil_div ||
         kind == ExprKind::mod;
}

/// The elementary function that evaluates a function of sizes.
std::optional<loops::ScalarOp> elementary_op(ExprKind kind) {
  using loops::ScalarOp;
  switch (kind) {
    case ExprKind::sqrt:
      return ScalarOp::sqrt;
    case ExprKind::exp:
      return ScalarOp::exp;
    case ExprKind::log:
      return ScalarOp::log;
    case ExprKind::log2:
      return ScalarOp::log2;
    case ExprKind::sin:
      return ScalarOp::sin;
    case ExprKind::cos:
      return ScalarOp::cos;
    case ExprKind::tan:
      return ScalarOp::tan;
    case ExprKind::sinh:
      return ScalarOp::sinh;
    case ExprKind::cosh:
      return ScalarOp::cosh;
    case ExprKind::tanh:
      return ScalarOp::tanh;
    case ExprKind::asin:
      return ScalarOp::asin;
    case ExprKind::acos:
      return ScalarOp::acos;
    case ExprKind::atan:
      return ScalarOp::atan;
    case ExprKind::asinh:
      return ScalarOp::asinh;
    default:
      return std::nullopt;
  }
}

}  // namespace

Lanes KernelEmitter::emit_symbol(SymbolId symbol) {
  const auto found = symbols_.find(symbol);
  check(found != symbols_.end(),
        "a symbol must have a value here:", kernel_.pool->symbol(symbol).name);
  if (lanes_ == 1 || lane_zero_ || symbol != vector_symbol_) return {found->second};
  return {b_.CreateAdd(spread(found->second), lane_numbers(b_.getInt64Ty()))};
}

llvm::Value* KernelEmitter::emit_base(Expr expr) {
  const bool old = lane_zero_;
  lane_zero_ = true;
  llvm::Value* value = emit_expr(expr).value;
  lane_zero_ = old;
  return value;
}

Lanes KernelEmitter::emit_expr(Expr expr) {
  if (expr.is_constant()) {
    switch (expr.domain()) {
      case ExprDomain::integer:
        return {integer(expr.constant())};
      case ExprDomain::real:
        return {llvm::ConstantFP::get(b_.getDoubleTy(), expr.real_constant())};
      case ExprDomain::boolean:
        return {b_.getInt1(expr.boolean_constant())};
    }
  }
  if (expr.is_symbol()) return emit_symbol(expr.symbol());
  return emit_node(expr);
}

llvm::Value* KernelEmitter::floor_divide(llvm::Value* a, llvm::Value* b) {
  llvm::Value* quotient = b_.CreateSDiv(a, b);
  llvm::Value* remainder = b_.CreateSRem(a, b);
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* differs = b_.CreateICmpSLT(b_.CreateXor(remainder, b), zero);
  llvm::Value* rounds = b_.CreateAnd(b_.CreateICmpNE(remainder, zero), differs);
  return b_.CreateSub(quotient, b_.CreateZExt(rounds, a->getType()));
}

llvm::Value* KernelEmitter::floor_modulo(llvm::Value* a, llvm::Value* b) {
  llvm::Value* remainder = b_.CreateSRem(a, b);
  llvm::Value* zero = llvm::Constant::getNullValue(a->getType());
  llvm::Value* differs = b_.CreateICmpSLT(b_.CreateXor(remainder, b), zero);
  llvm::Value* rounds = b_.CreateAnd(b_.CreateICmpNE(remainder, zero), differs);
  return b_.CreateSelect(rounds, b_.CreateAdd(remainder, b), remainder);
}

Lanes KernelEmitter::emit_node(Expr expr) {
  std::vector<llvm::Value*> v;
  std::vector<Lanes> operands;
  v.reserve(expr.operands().size());
  operands.reserve(expr.operands().size());
  for (const Expr operand : expr.operands()) operands.push_back(emit_expr(operand));
  for (const Lanes& operand : operands) v.push_back(operand.value);
  unify(v);
  const bool is_real_operand = v[0]->getType()->isFPOrFPVectorTy();
  const auto chain = [&](const std::function<llvm::Value*(llvm::Value*, llvm::Value*)>& combine) {
    llvm::Value* total = v[0];
    for (size_t i = 1; i < v.size(); ++i) total = combine(total, v[i]);
    return Lanes{total};
  };
  const auto is_natural = [&] { return schedule_.natural_divisions.contains(expr); };
  // Quotients by the size of an empty dimension may be computed without being used, as in the index
  // of a load that its predicate disables. They must not trap.
  if (is_division(expr.kind()) && !schedule_.safe_divisions.contains(expr)) {
    llvm::Value* is_zero = b_.CreateICmpEQ(v[1], llvm::Constant::getNullValue(v[1]->getType()));
    v[1] = b_.CreateSelect(is_zero, llvm::ConstantInt::get(v[1]->getType(), 1), v[1]);
  }
  switch (expr.kind()) {
    case ExprKind::add:
      return chain([&](auto* a, auto* b) {
        return is_real_operand ? b_.CreateFAdd(a, b) : b_.CreateAdd(a, b);
      });
    case ExprKind::mul:
      return chain([&](auto* a, auto* b) {
        return is_real_operand ? b_.CreateFMul(a, b) : b_.CreateMul(a, b);
      });
    case ExprKind::floor_div:
    case ExprKind::clean_div:
      return {is_natural() ? b_.CreateUDiv(v[0], v[1]) : floor_divide(v[0], v[1])};
    case ExprKind::mod:
      return {is_natural() ? b_.CreateURem(v[0], v[1]) : floor_modulo(v[0], v[1])};
    case ExprKind::ceil_div:
      return {b_.CreateNeg(floor_divide(b_.CreateNeg(v[0]), v[1]))};
    case ExprKind::min:
      return chain([&](auto* a, auto* b) {
        return b_.CreateBinaryIntrinsic(
            is_real_operand ? llvm::Intrinsic::minnum : llvm::Intrinsic::smin, a, b);
      });
    case ExprKind::max:
      return chain([&](auto* a, auto* b) {
        return b_.CreateBinaryIntrinsic(
            is_real_operand ? llvm::Intrinsic::maxnum : llvm::Intrinsic::smax, a, b);
      });
    case ExprKind::where:
      return {b_.CreateSelect(v[0], v[1], v[2])};
    case ExprKind::shift_left:
      return {b_.CreateShl(v[0], v[1])};
    case ExprKind::shift_right:
      return {b_.CreateAShr(v[0], v[1])};
    case ExprKind::bit_and:
      return {b_.CreateAnd(v[0], v[1])};
    case ExprKind::bit_or:
      return {b_.CreateOr(v[0], v[1])};
    case ExprKind::bit_xor:
      return {b_.CreateXor(v[0], v[1])};
    case ExprKind::eq:
      return {is_real_operand ? b_.CreateFCmpOEQ(v[0], v[1]) : b_.CreateICmpEQ(v[0], v[1])};
    case ExprKind::ne:
      return {is_real_operand ? b_.CreateFCmpUNE(v[0], v[1]) : b_.CreateICmpNE(v[0], v[1])};
    case ExprKind::lt:
      return {is_real_operand ? b_.CreateFCmpOLT(v[0], v[1]) : b_.CreateICmpSLT(v[0], v[1])};
    case ExprKind::le:
      return {is_real_operand ? b_.CreateFCmpOLE(v[0], v[1]) : b_.CreateICmpSLE(v[0], v[1])};
    case ExprKind::logical_and:
      return chain([&](auto* a, auto* b) { return b_.CreateAnd(a, b); });
    case ExprKind::logical_or:
      return chain([&](auto* a, auto* b) { return b_.CreateOr(a, b); });
    case ExprKind::logical_not:
      return {b_.CreateNot(v[0])};
    case ExprKind::pow: {
      if (is_real_operand) return {emit_elementary(b_, loops::ScalarOp::pow, v)};
      constexpr int64_t kMostFactors = 64;
      const auto exponent = expr.operands()[1].maybe_constant();
      if (!exponent || *exponent < 0 || *exponent > kMostFactors) {
        return {emit_integer_power(DType::i64, v[0], v[1])};
      }
      llvm::Value* power = broadcast_constant(integer(1), v[0]);
      for (int64_t i = 0; i < *exponent; ++i) power = b_.CreateMul(power, v[0]);
      return {power};
    }
    default:
      for (size_t i = 0; i < v.size(); ++i) operands[i].value = v[i];
      return emit_real_node(expr, operands);
  }
}

Lanes KernelEmitter::emit_real_node(Expr expr, const std::vector<Lanes>& operands) {
  llvm::Value* a = operands[0].value;
  llvm::Type* real = widen(b_.getDoubleTy(), a);
  switch (expr.kind()) {
    case ExprKind::to_real:
      return {b_.CreateSIToFP(a, real)};
    case ExprKind::true_div: {
      llvm::Value* b = operands[1].value;
      if (!a->getType()->isFPOrFPVectorTy()) {
        a = b_.CreateSIToFP(a, real);
        b = b_.CreateSIToFP(b, real);
      }
      return {b_.CreateFDiv(a, b)};
    }
    case ExprKind::trunc_to_int:
    case ExprKind::floor_to_int:
    case ExprKind::ceil_to_int:
    case ExprKind::round_to_int: {
      const auto intrinsic = expr.kind() == ExprKind::floor_to_int   ? llvm::Intrinsic::floor
                             : expr.kind() == ExprKind::ceil_to_int  ? llvm::Intrinsic::ceil
                             : expr.kind() == ExprKind::round_to_int ? llvm::Intrinsic::roundeven
                                                                     : llvm::Intrinsic::trunc;
      llvm::Value* rounded = b_.CreateUnaryIntrinsic(intrinsic, a);
      return {b_.CreateFPToSI(rounded, widen(b_.getInt64Ty(), a))};
    }
    case ExprKind::trunc_real:
      return {b_.CreateUnaryIntrinsic(llvm::Intrinsic::trunc, a)};
    case ExprKind::abs:
      if (!a->getType()->isFPOrFPVectorTy()) {
        return {b_.CreateBinaryIntrinsic(llvm::Intrinsic::abs, a, b_.getInt1(false))};
      }
      return {b_.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, a)};
    default: {
      const auto op = elementary_op(expr.kind());
      check(op.has_value(), "this function of sizes is not compiled:", to_string(expr));
      return {emit_elementary(b_, *op, {a})};
    }
  }
}

}  // namespace litz::codegen
