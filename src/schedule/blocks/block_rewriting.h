// The steps of schedules for blocks besides those that processors share (rewriting.h).

#pragma once

#include "schedule/rewriting.h"

namespace litz::schedule {

/// Marks the variables of loops and reductions whose iterations may run in any order.
void mark_divisible(loops::Kernel& kernel);

/// Chooses how many neighbours threads take at a time. Divisible variables are known.
void choose_widths(Schedule& schedule);

/// Keeps rows that several loops of the phase load in registers. Widths and the phase are known.
void keep_rows_in_registers(Schedule& schedule, const Phase& phase);

/// Keeps costly values that several loops of the phase compute from such rows, too.
void keep_values_in_registers(Schedule& schedule, const Phase& phase);

/// Lets threads store several neighbours at a time where rows do not begin at multiples of them.
/// Squares are known.
void choose_flat_stores(Schedule& schedule, Phase& phase);

/// Lets blocks load squares where a load is contiguous along another variable than the stores. Widths
/// and the phase are known.
void choose_squares(Schedule& schedule, Phase& phase);

/// Lets a block take as many iterations of the phase as its threads do at a time.
void set_grain(const Schedule& schedule, Phase& phase);

/// The threads that run one iteration of a phase over `loop`, whose divisible variables are known.
BlockShape block_shape(const Schedule& schedule, const loops::Instr& loop);

}  // namespace litz::schedule
