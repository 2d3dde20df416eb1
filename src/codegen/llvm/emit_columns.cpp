// Reductions along columns, a block of columns at a time.
//
//   for blocks of columns:
//     total[...] = 0
//     for i: for j in the block: total[j] += x[i, j]
//     for j in the block: uses of total[j]
//
// The totals are on the stack. Independent reductions over the same rows read them in one pass.
// Values that a reduction depends on are recomputed where they are needed. Long sums are sums of
// parts, as along rows (emit_sum.cpp). Squared deviations from a mean are computed in the pass of
// its sum (emit_deviations.cpp).

#include <algorithm>
#include <bit>
#include <llvm/IR/Constants.h>

#include "codegen/llvm/kernel_emitter.h"

namespace litz::codegen {

using loops::InstrKind;

namespace {

// Bytes of totals in one pass over the rows, shared by its reductions. More would read longer
// contiguous pieces, but overflow the first cache: with as many per reduction, sum(0) and amax(0)
// of 64 x 4096 took 1.23 times as long as separately, now 0.99.
constexpr int64_t kTotalBytes = 16384;

bool same_rows(const loops::Instr& a, const loops::Instr& b) {
  return std::ranges::equal(a.vars, b.vars, {}, &loops::LoopVar::extent, &loops::LoopVar::extent);
}

/// Values that depend on certain others, in one block.
class Derived {
 public:
  void add(const loops::Instr& instr) {
    values_.insert(values_.end(), instr.results.begin(), instr.results.end());
  }

  bool has(loops::ValueId value) const { return std::ranges::count(values_, value) > 0; }

  bool uses(const loops::Instr& instr) const {
    if (has(instr.predicate) || has(instr.other)) return true;
    for (const loops::ValueId operand : instr.operands) {
      if (has(operand)) return true;
    }
    for (const loops::Index& index : instr.indices) {
      const auto* value = std::get_if<loops::ValueId>(&index);
      if (value != nullptr && has(*value)) return true;
    }
    return std::ranges::any_of(instr.blocks, [&](const auto& block) {
      return std::ranges::any_of(block->yields, [&](loops::ValueId v) { return has(v); }) ||
             std::ranges::any_of(block->instrs, [&](const auto& nested) { return uses(nested); });
    });
  }

 private:
  std::vector<loops::ValueId> values_;
};

}  // namespace

/// Groups reductions that read the same rows into passes.
std::vector<std::vector<const loops::Instr*>> KernelEmitter::passes_over_rows(
    const Block& block) const {
  std::vector<std::vector<const Instr*>> passes;
  Derived of_last;
  for (const Instr& instr : block.instrs) {
    if (is_deviations(instr)) continue;  // Part of the pass of its mean.
    const bool needs_last = of_last.uses(instr);
    if (instr.kind == InstrKind::reduce) {
      if (passes.empty() || needs_last || !same_rows(instr, *passes.back().front())) {
        passes.emplace_back();
        of_last = {};
      }
      passes.back().push_back(&instr);
      of_last.add(instr);
    } else if (needs_last) {
      of_last.add(instr);
    }
  }
  return passes;
}

void KernelEmitter::emit_column_blocks(const Instr& loop, llvm::Value* begin, llvm::Value* end,
                                       const Body& body) {
  const Block& block = *loop.blocks[0];
  const std::vector<std::vector<const Instr*>> passes = passes_over_rows(block);
  size_t most = 1;
  for (const std::vector<const Instr*>& pass : passes) most = std::max(most, pass.size());
  const auto row_bytes = kTotalBytes / static_cast<int64_t>(std::bit_ceil(most));
  const int64_t columns = std::max<int64_t>(row_bytes / 4, lanes_);
  counted_loop(begin, end, columns, "block", [&](llvm::Value* left) {
    llvm::Value* right =
        b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(left, integer(columns)), end);
    const auto each_vector = [&](const std::function<void(llvm::Value*)>& visit) {
      counted_loop(left, right, lanes_, "v", [&](llvm::Value* column) {
        symbols_[vector_symbol_] = column;
        visit(b_.CreateSub(column, left));
      });
    };
    for (const std::vector<const Instr*>& pass : passes) {
      emit_pass(pass, block, columns, each_vector);
      for (auto& [reduce, total] : totals_) total.second = left;
    }
    counted_loop(left, right, lanes_, "v", [&](llvm::Value* column) {
      symbols_[vector_symbol_] = column;
      body();
    });
    totals_.clear();
  });
}

