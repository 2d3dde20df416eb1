// Tensors of other libraries, and for them, without a copy: DLPack (https://dmlc.github.io/dlpack).
//
//   litz::Tensor x = litz::from_dlpack(managed);     // PyTorch, NumPy, JAX, ... made it
//   DLManagedTensor* managed = litz::to_dlpack(x);   // its consumer calls managed->deleter(managed)

#pragma once

#include "litz/litz.h"

struct DLManagedTensor;  // <dlpack/dlpack.h>

namespace litz {
inline namespace v1 {

/// A tensor over the memory of a tensor on the host or on an NVIDIA card, whose deleter is called after the
/// last use, as Tensor::over does. `stream` is the stream (a CUstream or cudaStream_t) for which the maker has
/// made a card's tensor ready: the one that `__dlpack__(stream=...)` was given. Throws Error, and leaves the
/// deleter to the caller, for tensors of other devices, negative strides, and element types that Litz has
/// not.
LITZ_API Tensor from_dlpack(DLManagedTensor* managed, void* stream = nullptr);

/// The tensor for another library, which must call its deleter. They share the memory, unless it must not be
/// written, such as that of a mapped file: then it is a copy. What `stream`, a stream of the consumer, gets
/// from now on comes after the work that makes a card's tensor; it must live until the deleter is called,
/// and the memory is used again after what it has then. Throws Error for float8, which DLPack 0.6 has not,
/// and for tensors of the simulated device.
LITZ_API DLManagedTensor* to_dlpack(const Tensor& tensor, void* stream = nullptr);

}  // namespace v1
}  // namespace litz
