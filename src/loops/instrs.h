// Finds instructions of a block: all of them at any depth, or the one that defines a value.

#pragma once

#include <functional>

#include "loops/kernel.h"

namespace litz::loops {

/// Calls `visit` for every instruction, nested ones after their parent.
void for_each_instr(const Block& block, const std::function<void(const Instr&)>& visit);
void edit_each_instr(Block& block, const std::function<void(Instr&)>& visit);

/// Calls `visit` for all instructions nested in one.
void for_each_inside(const Instr& instr, const std::function<void(const Instr&)>& visit);

/// Returns the instruction of the block that defines the value; null if another block does.
const Instr* find_definition(const Block& block, ValueId value);

/// True if the instruction computes one value from others, without memory.
bool is_pure(const Instr& instr);

/// True if the loop combines tuples by an associative block, so its iterations need no order.
bool is_combining(const Instr& instr);

/// True if the block checks data: a launch may fail even if it stores nothing.
bool has_check(const Block& block);

/// True if the instruction, which may be null, is the operation.
bool is_op(const Instr* instr, ScalarOp op);

}  // namespace litz::loops
