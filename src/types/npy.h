// NumPy's .npy format: one array, versions 1 to 3.
//
// Reads booleans, integers, f2, f4, f8, c8 and c16, in either byte order, row- or column-major (the
// tensor then has column-major strides). Rejects object arrays, since they contain pickled
// programs, and structured, string and date types.
//
// NumPy has no bfloat16, float8 or complex32. Their bits are written as unsigned integers of the
// same size (u2, u1, u4); a reader that knows the type uses `tensor.view_as(DType::bf16)`.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "types/tensor.h"

namespace litz {

/// The array in the bytes of a whole .npy file; `origin` names it in messages. Throws
/// Error{corrupt, unsupported, limit_exceeded}.
Tensor parse_npy(std::span<const std::byte> bytes, std::string_view origin = "npy");
Tensor read_npy(const std::string& path);

/// The bytes of a version 1 file with the tensor, row-major.
std::vector<std::byte> format_npy(const Tensor& tensor);
/// Throws Error{io} if the file cannot be written.
void write_npy(const std::string& path, const Tensor& tensor);

}  // namespace litz
