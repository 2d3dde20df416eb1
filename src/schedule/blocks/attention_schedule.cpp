#include "schedule/blocks/attention_schedule.h"

#include <utility>

#include "schedule/blocks/block_rewriting.h"
#include "support/check.h"

namespace litz::schedule {

bool can_attend(DType dtype, int64_t key_columns, int64_t value_columns, size_t batch) {
  const auto fits = [](int64_t columns) { return columns > 0 && columns <= kMostAttentionColumns; };
  return is_half(dtype) && fits(key_columns) && fits(value_columns) && batch <= kMostAttentionBatch;
}

const loops::Instr* attention_of(const loops::Kernel& kernel) {
  const auto& body = kernel.body.instrs;
  return body.size() == 1 && body[0].kind == loops::InstrKind::attend ? &body[0] : nullptr;
}

Schedule make_attention_schedule(loops::Kernel kernel) {
  loops::verify(kernel);
  Schedule schedule;
  schedule.kernel = std::move(kernel);
  schedule.bound_buffers = bound_buffers(schedule.kernel);
  note_expressions(schedule);
  const loops::Instr* const attend = attention_of(schedule.kernel);
  check(attend != nullptr, "the kernel must be attention:", schedule.kernel.name);
  const TensorType& result =
      schedule.kernel.buffers[static_cast<size_t>(attend->attend.result)].type;
  const size_t batch = result.rank() - 2;
  Expr blocks = ceil_div(result.sizes[batch], Expr(kAttentionRows));
  for (size_t i = 0; i < batch; ++i) blocks = blocks * result.sizes[i];
  // A result without columns has no elements.
  Phase phase;
  phase.iterations = result.sizes[batch + 1].is(0) ? Expr(0) : blocks;
  phase.block = {kAttentionThreads, 1};
  schedule.phases.push_back(phase);
  return schedule;
}

}  // namespace litz::schedule
