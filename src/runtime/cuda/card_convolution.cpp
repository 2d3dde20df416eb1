#include "runtime/cuda/card_convolution.h"

#include <algorithm>

namespace litz::runtime::cuda {
namespace {

/// Batch, channels and at least two spatial dimensions.
struct Image {
  std::vector<int64_t> sizes;
  std::vector<int64_t> strides;
};

void insert_dim(Image& image, size_t at) {
  image.sizes.insert(image.sizes.begin() + static_cast<ptrdiff_t>(at), 1);
  const int64_t stride =
      at < image.strides.size() ? image.strides[at] * image.sizes[at + 1] : int64_t{1};
  image.strides.insert(image.strides.begin() + static_cast<ptrdiff_t>(at), stride);
}

Image image_of(const Tensor& tensor, size_t spatial) {
  Image image{tensor.sizes(), tensor.strides()};
  if (tensor.rank() == spatial + 1) insert_dim(image, 0);
  if (spatial == 1) insert_dim(image, 2);
  return image;
}

bool has_own_elements(const Image& image) {
  for (size_t d = 0; d < image.sizes.size(); ++d) {
    if (image.sizes[d] == 0 || (image.sizes[d] > 1 && image.strides[d] <= 0)) return false;
  }
  return true;
}

/// One value for all dimensions, or one per dimension; a dimension that was inserted has `usual`.
std::vector<int64_t> by_dim(const kernels::LibraryCall& call, size_t argument, size_t spatial,
                            int64_t usual) {
  const std::span<const int64_t> given = call.integers(argument);
  std::vector<int64_t> values;
  if (spatial == 1) values.push_back(usual);
  for (size_t i = 0; i < spatial; ++i) values.push_back(given.size() == 1 ? given[0] : given[i]);
  return values;
}

/// The strides of a dense image or weight [n, channels, height, width] whose channels are side by
/// side.
std::vector<int64_t> channels_last(const std::vector<int64_t>& sizes) {
  return {sizes[1] * sizes[2] * sizes[3], 1, sizes[1] * sizes[3], sizes[1]};
}

bool is_channels_last(const Image& image) {
  if (image.sizes.size() != 4) return false;
  const std::vector<int64_t> wanted = channels_last(image.sizes);
  for (size_t d = 0; d < 4; ++d) {
    if (image.sizes[d] > 1 && image.strides[d] != wanted[d]) return false;
  }
  return true;
}

}  // namespace

std::optional<DnnConvolution> card_convolution(const kernels::LibraryCall& call) {
  const Tensor& input = call.tensor(0);
  const Tensor& weight = call.tensor(1);
  const Tensor& bias = call.optional_tensor(2);
  const Tensor& result = call.results[0];
  const size_t spatial = weight.rank() - 2;
  if (weight.rank() < 3 || spatial > 3) return std::nullopt;
  DnnConvolution made;
  made.dtype = input.dtype();
  const bool is_known = made.dtype == DType::f16 || made.dtype == DType::bf16 ||
                        made.dtype == DType::f32 || made.dtype == DType::f64;
  if (!is_known || weight.dtype() != made.dtype || result.dtype() != made.dtype) {
    return std::nullopt;
  }
  Image from = image_of(input, spatial);
  Image to = image_of(result, spatial);
  Image weights = image_of(weight, spatial);
  const bool may_be_last = is_channels_last(weights);
  if (may_be_last && is_channels_last(from) && is_channels_last(to)) {
    // Strides of dimensions of one element tell the library the order, too.
    from.strides = channels_last(from.sizes);
    to.strides = channels_last(to.sizes);
    weights.strides = channels_last(weights.sizes);
  } else if (!weight.is_contiguous()) {
    if (!may_be_last) return std::nullopt;
    weights.strides = channels_last(weights.sizes);
  }
  if (!has_own_elements(from) || !has_own_elements(to) || weight.numel() == 0) return std::nullopt;
  made.input_sizes = from.sizes;
  made.input_strides = from.strides;
  made.result_sizes = to.sizes;
  made.result_strides = to.strides;
  made.weight_sizes = weights.sizes;
  made.weight_strides = weights.strides;
  made.stride = by_dim(call, 3, spatial, 1);
  made.padding = by_dim(call, 4, spatial, 0);
  made.dilation = by_dim(call, 5, spatial, 1);
  made.is_transposed = call.flag(6);
  const auto is_positive = [](int64_t value) { return value > 0; };
  if (!std::ranges::all_of(made.stride, is_positive) ||
      !std::ranges::all_of(made.dilation, is_positive) ||
      std::ranges::any_of(made.padding, [](int64_t value) { return value < 0; })) {
    return std::nullopt;
  }
  if (bias.defined()) {
    if (bias.dtype() != made.dtype || bias.rank() != 1 || bias.strides()[0] != 1) {
      return std::nullopt;
    }
    made.has_bias = true;
  }
  for (const Tensor* operand : {&input, &weight, &bias, &result}) {
    if (!operand->defined()) continue;
    const auto address = reinterpret_cast<uintptr_t>(operand->data());
    made.alignment = std::min<int64_t>(made.alignment, static_cast<int64_t>(address & -address));
  }
  return made;
}

}  // namespace litz::runtime::cuda
