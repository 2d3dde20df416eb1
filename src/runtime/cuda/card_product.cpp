#include "runtime/cuda/card_product.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace litz::runtime::cuda {
namespace {

using kernels::Operand;
using kernels::Product;

/// More products than this are worth a function of their own.
constexpr int64_t kMostParts = 256;

/// A matrix of the sizes with contiguous rows or columns; nothing for others.
std::optional<BlasMatrix> matrix_of(const Operand& operand, int64_t rows, int64_t columns) {
  const int64_t row = rows == 1 ? columns : operand.row;
  const int64_t column = columns == 1 ? 1 : operand.column;
  if (column == 1 && row >= columns) return BlasMatrix{row, false, 0};
  const int64_t turned_row = rows == 1 ? 1 : operand.row;
  const int64_t turned_column = columns == 1 ? rows : operand.column;
  if (turned_row == 1 && turned_column >= rows) return BlasMatrix{turned_column, true, 0};
  return std::nullopt;
}

/// result^T = right^T * left^T.
void transpose(Product& product) {
  std::swap(product.rows, product.columns);
  std::swap(product.left, product.right);
  for (Operand* const operand : {&product.left, &product.right, &product.result, &product.addend}) {
    std::swap(operand->row, operand->column);
  }
}

/// The dimension of the batch that one call of the library covers: the innermost one.
int64_t take_inner_batch(const Product& product, BlasProduct& blas) {
  if (product.batch.empty()) return 1;
  blas.left.batch_stride = product.left.batch.back();
  blas.right.batch_stride = product.right.batch.back();
  blas.result.batch_stride = product.result.batch.back();
  if (product.has_addend) blas.addend_matrix.batch_stride = product.addend.batch.back();
  return product.batch.back();
}

/// Joins neighbouring dimensions of the batch through which all operands step evenly.
void join_batch(Product& product) {
  const auto is_even = [&](const Operand& operand, size_t d) {
    return operand.batch[d] == operand.batch[d + 1] * product.batch[d + 1];
  };
  const auto operands = [&] {
    std::vector<Operand*> all{&product.left, &product.right, &product.result};
    if (product.has_addend) all.push_back(&product.addend);
    return all;
  }();
  for (size_t d = product.batch.size(); d-- > 1;) {
    const size_t outer = d - 1;
    const bool joins =
        product.batch[outer] == 1 || product.batch[d] == 1 ||
        std::ranges::all_of(operands, [&](Operand* each) { return is_even(*each, outer); });
    if (!joins) continue;
    const size_t kept = product.batch[d] == 1 ? outer : d;
    product.batch[outer] *= product.batch[d];
    for (Operand* const each : operands) each->batch[outer] = each->batch[kept];
    const auto remove = [&](kernels::Strides& strides) {
      for (size_t i = d; i + 1 < strides.size(); ++i) strides[i] = strides[i + 1];
      strides.pop_back();
    };
    remove(product.batch);
    for (Operand* const each : operands) remove(each->batch);
  }
}

std::vector<CardProduct::Offsets> offsets_of(const Product& product) {
  const size_t outer = product.batch.empty() ? 0 : product.batch.size() - 1;
  std::vector<CardProduct::Offsets> all{{}};
  for (size_t d = 0; d < outer; ++d) {
    std::vector<CardProduct::Offsets> more;
    for (const CardProduct::Offsets& base : all) {
      for (int64_t i = 0; i < product.batch[d]; ++i) {
        const auto step = [&](const Operand& operand) {
          return i * operand.batch[d] * item_size(operand.dtype);
        };
        more.push_back({base.left + step(product.left), base.right + step(product.right),
                        base.addend + (product.has_addend ? step(product.addend) : 0),
                        base.result + step(product.result)});
      }
    }
    all = std::move(more);
  }
  return all;
}

/// The largest power of two up to 16 that divides all addresses and steps.
int64_t alignment_of(const Product& product, const BlasProduct& blas) {
  int64_t all = 16;
  const auto add = [&](int64_t bytes) { all = std::gcd(all, bytes); };
  const auto add_operand = [&](const Operand& operand, const BlasMatrix& matrix) {
    const int64_t item = item_size(operand.dtype);
    add(reinterpret_cast<intptr_t>(operand.data));
    add(matrix.lead * item);
    for (const int64_t stride : operand.batch) add(stride * item);
  };
  add_operand(product.left, blas.left);
  add_operand(product.right, blas.right);
  add_operand(product.result, blas.result);
  if (blas.addend == BlasAddend::matrix) add_operand(product.addend, blas.addend_matrix);
  return all;
}

bool is_bias(const Operand& addend) {
  return addend.row == 0 && addend.column == 1 &&
         std::ranges::all_of(addend.batch, [](int64_t stride) { return stride == 0; });
}

}  // namespace

std::optional<CardProduct> card_product(Product product, const kernels::Scales& scales) {
  CardProduct made;
  BlasProduct& blas = made.product;
  kernels::merge_batch_into_rows(product);
  if (product.result.column != 1 && product.columns != 1 && product.result.row == 1) {
    transpose(product);
    made.is_exchanged = true;
  }
  join_batch(product);
  blas.dtype = product.left.dtype;
  blas.rows = product.rows;
  blas.columns = product.columns;
  blas.depth = product.depth;
  blas.alpha = scales.alpha.real.real();
  blas.result_dtype = product.result.dtype;
  const bool is_wide = is_half(blas.dtype) && blas.result_dtype == DType::f32;
  if ((blas.result_dtype != blas.dtype && !is_wide) || product.right.dtype != blas.dtype) {
    return std::nullopt;
  }
  const auto left = matrix_of(product.left, product.rows, product.depth);
  const auto right = matrix_of(product.right, product.depth, product.columns);
  const auto result = matrix_of(product.result, product.rows, product.columns);
  if (!left || !right || !result || result->is_turned) return std::nullopt;
  blas.left = *left;
  blas.right = *right;
  blas.result = *result;
  if (product.has_addend) {
    if (product.addend.dtype != blas.result_dtype) return std::nullopt;
    blas.beta = scales.beta.real.real();
    if (is_bias(product.addend) && blas.beta == 1) {
      blas.addend = BlasAddend::bias;
    } else {
      const auto addend = matrix_of(product.addend, product.rows, product.columns);
      if (!addend || addend->is_turned) return std::nullopt;
      blas.addend = BlasAddend::matrix;
      blas.addend_matrix = *addend;
    }
  }
  blas.batch = take_inner_batch(product, blas);
  made.offsets = offsets_of(product);
  blas.alignment = alignment_of(product, blas);
  if (std::ssize(made.offsets) > kMostParts || !BlasLt::takes(blas)) return std::nullopt;
  return made;
}

}  // namespace litz::runtime::cuda
