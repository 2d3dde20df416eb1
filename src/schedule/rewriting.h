// The steps of scheduling, in the order in which make_schedule takes them.

#pragma once

#include <functional>

#include "loops/same_values.h"
#include "schedule/schedule.h"

namespace litz::schedule {

/// Calls `visit` for every instruction, outer ones first.
void walk(loops::Block& block, const std::function<void(loops::Instr&)>& visit);
void walk(const loops::Block& block, const std::function<void(const loops::Instr&)>& visit);

/// Whether instructions [from, to) of the block store nothing, nested ones included.
bool stores_nothing(const loops::Block& block, size_t from, size_t to);

/// Compares what two loops or reductions with one block each compute, by their accesses: merging
/// loops leaves indices behind.
loops::SameValues same_values(const Schedule& schedule, const loops::Instr& a,
                              const loops::Instr& b);

/// Appends the instruction, and what the schedule notes by its address moves along.
void move_to_end(Schedule& schedule, std::vector<loops::Instr>& instrs, loops::Instr& instr);

/// Drops what the schedule notes of an instruction, nested ones included, that goes away.
void forget(Schedule& schedule, const loops::Instr& instr);

/// Makes of every sort a loop that stores its keys to a row, a sort_row, and a loop over the result.
void lower_sorts(loops::Kernel& kernel);

/// Fills Schedule::accesses from buffers' strides and indices.
void find_accesses(Schedule& schedule);

/// Orders loops by how far they step through memory and merges adjacent ones that walk it as one.
void merge_loops(Schedule& schedule);

/// Decides Schedule::lanes and brings vector loops innermost; fills steps of accesses.
void choose_vectors(Schedule& schedule, const ScheduleOptions& options);

/// How many elements at a time a vector loop takes, `native` of 4 bytes being one register.
int lane_count(const loops::Instr& instr, int native);

/// Keeps what one vector loop computes for the next in buffers on the stack. Vectors are chosen.
void keep_rows(Schedule& schedule, const ScheduleOptions& options);

/// Makes one reduction of a maximum and the sum of exponentials relative to it. Rows are kept.
void pair_softmax(Schedule& schedule);

/// Fills Access::ahead: of rows that several loops read.
void fetch_rows_ahead(Schedule& schedule);

/// Whether choose_column_blocks takes the top-level loop.
bool is_column_reduction(const Schedule& schedule, const loops::Instr& loop);

/// Fills Schedule::column_blocks. Instructions stay where they are from here on.
void choose_column_blocks(Schedule& schedule);

/// Whether lanes along the last variable make squares in a loop inside that carries values.
bool has_scan(const Schedule& schedule, const loops::Instr& loop);

/// Fills Schedule::scans.
void choose_scans(Schedule& schedule);

/// Fills Schedule::deviations.
void pair_variance(Schedule& schedule);

/// Fills Access::ahead: of what single loops read from memory, in their order.
void fetch_streams_ahead(Schedule& schedule);

/// Decides Schedule::phases and lists the scalars.
void choose_phases(Schedule& schedule);

/// Rough nanoseconds of the instructions of a block, loops included, on one core.
double cost_of(const Schedule& schedule, const loops::Block& block);

/// An extent for estimates: the constant, or what a symbolic one is taken for.
double estimate(Expr extent);

/// Whether so much memory will hardly be in a cache. Not for sizes that are not constant.
bool is_beyond_caches(const TensorType& type);

/// What an operation costs relative to an addition.
double weight(const loops::Instr& instr);

/// What a reduction computes in each iteration besides its block, where that is much.
double own_weight(const loops::Instr& instr);

}  // namespace litz::schedule
