// Compares pure instructions.

#pragma once

#include <string>

#include "loops/kernel.h"

namespace litz::loops {

/// Returns bytes that are equal exactly if two pure instructions with results of the dtypes compute
/// the same value. Results are not part of the key. Valid only within one process.
std::string instr_key(const Instr& instr, DType dtype);

}  // namespace litz::loops
