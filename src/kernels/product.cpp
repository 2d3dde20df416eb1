#include "kernels/product.h"

#include <algorithm>

#include "kernels/result_sizes.h"
#include "support/check.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

std::byte* address(const Tensor& tensor) {
  // Operands and results share one description; only results are written through it.
  return const_cast<std::byte*>(tensor.data());
}

/// An operand whose last two dimensions are the matrix, earlier ones broadcast to the batch.
Operand matrix_operand(const Tensor& tensor, bool is_left, std::span<const int64_t> batch) {
  Operand operand{address(tensor), tensor.dtype(), Strides(batch.size()), 0, 0, false};
  const size_t rank = tensor.rank();
  if (rank == 1) {
    (is_left ? operand.column : operand.row) = tensor.strides()[0];
    return operand;
  }
  operand.row = tensor.strides()[rank - 2];
  operand.column = tensor.strides()[rank - 1];
  const size_t missing = batch.size() - (rank - 2);
  for (size_t i = 0; i + 2 < rank; ++i) {
    const int64_t size = tensor.sizes()[i];
    require(size == batch[missing + i] || size == 1,
            "batch sizes of a product must broadcast:", size, batch[missing + i]);
    if (size != 1) operand.batch[missing + i] = tensor.strides()[i];
  }
  return operand;
}

/// The result, or something broadcast to it: rows and columns are left out where an operand is a
/// vector.
Operand result_operand(const Tensor& tensor, std::span<const int64_t> strides, bool has_rows,
                       bool has_columns) {
  Operand operand{address(tensor), tensor.dtype(), Strides(strides), 0, 0, false};
  if (has_columns) {
    operand.column = operand.batch.back();
    operand.batch.pop_back();
  }
  if (has_rows) {
    operand.row = operand.batch.back();
    operand.batch.pop_back();
  }
  return operand;
}

bool continues(const Operand& operand, int64_t rows) {
  return operand.batch.back() == operand.row * rows;
}

Scale scale_argument(const LibraryCall& call, size_t i) {
  require(!call.is_none(i), ErrorCode::corrupt, "a product must have its scale:", call.function, i);
  if (const auto* complex = std::get_if<std::complex<double>>(&call.arguments[i])) {
    return {*complex, truncate_to<int64_t>(complex->real())};
  }
  const double real = call.real(i);
  const bool is_real = std::holds_alternative<double>(call.arguments[i]);
  return {real, is_real ? truncate_to<int64_t>(real) : call.integer(i)};
}

}  // namespace

Strides broadcast_strides(const Tensor& tensor, std::span<const int64_t> sizes, const char* what) {
  require(tensor.rank() <= sizes.size(), "a tensor cannot be broadcast to fewer dimensions:", what,
          tensor.rank(), sizes.size());
  Strides strides(sizes.size());
  const size_t missing = sizes.size() - tensor.rank();
  for (size_t i = 0; i < tensor.rank(); ++i) {
    const int64_t size = tensor.sizes()[i];
    require(size == sizes[missing + i] || size == 1,
            "a tensor must broadcast to the shape of the product:", what, size, sizes[missing + i]);
    strides[missing + i] = size == 1 ? 0 : tensor.strides()[i];
  }
  return strides;
}

Product describe(const Tensor& left, const Tensor& right, const Tensor& result,
                 const Tensor& addend, const Operands& operands) {
  require(left.rank() > 0 && right.rank() > 0,
          "both operands of a product need at least one dimension:", left.rank(), right.rank());
  require(left.dtype() == right.dtype(),
          "operands of a product must have one dtype:", torch_name(left.dtype()),
          torch_name(right.dtype()));
  const bool has_rows = left.rank() > 1;
  const bool has_columns = right.rank() > 1;
  const bool is_turned = has_columns && operands.right_is_turned;
  Product product;
  product.rows = has_rows ? left.sizes()[left.rank() - 2] : 1;
  product.columns = has_columns ? right.sizes()[right.rank() - (is_turned ? 2 : 1)] : 1;
  product.depth = left.sizes().back();
  const int64_t right_depth =
      has_columns ? right.sizes()[right.rank() - (is_turned ? 1 : 2)] : right.sizes()[0];
  require(product.depth == right_depth, "inner sizes of a product must agree:", product.depth,
          right_depth);
  const size_t matrix_dims = (has_rows ? 1 : 0) + (has_columns ? 1 : 0);
  require(result.rank() >= matrix_dims, ErrorCode::corrupt,
          "a product's result must hold its matrix:", result.rank());
  product.batch = Strides(std::span(result.sizes()).first(result.rank() - matrix_dims));
  Strides sizes = product.batch;
  if (has_rows) sizes.push_back(product.rows);
  if (has_columns) sizes.push_back(product.columns);
  require_sizes(result, sizes, "product");
  const size_t batch_rank = product.batch.size();
  require(std::max(left.rank(), right.rank()) <= batch_rank + 2,
          "the result of a product must have all batch dimensions:", batch_rank);
  product.left = matrix_operand(left, true, product.batch);
  product.right = matrix_operand(right, false, product.batch);
  if (is_turned) std::swap(product.right.row, product.right.column);
  product.left.is_constant = operands.left_is_constant;
  product.right.is_constant = operands.right_is_constant;
  product.result = result_operand(result, result.strides(), has_rows, has_columns);
  if (addend.defined()) {
    product.has_addend = true;
    product.addend = result_operand(addend, broadcast_strides(addend, result.sizes(), "addend"),
                                    has_rows, has_columns);
  }
  return product;
}

void merge_batch_into_rows(Product& product) {
  while (!product.batch.empty()) {
    const int64_t size = product.batch.back();
    if (size != 1) {
      const bool right_stays = product.right.batch.back() == 0;
      const bool steps_run_on = continues(product.left, product.rows) &&
                                continues(product.result, product.rows) &&
                                (!product.has_addend || continues(product.addend, product.rows));
      if (product.rows == 1 && right_stays) {
        product.left.row = product.left.batch.back();
        product.result.row = product.result.batch.back();
        if (product.has_addend) product.addend.row = product.addend.batch.back();
      } else if (!right_stays || !steps_run_on) {
        return;
      }
      product.rows *= size;
    }
    product.batch.pop_back();
    product.left.batch.pop_back();
    product.right.batch.pop_back();
    product.result.batch.pop_back();
    if (product.has_addend) product.addend.batch.pop_back();
  }
}

ProductCall matmul_call(const LibraryCall& call) {
  return {0, 1, {}, {call.is_constant(0), call.is_constant(1)}, {}};
}

ProductCall linear_call(const LibraryCall& call) {
  return {0, 1, 2, {call.is_constant(0), call.is_constant(1), true}, {}};
}

ProductCall scaled_call(const LibraryCall& call) {
  ProductCall product{1, 2, 0, {call.is_constant(1), call.is_constant(2)}, {}};
  product.scales = {scale_argument(call, 4), scale_argument(call, 3)};
  // NaN in an unused addend must not spread.
  if (product.scales.beta.real == 0.0) product.addend.reset();
  return product;
}

}  // namespace litz::kernels
