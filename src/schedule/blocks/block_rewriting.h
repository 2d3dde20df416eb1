// The steps of schedules for blocks besides those that processors share (rewriting.h).

#pragma once

#include "schedule/rewriting.h"

namespace litz::schedule {

/// Marks the variables of loops and reductions whose iterations may run in any order.
void mark_divisible(loops::Kernel& kernel);

/// Chooses how many neighbours threads take at a time. Divisible variables are known.
void choose_widths(Schedule& schedule);

/// The threads that run one iteration of a phase over `loop`, whose divisible variables are known.
BlockShape block_shape(const Schedule& schedule, const loops::Instr& loop);

}  // namespace litz::schedule
