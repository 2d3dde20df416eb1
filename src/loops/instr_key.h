// What makes two pure instructions equal.

#pragma once

#include <string>

#include "loops/kernel.h"

namespace litz::loops {

/// Bytes that are equal exactly when two pure instructions with results of the dtypes compute one
/// value. Results do not take part. Only meaningful within a process.
std::string instr_key(const Instr& instr, DType dtype);

}  // namespace litz::loops
