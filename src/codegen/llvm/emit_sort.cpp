// Sorted rows, and memory for rows that are too long for the stack. Both call the runtime
// (runtime/cpu/imports.h), whose results report missing memory.

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

/// Memory of a scratch buffer that the thread reuses between calls.
llvm::Value* KernelEmitter::emit_scratch(size_t buffer, llvm::Value* elements) {
  llvm::Type* word = b_.getInt64Ty();
  const int64_t item = item_size(kernel_.buffers[buffer].type.dtype);
  llvm::Value* bytes = b_.CreateMul(elements, integer(item));
  const llvm::FunctionCallee callee =
      module_.getOrInsertFunction("litz_scratch", b_.getPtrTy(), word, word);
  const auto number = static_cast<int64_t>(buffer - schedule_.bound_buffers);
  llvm::Value* memory = b_.CreateCall(callee, {integer(number), bytes});
  fail_where(b_.CreateIsNull(memory), {artifact::CheckKind::memory, ""}, bytes, integer(0));
  return memory;
}

void KernelEmitter::emit_sort_row(const Instr& instr) {
  llvm::Type* pointer = b_.getPtrTy();
  llvm::Type* word = b_.getInt64Ty();
  llvm::Type* flag = b_.getInt32Ty();
  const auto keys = static_cast<size_t>(instr.buffer);
  const DType dtype = kernel_.buffers[keys].type.dtype;
  const llvm::FunctionCallee callee =
      module_.getOrInsertFunction("litz_sort_row", flag, flag, pointer, word, word, flag, pointer);
  llvm::Value* size = emit_base(instr.expr);
  llvm::Value* failed =
      b_.CreateCall(callee, {b_.getInt32(static_cast<uint32_t>(dtype)), buffers_[keys], size,
                             emit_base(instr.position.extent), b_.getInt32(instr.flag ? 1 : 0),
                             buffers_[static_cast<size_t>(instr.origins)]});
  fail_where(b_.CreateICmpNE(failed, b_.getInt32(0)), {artifact::CheckKind::memory, ""}, size,
             integer(0));
}

}  // namespace litz::codegen
