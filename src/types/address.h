// Elements as addresses: locates an access of a view in the storage that a kernel wrote.
//
//   written as  f32[4, 6]                      read as  f32[2, 12] at [i, j]
//   address     12*i + j                       element  [2*i + j//6, j mod 6]
//
// All numbers count elements of one dtype, from element 0 of the slot.

#pragma once

#include <optional>
#include <span>
#include <vector>

#include "types/tensor_type.h"

namespace litz {

/// offset + sum of index * stride; `type.offset` is ignored.
Expr address_of(const TensorType& type, Expr offset, std::span<const Expr> indices);

/// The element of `target` (offset 0) at the address. Nothing unless `target` covers its storage
/// without gaps and the address is known to be inside; `trusted` addresses are not checked.
std::optional<std::vector<Expr>> element_at(const TensorType& target, Expr address, bool trusted);

/// The element of `target` with these indices in `type`, if both have the same layout (except
/// dimensions of size 1); then indices are valid for one exactly if they are for the other.
std::optional<std::vector<Expr>> same_element(const TensorType& target, const TensorType& type,
                                              Expr offset, std::span<const Expr> indices);

/// A digit of a mixed-radix number. The digits are complete if the number takes every value below
/// the product of the extents once. Digits of extent 1 are ignored.
struct Digit {
  Expr weight;
  Expr extent;
};

/// The digits from the most significant one (positions in `digits`); nothing if they have gaps.
std::optional<std::vector<size_t>> mixed_radix_order(std::span<const Digit> digits);

}  // namespace litz
