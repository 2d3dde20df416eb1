// Casts to float8_e4m3fn as the PyTorch that wrote a file computes them.

#pragma once

#include <string_view>

#include "ir/graph.h"

namespace litz::import_ {

/// Makes casts of numbers beyond the range of float8_e4m3fn give NaN, as PyTorch did before 2.13; casts
/// themselves give the largest number. Nothing to do for later versions.
void restore_float8_overflow(ir::Module& module, std::string_view torch_version);

}  // namespace litz::import_
