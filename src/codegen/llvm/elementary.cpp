// Selects the formula of an op, and calls functions for ops that have none.

#include "codegen/llvm/elementary.h"

#include <algorithm>
#include <array>
#include <llvm/IR/Function.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include "codegen/llvm/elementary_formulas.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using loops::ScalarOp;

// Null where the function is a call.
Formula formula_of(ScalarOp op, bool is_f64) {
  for (const auto family :
       {exponential_formula, logarithm_formula, power_formula, trigonometric_formula,
        inverse_formula, error_formula, rounding_formula}) {
    if (const Formula formula = family(op, is_f64)) return formula;
  }
  return nullptr;
}

llvm::Value* call(llvm::IRBuilderBase& builder, const std::string& name,
                  llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* f64 = builder.getDoubleTy();
  const llvm::SmallVector<llvm::Type*, 3> types(operands.size(), f64);
  llvm::FunctionType* type = llvm::FunctionType::get(f64, types, false);
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, type);
  if (auto* function = llvm::dyn_cast<llvm::Function>(callee.getCallee())) {
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
  }
  return builder.CreateCall(callee, operands);
}

llvm::Value* call_lanes(llvm::IRBuilderBase& builder, const std::string& name,
                        llvm::ArrayRef<llvm::Value*> operands) {
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(operands[0]->getType());
  if (vector == nullptr) return call(builder, name, operands);
  llvm::Value* result = llvm::PoisonValue::get(vector);
  for (unsigned lane = 0; lane < vector->getNumElements(); ++lane) {
    llvm::SmallVector<llvm::Value*, 3> scalars;
    for (llvm::Value* operand : operands) {
      scalars.push_back(builder.CreateExtractElement(operand, lane));
    }
    result = builder.CreateInsertElement(result, call(builder, name, scalars), lane);
  }
  return result;
}

// Ops that are called where they have no formula.
constexpr std::array kCalled{ScalarOp::fmod,   ScalarOp::erf,    ScalarOp::erfc,
                             ScalarOp::erfinv, ScalarOp::lgamma, ScalarOp::digamma};

bool is_called(ScalarOp op) {
  return std::find(kCalled.begin(), kCalled.end(), op) != kCalled.end();
}

}  // namespace

bool is_elementary(ScalarOp op) { return formula_of(op, true) != nullptr || is_called(op); }

bool has_long_formula(ScalarOp op) {
  return is_elementary(op) && op != ScalarOp::sqrt && rounding_formula(op, true) == nullptr;
}

std::string elementary_import(ScalarOp op, bool is_f64) {
  if (formula_of(op, is_f64) != nullptr || !is_called(op)) return {};
  return "litz_" + std::string(loops::name(op)) + "_f64";
}

llvm::Value* emit_elementary(llvm::IRBuilderBase& builder, ScalarOp op,
                             llvm::ArrayRef<llvm::Value*> operands) {
  check(is_elementary(op), "the op must be an elementary function:", loops::name(op));
  check(static_cast<int>(operands.size()) == loops::arity(op),
        "an elementary function must have all its operands:", loops::name(op), operands.size());
  // The formulas depend on every operation being rounded as written.
  const llvm::IRBuilderBase::FastMathFlagGuard guard(builder);
  builder.clearFastMathFlags();
  llvm::SmallVector<Real, 3> reals;
  for (llvm::Value* operand : operands) reals.push_back({&builder, operand});
  const bool is_f64 = reals[0].is_f64();
  if (const Formula formula = formula_of(op, is_f64)) return formula(reals).value;
  llvm::SmallVector<llvm::Value*, 3> wide;
  for (const Real& x : reals) wide.push_back(is_f64 ? x.value : widen(x).value);
  llvm::Value* result = call_lanes(builder, elementary_import(op, is_f64), wide);
  return is_f64 ? result : narrow(Real{&builder, result}).value;
}

llvm::Value* call_elementary(llvm::IRBuilderBase& builder, ScalarOp op,
                             llvm::ArrayRef<llvm::Value*> operands) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* type = operands[0]->getType();
  std::string name = "litz." + std::string(loops::name(op)) + ".";
  llvm::raw_string_ostream stream(name);
  type->print(stream);
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) {
    const llvm::SmallVector<llvm::Type*, 3> types(operands.size(), type);
    function = llvm::Function::Create(llvm::FunctionType::get(type, types, false),
                                      llvm::Function::InternalLinkage, name, module);
    function->addFnAttr(llvm::Attribute::NoInline);
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
    llvm::IRBuilder<> body(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    llvm::SmallVector<llvm::Value*, 3> arguments;
    for (llvm::Argument& argument : function->args()) arguments.push_back(&argument);
    body.CreateRet(emit_elementary(body, op, arguments));
  }
  return builder.CreateCall(function, operands);
}

}  // namespace litz::codegen
