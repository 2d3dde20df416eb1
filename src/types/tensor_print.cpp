#include <cmath>

#include "support/text.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"
#include "types/tensor.h"

namespace litz {
namespace {

constexpr int64_t kShownElements = 8;

std::string value_text(DType dtype, std::complex<double> value, int64_t integer) {
  if (dtype == DType::bool_) return integer != 0 ? "true" : "false";
  if (dtype == DType::u64) return std::to_string(static_cast<uint64_t>(integer));
  if (is_integer(dtype)) return std::to_string(integer);
  return is_complex(dtype) ? rounded(value, 6) : rounded(value.real(), 6);
}

}  // namespace

std::string to_string(const Tensor& tensor) {
  if (!tensor.defined()) return "undefined";
  std::string text = std::string(name(tensor.dtype())) + "[" + join(tensor.sizes(), ", ") + "]";
  int64_t count = tensor.numel();
  text += " {";
  std::vector<int64_t> index(tensor.rank(), 0);
  for (int64_t i = 0; i < std::min(count, kShownElements); ++i) {
    if (i > 0) text += ", ";
    text += value_text(tensor.dtype(), tensor.complex_at(index), tensor.int_at(index));
    for (size_t d = tensor.rank(); d-- > 0;) {
      if (++index[d] < tensor.sizes()[d]) break;
      index[d] = 0;
    }
  }
  if (count > kShownElements) text += ", ...";
  return text + "}";
}

}  // namespace litz
