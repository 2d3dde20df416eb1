// Queries the marks of loops and accesses.

#pragma once

#include "loops/kernel.h"

namespace litz::loops {

/// Lanes of the last variable; 1 if the instruction has none.
int lanes_of(const Instr& instr);

/// The vectorised variable; the instruction must have more than one lane.
SymbolId lane_symbol(const Instr& instr);

/// True if the last two variables advance in blocks, for loads in squares.
bool is_tiled(const Instr& instr);

/// True if reductions inside process blocks of columns.
bool has_column_blocks(const Instr& instr);

/// True if the loop carries values along rows, one row per lane: some access inside is transposed.
bool is_scan(const Instr& instr);

/// The offset of a flat access without its computed integers.
Expr offset_of(const Instr& access);

/// True if computed integers add to the offset of a flat access.
bool has_computed_index(const Instr& access);

/// True if the expression is `symbol` plus something without it. Makes no expression.
bool steps_by_one(Expr expr, SymbolId symbol);

/// Throws InternalError naming a mark that is wrong for its kernel, which must be valid otherwise:
/// lanes that store to one element, squares that are not dense, threads that depend on each other.
void verify_marks(const Kernel& kernel);

}  // namespace litz::loops
