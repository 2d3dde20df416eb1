// The steps of scheduling, in the order in which make_schedule runs them.

#pragma once

#include "expr/estimate.h"
#include "loops/same_values.h"
#include "schedule/schedule.h"

namespace litz::schedule {

/// True if instructions [from, to) of the block, nested ones included, do not store.
bool stores_nothing(const loops::Block& block, size_t from, size_t to);

/// Compares the values of two loops or reductions with one block each.
loops::SameValues same_values(const loops::Kernel& kernel, const loops::Instr& a,
                              const loops::Instr& b);

/// Replaces every sort by a loop that stores its keys to a row, a sort_row, and a loop over the
/// result.
void lower_sorts(loops::Kernel& kernel);

/// Replaces loops that combine tuples by loops that carry values.
void lower_scans(loops::Kernel& kernel);

/// Replaces indices and buffer strides by one offset per access.
void flatten_accesses(loops::Kernel& kernel);

/// Orders loops by their steps through memory, and merges adjacent loops that are contiguous.
void merge_loops(loops::Kernel& kernel);

/// Chooses the vector loops and moves their variables innermost, in tiles if loads are transposed;
/// marks the stores that bypass the caches.
void choose_vectors(loops::Kernel& kernel, const machine::Machine& machine);

/// The number of elements that a vector loop processes at a time.
int lane_count(const loops::Instr& instr, const machine::Machine& machine);

/// Stores values that one vector loop computes for the next in rows on the stack. Runs after the
/// choice of vectors.
void keep_rows(loops::Kernel& kernel, const machine::Machine& machine);

/// Fuses a maximum and the sum of exponentials relative to it into one reduction. Runs after
/// keep_rows.
void pair_softmax(loops::Kernel& kernel);

/// Marks prefetches of rows that several loops read.
void fetch_rows_ahead(loops::Kernel& kernel, const machine::Machine& machine);

/// True if choose_column_blocks handles the top-level loop.
bool is_column_reduction(const loops::Kernel& kernel, const loops::Instr& loop);

/// Marks the vector loops that process blocks of columns.
void choose_column_blocks(loops::Kernel& kernel);

/// True if lanes along the last variable form squares in an inner loop that carries values.
bool has_scan(const loops::Kernel& kernel, const loops::Instr& loop);

/// Marks the transposed accesses of loops that carry values.
void choose_scans(loops::Kernel& kernel);

/// Marks the reductions that sum deviations from a mean that the same pass computes.
void pair_variance(loops::Kernel& kernel);

/// Marks prefetches of memory that single loops read in order.
void fetch_streams_ahead(loops::Kernel& kernel, const machine::Machine& machine);

/// Marks the variables of top-level loops that threads divide.
void divide_loops(loops::Kernel& kernel);

/// Notes the symbols and the properties of divisions in the kernel's expressions.
void note_expressions(Schedule& schedule);

/// The rough cost of a block on one core, loops included, in the unit of loops::cost.
double cost_of(const loops::Block& block);

/// True if a tensor of this size is probably not in a cache. False for sizes that are not constant.
bool is_beyond_caches(const TensorType& type, const machine::Machine& machine);

/// The cost of an instruction without its inner loops, in the unit of loops::cost.
double weight(const loops::Instr& instr);

/// The cost of a reduction per iteration besides its block, if it is large.
double own_weight(const loops::Instr& instr);

}  // namespace litz::schedule
