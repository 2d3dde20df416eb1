// What the words of a schedule say, asked of loops and accesses.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Lanes of the last variable; 1 where the instruction has none.
int lanes_of(const Instr& instr);

/// The variable of the lanes; the instruction has more than one lane.
SymbolId lane_symbol(const Instr& instr);

/// Whether the last two variables advance in blocks, for loads in squares.
bool is_tiled(const Instr& instr);

/// Whether reductions inside take blocks of columns.
bool has_column_blocks(const Instr& instr);

/// Whether the loop carries values along rows that lie in other lanes each: some access inside is
/// transposed.
bool is_scan(const Instr& instr);

/// The offset of a flat access in front of what its computed integers add.
Expr offset_of(const Instr& access);

/// Whether computed integers add to the offset of a flat access.
bool has_computed_index(const Instr& access);

/// Whether the expression is `symbol` plus something without it. Makes no expression.
bool steps_by_one(Expr expr, SymbolId symbol);

/// Throws InternalError naming a word that is not true of its kernel, which is otherwise verified:
/// lanes that meet in one element, squares that are none, threads that depend on each other.
void verify_marks(const Kernel& kernel);

}  // namespace litz::loops
