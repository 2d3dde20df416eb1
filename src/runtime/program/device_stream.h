// Operations on tensors of a device in the order of a stream, for the steps between launch lists.

#pragma once

#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// The device and stream of one call.
struct DeviceStream {
  GraphDevice& device;
  StreamId stream;

  /// True if the tensor is on the device.
  bool holds(const Tensor& tensor) const { return tensor.device() == device.device(); }
};

/// Memory of the device; contents unspecified.
Tensor fresh(DType dtype, std::vector<int64_t> sizes, std::vector<int64_t> strides,
             const DeviceStream& where);

/// A fresh copy on the device with the given strides (row-major when empty).
Tensor copied(const Tensor& tensor, std::vector<int64_t> strides, const DeviceStream& where);

/// Returns the tensor for the host to read: itself, or a copy from the device after a wait.
Tensor on_host(const Tensor& tensor, const DeviceStream& where);

/// Like on_host, without the wait: the values are valid once the stream is synchronised.
Tensor on_host_later(const Tensor& tensor, const DeviceStream& where);

}  // namespace litz::runtime
