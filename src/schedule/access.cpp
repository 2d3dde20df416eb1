// Indices and strides to one offset an access.

#include "schedule/rewriting.h"

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;

void find_accesses(Schedule& schedule) {
  walk(schedule.kernel.body, [&](const Instr& instr) {
    if (instr.kind != InstrKind::load && instr.kind != InstrKind::store) return;
    const TensorType& type = schedule.kernel.buffers[static_cast<size_t>(instr.buffer)].type;
    Access access;
    std::vector<Expr> terms{type.offset};
    for (size_t d = 0; d < instr.indices.size(); ++d) {
      if (const auto* expr = std::get_if<Expr>(&instr.indices[d])) {
        terms.push_back(*expr * type.strides[d]);
      } else {
        access.computed.emplace_back(std::get<loops::ValueId>(instr.indices[d]), type.strides[d]);
      }
    }
    access.offset = sum(terms);
    schedule.accesses.emplace(&instr, std::move(access));
  });
}

}  // namespace litz::schedule