/// Computes the totals of reductions over the same rows; those of earlier passes are done.
void KernelEmitter::emit_pass(const std::vector<const Instr*>& pass, const Block& block,
                              int64_t columns, const EachVector& each_vector) {
  std::vector<Levels> levels;
  levels.reserve(pass.size());
  for (const Instr* reduce : pass) levels.push_back(new_levels(*reduce, columns));
  each_vector([&](llvm::Value* index) {
    for (const Levels& own : levels) own.start(*this, index);
  });
  for (const Instr* reduce : pass) require_elements(*reduce);
  const Instr& first = *pass.front();
  std::vector<Deviations> deviations = new_deviations(pass, block, columns);
  const bool in_parts = std::ranges::any_of(levels, &Levels::is_long) || !deviations.empty();
  PartCounters counters = new_counters(in_parts);
  const auto same_row = [&] {
    for (const Instr* reduce : pass) {
      for (size_t v = 0; v < first.vars.size(); ++v) {
        symbols_[reduce->vars[v].symbol.symbol()] = symbols_.at(first.vars[v].symbol.symbol());
      }
    }
  };
  if (!deviations.empty()) {
    for (const loops::LoopVar& var : first.vars) symbols_[var.symbol.symbol()] = integer(0);
    same_row();
    each_vector([&](llvm::Value* index) {
      const std::vector<llvm::Value*> terms = emit_terms(pass, block);
      for (const Deviations& own : deviations) start_deviations(own, terms[own.sum], index);
    });
  }
  emit_vars(first, [&] {
    same_row();
    each_vector([&](llvm::Value* index) {
      const std::vector<llvm::Value*> terms = emit_terms(pass, block);
      for (size_t i = 0; i < pass.size(); ++i) {
        llvm::Value* old = levels[i].load(*this, 0, index);
        levels[i].store(*this, 0, index,
                        fold(pass[i]->reduce, dtype(pass[i]->results[0]), old, terms[i]));
      }
      for (const Deviations& own : deviations) add_deviation(own, terms[own.sum], index);
    });
    if (!in_parts) return;
    count_part(counters.terms, kPartTerms, [&] {
      for (const Deviations& own : deviations)
        end_deviations(own, integer(kPartTerms), each_vector);
      const auto add_up = [&](size_t level) {
        each_vector([&](llvm::Value* index) {
          for (const Levels& own : levels) own.add_up(*this, level, index);
        });
      };
      add_up(0);
      count_part(counters.parts, kPartTerms, [&] { add_up(1); });
    });
  });
  if (in_parts) {
    each_vector([&](llvm::Value* index) {
      for (const Levels& own : levels) {
        own.add_up(*this, 0, index);
        own.add_up(*this, 1, index);
      }
    });
  }
  for (const Deviations& own : deviations) {
    llvm::Value* rest = b_.CreateLoad(b_.getInt64Ty(), counters.terms);
    guarded(b_.CreateICmpSGT(rest, integer(0)), [&] { end_deviations(own, rest, each_vector); });
    totals_[own.reduce->results[0]] = {own.squares, nullptr};
  }
  for (size_t i = 0; i < pass.size(); ++i)
    totals_[pass[i]->results[0]] = {levels[i].total(), nullptr};
}

/// Emits one vector of one row: the operands of the reductions, then a term of each.
std::vector<llvm::Value*> KernelEmitter::emit_terms(const std::vector<const Instr*>& pass,
                                                    const Block& block) {
  Derived of_pass;
  for (const Instr& instr : block.instrs) {
    if (&instr == pass.back()) break;
    const bool is_own = std::ranges::count(pass, &instr) > 0 || is_deviations(instr);
    if (is_own || of_pass.uses(instr)) {
      of_pass.add(instr);
    } else if (instr.kind != InstrKind::store) {
      emit_instr(instr);
    }
  }
  std::vector<llvm::Value*> terms;
  terms.reserve(pass.size());
  for (const Instr* reduce : pass) {
    emit_block(*reduce->blocks[0]);
    const loops::ValueId yielded = reduce->blocks[0]->yields[0];
    terms.push_back(spread(emit_cast(value(yielded), dtype(yielded), dtype(reduce->results[0]))));
  }
  return terms;
}

/// The totals of the current columns.
void KernelEmitter::load_totals(const Instr& reduce) {
  const auto& [totals, left] = totals_.at(reduce.results[0]);
  llvm::Type* type = lane_type(dtype(reduce.results[0]));
  const llvm::Align align(static_cast<uint64_t>(item_size(dtype(reduce.results[0]))));
  llvm::Value* index = b_.CreateSub(symbols_.at(vector_symbol_), left);
  set(reduce.results[0],
      b_.CreateAlignedLoad(type, b_.CreateGEP(type->getScalarType(), totals, index), align));
}

}  // namespace litz::codegen
