// Tensors in files: .npy, .npz and .safetensors, by the name's ending.

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "litz/arguments.h"

namespace litz {
inline namespace v1 {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// All tensors of a file, in its order, in memory of their own; that of an .npy file has no name. Files
/// are checked, and nothing in them is executed. Throws Error.
LITZ_API NamedTensors load_tensors(const std::string& path);

/// Writes tensors, row-major. Names must be unique; an .npy file has one tensor. NumPy lacks bfloat16 and
/// float8: their bits are written. Throws Error.
LITZ_API void save_tensors(const std::string& path, const NamedTensors& tensors);

}  // namespace v1
}  // namespace litz
