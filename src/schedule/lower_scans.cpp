// Loops that combine tuples become loops that carry them, in the order of iterations:
//
//   for i in 0..n scan (%0) {                for i in 0..n carry (%a = %0) {
//     %1 = load x[r, i]   yield %1             %1 = load x[r, i]
//   } combine (%a, %b) {                ->     %2 = add %a, %1
//     %2 = add %a, %b     yield %2             store y[r, i], %2
//   } emit (%p) { store y[r, i], %p }          yield %2
//                                            }
//
// A core gains nothing from parts of one row: lanes go across rows instead (scans.cpp). A row that
// is added up in order has the same result on every target.

#include <map>

#include "loops/instrs.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::Instr;
using loops::ValueId;

class Lowering {
 public:
  void run(Block& block) {
    for (Instr& instr : block.instrs) {
      rename(instr);
      if (loops::is_combining(instr)) lower(instr);
      for (const auto& nested : instr.blocks) run(*nested);
    }
    for (ValueId& value : block.yields) rename(value);
  }

 private:
  /// A block sees the values that the block before it yields, so both can follow each other.
  void lower(Instr& loop) {
    const size_t count = loop.operands.size();
    auto body = std::make_unique<Block>();
    for (size_t part = 0; part < loop.blocks.size(); ++part) {
      Block& block = *loop.blocks[part];
      for (Instr& instr : block.instrs) body->instrs.push_back(std::move(instr));
      if (part + 1 == loop.blocks.size()) break;
      for (size_t i = 0; i < count; ++i) {
        renamed_[loop.carried[(part + 1) * count + i]] = block.yields[i];
      }
    }
    body->yields = loop.blocks[1]->yields;
    loop.carried.resize(count);
    loop.blocks.clear();
    loop.blocks.push_back(std::move(body));
  }

  void rename(Instr& instr) const {
    for (ValueId& operand : instr.operands) rename(operand);
    rename(instr.predicate);
    rename(instr.other);
    for (loops::Index& index : instr.indices) {
      if (auto* value = std::get_if<ValueId>(&index)) rename(*value);
    }
  }

  void rename(ValueId& value) const {
    for (auto found = renamed_.find(value); found != renamed_.end();) {
      value = found->second;
      found = renamed_.find(value);
    }
  }

  std::map<ValueId, ValueId> renamed_;
};

}  // namespace

void lower_scans(loops::Kernel& kernel) { Lowering().run(kernel.body); }

}  // namespace litz::schedule
