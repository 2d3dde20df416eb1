// The steps of scheduling, in the order in which make_schedule takes them.

#pragma once

#include "expr/estimate.h"
#include "loops/same_values.h"
#include "schedule/schedule.h"

namespace litz::schedule {

/// Whether instructions [from, to) of the block store nothing, nested ones included.
bool stores_nothing(const loops::Block& block, size_t from, size_t to);

/// Compares what two loops or reductions with one block each compute.
loops::SameValues same_values(const loops::Kernel& kernel, const loops::Instr& a,
                              const loops::Instr& b);

/// Makes of every sort a loop that stores its keys to a row, a sort_row, and a loop over the result.
void lower_sorts(loops::Kernel& kernel);

/// Makes loops that carry values of those that combine tuples.
void lower_scans(loops::Kernel& kernel);

/// Makes of indices and the strides of buffers one offset an access.
void flatten_accesses(loops::Kernel& kernel);

/// Orders loops by how far they step through memory and merges adjacent ones that walk it as one.
void merge_loops(loops::Kernel& kernel);

/// Chooses the loops with lanes and brings their variables innermost, in tiles where loads are
/// transposed; says which stores pass the caches.
void choose_vectors(loops::Kernel& kernel, const machine::Machine& machine);

/// How many elements at a time a vector loop takes.
int lane_count(const loops::Instr& instr, const machine::Machine& machine);

/// Keeps what one vector loop computes for the next in buffers on the stack. Vectors are chosen.
void keep_rows(loops::Kernel& kernel, const machine::Machine& machine);

/// Makes one reduction of a maximum and the sum of exponentials relative to it. Rows are kept.
void pair_softmax(loops::Kernel& kernel);

/// Says what is fetched ahead: of rows that several loops read.
void fetch_rows_ahead(loops::Kernel& kernel, const machine::Machine& machine);

/// Whether choose_column_blocks takes the top-level loop.
bool is_column_reduction(const loops::Kernel& kernel, const loops::Instr& loop);

/// Says which vector loops take blocks of columns.
void choose_column_blocks(loops::Kernel& kernel);

/// Whether lanes along the last variable make squares in a loop inside that carries values.
bool has_scan(const loops::Kernel& kernel, const loops::Instr& loop);

/// Says which accesses of loops that carry values are transposed.
void choose_scans(loops::Kernel& kernel);

/// Says which reductions sum deviations from a mean that is being found in the same pass.
void pair_variance(loops::Kernel& kernel);

/// Says what is fetched ahead: of what single loops read from memory, in their order.
void fetch_streams_ahead(loops::Kernel& kernel, const machine::Machine& machine);

/// Says which variables of top-level loops threads divide.
void divide_loops(loops::Kernel& kernel);

/// Rough cost of the instructions of a block, loops included, on one core: in the unit of loops::cost.
double cost_of(const loops::Block& block);

/// Whether so much memory will hardly be in a cache. Not for sizes that are not constant.
bool is_beyond_caches(const TensorType& type, const machine::Machine& machine);

/// What an instruction costs, loops inside apart, in the unit of loops::cost.
double weight(const loops::Instr& instr);

/// What a reduction computes in each iteration besides its block, where that is much.
double own_weight(const loops::Instr& instr);

}  // namespace litz::schedule
