#include "runtime/program/device_stream.h"

#include <utility>

#include "support/check.h"

namespace litz::runtime {

Tensor fresh(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
             const DeviceStream& where) {
  const int64_t elements = storage_span(sizes, strides, 0);
  constexpr int64_t kMost = int64_t{1} << 46;  // Beyond any machine; multiplication below is safe.
  require(elements <= kMost, ErrorCode::out_of_memory,
          "a tensor must fit into memory, which these elements do not:", elements);
  auto memory = where.device.allocate_on(
      where.stream, static_cast<size_t>(elements * static_cast<int64_t>(item_size(dtype))));
  return Tensor(dtype, std::move(sizes), std::move(strides), 0, std::move(memory));
}

Tensor copied(const Tensor& tensor, std::vector<int64_t> strides, const DeviceStream& where) {
  if (strides.empty()) strides = contiguous_strides(tensor.sizes());
  Tensor copy = fresh(tensor.dtype(), tensor.sizes(), std::move(strides), where);
  where.device.copy(where.stream, copy, tensor);
  return copy;
}

Tensor on_host_later(const Tensor& tensor, const DeviceStream& where) {
  if (tensor.device() == Device{}) return tensor;
  Tensor copy = Tensor::empty_strided(tensor.dtype(), tensor.sizes(), tensor.strides());
  where.device.copy(where.stream, copy, tensor);
  return copy;
}

Tensor on_host(const Tensor& tensor, const DeviceStream& where) {
  Tensor copy = on_host_later(tensor, where);
  if (!where.device.caps().is_immediate) where.device.synchronize(where.stream);
  return copy;
}

}  // namespace litz::runtime
