// Emits the maximum of a reduction and the sum of exponentials relative to it.
//
// In one pass, sums are relative to a base, which is raised when a value exceeds it by kHeadroom.
// That code is out of line, because it runs seldom, even if values rise along the whole row.
// Exponentials of values that exceed the base by less are large, but as precise. Short rows take
// two passes: they stay in the first cache, and each would need a new base.

#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::ReduceKind;
using loops::ScalarOp;

namespace {

// The most by which a value may exceed the base. A larger one raises the base less often, but
// leaves less range for the sum.
constexpr double kHeadroom = 16;

}  // namespace

void KernelEmitter::emit_softmax_reduce(const Instr& instr) {
  const int own_lanes = loops::lanes_of(instr);
  const bool may_be_short =
      own_lanes > 1 && instr.vars.size() == 1 && !instr.vars[0].extent.maybe_constant();
  if (!may_be_short) {
    const auto [largest, sum] = softmax_in_one_pass(instr);
    set(instr.results[0], largest);
    set(instr.results[1], sum);
    return;
  }
  llvm::Type* type = register_type(dtype(instr.results[0]));
  llvm::AllocaInst* largest = local(type, "largest");
  llvm::AllocaInst* sum = local(type, "sum");
  const auto keep = [&](const std::pair<llvm::Value*, llvm::Value*>& results) {
    b_.CreateStore(results.first, largest);
    b_.CreateStore(results.second, sum);
  };
  llvm::Value* is_short = b_.CreateICmpSLT(
      emit_base(instr.vars[0].extent), integer(int64_t{schedule::kLeastSoftmaxSteps} * own_lanes));
  guarded(is_short, [&] { keep(softmax_in_two_passes(instr)); });
  guarded(b_.CreateNot(is_short), [&] { keep(softmax_in_one_pass(instr)); });
  set(instr.results[0], b_.CreateLoad(type, largest));
  set(instr.results[1], b_.CreateLoad(type, sum));
}

/// The accumulators of a reduction: elements in its own lanes, or in those of a loop around it.
llvm::Type* KernelEmitter::accumulator_type(const Instr& instr, DType dtype) {
  const int outer_lanes = lanes_;
  lanes_ = std::max(loops::lanes_of(instr), outer_lanes);
  llvm::Type* type = lane_type(dtype);
  lanes_ = outer_lanes;
  return type;
}

/// One iteration's value in all lanes; `other` in lanes without one.
llvm::Value* KernelEmitter::yielded(const Instr& instr, llvm::Constant* other) {
  emit_block(*instr.blocks[0]);
  llvm::Value* term = value(instr.blocks[0]->yields[0]);
  if (lanes_ > 1) term = spread(term);
  // Only lanes of this loop end early; inactive lanes of an outer one are never stored.
  const bool ends_early = mask_ != nullptr && loops::lanes_of(instr) > 1;
  return ends_early ? b_.CreateSelect(mask_, term, other) : term;
}

