#include "types/span_bytes.h"

#include <algorithm>
#include <vector>

#include "types/tensor.h"

namespace litz {

Expr span_bytes(const TensorType& type) {
  const Expr item = static_cast<int64_t>(item_size(type.dtype));
  const auto is_zero = [](Expr size) { return size.is(0); };
  if (std::ranges::any_of(type.sizes, is_zero)) return 0;
  // This form is short, and its bounds are as tight as those of the sizes.
  if (type.strides == contiguous_strides(type.sizes) || is_non_overlapping_and_dense(type)) {
    return product(type.sizes) * item;
  }
  std::vector<Expr> terms{Expr(1)};
  std::vector<Expr> conditions;
  for (size_t i = 0; i < type.rank(); ++i) {
    terms.push_back((type.sizes[i] - 1) * type.strides[i]);
    if (!known_less(0, type.sizes[i])) conditions.push_back(eq(type.sizes[i], 0));
  }
  const Expr bytes = sum(terms) * item;
  return conditions.empty() ? bytes : where(logical_or(conditions), 0, bytes);
}

size_t span_bytes(const Tensor& tensor) {
  return static_cast<size_t>(storage_span(tensor.sizes(), tensor.strides(), 0)) *
         static_cast<size_t>(item_size(tensor.dtype()));
}

}  // namespace litz
