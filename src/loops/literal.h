// Literals as bytes of an element and back.

#pragma once

#include <array>
#include <cstddef>

#include "loops/kernel.h"

namespace litz::loops {

using LiteralBytes = std::array<std::byte, 16>;

/// The element of the dtype that the literal stands for, then zeros.
LiteralBytes encode_literal(const Literal& literal, DType dtype);
/// The literal that a constant of the dtype has for this element.
Literal decode_literal(const LiteralBytes& bytes, DType dtype);
/// A small integer as a literal of the dtype.
Literal literal_as(int64_t value, DType dtype);

}  // namespace litz::loops
