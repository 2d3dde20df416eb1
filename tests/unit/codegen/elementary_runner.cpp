#include "elementary_runner.h"

#include <array>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <span>
#include <string_view>
#include <type_traits>

#include "codegen/llvm/elementary.h"
#include "codegen/llvm/emit_object.h"
#include "runtime/cpu/imports.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

constexpr const char* kFunction = "elementary_loop";

// void elementary_loop(x, y, out, count): for (i = 0; i < count; i += lanes) out[i] = op(x[i], y[i])
void fill(llvm::Module& module, loops::ScalarOp op, int lanes, bool is_f64,
          std::optional<double> y) {
  llvm::IRBuilder<> builder(module.getContext());
  llvm::Type* pointer = builder.getPtrTy();
  llvm::Type* index = builder.getInt64Ty();
  llvm::Type* element = is_f64 ? builder.getDoubleTy() : builder.getFloatTy();
  llvm::Type* vector = lanes == 1 ? element
                                  : static_cast<llvm::Type*>(llvm::FixedVectorType::get(
                                        element, static_cast<unsigned>(lanes)));
  auto* type = llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, index},
                                       /*isVarArg=*/false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, kFunction, module);
  function->getArg(2)->addAttr(llvm::Attribute::NoAlias);
  auto* entry = llvm::BasicBlock::Create(module.getContext(), "entry", function);
  auto* body = llvm::BasicBlock::Create(module.getContext(), "body", function);
  auto* exit = llvm::BasicBlock::Create(module.getContext(), "exit", function);
  builder.SetInsertPoint(entry);
  builder.CreateBr(body);
  builder.SetInsertPoint(body);
  llvm::PHINode* i = builder.CreatePHI(index, 2);
  i->addIncoming(builder.getInt64(0), entry);
  const llvm::MaybeAlign align(is_f64 ? 8 : 4);
  llvm::SmallVector<llvm::Value*, 3> operands;
  const int loaded = y ? 1 : loops::arity(op);
  for (int k = 0; k < loaded; ++k) {
    llvm::Value* place = builder.CreateGEP(element, function->getArg(static_cast<unsigned>(k)), i);
    operands.push_back(builder.CreateAlignedLoad(vector, place, align));
  }
  if (y) operands.push_back(llvm::ConstantFP::get(vector, *y));
  llvm::Value* result = emit_elementary(builder, op, operands);
  builder.CreateAlignedStore(result, builder.CreateGEP(element, function->getArg(2), i), align);
  llvm::Value* next = builder.CreateAdd(i, builder.getInt64(static_cast<uint64_t>(lanes)));
  i->addIncoming(next, body);
  builder.CreateCondBr(builder.CreateICmpSLT(next, function->getArg(3)), body, exit);
  builder.SetInsertPoint(exit);
  builder.CreateRetVoid();
}

}  // namespace

template <typename T>
ElementaryRunner<T>::ElementaryRunner(loops::ScalarOp op, int lanes, const CpuTarget& target)
    : ElementaryRunner(op, std::nullopt, lanes, target) {}

template <typename T>
ElementaryRunner<T>::ElementaryRunner(loops::ScalarOp op, T y, int lanes)
    : ElementaryRunner(op, std::optional<T>(y), lanes, CpuTarget::host()) {}

template <typename T>
ElementaryRunner<T>::ElementaryRunner(loops::ScalarOp op, std::optional<T> y, int lanes,
                                      const CpuTarget& target)
    : lanes_(lanes) {
  llvm::LLVMContext context;
  llvm::Module module("elementary", context);
  ObjectEmitter emitter(target);
  emitter.prepare(module);
  fill(module, op, lanes, std::is_same_v<T, double>, y);
  const std::vector<std::byte> object = emitter.emit(module);
  const std::array<std::span<const std::byte>, 1> objects{object};
  code_ = runtime::LoadedCode::load(objects, runtime::find_import);
  function_ = reinterpret_cast<Function>(reinterpret_cast<void*>(code_.find(kFunction)));
  check(function_ != nullptr, "the object must define:", kFunction);
}

template <typename T>
T ElementaryRunner<T>::operator()(T x, T y) const {
  const std::vector<T> xs(static_cast<size_t>(lanes_), x);
  const std::vector<T> ys(static_cast<size_t>(lanes_), y);
  std::vector<T> out(static_cast<size_t>(lanes_));
  function_(xs.data(), ys.data(), out.data(), lanes_);
  return out.back();
}

template class ElementaryRunner<float>;
template class ElementaryRunner<double>;

}  // namespace litz::codegen
