// Products of tensors as products that the card's library takes.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/product.h"
#include "runtime/cuda/blas_lt.h"

namespace litz::runtime::cuda {

/// One product in the library's terms, made several times: batches whose steps are not regular.
struct CardProduct {
  /// Bytes from the operands' addresses to those of one product.
  struct Offsets {
    int64_t left = 0;
    int64_t right = 0;
    int64_t addend = 0;
    int64_t result = 0;
  };

  BlasProduct product;
  std::vector<Offsets> offsets;
  bool is_exchanged = false;  ///< The call's right operand is the product's left one.
};

/// Nothing if the library has no such product: other dtypes, elements that are apart, repeated rows.
/// Addresses decide the alignment.
std::optional<CardProduct> card_product(kernels::Product product, const kernels::Scales& scales);

}  // namespace litz::runtime::cuda
