// Computes casts to float8_e4m3fn as in the PyTorch version that wrote the file.

#pragma once

#include <string_view>

#include "ir/graph.h"

namespace litz::import_ {

/// Makes casts of numbers beyond the range of float8_e4m3fn give NaN, as in PyTorch before 2.13;
/// otherwise they give the largest number. Does nothing for later versions.
void restore_float8_overflow(ir::Module& module, std::string_view torch_version);

}  // namespace litz::import_
