#include "schedule/schedule.h"

#include <algorithm>

#include "loops/instrs.h"
#include "loops/simplify.h"
#include "schedule/complex_parts.h"
#include "schedule/rewriting.h"
#include "support/check.h"

namespace litz::schedule {

using loops::Instr;
using loops::InstrKind;

size_t bound_buffers(const loops::Kernel& kernel) {
  const auto is_scratch = [](const loops::Buffer& buffer) {
    return buffer.role == loops::BufferRole::scratch;
  };
  const auto first = std::ranges::find_if(kernel.buffers, is_scratch);
  check(std::all_of(first, kernel.buffers.end(), is_scratch),
        "scratch buffers must come last:", kernel.name);
  return static_cast<size_t>(first - kernel.buffers.begin());
}

Schedule make_schedule(loops::Kernel kernel, const machine::Machine& machine) {
  if (has_complex(kernel)) kernel = in_parts(kernel).value();
  lower_sorts(kernel);
  lower_scans(kernel);
  while (loops::simplify(kernel)) {
  }
  flatten_accesses(kernel);
  merge_loops(kernel);
  choose_vectors(kernel, machine);
  keep_rows(kernel, machine);
  pair_softmax(kernel);
  fetch_rows_ahead(kernel, machine);
  choose_column_blocks(kernel);
  choose_scans(kernel);
  pair_variance(kernel);
  fetch_streams_ahead(kernel, machine);
  divide_loops(kernel);
  loops::verify(kernel);
  return read_schedule(std::move(kernel), machine);
}

bool stores_nothing(const loops::Block& block, size_t from, size_t to) {
  bool stores = false;
  const auto note = [&](const Instr& instr) {
    stores = stores || instr.kind == InstrKind::store || instr.kind == InstrKind::sort_row;
  };
  for (size_t i = from; i < to; ++i) {
    note(block.instrs[i]);
    loops::for_each_inside(block.instrs[i], note);
  }
  return !stores;
}

loops::SameValues same_values(const loops::Kernel& kernel, const Instr& a, const Instr& b) {
  return {kernel, {a.vars, *a.blocks[0]}, {b.vars, *b.blocks[0]}};
}

}  // namespace litz::schedule
