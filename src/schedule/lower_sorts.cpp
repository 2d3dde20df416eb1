// Replaces a sort by loops around a row in memory:
//
//   sort i in 0..4096 { yield x[r, i] }       for i in 0..4096 { keys[i] = x[r, i] }
//   emit p in 0..16 (%key, %origin) {    ->   sort_row %keys, %origins, 4096, 16
//     y[r, p] = %key                          for p in 0..16 { y[r, p] = keys[p] }
//   }
//
// Both loops are then vectorised, keep rows and prefetch like any other.

#include <utility>

#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

using loops::Block;
using loops::BufferId;
using loops::Instr;
using loops::InstrKind;
using loops::Kernel;
using loops::ValueId;

class SortLowering {
 public:
  explicit SortLowering(Kernel& kernel) : kernel_(kernel) {}

  void run(Block& block) {
    std::vector<Instr> instrs;
    for (Instr& instr : block.instrs) {
      for (const auto& nested : instr.blocks) run(*nested);
      if (instr.kind == InstrKind::sort) {
        lower(std::move(instr), instrs);
      } else {
        instrs.push_back(std::move(instr));
      }
    }
    block.instrs = std::move(instrs);
  }

 private:
  void lower(Instr sort, std::vector<Instr>& out) {
    const ValueId key = sort.blocks[0]->yields[0];
    const loops::LoopVar element = sort.vars[0];
    const BufferId keys = new_row("keys", dtype(key), element.extent);
    const BufferId origins = new_row("origins", DType::i64, sort.position.extent);

    Instr store = access(InstrKind::store, keys, element.symbol);
    store.operands = {key};
    sort.blocks[0]->instrs.push_back(std::move(store));
    sort.blocks[0]->yields.clear();
    out.push_back(loop(element, std::move(sort.blocks[0])));

    Instr sorted;
    sorted.kind = InstrKind::sort_row;
    sorted.flag = sort.flag;
    sorted.buffer = keys;
    sorted.origins = origins;
    sorted.expr = element.extent;
    sorted.position.extent = sort.position.extent;
    out.push_back(std::move(sorted));

    std::vector<Instr>& emitted = sort.blocks[1]->instrs;
    std::vector<Instr> instrs;
    for (const auto& [buffer, value] :
         {std::pair(keys, sort.carried[0]), std::pair(origins, sort.carried[1])}) {
      instrs.push_back(access(InstrKind::load, buffer, sort.position.symbol));
      instrs.back().results = {value};
    }
    for (Instr& instr : emitted) instrs.push_back(std::move(instr));
    emitted = std::move(instrs);
    out.push_back(loop(sort.position, std::move(sort.blocks[1])));
  }

  BufferId new_row(const char* name, DType dtype, Expr size) {
    const size_t id = kernel_.buffers.size();
    loops::Buffer row;
    row.name = name + std::to_string(id);
    row.role = loops::BufferRole::scratch;
    row.type.dtype = dtype;
    row.type.sizes = {size};
    row.type.strides = {Expr(1)};
    kernel_.buffers.push_back(std::move(row));
    return static_cast<BufferId>(id);
  }

  static Instr access(InstrKind kind, BufferId buffer, Expr at) {
    Instr instr;
    instr.kind = kind;
    instr.buffer = buffer;
    instr.indices = {at};
    return instr;
  }

  static Instr loop(const loops::LoopVar& var, std::unique_ptr<Block> block) {
    Instr instr;
    instr.kind = InstrKind::loop;
    instr.vars = {var};
    instr.blocks.push_back(std::move(block));
    return instr;
  }

  DType dtype(ValueId value) const { return kernel_.values[static_cast<size_t>(value)].dtype; }

  Kernel& kernel_;
};

}  // namespace

void lower_sorts(Kernel& kernel) { SortLowering(kernel).run(kernel.body); }

}  // namespace litz::schedule