/// Every lane has its own maximum and sum; all lanes of the loop share one base. NaN raises it to
/// NaN, where it stays. It starts at the lowest finite value, where minus infinity adds nothing: a
/// sum of zero at the end means that there were no other values.
std::pair<llvm::Value*, llvm::Value*> KernelEmitter::softmax_in_one_pass(const Instr& instr) {
  const DType number = dtype(instr.results[0]);
  const bool folds = loops::lanes_of(instr) > 1;
  const Levels sums = lane_levels(instr);
  llvm::Type* type = sums.type;
  const auto& semantics = type->getScalarType()->getFltSemantics();
  llvm::Constant* lowest = llvm::ConstantFP::getInfinity(type, true);
  llvm::AllocaInst* base = local(type, "base");
  llvm::AllocaInst* limit = local(type, "limit");  // The base with headroom.
  llvm::AllocaInst* largest = local(type, "largest");
  for (llvm::AllocaInst* start : {base, limit}) {
    b_.CreateStore(llvm::ConstantFP::get(type, llvm::APFloat::getLargest(semantics, true)), start);
  }
  b_.CreateStore(lowest, largest);
  sums.start(*this, nullptr);
  const auto load = [&](llvm::AllocaInst* from) { return b_.CreateLoad(type, from); };
  const auto one_of = [&](llvm::Value* lanes) {
    return folds ? b_.CreateExtractElement(lanes, b_.getInt64(0)) : lanes;
  };
  emit_parts(instr, sums, [&] {
    llvm::Value* term = yielded(instr, lowest);
    llvm::Value* before = load(largest);
    b_.CreateStore(b_.CreateSelect(b_.CreateFCmpOGT(term, before), term, before), largest);
    llvm::Value* old = load(base);
    llvm::Value* exceeds = b_.CreateFCmpUGT(term, load(limit));  // NaN does.
    rarely(type->isVectorTy() ? b_.CreateOrReduce(exceeds) : exceeds, [&] {
      llvm::Value* raised = folds ? fold_lanes(ReduceKind::max, number, term) : term;
      raised = fold(ReduceKind::max, number, one_of(old), raised);
      // Lanes with separate bases keep them, except those whose value exceeds it.
      if (!folds) raised = b_.CreateSelect(exceeds, raised, old);
      llvm::Value* shrinks = emit_real(ScalarOp::exp, {b_.CreateFSub(one_of(old), raised)});
      if (folds) shrinks = spread(shrinks);
      for (size_t level = 0; level < sums.rows.size(); ++level) {
        llvm::Value* shrunk = b_.CreateFMul(sums.load(*this, level, nullptr), shrinks);
        sums.store(*this, level, nullptr, shrunk);
      }
      if (folds) raised = spread(raised);
      b_.CreateStore(raised, base);
      b_.CreateStore(b_.CreateFAdd(raised, llvm::ConstantFP::get(type, kHeadroom)), limit);
    });
    llvm::Value* added = emit_real(ScalarOp::exp, {b_.CreateFSub(term, load(base))});
    sums.store(*this, 0, nullptr, b_.CreateFAdd(sums.load(*this, 0, nullptr), added));
  });
  llvm::Value* total = load(sums.total());
  llvm::Value* most = load(largest);
  if (folds) {
    total = fold_lanes(ReduceKind::sum, number, total);
    most = fold_lanes(ReduceKind::max, number, most);
  }
  llvm::Value* last = one_of(load(base));
  most = b_.CreateSelect(b_.CreateFCmpUNO(last, last), last, most);
  llvm::Value* scale = emit_real(ScalarOp::exp, {b_.CreateFSub(last, most)});
  llvm::Value* has_none = b_.CreateFCmpOEQ(total, llvm::Constant::getNullValue(total->getType()));
  llvm::Value* result = b_.CreateSelect(has_none, llvm::ConstantFP::getNaN(total->getType()),
                                        b_.CreateFMul(total, scale));
  if (instr.flag) result = b_.CreateSelect(is_empty(instr), total, result);
  return {most, result};
}

/// For a reduction with lanes.
std::pair<llvm::Value*, llvm::Value*> KernelEmitter::softmax_in_two_passes(const Instr& instr) {
  const DType number = dtype(instr.results[0]);
  llvm::Type* type = accumulator_type(instr, number);
  llvm::Constant* lowest = llvm::ConstantFP::getInfinity(type, true);
  llvm::AllocaInst* largest = local(type, "largest");
  llvm::AllocaInst* sum = local(type, "sum");
  b_.CreateStore(lowest, largest);
  emit_vars(instr, [&] {
    llvm::Value* before = b_.CreateLoad(type, largest);
    b_.CreateStore(fold(ReduceKind::max, number, before, yielded(instr, lowest)), largest);
  });
  llvm::Value* most = fold_lanes(ReduceKind::max, number, b_.CreateLoad(type, largest));
  b_.CreateStore(llvm::Constant::getNullValue(type), sum);
  emit_vars(instr, [&] {
    llvm::Value* term = b_.CreateFSub(yielded(instr, lowest), spread(most));
    llvm::Value* added = emit_real(ScalarOp::exp, {term});
    // If the maximum is minus infinity, lanes without a value would give NaN.
    if (mask_ != nullptr) {
      added = b_.CreateSelect(mask_, added, llvm::Constant::getNullValue(type));
    }
    b_.CreateStore(b_.CreateFAdd(b_.CreateLoad(type, sum), added), sum);
  });
  return {most, fold_lanes(ReduceKind::sum, number, b_.CreateLoad(type, sum))};
}

}  // namespace litz::codegen
