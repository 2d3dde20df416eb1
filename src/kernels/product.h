// What a library call multiplies, for the libraries of all devices: operands by their steps over
// the batch, rows and columns.

#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "kernels/library.h"
#include "support/short_vector.h"

namespace litz::kernels {

using Strides = ShortVector<int64_t, 8>;

/// One tensor as a batch of matrices; a missing dimension has stride 0.
struct Operand {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  Strides batch;
  int64_t row = 0;
  int64_t column = 0;
  bool is_constant = false;  ///< As LibraryCall::constants says.
};

struct Product {
  Strides batch;  ///< Sizes.
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  Operand left;
  Operand right;
  Operand result;
  bool has_addend = false;
  Operand addend;
};

struct Scale {
  std::complex<double> real = 1;
  int64_t integer = 1;
};

/// Properties of a product's operands besides their tensors.
struct Operands {
  bool left_is_constant = false;  ///< As LibraryCall::constants says.
  bool right_is_constant = false;
  bool right_is_turned = false;  ///< Its last two dimensions are columns and depth.
};

struct Scales {
  Scale alpha;
  Scale beta;
};

/// The arguments of a call that are multiplied, and how.
struct ProductCall {
  size_t left = 0;
  size_t right = 1;
  std::optional<size_t> addend;
  Operands operands;
  Scales scales;

  const Tensor& addend_of(const LibraryCall& call) const {
    static const Tensor none;
    return addend ? call.optional_tensor(*addend) : none;
  }
};

/// Throws Error for operands whose shapes or dtypes do not fit.
Product describe(const Tensor& left, const Tensor& right, const Tensor& result,
                 const Tensor& addend, const Operands& operands = {});
/// Merges trailing batch dimensions into the rows where the layout allows: [b, s, k] times [k, n] is
/// one product instead of b.
void merge_batch_into_rows(Product& product);
/// The strides of `tensor` broadcast to `sizes`.
Strides broadcast_strides(const Tensor& tensor, std::span<const int64_t> sizes, const char* what);

// What the functions of these names multiply.
ProductCall matmul_call(const LibraryCall& call);
ProductCall linear_call(const LibraryCall& call);
ProductCall scaled_call(const LibraryCall& call);

}  // namespace litz::kernels
