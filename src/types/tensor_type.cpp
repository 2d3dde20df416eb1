#include "types/tensor_type.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <ostream>

#include "support/check.h"

namespace litz {
namespace {

constexpr std::array<std::string_view, 4> kDeviceNames = {"cpu", "cuda", "meta", "sim"};
constexpr std::array<std::string_view, 4> kFormatNames = {"contiguous_format", "channels_last",
                                                          "channels_last_3d", "preserve_format"};

// Dimensions from the innermost to the outermost, channels (dimension 1) first.
constexpr std::array<int64_t, 4> kChannelsLast = {1, 3, 2, 0};
constexpr std::array<int64_t, 5> kChannelsLast3d = {1, 4, 3, 2, 0};

/// The dimensions of a channels-last format from the innermost outwards, by rank; empty if none.
std::span<const int64_t> channels_last_order(size_t rank) {
  if (rank == 4) return kChannelsLast;
  if (rank == 5) return kChannelsLast3d;
  return {};
}

Expr at_least_one(Expr size) { return known_less_equal(1, size) ? size : max(size, 1); }

bool is_known_empty(std::span<const Expr> sizes) {
  return std::any_of(sizes.begin(), sizes.end(), [](Expr size) { return known_equal(size, 0); });
}

/// True if the type is provably dense with the given order from the innermost dimension outwards. A
/// size that may be 0 may count as 1 in strides: if it is 0, its strides are irrelevant.
bool is_dense_in(const TensorType& type, std::span<const int64_t> innermost_first) {
  Expr expected = 1;
  Expr expected_of_empty = 1;
  for (int64_t dim : innermost_first) {
    auto d = static_cast<size_t>(dim);
    if (known_equal(type.sizes[d], 1)) continue;
    if (!known_equal(type.strides[d], expected) &&
        !known_equal(type.strides[d], expected_of_empty)) {
      return false;
    }
    expected = expected * type.sizes[d];
    expected_of_empty = expected_of_empty * at_least_one(type.sizes[d]);
  }
  return true;
}

/// True if strides grow from channels over space to batch, with the tie rules for dimensions of
/// size 1, whose strides mean nothing alone.
bool has_channels_last_strides(const TensorType& type) {
  std::span<const int64_t> order = channels_last_order(type.rank());
  if (order.empty()) return false;
  // Expanded channels: both orders fit; PyTorch prefers the default.
  if (known_equal(type.strides[1], 0)) return false;
  Expr least = 0;
  for (int64_t dim : order) {
    auto d = static_cast<size_t>(dim);
    if (known_equal(type.sizes[d], 0)) return false;
    if (!known_less_equal(least, type.strides[d])) return false;
    // [n, 1, 1, 1] with equal strides fits both; so does its slice [w, w, w, w].
    if (d == 0 && known_equal(least, type.strides[1])) return false;
    // A size that may be 1 leaves the product unchanged, so multiplying is right either way.
    least = type.strides[d] * at_least_one(type.sizes[d]);
  }
  return true;
}

}  // namespace

std::string to_string(Device device) {
  std::string text(kDeviceNames[static_cast<size_t>(device.kind)]);
  if (device.index >= 0) text += ":" + std::to_string(device.index);
  return text;
}

std::optional<Device> parse_device(std::string_view text) {
  size_t colon = text.find(':');
  auto kind = std::find(kDeviceNames.begin(), kDeviceNames.end(), text.substr(0, colon));
  if (kind == kDeviceNames.end()) return std::nullopt;
  Device device{static_cast<DeviceKind>(kind - kDeviceNames.begin())};
  if (colon == std::string_view::npos) return device;
  std::string_view digits = text.substr(colon + 1);
  // Three digits are plenty for a device and cannot overflow.
  if (digits.empty() || digits.size() > 3) return std::nullopt;
  device.index = 0;
  for (char c : digits) {
    if (c < '0' || c > '9') return std::nullopt;
    device.index = device.index * 10 + (c - '0');
  }
  return device;
}

std::string_view name(MemoryFormat format) { return kFormatNames[static_cast<size_t>(format)]; }

std::optional<MemoryFormat> parse_memory_format(std::string_view text) {
  auto found = std::find(kFormatNames.begin(), kFormatNames.end(), text);
  if (found == kFormatNames.end()) return std::nullopt;
  return static_cast<MemoryFormat>(found - kFormatNames.begin());
}

Expr TensorType::numel() const { return product(sizes); }

Sizes contiguous_strides(std::span<const Expr> sizes) {
  std::vector<int64_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0);
  return strides_in_order(sizes, order);
}

