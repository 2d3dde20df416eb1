#include "loops/clone.h"

namespace litz::loops {
namespace {

Block clone(const Block& block);

Instr clone(const Instr& instr) {
  Instr copy;
  copy.kind = instr.kind;
  copy.results = instr.results;
  copy.op = instr.op;
  copy.operands = instr.operands;
  copy.literal = instr.literal;
  copy.expr = instr.expr;
  copy.buffer = instr.buffer;
  copy.indices = instr.indices;
  copy.strides = instr.strides;
  copy.predicate = instr.predicate;
  copy.other = instr.other;
  copy.mode = instr.mode;
  copy.origins = instr.origins;
  copy.attend = instr.attend;
  copy.flag = instr.flag;
  copy.reduce = instr.reduce;
  copy.vars = instr.vars;
  copy.carried = instr.carried;
  for (const auto& block : instr.blocks) {
    copy.blocks.push_back(std::make_unique<Block>(clone(*block)));
  }
  copy.position = instr.position;
  copy.text = instr.text;
  copy.marks = instr.marks;
  return copy;
}

Block clone(const Block& block) {
  Block copy;
  copy.instrs.reserve(block.instrs.size());
  for (const Instr& instr : block.instrs) copy.instrs.push_back(clone(instr));
  copy.yields = block.yields;
  return copy;
}

}  // namespace

Kernel clone(const Kernel& kernel) {
  return {kernel.name, kernel.pool, kernel.buffers, kernel.values, clone(kernel.body)};
}

}  // namespace litz::loops
