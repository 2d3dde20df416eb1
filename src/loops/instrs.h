// Instructions of a block: all of them at any depth, or the one that defines a value.

#pragma once

#include <functional>

#include "loops/kernel.h"

namespace litz::loops {

/// Calls `visit` for every instruction, nested ones after the one they are in.
void for_each_instr(const Block& block, const std::function<void(const Instr&)>& visit);
void edit_each_instr(Block& block, const std::function<void(Instr&)>& visit);

/// The same for what is inside of an instruction.
void for_each_inside(const Instr& instr, const std::function<void(const Instr&)>& visit);

/// The instruction of the block that defines the value; null if it is defined elsewhere.
const Instr* find_definition(const Block& block, ValueId value);

/// Whether the instruction computes one value of others, without memory.
bool is_pure(const Instr& instr);

/// Whether the loop combines tuples by an associative block, so that its iterations need no order.
bool is_combining(const Instr& instr);

/// Whether the block checks data: a launch may fail by it, whatever it stores.
bool has_check(const Block& block);

/// Whether the instruction, which may be null, is the operation.
bool is_op(const Instr* instr, ScalarOp op);

}  // namespace litz::loops
