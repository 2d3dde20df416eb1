// Converts between literals and the bytes of an element.

#pragma once

#include <array>
#include <cstddef>

#include "loops/kernel.h"

namespace litz::loops {

using LiteralBytes = std::array<std::byte, 16>;

/// Returns the literal's element of the dtype, padded with zeros.
LiteralBytes encode_literal(const Literal& literal, DType dtype);
/// Returns the literal of a constant of the dtype with this element.
Literal decode_literal(const LiteralBytes& bytes, DType dtype);
/// Returns a small integer as a literal of the dtype.
Literal literal_as(int64_t value, DType dtype);

}  // namespace litz::loops
