#include "fusion/kernel_edit.h"

#include <algorithm>
#include <set>
#include <string>

#include "loops/instrs.h"
#include "loops/literal.h"
#include "support/check.h"

namespace litz::fusion {

using loops::Block;
using loops::BufferId;
using loops::Index;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::kNoValue;
using loops::LoopVar;
using loops::ScalarOp;
using loops::ValueId;
using lowering::BufferSlot;
using lowering::KernelStep;

InstrCopier::InstrCopier(const Kernel& from, Kernel& to)
    : from_(from),
      to_(to),
      values_(from.values.size(), kNoValue),
      buffers_(from.buffers.size(), -1) {}

ValueId InstrCopier::new_value(DType dtype) {
  to_.values.push_back({dtype});
  return static_cast<ValueId>(to_.values.size()) - 1;
}

Expr InstrCopier::rewritten(Expr expr) const {
  return symbols_.empty() ? expr : substitute(expr, symbols_);
}

bool InstrCopier::is_computed(Expr expr) const {
  return std::ranges::any_of(computed_,
                             [&](const auto& entry) { return mentions(expr, entry.first); });
}

bool is_computable(Expr expr) {
  switch (expr.kind()) {
    case ExprKind::constant:
    case ExprKind::symbol:
      return expr.domain() == ExprDomain::integer;
    case ExprKind::add:
    case ExprKind::mul:
    case ExprKind::floor_div:
    case ExprKind::mod:
      return std::ranges::all_of(expr.operands(), is_computable);
    default:
      return false;
  }
}

ValueId InstrCopier::compute_fold(Expr expr, std::vector<Instr>& out) {
  const auto op = [&] {
    switch (expr.kind()) {
      case ExprKind::add:
        return ScalarOp::add;
      case ExprKind::mul:
        return ScalarOp::mul;
      case ExprKind::floor_div:
        return ScalarOp::floor_div;
      default:
        check(expr.kind() == ExprKind::mod, "an index must be computable:", to_string(expr));
        return ScalarOp::mod;
    }
  }();
  ValueId result = compute(expr.operands()[0], out);
  for (const Expr operand : expr.operands().subspan(1)) {
    Instr instr;
    instr.op = op;
    instr.operands = {result, compute(operand, out)};
    result = new_value(DType::i64);
    instr.results = {result};
    out.push_back(std::move(instr));
  }
  return result;
}

// An expression over computed symbols as i64 instructions.
ValueId InstrCopier::compute(Expr expr, std::vector<Instr>& out) {
  for (const auto& [symbol, value] : computed_) {
    if (expr.is_symbol() && expr.symbol() == symbol) return value;
  }
  if (is_computed(expr)) return compute_fold(expr, out);
  Instr instr;
  instr.kind = InstrKind::index;
  instr.expr = expr;
  instr.results = {new_value(DType::i64)};
  out.push_back(std::move(instr));
  return out.back().results[0];
}

Index InstrCopier::copy(const Index& index, std::vector<Instr>& out) {
  if (const auto* value = std::get_if<ValueId>(&index)) return mapped(*value);
  const Expr expr = rewritten(std::get<Expr>(index));
  if (is_computed(expr)) return compute(expr, out);
  return expr;
}

void InstrCopier::define(const std::vector<ValueId>& from, std::vector<ValueId>& to) {
  to.clear();
  for (const ValueId value : from) {
    to.push_back(new_value(from_.values[static_cast<size_t>(value)].dtype));
    map(value, to.back());
  }
}

void InstrCopier::guard_load(Instr& load, std::vector<Instr>& out) {
  const DType dtype = to_.buffers[static_cast<size_t>(load.buffer)].type.dtype;
  if (load.predicate != kNoValue) {
    Instr both;
    both.op = ScalarOp::bit_and;
    both.operands = {predicate_, load.predicate};
    both.results = {new_value(DType::bool_)};
    load.predicate = both.results[0];
    out.push_back(std::move(both));
    return;  // Values computed where `predicate_` is false are not used.
  }
  Instr zero;
  zero.kind = InstrKind::constant;
  zero.literal = loops::literal_as(0, dtype);
  zero.results = {new_value(dtype)};
  load.predicate = predicate_;
  load.other = zero.results[0];
  out.push_back(std::move(zero));
}

void InstrCopier::copy_blocks(const Instr& instr, Instr& result) {
  for (LoopVar var : instr.vars) {
    for (const auto& [symbol, value] : symbols_) {
      if (var.symbol.symbol() == symbol) var.symbol = value;
    }
    result.vars.push_back(var);
  }
  result.position = instr.position;
  // A sort's first block does not see the carried values; a loop's does.
  define(instr.carried, result.carried);
  for (const auto& block : instr.blocks) {
    result.blocks.push_back(std::make_unique<Block>());
    copy(*block, *result.blocks.back());
  }
}

void InstrCopier::copy(const Instr& instr, std::vector<Instr>& out) {
  Instr result;
  result.kind = instr.kind;
  result.op = instr.op;
  result.literal = instr.literal;
  result.mode = instr.mode;
  result.flag = instr.flag;
  result.reduce = instr.reduce;
  result.text = instr.text;
  for (const ValueId operand : instr.operands) result.operands.push_back(mapped(operand));
  if (instr.predicate != kNoValue) result.predicate = mapped(instr.predicate);
  if (instr.other != kNoValue) result.other = mapped(instr.other);
  if (instr.buffer >= 0) result.buffer = buffers_[static_cast<size_t>(instr.buffer)];
  for (const Index& index : instr.indices) result.indices.push_back(copy(index, out));
  result.expr = rewritten(instr.expr);
  if (instr.kind == InstrKind::index && is_computed(result.expr)) {
    const ValueId value = compute(result.expr, out);
    const DType dtype = from_.values[static_cast<size_t>(instr.results[0])].dtype;
    if (dtype == DType::i64) return map(instr.results[0], value);
    result.kind = InstrKind::op;
    result.op = ScalarOp::cast;
    result.operands = {value};
  }
  if (instr.kind == InstrKind::load && predicate_ != kNoValue) guard_load(result, out);
  copy_blocks(instr, result);
  define(instr.results, result.results);
  out.push_back(std::move(result));
}

void InstrCopier::copy(const Block& block, Block& out) {
  for (const Instr& instr : block.instrs) copy(instr, out.instrs);
  for (const ValueId value : block.yields) out.yields.push_back(mapped(value));
}

KernelStep copy_step(const KernelStep& step) {
  KernelStep result;
  result.kernel.name = step.kernel.name;
  result.kernel.pool = step.kernel.pool;
  result.kernel.buffers = step.kernel.buffers;
  result.buffers = step.buffers;
  InstrCopier copier(step.kernel, result.kernel);
  for (size_t i = 0; i < step.kernel.buffers.size(); ++i) {
    copier.map_buffer(static_cast<BufferId>(i), static_cast<BufferId>(i));
  }
  copier.copy(step.kernel.body, result.kernel.body);
  return result;
}

BufferId bind_alike(KernelStep& to, const KernelStep& from, BufferId buffer) {
  const loops::Buffer& model = from.kernel.buffers[static_cast<size_t>(buffer)];
  const BufferSlot& binding = from.buffers[static_cast<size_t>(buffer)];
  for (size_t i = 0; i < to.buffers.size(); ++i) {
    loops::Buffer& known = to.kernel.buffers[i];
    const bool is_same = binding.slot != lowering::kNoSlot && to.buffers[i].slot == binding.slot &&
                         known.type == model.type && known.role == model.role &&
                         to.buffers[i].offset() == binding.offset();
    if (is_same) return static_cast<BufferId>(i);
  }
  loops::Buffer added = model;
  const auto is_taken = [&](const std::string& name) {
    return std::ranges::any_of(to.kernel.buffers,
                               [&](const loops::Buffer& known) { return known.name == name; });
  };
  for (int i = 1; is_taken(added.name); ++i) added.name = model.name + "_" + std::to_string(i);
  to.kernel.buffers.push_back(std::move(added));
  to.buffers.push_back(binding);
  return static_cast<BufferId>(to.buffers.size()) - 1;
}

BufferId add_buffer(KernelStep& to, lowering::Slot slot, const TensorType& type,
                    loops::BufferRole role, const std::string& name) {
  std::string unique = name;
  const auto is_taken = [&] {
    return std::ranges::count(to.kernel.buffers, unique, &loops::Buffer::name) > 0;
  };
  for (int i = 1; is_taken(); ++i) unique = name + "_" + std::to_string(i);
  to.kernel.buffers.push_back({unique, role, type});
  to.buffers.push_back({slot, std::nullopt});
  return static_cast<BufferId>(to.buffers.size()) - 1;
}

void remove_unused_buffers(KernelStep& step) {
  std::vector<BufferId> moved(step.buffers.size(), -1);
  for_each_instr(step.kernel.body, [&](const Instr& instr) {
    if (instr.buffer >= 0) moved[static_cast<size_t>(instr.buffer)] = 0;
  });
  std::vector<loops::Buffer> buffers;
  std::vector<BufferSlot> bindings;
  // Scratch buffers go last; bound buffers come first, in order.
  for (const bool is_scratch : {false, true}) {
    for (size_t i = 0; i < moved.size(); ++i) {
      const bool is_own = step.kernel.buffers[i].role == loops::BufferRole::scratch;
      if (moved[i] < 0 || is_own != is_scratch) continue;
      moved[i] = static_cast<BufferId>(buffers.size());
      buffers.push_back(step.kernel.buffers[i]);
      bindings.push_back(step.buffers[i]);
    }
  }
  step.kernel.buffers = std::move(buffers);
  step.buffers = std::move(bindings);
  edit_each_instr(step.kernel.body, [&](Instr& instr) {
    if (instr.buffer >= 0) instr.buffer = moved[static_cast<size_t>(instr.buffer)];
  });
}

int instr_count(const Kernel& kernel) {
  int count = 0;
  for_each_instr(kernel.body, [&](const Instr&) { ++count; });
  return count;
}

namespace {

// One walk. Replacements of an outer loop apply only inside it, since several loops may use the
// same symbol in turn.
class VarRenamer {
 public:
  explicit VarRenamer(Kernel& kernel) : pool_(*kernel.pool) {}

