// Replaces indices and strides by one offset per access:
//
//   load %x[i, j]    x: f32[32, 64]{128, 1}    =>    load %x at [128*i + j]
//   load %x[i, %3]   computed                  =>    load %x at [128*i, %3 * 1]

#include "loops/instrs.h"
#include "schedule/rewriting.h"

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;

void flatten_accesses(loops::Kernel& kernel) {
  loops::edit_each_instr(kernel.body, [&](Instr& instr) {
    if (instr.kind != InstrKind::load && instr.kind != InstrKind::store) return;
    const TensorType& type = kernel.buffers[static_cast<size_t>(instr.buffer)].type;
    std::vector<loops::Index> indices(1);
    std::vector<Expr> strides{1};
    std::vector<Expr> terms{type.offset};
    for (size_t d = 0; d < instr.indices.size(); ++d) {
      if (const auto* expr = std::get_if<Expr>(&instr.indices[d])) {
        terms.push_back(*expr * type.strides[d]);
      } else {
        indices.push_back(instr.indices[d]);
        strides.push_back(type.strides[d]);
      }
    }
    indices[0] = sum(terms);
    instr.indices = std::move(indices);
    instr.strides = std::move(strides);
  });
}

}  // namespace litz::schedule
