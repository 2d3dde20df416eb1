// Long sums are sums of parts, which are sums of parts: of n terms added up in a row, each addition
// may err by half a unit in the last place of the sum so far; in parts no more than 128 + n / 4096
// do.
//
//   for parts: { for 64 terms: a += term;  b += a;  a = 0;  every 64 parts: c += b;  b = 0 }
//   total = c + b + a

#include <algorithm>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::ReduceKind;

bool KernelEmitter::is_long_sum(const Instr& reduce) const {
  const DType result = dtype(reduce.results[0]);
  const bool is_sum = reduce.reduce == ReduceKind::sum || reduce.reduce == ReduceKind::softmax;
  if (!is_sum || !is_floating(result)) return false;
  const int64_t most = 2 * kPartTerms * loops::lanes_of(reduce);
  int64_t terms = 1;
  for (const loops::LoopVar& var : reduce.vars) {
    const auto extent = var.extent.maybe_constant();
    if (!extent) return true;
    if (__builtin_mul_overflow(terms, *extent, &terms)) return true;
  }
  return terms > most;
}

KernelEmitter::PartCounters KernelEmitter::new_counters(bool is_long) {
  if (!is_long) return {};
  PartCounters counters{local(b_.getInt64Ty(), "terms"), local(b_.getInt64Ty(), "parts")};
  b_.CreateStore(integer(0), counters.terms);
  b_.CreateStore(integer(0), counters.parts);
  return counters;
}

/// Emits `end_part` after every `most` counts.
void KernelEmitter::count_part(llvm::AllocaInst* counter, int64_t most, const Body& end_part) {
  llvm::Value* count = b_.CreateAdd(b_.CreateLoad(b_.getInt64Ty(), counter), integer(1));
  b_.CreateStore(count, counter);
  guarded(b_.CreateICmpEQ(count, integer(most)), [&] {
    end_part();
    b_.CreateStore(integer(0), counter);
  });
}

KernelEmitter::Levels KernelEmitter::new_levels(const Instr& reduce, int64_t columns) {
  const DType result = dtype(reduce.results[0]);
  Levels levels;
  levels.type = lane_type(result);
  levels.zero = reduce.reduce == ReduceKind::softmax ? llvm::Constant::getNullValue(levels.type)
                                                     : identity(reduce.reduce, result, levels.type);
  levels.align = llvm::Align(static_cast<uint64_t>(item_size(result)));
  levels.is_long = is_long_sum(reduce);
  llvm::Type* row =
      columns == 0 ? levels.type
                   : llvm::ArrayType::get(register_type(result), static_cast<uint64_t>(columns));
  for (int i = 0; i < (levels.is_long ? 3 : 1); ++i) levels.rows.push_back(local(row, "sum"));
  return levels;
}

KernelEmitter::Levels KernelEmitter::lane_levels(const Instr& reduce) {
  const int outer_lanes = lanes_;
  lanes_ = std::max(loops::lanes_of(reduce), outer_lanes);
  Levels levels = new_levels(reduce, 0);
  lanes_ = outer_lanes;
  return levels;
}

llvm::Value* KernelEmitter::Levels::at(KernelEmitter& emitter, size_t level,
                                       llvm::Value* index) const {
  if (index == nullptr) return rows[level];
  return emitter.b_.CreateGEP(type->getScalarType(), rows[level], index);
}

llvm::Value* KernelEmitter::Levels::load(KernelEmitter& emitter, size_t level,
                                         llvm::Value* index) const {
  return emitter.b_.CreateAlignedLoad(type, at(emitter, level, index), align);
}

void KernelEmitter::Levels::store(KernelEmitter& emitter, size_t level, llvm::Value* index,
                                  llvm::Value* value) const {
  emitter.b_.CreateAlignedStore(value, at(emitter, level, index), align);
}

void KernelEmitter::Levels::start(KernelEmitter& emitter, llvm::Value* index) const {
  for (size_t level = 0; level < rows.size(); ++level) store(emitter, level, index, zero);
}

void KernelEmitter::Levels::add_up(KernelEmitter& emitter, size_t level, llvm::Value* index) const {
  if (!is_long) return;
  llvm::Value* sum =
      emitter.b_.CreateFAdd(load(emitter, level + 1, index), load(emitter, level, index));
  store(emitter, level + 1, index, sum);
  store(emitter, level, index, zero);
}

/// Like emit_vars; `body` adds to the first level, and the last one is the total at the end.
void KernelEmitter::emit_parts(const Instr& reduce, const Levels& levels, const Body& body) {
  if (!levels.is_long) return emit_vars(reduce, body);
  const PartCounters counters = new_counters(true);
  const Body end_part = [&] {
    levels.add_up(*this, 0, nullptr);
    count_part(counters.parts, kPartTerms, [&] { levels.add_up(*this, 1, nullptr); });
  };
  const int64_t runs = runs_of_part(reduce);
  emit_runs(reduce, 0, body, [&] {
    if (runs == 1) return end_part();
    count_part(counters.terms, runs, end_part);
  });
  levels.add_up(*this, 0, nullptr);
  levels.add_up(*this, 1, nullptr);
}

/// The number of runs of the last variable per part.
int64_t KernelEmitter::runs_of_part(const Instr& reduce) const {
  const auto extent = reduce.vars.back().extent.maybe_constant();
  const int64_t run = kPartTerms * loops::lanes_of(reduce);
  return extent && *extent > 0 ? std::max<int64_t>(1, run / *extent) : 1;
}

/// Like emit_vars, with the last variable in runs of at most kPartTerms iterations.
void KernelEmitter::emit_runs(const Instr& reduce, size_t from, const Body& body,
                              const Body& end_run) {
  const loops::LoopVar& var = reduce.vars[from];
  llvm::Value* end = emit_base(var.extent);
  if (from + 1 < reduce.vars.size()) {
    counted_loop(integer(0), end, 1, "i", [&](llvm::Value* index) {
      symbols_[var.symbol.symbol()] = index;
      emit_runs(reduce, from + 1, body, end_run);
    });
    return;
  }
  const int lanes = loops::lanes_of(reduce);
  const int64_t step = kPartTerms * lanes;
  counted_loop(integer(0), end, step, "run", [&](llvm::Value* left) {
    llvm::Value* right =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(left, integer(step)), end);
    if (lanes > 1) {
      const auto extent = var.extent.maybe_constant();
      vector_loop(reduce, left, right, body, !extent || *extent % lanes != 0);
    } else {
      counted_loop(left, right, 1, "i", [&](llvm::Value* index) {
        symbols_[var.symbol.symbol()] = index;
        body();
      });
    }
    end_run();
  });
}

}  // namespace litz::codegen
