// Schedules for machines that launch blocks of threads, as graphics processors do.
//
//   for i0 in 0..16384 {                         one block per i0: a team of 256 threads
//     %2 = reduce sum i1 in 0..4096 { ... }  =>    thread t takes i1 = t, t + 256, ...; the team
//     for i2 in 0..4096 { ... }                    folds its parts, then divides i2 alike
//   }
//
// A phase is a top-level loop. Its iterations are divided over teams, which are single threads,
// warps or blocks. Inside an iteration all threads of a team compute the same scalars. They divide
// the loops and reductions in it, and whatever is nested in those runs on one thread.
//
// Stores that combine with the element in order, and stores to computed places, allow only some
// variables of a loop to be divided: those whose iterations never meet at one element. The other
// variables run in order, around the divided ones.

#pragma once

#include <vector>

#include "expr/estimate.h"
#include "schedule/schedule.h"

namespace litz::schedule {

/// Threads that run in lockstep and exchange values without memory.
inline constexpr int32_t kWarpThreads = 32;
/// Rows and columns of a square.
inline constexpr int64_t kSquare = kWarpThreads;

/// Schedules a valid kernel; one on complex numbers must have a form in parts
/// (complex_parts.h). Adds symbols to the kernel's pool.
Schedule make_block_schedule(loops::Kernel kernel);

/// The estimated number of iterations of a loop; unknown sizes count `unknown`.
double trips(const loops::Instr& loop, int64_t unknown = kUnknownSize);

/// The variables of the loop that threads divide; the others run in order.
std::vector<const loops::LoopVar*> divided_vars(const Schedule& schedule, const loops::Instr& loop);

/// True if a team has something to divide: variables, or the parts of a loop that combines tuples.
bool is_team_work(const Schedule& schedule, const loops::Instr& instr);

/// True if the threads of a team share the iterations of this instruction, which is inside a phase.
bool is_shared_by_team(const Schedule& schedule, const loops::Instr& instr, int32_t team);

}  // namespace litz::schedule
