#include "ops/families/matrix_types.h"

#include <utility>

#include "ir/op_info.h"
#include "support/check.h"

namespace litz::ops {

Sizes matrix_batch(const TensorType& type) { return {type.sizes.begin(), type.sizes.end() - 2}; }

TensorType column_major_type(DType dtype, Sizes sizes, Device device) {
  const size_t rank = sizes.size();
  check(rank >= 2, "a matrix has two dimensions:", rank);
  std::swap(sizes[rank - 2], sizes[rank - 1]);
  TensorType type = contiguous_type(dtype, std::move(sizes), device);
  std::swap(type.sizes[rank - 2], type.sizes[rank - 1]);
  std::swap(type.strides[rank - 2], type.strides[rank - 1]);
  return type;
}

void require_matrices(const Call& call, const TensorType& type) {
  require(type.rank() >= 2, "linear algebra needs two dimensions or more:", call.op().name(), type);
  const DType part = real_dtype(type.dtype);
  require(part == DType::f32 || part == DType::f64,
          "linear algebra needs float32, float64 or their complex types:", call.op().name(),
          name(type.dtype));
}

void require_square(const Call& call, const TensorType& type) {
  require_matrices(call, type);
  require(!known_not_equal(matrix_rows(type), matrix_columns(type)),
          "matrices must be square:", call.op().name(), type);
}

}  // namespace litz::ops
