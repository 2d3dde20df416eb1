// The description of a tensor before it exists: dtype, device, symbolic sizes, strides and offset.

#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/expr.h"
#include "types/dtype.h"

namespace litz {

using Sizes = std::vector<Expr>;

enum class DeviceKind : uint8_t {
  cpu,
  cuda,
  meta,
  sim,  ///< Simulated by the host (runtime/sim); PyTorch programs never name it.
};

struct Device {
  DeviceKind kind = DeviceKind::cpu;
  int index = -1;  ///< -1: unspecified.
  bool operator==(const Device&) const = default;
};

std::string to_string(Device device);
/// "cpu", "cuda", "cuda:1", "meta", "sim:0"; nothing for others.
std::optional<Device> parse_device(std::string_view text);

enum class MemoryFormat : uint8_t { contiguous, channels_last, channels_last_3d, preserve };

/// PyTorch's spelling without the prefix: "contiguous_format", "channels_last", ...
std::string_view name(MemoryFormat format);
std::optional<MemoryFormat> parse_memory_format(std::string_view text);

struct TensorType {
  DType dtype = DType::f32;
  Device device;
  Sizes sizes;
  Sizes strides;  ///< In elements; as many as sizes.
  Expr offset;    ///< Elements from the start of the storage.

  size_t rank() const { return sizes.size(); }

  Expr numel() const;
  bool operator==(const TensorType&) const = default;
};

/// Row-major strides for sizes (PyTorch's rule: a size of 0 counts as 1).
Sizes contiguous_strides(std::span<const Expr> sizes);
/// Strides of `sizes` laid out densely so that `order[0]` is outermost.
Sizes strides_in_order(std::span<const Expr> sizes, std::span<const int64_t> order);
/// Strides for a memory format other than preserve; require-fails on a wrong rank.
Sizes strides_for(MemoryFormat format, std::span<const Expr> sizes);
/// A contiguous tensor type at offset 0.
TensorType contiguous_type(DType dtype, Sizes sizes, Device device = {});

/// True if the layout provably has this format (dimensions of size 1 are ignored).
bool is_contiguous(const TensorType& type, MemoryFormat format = MemoryFormat::contiguous);
/// True if it provably covers its storage span without gaps or overlap in some dimension order.
bool is_non_overlapping_and_dense(const TensorType& type);
/// The result of PyTorch's suggest_memory_format: channels_last(_3d) or contiguous.
MemoryFormat suggest_memory_format(const TensorType& type);

/// IR spelling: f32[4, s0]; strides {s0, 1}, "+offset" and "@device" only if not the default
/// (contiguous, 0, cpu).
std::string to_string(const TensorType& type);
std::ostream& operator<<(std::ostream& out, const TensorType& type);

}  // namespace litz
