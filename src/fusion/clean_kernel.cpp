// Cleans up a kernel that was fused from several.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fusion/kernel_edit.h"
#include "fusion/passes.h"
#include "loops/dead_code.h"
#include "loops/instr_key.h"
#include "loops/instrs.h"
#include "loops/same_values.h"
#include "loops/simplify.h"

namespace litz::fusion {
namespace {

using loops::Block;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::ValueId;

/// Computes equal values once, where the first one is visible.
class EqualValues {
 public:
  explicit EqualValues(Kernel& kernel)
      : kernel_(kernel), replaced_(kernel.values.size()), is_stored_(kernel.buffers.size(), false) {
    for (size_t i = 0; i < replaced_.size(); ++i) replaced_[i] = static_cast<ValueId>(i);
    for_each_instr(kernel.body, [&](const Instr& instr) {
      if (instr.kind == InstrKind::store) is_stored_[static_cast<size_t>(instr.buffer)] = true;
    });
  }

  void merge(Block& block) {
    std::vector<const std::string*> added;
    const size_t outer_reductions = reductions_.size();
    size_t kept = 0;
    for (Instr& instr : block.instrs) {
      if (!is_first(instr, added)) continue;
      Instr& place = block.instrs[kept++];
      if (&place != &instr) place = std::move(instr);
    }
    block.instrs.erase(block.instrs.begin() + static_cast<ptrdiff_t>(kept), block.instrs.end());
    for (ValueId& value : block.yields) rewrite(value);
    for (const std::string* const key : added) known_.erase(known_.find(*key));
    reductions_.resize(outer_reductions);
  }

 private:
  /// A reduction that later ones may equal; its block does not move with the instruction.
  struct Reduction {
    loops::ReduceKind kind;
    bool may_be_empty;
    std::vector<loops::LoopVar> vars;
    std::vector<ValueId> results;
    const Block* block;
  };

  // False if an earlier instruction computes the same; its results are then read instead. `added`
  // are the keys of the block.
  bool is_first(Instr& instr, std::vector<const std::string*>& added) {
    rewrite(instr);
    if (!is_pure(instr)) {
      for (const auto& nested : instr.blocks) merge(*nested);
      return instr.kind != InstrKind::reduce || !merge_reduction(instr);
    }
    const DType dtype = kernel_.values[static_cast<size_t>(instr.results[0])].dtype;
    const auto [known, is_new] =
        known_.try_emplace(loops::instr_key(instr, dtype), instr.results[0]);
    if (is_new) {
      added.push_back(&known->first);
    } else {
      replaced_[static_cast<size_t>(instr.results[0])] = known->second;
    }
    return is_new;
  }

  // True if an earlier one computes the same; its results are then read instead.
  bool merge_reduction(const Instr& instr) {
    if (!std::ranges::all_of(instr.blocks[0]->instrs,
                             [&](const Instr& nested) { return is_pure(nested); })) {
      return false;
    }
    for (const Reduction& earlier : reductions_) {
      // The earlier one must fail where the other would.
      const bool is_alike = earlier.kind == instr.reduce && (instr.flag || !earlier.may_be_empty) &&
                            std::ranges::equal(earlier.vars, instr.vars, {},
                                               &loops::LoopVar::extent, &loops::LoopVar::extent);
      if (!is_alike) continue;
      loops::SameValues same(kernel_, {earlier.vars, *earlier.block},
                             {instr.vars, *instr.blocks[0]});
      if (!same.values(earlier.block->yields[0], instr.blocks[0]->yields[0]) || !same.checks()) {
        continue;
      }
      for (size_t i = 0; i < instr.results.size(); ++i) {
        replaced_[static_cast<size_t>(instr.results[i])] = earlier.results[i];
      }
      return true;
    }
    reductions_.push_back(
        {instr.reduce, instr.flag, instr.vars, instr.results, instr.blocks[0].get()});
    return false;
  }

  void rewrite(ValueId& value) const {
    if (value != loops::kNoValue) value = replaced_[static_cast<size_t>(value)];
  }

  void rewrite(Instr& instr) const {
    for (ValueId& operand : instr.operands) rewrite(operand);
    rewrite(instr.predicate);
    rewrite(instr.other);
    for (Index& index : instr.indices) {
      if (auto* value = std::get_if<ValueId>(&index)) rewrite(*value);
    }
  }

  bool is_pure(const Instr& instr) const {
    switch (instr.kind) {
      case InstrKind::constant:
      case InstrKind::index:
      case InstrKind::op:
      case InstrKind::bound_index:
        return true;
      case InstrKind::load:
        return !is_stored_[static_cast<size_t>(instr.buffer)];
      case InstrKind::store:
      case InstrKind::check:
      case InstrKind::loop:
      case InstrKind::reduce:
      case InstrKind::sort:
      case InstrKind::sort_row:
      case InstrKind::attend:
        return false;
    }
    return false;
  }

