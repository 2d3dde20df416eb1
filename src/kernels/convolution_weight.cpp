#include "kernels/convolution_weight.h"

#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace litz::kernels {
namespace {

/// Weights of a transposed convolution are [groups * inputs, outputs, window...].
Tensor weights_by_output(const Tensor& weight, int64_t groups) {
  const std::vector<int64_t>& sizes = weight.sizes();
  const std::vector<int64_t>& strides = weight.strides();
  const int64_t inputs = sizes[0] / groups;
  std::vector<int64_t> split_sizes{groups, sizes[1], inputs};
  std::vector<int64_t> split_strides{inputs * strides[0], strides[1], strides[0]};
  split_sizes.insert(split_sizes.end(), sizes.begin() + 2, sizes.end());
  split_strides.insert(split_strides.end(), strides.begin() + 2, strides.end());
  const Tensor dense =
      weight.view(std::move(split_sizes), std::move(split_strides), weight.offset()).contiguous();
  std::vector<int64_t> merged{groups * sizes[1], inputs};
  merged.insert(merged.end(), sizes.begin() + 2, sizes.end());
  const std::vector<int64_t> row_major = contiguous_strides(merged);
  return dense.view(std::move(merged), row_major, dense.offset());
}

Tensor made_row_major(const Tensor& weight, int64_t groups, bool transposed) {
  return transposed ? weights_by_output(weight, groups) : weight.contiguous();
}

/// Everything that decides the converted form of a constant weight; nullopt if it needs more bits.
std::optional<LibraryContext::PackedKey> weight_key(const Tensor& weight, int64_t groups,
                                                    bool transposed) {
  constexpr int kBits = 20;
  const auto joined = [&](std::span<const int64_t> values) -> std::optional<int64_t> {
    int64_t bits = 0;
    for (const int64_t value : values) {
      if (value < 0 || value >> kBits != 0) return std::nullopt;
      bits = bits << kBits | value;
    }
    return bits;
  };
  const auto sizes = joined(std::span(weight.sizes()).subspan(2));
  const auto strides = joined(std::span(weight.strides()).subspan(2));
  const std::array<int64_t, 2> channels{weight.sizes()[0], weight.sizes()[1]};
  const auto outer = joined(channels);
  const std::array<int64_t, 3> how{groups, transposed ? 1 : 0,
                                   static_cast<int64_t>(weight.dtype())};
  const auto rest = joined(how);
  if (!sizes || !strides || !outer || !rest) return std::nullopt;
  constexpr int64_t kIsWeight = -1;  // In the place of a product's accumulator.
  return LibraryContext::PackedKey{reinterpret_cast<int64_t>(weight.data()),
                                   *outer,
                                   *sizes,
                                   weight.strides()[0],
                                   weight.strides()[1],
                                   *strides,
                                   *rest,
                                   0,
                                   kIsWeight};
}

}  // namespace

LaidOutWeight row_major_weight(const Tensor& weight, int64_t groups, bool transposed,
                               LibraryContext* keeper) {
  std::optional<LibraryContext::PackedKey> key;
  if (keeper != nullptr) key = weight_key(weight, groups, transposed);
  if (!key) return {made_row_major(weight, groups, transposed), false};
  std::vector<int64_t> sizes = weight.sizes();
  if (transposed) {
    sizes[0] = groups * weight.sizes()[1];
    sizes[1] = weight.sizes()[0] / groups;
  }
  const auto bytes = static_cast<size_t>(weight.numel()) * item_size(weight.dtype());
  const std::byte* const kept = keeper->packed(*key, bytes, [&](std::byte* to) {
    const Tensor made = made_row_major(weight, groups, transposed);
    if (bytes > 0) std::memcpy(to, made.data(), bytes);
  });
  std::vector<int64_t> strides = contiguous_strides(sizes);
  return {Tensor(weight.dtype(), std::move(sizes), std::move(strides), 0,
                 Storage::borrow({kept, bytes}, nullptr)),
          true};
}

}  // namespace litz::kernels
