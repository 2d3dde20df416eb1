// Tensors on devices, outside of programs' calls: copies, waits, memory of callers.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// A copy on a device, in the order of this thread's calls there; the tensor itself if it is there. A copy
/// on the host has its elements, and throws what its work has reported. Throws Error{unsupported} for
/// devices that this process has not.
Tensor copied_to(const Tensor& tensor, Device device);

/// A copy with the same strides on the same device.
Tensor cloned(const Tensor& tensor);

/// Returns when the elements are there, and throws what their work has reported.
void wait_for(const Tensor& tensor);

/// Makes what a caller's stream gets from now on run after the elements are there, and counts it among the
/// work that uses the memory.
void wait_on_stream(const Tensor& tensor, void* stream);

/// The opposite: a caller's stream has done with the tensor, and other work on its memory comes after what
/// the stream has now.
void end_stream_use(const Tensor& tensor, void* stream);

/// Memory of a caller: GraphDevice::lend. What makes its contents is done, or work that the caller's stream
/// of this thread has now.
std::shared_ptr<Storage> lent_memory(Device device, std::span<std::byte> bytes,
                                     std::shared_ptr<const void> owner);

/// The same without an owner, for one call: what makes its contents is done, or work of the call's stream.
std::shared_ptr<Storage> borrowed_memory(Device device, std::span<std::byte> bytes);

/// Returns when all work of a device is done.
void finish_device(Device device);

}  // namespace litz::runtime
