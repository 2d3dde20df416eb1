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

loops::SameValues same_values(const Schedule& schedule, const Instr& a, const Instr& b) {
  const auto place = [&schedule](const Instr& load) {
    const Access& access = schedule.accesses.at(&load);
    std::vector<loops::Index> parts{access.offset};
    for (const auto& [value, stride] : access.computed) {
      parts.emplace_back(value);
      parts.emplace_back(stride);
    }
    return parts;
  };
  return {schedule.kernel, {a.vars, *a.blocks[0]}, {b.vars, *b.blocks[0]}, place};
}

}  // namespace litz::schedule