  Kernel& kernel_;
  std::vector<ValueId> replaced_;
  std::vector<bool> is_stored_;
  std::unordered_map<std::string, ValueId> known_;
  std::vector<Reduction> reductions_;  ///< Visible reductions.
};

/// Replaces computed indices that are expressions after all, as in an inlined arange. They then
/// need no check if they are known to be in range, and accesses become affine. Stores whose
/// iterations may still hit one element keep computed indices: other passes assume that stores with
/// expression indices do not collide.
class KnownIndices {
 public:
  explicit KnownIndices(Kernel& kernel) : kernel_(kernel), exprs_(kernel.values.size()) {}

  void rewrite(Block& block) {
    for (Instr& instr : block.instrs) {
      std::vector<Index> places = instr.indices;
      for (Index& index : places) {
        const auto* value = std::get_if<ValueId>(&index);
        if (value != nullptr && expr(*value)) index = *expr(*value);
      }
      if (instr.kind != InstrKind::store || are_different(places))
        instr.indices = std::move(places);
      const size_t around = loop_vars_.size();
      for (const loops::LoopVar& var : instr.vars) loop_vars_.push_back(var.symbol.symbol());
      for (const auto& nested : instr.blocks) rewrite(*nested);
      loop_vars_.resize(around);
      if (instr.results.size() == 1 && dtype(instr.results[0]) == DType::i64) {
        exprs_[static_cast<size_t>(instr.results[0])] = known(instr);
      }
      const bool computes = instr.kind == InstrKind::bound_index || instr.kind == InstrKind::op;
      if (computes && dtype(instr.results[0]) == DType::i64 && expr(instr.results[0])) {
        Instr index;
        index.kind = InstrKind::index;
        index.expr = *expr(instr.results[0]);
        index.results = instr.results;
        instr = std::move(index);
      }
    }
  }

 private:
  /// True if each iteration of the surrounding loops has a different element: every variable alone
  /// selects the index of some dimension, in steps that are not 0.
  bool are_different(const std::vector<Index>& indices) const {
    return std::ranges::all_of(loop_vars_, [&](SymbolId var) {
      return std::ranges::any_of(indices, [&](const Index& index) {
        const auto* place = std::get_if<Expr>(&index);
        const auto linear = place != nullptr ? linear_in(*place, var) : std::nullopt;
        return linear && known_not_equal(linear->first, 0) &&
               std::ranges::none_of(loop_vars_, [&](SymbolId other) {
                 return mentions(linear->first, other) || mentions(linear->second, other);
               });
      });
    });
  }

  DType dtype(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  const std::optional<Expr>& expr(ValueId value) const {
    return exprs_[static_cast<size_t>(value)];
  }

  std::optional<Expr> known(const Instr& instr) const {
    switch (instr.kind) {
      case InstrKind::constant:
        return Expr(std::get<int64_t>(instr.literal));
      case InstrKind::index:
        if (instr.expr.domain() == ExprDomain::integer) return instr.expr;
        return std::nullopt;
      case InstrKind::bound_index: {
        const auto& index = expr(instr.operands[0]);
        const bool is_inside =
            index && known_less_equal(0, *index) && known_less(*index, instr.expr);
        return is_inside ? index : std::nullopt;
      }
      case InstrKind::op:
        return known_op(instr);
      default:
        return std::nullopt;
    }
  }

  // Sums and products that cannot wrap.
  std::optional<Expr> known_op(const Instr& instr) const {
    using loops::ScalarOp;
    const bool is_arithmetic =
        instr.op == ScalarOp::add || instr.op == ScalarOp::sub || instr.op == ScalarOp::mul;
    if (!is_arithmetic || !expr(instr.operands[0]) || !expr(instr.operands[1])) return std::nullopt;
    const Expr a = *expr(instr.operands[0]);
    const Expr b = *expr(instr.operands[1]);
    for (const Expr operand : {a, b}) {
      constexpr int64_t kSmall = int64_t{1} << 30;
      const Interval range = bounds(operand);
      if (range.lo < -kSmall || range.hi > kSmall) return std::nullopt;
    }
    if (instr.op == ScalarOp::add) return a + b;
    return instr.op == ScalarOp::sub ? a - b : a * b;
  }

  Kernel& kernel_;
  std::vector<SymbolId> loop_vars_;  ///< Around the block.
  std::vector<std::optional<Expr>> exprs_;
};

}  // namespace

void clean_kernel(KernelStep& step) {
  loops::simplify(step.kernel);
  KnownIndices(step.kernel).rewrite(step.kernel.body);
  EqualValues(step.kernel).merge(step.kernel.body);
  loops::remove_dead_code(step.kernel);
  remove_unused_buffers(step);
  rename_loop_vars(step.kernel);
  loops::verify(step.kernel);
}

}  // namespace litz::fusion
