// The layers that a transformer and a residual network are made of, as plain structs of tensors, and how
// their weights begin.
//
//   struct Block { litz::LayerNorm norm; litz::Linear up, down;
//     litz::Tensor operator()(const litz::Tensor& x) const { return x + down(gelu(up(norm(x)))); } };
//
// Weights begin as in PyTorch, with numbers of litz::manual_seed.

#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "litz/index.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {

/// The tree with its tensors on a device (Tensor::to). Tensors that are the same stay one.
template <typename Model>
Model to_device(Model model, const std::string& device) {
  std::vector<Tensor> tensors = tensors_of(model);
  const std::vector<size_t> firsts = detail::first_equals(tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    tensors[i] = firsts[i] < i ? tensors[firsts[i]] : tensors[i].to(device);
  }
  detail::replace_tensors(model, std::span<const Tensor>(tensors));
  return model;
}

/// Numbers that are equally likely in [-bound, bound).
inline Tensor uniform(const IntList& sizes, double bound) {
  return rand(sizes) * (2 * bound) - bound;
}

/// Numbers with mean 0 and this standard deviation.
inline Tensor normal(const IntList& sizes, double deviation) { return randn(sizes) * deviation; }

/// The mean negative log-likelihood of classes (i64, [N]) under scores ([N, C]).
inline Tensor cross_entropy(const Tensor& scores, const Tensor& classes) {
  return cross_entropy_loss(scores, classes);
}

/// x W^T + b.
struct Linear {
  Tensor weight;  ///< [out, in]
  std::optional<Tensor> bias;

  static Linear make(int64_t in, int64_t out, bool with_bias = true) {
    const double bound = 1 / std::sqrt(static_cast<double>(in));
    Linear layer{uniform({out, in}, bound), std::nullopt};
    if (with_bias) layer.bias = uniform({out}, bound);
    return layer;
  }

  Tensor operator()(const Tensor& x) const { return linear(x, weight, bias); }
};

/// Rows of a table.
struct Embedding {
  Tensor weight;  ///< [count, width]

  static Embedding make(int64_t count, int64_t width, double deviation = 1) {
    return {normal({count, width}, deviation)};
  }

  Tensor operator()(const Tensor& places) const { return embedding(weight, places); }
};

/// Rows with mean 0 and variance 1, scaled and shifted.
struct LayerNorm {
  Tensor weight;
  Tensor bias;

  static LayerNorm make(int64_t width) { return {ones({width}), zeros({width})}; }

  Tensor operator()(const Tensor& x) const {
    return layer_norm(x, {weight.sizes()[0]}, weight, bias);
  }
};

/// Two-dimensional convolution of [N, C, H, W].
struct Conv2d {
  Tensor weight;  ///< [out, in / groups, height, width]
  std::optional<Tensor> bias;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t groups = 1;

  static Conv2d make(int64_t in, int64_t out, int64_t window, int64_t stride = 1,
                     int64_t padding = 0, bool with_bias = true, int64_t groups = 1) {
    const auto reach = static_cast<double>(in / groups * window * window);
    const double bound = 1 / std::sqrt(reach);
    Conv2d layer{uniform({out, in / groups, window, window}, bound), std::nullopt, stride, padding,
                 groups};
    if (with_bias) layer.bias = uniform({out}, bound);
    return layer;
  }

  Tensor operator()(const Tensor& x) const {
    return conv2d(x, weight, bias, IntList{stride, stride}, IntList{padding, padding},
                  IntList{1, 1}, groups);
  }
};

/// Batch normalisation of [N, C, H, W]. Training updates the running statistics in place.
struct BatchNorm2d {
  Tensor weight;
  Tensor bias;
  Tensor mean;      ///< Running: not a part of the tree, so neither differentiated nor optimized.
  Tensor variance;  ///< Likewise.

  template <typename Visit>
  void each_member(Visit&& visit) {
    visit(weight);
    visit(bias);
  }

  template <typename Visit>
  void each_member(Visit&& visit) const {
    visit(weight);
    visit(bias);
  }

  /// As PyTorch calls them in checkpoints (litz/state.h).
  static void each_named(auto& self, auto&& visit) {
    visit("weight", self.weight);
    visit("bias", self.bias);
    visit("running_mean", self.mean);
    visit("running_var", self.variance);
  }

  static BatchNorm2d make(int64_t channels) {
    return {ones({channels}), zeros({channels}), zeros({channels}), ones({channels})};
  }

  Tensor operator()(const Tensor& x, bool is_training) const {
    return batch_norm(x, weight, bias, mean, variance, is_training, 0.1, 1e-5, false);
  }
};

/// Self-attention with several heads of [N, T, width].
struct Attention {
  Linear input;   ///< To queries, keys and values: [3 width, width].
  Linear output;  ///< [width, width]
  int64_t heads = 1;

  /// Those of torch.nn.MultiheadAttention.
  static void each_named(auto& self, auto&& visit) {
    visit("in_proj_weight", self.input.weight);
    visit("in_proj_bias", self.input.bias);
    visit("out_proj", self.output);
  }

  static Attention make(int64_t width, int64_t heads) {
    return {Linear::make(width, 3 * width), Linear::make(width, width), heads};
  }

  Tensor operator()(const Tensor& x, bool is_causal = true) const {
    const Size batch = x.size(0);
    const Size length = x.size(1);
    const Size width = x.size(2);
    std::vector<Tensor> parts = chunk(input(x), 3, -1);
    for (Tensor& part : parts) {
      part = transpose(reshape(part, {batch, length, heads, width / heads}), 1, 2);
    }
    const Tensor mixed =
        scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, is_causal);
    return output(reshape(transpose(mixed, 1, 2), {batch, length, width}));
  }
};

}  // namespace v1
}  // namespace litz
