// Elementary functions of complex numbers. Kernels are in parts already (schedule/complex_parts.h):
// a complex value exists only between make_complex and real or imag, as a pair of f64 registers.

#include <array>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::ScalarOp;

llvm::Value* KernelEmitter::emit_complex(ScalarOp op, llvm::ArrayRef<llvm::Value*> operands) {
  if (op == ScalarOp::real) return b_.CreateExtractValue(operands[0], 0);
  if (op == ScalarOp::imag) return b_.CreateExtractValue(operands[0], 1);
  llvm::SmallVector<llvm::Value*, 4> parts;
  if (op == ScalarOp::make_complex) {
    parts.append(operands.begin(), operands.end());
  } else {
    for (llvm::Value* operand : operands) {
      parts.push_back(b_.CreateExtractValue(operand, 0));
      parts.push_back(b_.CreateExtractValue(operand, 1));
    }
  }
  unify(parts);
  if (op == ScalarOp::make_complex) return pair(parts[0], parts[1]);
  if (!parts[0]->getType()->isVectorTy()) return call_complex(op, parts);
  llvm::Value* real = llvm::PoisonValue::get(parts[0]->getType());
  llvm::Value* imaginary = real;
  for (unsigned lane = 0; lane < static_cast<unsigned>(lanes_); ++lane) {
    llvm::SmallVector<llvm::Value*, 4> scalars;
    for (llvm::Value* part : parts) scalars.push_back(b_.CreateExtractElement(part, lane));
    llvm::Value* result = call_complex(op, scalars);
    real = b_.CreateInsertElement(real, b_.CreateExtractValue(result, 0), lane);
    imaginary = b_.CreateInsertElement(imaginary, b_.CreateExtractValue(result, 1), lane);
  }
  return pair(real, imaginary);
}

llvm::Value* KernelEmitter::pair(llvm::Value* real, llvm::Value* imaginary) {
  llvm::Type* type = llvm::StructType::get(real->getType(), imaginary->getType());
  llvm::Value* made = b_.CreateInsertValue(llvm::PoisonValue::get(type), real, 0);
  return b_.CreateInsertValue(made, imaginary, 1);
}

/// Handles one number; the runtime writes both parts of the result to memory.
llvm::Value* KernelEmitter::call_complex(ScalarOp op, llvm::ArrayRef<llvm::Value*> parts) {
  llvm::Type* f64 = b_.getDoubleTy();
  if (complex_result_ == nullptr) complex_result_ = local(llvm::ArrayType::get(f64, 2), "complex");
  llvm::SmallVector<llvm::Type*, 5> types(parts.size(), f64);
  types.push_back(b_.getPtrTy());
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), types, false);
  llvm::SmallVector<llvm::Value*, 5> arguments(parts.begin(), parts.end());
  arguments.push_back(complex_result_);
  b_.CreateCall(module_.getOrInsertFunction("litz_complex_" + std::string(loops::name(op)), type),
                arguments);
  llvm::Value* second = b_.CreateConstGEP1_64(f64, complex_result_, 1);
  return pair(b_.CreateLoad(f64, complex_result_), b_.CreateLoad(f64, second));
}

}  // namespace litz::codegen
