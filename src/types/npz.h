// NumPy's .npz format: a zip archive of .npy files, stored or deflated.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "types/tensor.h"

namespace litz {

/// A named tensor, as in files.
using NamedTensor = std::pair<std::string, Tensor>;

/// All arrays in the order of the archive, names without ".npy", checksums verified. Throws
/// Error{not_found, io, corrupt, unsupported, limit_exceeded}.
std::vector<NamedTensor> read_npz(const std::string& path);
/// As above, from the bytes of an archive; `origin` names it in messages.
std::vector<NamedTensor> parse_npz(std::span<const std::byte> bytes,
                                   const std::string& origin = "npz");

/// Writes a stored (uncompressed) archive; names must be unique. Types that NumPy lacks are written
/// as bits, see npy.h.
void write_npz(const std::string& path, std::span<const NamedTensor> tensors);

/// The tensor of that name, or null.
const Tensor* find_tensor(std::span<const NamedTensor> tensors, std::string_view name);

}  // namespace litz