  void rename(Block& block) {
    for (Instr& instr : block.instrs) {
      if (instr.kind == InstrKind::index || instr.kind == InstrKind::bound_index) {
        instr.expr = substitute(instr.expr, renamed_);
      }
      for (Index& index : instr.indices) {
        if (auto* expr = std::get_if<Expr>(&index)) *expr = substitute(*expr, renamed_);
      }
      const size_t outer = renamed_.size();
      for (LoopVar& var : instr.vars) rename(var);
      for (size_t i = 0; i < instr.blocks.size(); ++i) {
        if (instr.kind == InstrKind::sort && i == 1) {
          renamed_.resize(outer);
          rename(instr.position);
        }
        rename(*instr.blocks[i]);
      }
      renamed_.resize(outer);
    }
  }

 private:
  void rename(LoopVar& var) {
    const SymbolId before = var.symbol.symbol();
    var = make_loop_var(pool_, "i" + std::to_string(next_++), var.extent);
    renamed_.emplace_back(before, var.symbol);
  }

  ExprPool& pool_;
  std::vector<std::pair<SymbolId, Expr>> renamed_;
  int next_ = 0;
};

}  // namespace

LoopVar make_loop_var(ExprPool& pool, std::string name, Expr extent) {
  LoopVar var = loops::new_loop_var(pool, std::move(name), extent);
  if (!extent.is_constant()) pool.set_extent(var.symbol.symbol(), extent);
  return var;
}

void renew_loop_vars(Kernel& kernel) { VarRenamer(kernel).rename(kernel.body); }

void rename_loop_vars(Kernel& kernel) {
  std::set<std::string> names;
  std::set<SymbolId> symbols;
  bool is_unique = true;
  const auto see = [&](const LoopVar& var) {
    is_unique = is_unique && symbols.insert(var.symbol.symbol()).second &&
                names.insert(kernel.pool->symbol(var.symbol.symbol()).name).second;
  };
  for_each_instr(kernel.body, [&](const Instr& instr) {
    for (const LoopVar& var : instr.vars) see(var);
    if (instr.kind == InstrKind::sort) see(instr.position);
  });
  if (!is_unique) VarRenamer(kernel).rename(kernel.body);
}

}  // namespace litz::fusion
