#include "loops/instrs.h"

#include <algorithm>

namespace litz::loops {

void for_each_instr(const Block& block, const std::function<void(const Instr&)>& visit) {
  for (const Instr& instr : block.instrs) {
    visit(instr);
    for_each_inside(instr, visit);
  }
}

void edit_each_instr(Block& block, const std::function<void(Instr&)>& visit) {
  for (Instr& instr : block.instrs) {
    visit(instr);
    for (const auto& nested : instr.blocks) edit_each_instr(*nested, visit);
  }
}

void for_each_inside(const Instr& instr, const std::function<void(const Instr&)>& visit) {
  for (const auto& block : instr.blocks) for_each_instr(*block, visit);
}

const Instr* find_definition(const Block& block, ValueId value) {
  const auto defines = [&](const Instr& instr) {
    return std::ranges::find(instr.results, value) != instr.results.end();
  };
  const auto found = std::ranges::find_if(block.instrs, defines);
  return found == block.instrs.end() ? nullptr : &*found;
}

bool is_pure(const Instr& instr) {
  return instr.kind == InstrKind::constant || instr.kind == InstrKind::index ||
         instr.kind == InstrKind::op;
}

bool is_combining(const Instr& instr) {
  return instr.kind == InstrKind::loop && instr.blocks.size() > 1;
}

bool has_check(const Block& block) {
  return std::ranges::any_of(block.instrs, [](const Instr& instr) {
    return instr.kind == InstrKind::check ||
           std::ranges::any_of(instr.blocks, [](const auto& nested) { return has_check(*nested); });
  });
}

bool is_op(const Instr* instr, ScalarOp op) {
  return instr != nullptr && instr->kind == InstrKind::op && instr->op == op;
}

}  // namespace litz::loops
