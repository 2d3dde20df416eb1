// Tensors of other libraries, and for them, without a copy: DLPack (https://dmlc.github.io/dlpack).
//
//   litz::Tensor x = litz::from_dlpack(managed);     // PyTorch, NumPy, JAX, ... made it
//   DLManagedTensor* managed = litz::to_dlpack(x);   // its consumer calls managed->deleter(managed)

#pragma once

#include "litz/litz.h"

struct DLManagedTensor;  // <dlpack/dlpack.h>

namespace litz {
inline namespace v1 {

/// A tensor over the memory of a host tensor, whose deleter is called after the last use. Throws Error, and
/// leaves the deleter to the caller, for tensors of devices, negative strides, and element types that Litz
/// has not.
LITZ_API Tensor from_dlpack(DLManagedTensor* managed);

/// The tensor for another library, which must call its deleter. They share the memory, unless it must not be
/// written, such as that of a mapped file: then it is a copy. Throws Error for float8, which DLPack 0.6 has
/// not.
LITZ_API DLManagedTensor* to_dlpack(const Tensor& tensor);

}  // namespace v1
}  // namespace litz
