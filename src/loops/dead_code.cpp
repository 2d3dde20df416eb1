#include "loops/dead_code.h"

#include <algorithm>

#include "loops/signature.h"

namespace litz::loops {
namespace {

// One walk in reverse program order: every use is seen before the definition.
class Remover {
 public:
  explicit Remover(Kernel& kernel) : kernel_(kernel), live_(kernel.values.size()) {}

  bool run() {
    visit(kernel_.body);
    return removed_;
  }

 private:
  void use(ValueId value) {
    if (value != kNoValue) live_[static_cast<size_t>(value)] = true;
  }

  void use(const std::vector<ValueId>& values) {
    for (const ValueId value : values) use(value);
  }

  void visit(Block& block) {
    use(block.yields);
    size_t first = block.instrs.size();  // The needed ones move to the end.
    for (size_t i = block.instrs.size(); i-- > 0;) {
      if (!is_needed(block.instrs[i])) continue;
      if (--first != i) block.instrs[first] = std::move(block.instrs[i]);
    }
    removed_ = removed_ || first > 0;
    block.instrs.erase(block.instrs.begin(), block.instrs.begin() + static_cast<ptrdiff_t>(first));
  }

  bool is_read(const Instr& instr) const {
    return std::ranges::any_of(instr.results,
                               [&](ValueId value) { return live_[static_cast<size_t>(value)]; });
  }

  // Decides whether an instruction is needed, and marks its operands if so.
  bool is_needed(Instr& instr) {
    switch (instr.kind) {
      case InstrKind::constant:
      case InstrKind::index:
        return is_read(instr);
      case InstrKind::op:
        if (!is_read(instr) && !can_fail(instr)) return false;
        break;
      case InstrKind::load:
        if (!is_read(instr)) return false;
        break;
      case InstrKind::store:
      case InstrKind::bound_index:
      case InstrKind::check:
      case InstrKind::sort_row:
      case InstrKind::attend:
        break;
      case InstrKind::loop:
      case InstrKind::reduce:
      case InstrKind::sort:
        return is_nest_needed(instr);
    }
    use(instr.operands);
    use(instr.predicate);
    use(instr.other);
    for (const Index& index : instr.indices) {
      if (const auto* value = std::get_if<ValueId>(&index)) use(*value);
    }
    return true;
  }

  bool is_nest_needed(Instr& instr) {
    if (!is_read(instr) && !has_effect(instr)) return false;
    // The second block of a sort determines which of its values are needed, so it comes before the
    // keys.
    for (auto block = instr.blocks.rbegin(); block != instr.blocks.rend(); ++block) visit(**block);
    use(instr.operands);
    return true;
  }

  bool can_fail(const Instr& instr) const {
    const bool divides = instr.op == ScalarOp::floor_div || instr.op == ScalarOp::trunc_div ||
                         instr.op == ScalarOp::mod || instr.op == ScalarOp::fmod;
    return divides && is_integer(kernel_.values[static_cast<size_t>(instr.results[0])].dtype);
  }

  bool has_effect(const Block& block) const {
    return std::ranges::any_of(block.instrs, [&](const Instr& instr) { return has_effect(instr); });
  }

  // True if the instruction writes or may throw.
  bool has_effect(const Instr& instr) const {
    switch (instr.kind) {
      case InstrKind::constant:
      case InstrKind::index:
      case InstrKind::load:
        return false;
      case InstrKind::op:
        return can_fail(instr);
      case InstrKind::store:
      case InstrKind::bound_index:
      case InstrKind::check:
      case InstrKind::sort_row:
      case InstrKind::attend:
        return true;
      case InstrKind::reduce:
        if (!has_identity(instr.reduce) && !instr.flag && !never_empty(instr)) return true;
        break;
      case InstrKind::loop:
      case InstrKind::sort:
        break;
    }
    return std::ranges::any_of(instr.blocks, [&](const auto& block) { return has_effect(*block); });
  }

  static bool never_empty(const Instr& instr) {
    return std::ranges::all_of(instr.vars,
                               [](const LoopVar& var) { return bounds(var.extent).lo >= 1; });
  }

  Kernel& kernel_;
  std::vector<bool> live_;
  bool removed_ = false;
};

}  // namespace

bool remove_dead_code(Kernel& kernel) { return Remover(kernel).run(); }

}  // namespace litz::loops
