// Choices among equal values for which PyTorch's vector code and scalar code differ.

#pragma once

#include <initializer_list>
#include <string_view>

#include "ops/call.h"

namespace litz::ops {

/// True if an elementwise result of the named arguments is known to be too small for the vector
/// code, which processes two vectors of 32 bytes at a time.
bool fills_no_vectors(const Call& call, std::initializer_list<std::string_view> names);

}  // namespace litz::ops
