// Tensors of a file: a table of types in its body, and after the body each storage once. Storages
// have the same layout as in memory, so a mapped file is used in place.

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "artifact/byte_stream.h"
#include "types/tensor.h"

namespace litz::artifact {

class TensorTableWriter {
 public:
  explicit TensorTableWriter(std::span<const Tensor> tensors);

  void write_types(ByteWriter& out) const;
  /// Appends the storages, each at a multiple of kStorageAlignment from the present end of `out`.
  void write_storages(ByteWriter& out) const;

 private:
  std::span<const Tensor> tensors_;
  std::unordered_map<const Storage*, size_t> numbers_;
  std::vector<const Storage*> storages_;
};

/// The alignment of storages in a file: a multiple of vector registers and cache lines.
inline constexpr size_t kStorageAlignment = 64;

constexpr size_t aligned_to_storage(size_t size) {
  return (size + kStorageAlignment - 1) / kStorageAlignment * kStorageAlignment;
}

/// Returns tensors whose storages are in `data`, which `keeper` owns. Tensors that shared storage
/// still share it. Throws Error{corrupt} for tensors that are not inside it.
std::vector<Tensor> read_tensor_table(ByteReader& in, std::span<const std::byte> data,
                                      const std::shared_ptr<const void>& keeper);

}  // namespace litz::artifact