Sizes strides_in_order(std::span<const Expr> sizes, std::span<const int64_t> order) {
  check(order.size() == sizes.size(), "an order names every dimension once:", order.size(),
        sizes.size());
  Sizes strides(sizes.size());
  std::vector<bool> is_seen(sizes.size(), false);
  Expr step = 1;
  for (size_t i = order.size(); i-- > 0;) {
    auto dim = static_cast<size_t>(order[i]);
    check(dim < sizes.size() && !is_seen[dim], "an order names every dimension once:", order[i]);
    is_seen[dim] = true;
    strides[dim] = step;
    step = step * at_least_one(sizes[dim]);
  }
  return strides;
}

Sizes strides_for(MemoryFormat format, std::span<const Expr> sizes) {
  switch (format) {
    case MemoryFormat::contiguous:
      return contiguous_strides(sizes);
    case MemoryFormat::channels_last:
      require(sizes.size() == 4, "channels_last needs rank 4:", sizes.size());
      break;
    case MemoryFormat::channels_last_3d:
      require(sizes.size() == 5, "channels_last_3d needs rank 5:", sizes.size());
      break;
    case MemoryFormat::preserve:
      fail(ErrorCode::invalid_argument,
           "preserve_format must be resolved before strides are asked");
  }
  // A size of 0 counts as 0 here: these strides are plain products in PyTorch.
  Sizes strides(sizes.size());
  Expr step = 1;
  for (int64_t dim : channels_last_order(sizes.size())) {
    auto d = static_cast<size_t>(dim);
    strides[d] = step;
    step = step * sizes[d];
  }
  return strides;
}

TensorType contiguous_type(DType dtype, Sizes sizes, Device device) {
  Sizes strides = contiguous_strides(sizes);
  return {dtype, device, std::move(sizes), std::move(strides), 0};
}

bool is_contiguous(const TensorType& type, MemoryFormat format) {
  switch (format) {
    case MemoryFormat::contiguous: {
      if (is_known_empty(type.sizes)) return true;
      std::vector<int64_t> order(type.rank());
      for (size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<int64_t>(type.rank() - 1 - i);
      return is_dense_in(type, order);
    }
    case MemoryFormat::channels_last:
      return type.rank() == 4 && is_dense_in(type, kChannelsLast);
    case MemoryFormat::channels_last_3d:
      return type.rank() == 5 && is_dense_in(type, kChannelsLast3d);
    case MemoryFormat::preserve:
      break;
  }
  fail(ErrorCode::invalid_argument, "preserve_format is not a layout a tensor can have");
}

bool is_non_overlapping_and_dense(const TensorType& type) {
  if (is_known_empty(type.sizes)) return true;
  std::vector<size_t> open;
  for (size_t i = 0; i < type.rank(); ++i) {
    if (!known_equal(type.sizes[i], 1)) open.push_back(i);
  }
  // Removes dimensions from the innermost outwards: each must step over all earlier ones.
  Expr expected = 1;
  while (!open.empty()) {
    auto next = std::find_if(open.begin(), open.end(),
                             [&](size_t d) { return known_equal(type.strides[d], expected); });
    if (next == open.end()) return false;
    expected = expected * type.sizes[*next];
    open.erase(next);
  }
  return true;
}

MemoryFormat suggest_memory_format(const TensorType& type) {
  if (!has_channels_last_strides(type)) return MemoryFormat::contiguous;
  return type.rank() == 4 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
}

std::string to_string(const TensorType& type) {
  auto append_list = [](std::string& text, const Sizes& list) {
    for (size_t i = 0; i < list.size(); ++i) {
      if (i > 0) text += ", ";
      text += to_string(list[i]);
    }
  };
  std::string text(name(type.dtype));
  text += '[';
  append_list(text, type.sizes);
  text += ']';
  if (type.strides != contiguous_strides(type.sizes)) {
    text += '{';
    append_list(text, type.strides);
    text += '}';
  }
  if (!type.offset.is(0)) text += "+" + to_string(type.offset);
  if (type.device != Device{}) text += "@" + to_string(type.device);
  return text;
}

std::ostream& operator<<(std::ostream& out, const TensorType& type) {
  return out << to_string(type);
}

}  // namespace litz
