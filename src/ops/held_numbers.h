// Numbers that operators convert to a dtype, which must hold them.

#pragma once

#include <string_view>

#include "ops/call.h"

namespace litz::ops {

/// Throws unless the dtype holds the number, as PyTorch converts one: fractions are cut off, unsigned
/// integers take the negative of what they hold, infinities go into any floating dtype. What is not
/// given, symbolic or read from data passes; complex tensors hold real numbers only of their dtypes.
void require_held(const Call& call, std::string_view name, DType dtype);

/// The same for every argument of these names, which are separated by spaces.
void require_all_held(const Call& call, std::string_view names, DType dtype);

}  // namespace litz::ops
