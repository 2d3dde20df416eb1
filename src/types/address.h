// Elements as addresses: where an access of a view lies in the storage that a kernel wrote.
//
//   written as  f32[4, 6]                      read as  f32[2, 12] at [i, j]
//   address     12*i + j                       element  [2*i + j//6, j mod 6]
//
// All in elements of one dtype, counted from element 0 of the slot.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "types/tensor_type.h"

namespace litz {

/// offset + sum of index * stride; `type.offset` does not count.
Expr address_of(const TensorType& type, Expr offset, std::span<const Expr> indices);

/// The element of `target` (offset 0) that lies at the address. Nothing unless `target` covers its
/// storage without gaps and the address is known to lie inside; `trusted` addresses are not checked.
std::optional<std::vector<Expr>> element_at(const TensorType& target, Expr address, bool trusted);

/// The element of `target` that has these indices in `type`, when both lay elements out alike (save
/// dimensions of one element); indices are then valid for one exactly when they are for the other.
std::optional<std::vector<Expr>> same_element(const TensorType& target, const TensorType& type,
                                              Expr offset, std::span<const Expr> indices);

/// True when a mixed-radix number with these digits (weight and extent) takes every value below the
/// product of the extents once. Digits of extent one do not count.
struct Digit {
  Expr weight;
  Expr extent;
};

/// The digits from the most significant on (positions in `digits`), or nothing if they have gaps.
std::optional<std::vector<size_t>> mixed_radix_order(std::span<const Digit> digits);

}  // namespace litz
