#include "types/lent_tensor.h"

#include <span>
#include <utility>

#include "support/check.h"
#include "types/tensor_type.h"

namespace litz {

Tensor lent_tensor(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
                   void* data, std::shared_ptr<const void> owner, Device device, StreamUse* use) {
  for (const int64_t size : sizes) require(size >= 0, "a size must not be negative:", size);
  if (strides.empty()) strides = contiguous_strides(std::span<const int64_t>(sizes));
  require(strides.size() == sizes.size(), "a tensor has one stride per dimension:", strides.size(),
          sizes.size());
  for (const int64_t stride : strides) {
    require(stride >= 0, "strides must not be negative:", stride);
  }
  const int64_t elements = storage_span(sizes, strides, 0);
  require(elements == 0 || data != nullptr, "a tensor with elements must have data");
  require(elements <= INT64_MAX / 16, "a tensor must fit into memory:", elements);
  const auto bytes = static_cast<size_t>(elements * static_cast<int64_t>(item_size(dtype)));
  return Tensor(
      dtype, std::move(sizes), std::move(strides), 0,
      Storage::lend({static_cast<std::byte*>(data), bytes}, device, std::move(owner), use));
}

}  // namespace litz
