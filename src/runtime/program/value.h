// The inputs and outputs of programs.

#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "types/tensor.h"

namespace litz::runtime {

/// A flat input or output: None, a tensor, a number, text.
using Value = std::variant<std::monostate, Tensor, int64_t, double, bool, std::string>;

}  // namespace litz::runtime
