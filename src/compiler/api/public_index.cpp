// Tensor::operator[].

#include <algorithm>
#include <limits>
#include <vector>

#include "litz/index.h"

namespace litz {
inline namespace v1 {
namespace {

/// The dimensions of the tensor that an index is for.
int64_t dimensions_of(const Index& index) {
  switch (index.kind()) {
    case Index::Kind::new_axis:
    case Index::Kind::others:
      return 0;
    case Index::Kind::tensor: {
      const DType dtype = index.tensor().dtype();
      const bool is_mask = dtype == DType::bool_ || dtype == DType::uint8;
      return is_mask ? index.tensor().dim() : 1;
    }
    default:
      return 1;
  }
}

Tensor gathered(const Tensor& x, const std::vector<const Tensor*>& indices) {
  std::vector<MaybeTensor> list;
  for (const Tensor* index : indices) {
    if (index == nullptr) {
      list.emplace_back();
    } else {
      list.emplace_back(*index);
    }
  }
  return detail::call_for_one("aten.index.Tensor", {x, MaybeTensorList(list)});
}

}  // namespace

Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  int64_t used = 0;
  for (const Index& index : indices) used += dimensions_of(index);
  const int64_t rank = this->dim();
  if (used > rank) {
    throw Error(ErrorKind::invalid_argument, "a tensor of " + std::to_string(rank) +
                                                 " dimensions cannot have indices for " +
                                                 std::to_string(used));
  }
  Tensor part = *this;
  std::vector<const Tensor*> tensors;  // By dimension of the part; null: all places.
  int64_t dim = 0;
  int64_t hidden = 0;  // Dimensions that share the entry of a mask.
  for (const Index& index : indices) {
    switch (index.kind()) {
      case Index::Kind::place:
        part = select(part, dim, index.place());
        break;
      case Index::Kind::slice: {
        const Slice& places = index.places();
        part = litz::slice(part, dim, places.begin, places.end, places.step);
        ++dim;
        break;
      }
      case Index::Kind::new_axis:
        part = unsqueeze(part, dim++);
        break;
      case Index::Kind::others:
        dim += rank - used;
        break;
      case Index::Kind::tensor:
        tensors.resize(static_cast<size_t>(dim - hidden), nullptr);
        tensors.push_back(&index.tensor());
        dim += dimensions_of(index);
        hidden += dimensions_of(index) - 1;
        break;
    }
  }
  return tensors.empty() ? part : gathered(part, tensors);
}

}  // namespace v1
}  // namespace litz
