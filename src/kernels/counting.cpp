// Counts the occurrences of each integer: the result's size depends on the largest one.

#include <algorithm>
#include <limits>

#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

template <typename T>
Tensor counted(const Tensor& values, int64_t bins, DType dtype, const T* weights) {
  Tensor result = Tensor::empty(dtype, {bins});
  auto* counts = reinterpret_cast<T*>(result.mutable_data());
  std::fill(counts, counts + bins, T{0});
  const auto* elements = reinterpret_cast<const int64_t*>(values.data());
  for (int64_t i = 0; i < values.numel(); ++i) {
    counts[elements[i]] += weights != nullptr ? weights[i] : T{1};
  }
  return result;
}

}  // namespace

void bincount(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const int64_t least = call.is_none(2) ? 0 : call.integer(2);
  require(self.rank() == 1, "bincount counts a list, got rank", self.rank());
  require(least >= 0, "bincount: minlength must not be negative:", least);
  const Tensor values = self.to(DType::i64).contiguous();
  const auto* elements = reinterpret_cast<const int64_t*>(values.data());
  int64_t bins = least;
  for (int64_t i = 0; i < values.numel(); ++i) {
    require(elements[i] >= 0 && elements[i] < std::numeric_limits<int64_t>::max(),
            "bincount counts non-negative numbers whose bins have a number, got", elements[i]);
    bins = std::max(bins, elements[i] + 1);
  }
  Tensor result;
  if (call.is_none(1)) {
    result = counted<int64_t>(values, bins, DType::i64, nullptr);
  } else {
    const Tensor& weights = call.tensor(1);
    require(weights.sizes() == self.sizes(), "bincount needs one weight per element");
    if (weights.dtype() == DType::f32) {
      const Tensor dense = weights.contiguous();
      result =
          counted<float>(values, bins, DType::f32, reinterpret_cast<const float*>(dense.data()));
    } else {
      const Tensor dense = weights.to(DType::f64).contiguous();
      result =
          counted<double>(values, bins, DType::f64, reinterpret_cast<const double*>(dense.data()));
    }
  }
  if (call.results[0].defined()) {
    call.results[0].copy_from(result);
  } else {
    call.results[0] = result;
  }
}

}  // namespace litz::kernels
