// Copies instructions between kernels, and keeps buffers and bindings consistent.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lowering/plan.h"

namespace litz::fusion {

/// Rewrites and copies instructions of one kernel for another. Unmapped values get new ids when
/// their definitions are copied.
class InstrCopier {
 public:
  InstrCopier(const loops::Kernel& from, loops::Kernel& to);

  void map(loops::ValueId from, loops::ValueId to) { values_[static_cast<size_t>(from)] = to; }

  loops::ValueId mapped(loops::ValueId value) const { return values_[static_cast<size_t>(value)]; }

  void map_buffer(loops::BufferId from, loops::BufferId to) {
    buffers_[static_cast<size_t>(from)] = to;
  }

  void map_symbol(SymbolId symbol, Expr value) { symbols_.emplace_back(symbol, value); }

  /// Replaces the symbol by a computed value; expressions that contain it become instructions.
  void map_computed(SymbolId symbol, loops::ValueId value) {
    computed_.emplace_back(symbol, value);
  }

  /// Later loads run only if the predicate holds, and give zero otherwise.
  void guard(loops::ValueId predicate) { predicate_ = predicate; }

  /// Appends a copy.
  void copy(const loops::Instr& instr, std::vector<loops::Instr>& out);
  void copy(const loops::Block& block, loops::Block& out);
  /// Returns a copy of the index; instructions that compute it are appended first.
  loops::Index copy(const loops::Index& index, std::vector<loops::Instr>& out);

 private:
  Expr rewritten(Expr expr) const;
  bool is_computed(Expr expr) const;
  loops::ValueId compute(Expr expr, std::vector<loops::Instr>& out);
  loops::ValueId compute_fold(Expr expr, std::vector<loops::Instr>& out);
  loops::ValueId new_value(DType dtype);
  void guard_load(loops::Instr& load, std::vector<loops::Instr>& out);
  void copy_blocks(const loops::Instr& instr, loops::Instr& result);
  void define(const std::vector<loops::ValueId>& from, std::vector<loops::ValueId>& to);

  const loops::Kernel& from_;
  loops::Kernel& to_;
  std::vector<loops::ValueId> values_;
  std::vector<loops::BufferId> buffers_;
  std::vector<std::pair<SymbolId, Expr>> symbols_;
  std::vector<std::pair<SymbolId, loops::ValueId>> computed_;
  loops::ValueId predicate_ = loops::kNoValue;
};

/// True when InstrCopier can compute the expression from computed symbols.
bool is_computable(Expr expr);

/// Copies the whole step.
lowering::KernelStep copy_step(const lowering::KernelStep& step);

/// Returns the buffer of `to` with the binding of `from`'s buffer; adds it if there is none.
loops::BufferId bind_alike(lowering::KernelStep& to, const lowering::KernelStep& from,
                           loops::BufferId buffer);

/// Adds a buffer that is bound to the slot, and named so or, if that is taken, with a number behind.
loops::BufferId add_buffer(lowering::KernelStep& to, lowering::Slot slot, const TensorType& type,
                           loops::BufferRole role, const std::string& name);

/// Removes buffers that are not accessed, with their bindings; scratch buffers go last.
void remove_unused_buffers(lowering::KernelStep& step);

/// Number of instructions, nested ones included.
int instr_count(const loops::Kernel& kernel);

/// Makes a loop variable whose extent, symbolic or not, simplifies expressions.
loops::LoopVar make_loop_var(ExprPool& pool, std::string name, Expr extent);

/// Gives every loop variable a unique name; fused kernels repeat names.
void rename_loop_vars(loops::Kernel& kernel);
/// Gives every loop variable a symbol that no other kernel has, so that two kernels can be joined.
void renew_loop_vars(loops::Kernel& kernel);

}  // namespace litz::fusion
