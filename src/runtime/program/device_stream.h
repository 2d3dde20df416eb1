// Tensors of a device in the order of a stream: what stands between launch lists.

#pragma once

#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Where the work of one call goes.
struct DeviceStream {
  GraphDevice& device;
  StreamId stream;

  /// Whether the tensor lies on the device.
  bool holds(const Tensor& tensor) const { return tensor.device() == device.device(); }
};

/// Memory of the device; contents unspecified.
Tensor fresh(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
             const DeviceStream& where);

/// A fresh copy on the device with the given strides (row-major when empty).
Tensor copied(const Tensor& tensor, std::vector<int64_t> strides, const DeviceStream& where);

/// The tensor for the host to read: itself, or a copy of one on the device that has been waited for.
Tensor on_host(const Tensor& tensor, const DeviceStream& where);

/// The same without waiting: the values are there once the stream is synchronised.
Tensor on_host_later(const Tensor& tensor, const DeviceStream& where);

}  // namespace litz::runtime
