// Training in halves: parameters stay in f32, the model computes in bf16 or f16.
//
//   litz::LossScaler scaler;  // For f16; bf16 needs none.
//   auto step = litz::compile([&](litz::Tensor x, litz::Tensor y) {
//     auto [loss, gradients] = litz::value_and_grad([&](const Model& m) {
//       const Model half = litz::cast_floating(m, litz::DType::float16);
//       return scaler.scale(cross_entropy(half(x), y));
//     })(model);
//     return scaler.update(optimizer, model, gradients) / loss;
//   });

#pragma once

#include <vector>

#include "litz/optim.h"

namespace litz {
inline namespace v1 {

/// The tree with its floating tensors converted. Gradients of the result flow to the given tensors, in
/// their dtypes.
template <typename Tree>
Tree cast_floating(const Tree& tree, DType dtype) {
  std::vector<Tensor> tensors = tensors_of(tree);
  for (Tensor& tensor : tensors) {
    if (detail::is_floating(tensor.dtype())) tensor = to(tensor, dtype);
  }
  Tree result = tree;
  detail::replace_tensors(result, tensors);
  return result;
}

struct LossScalerOptions {
  double scale = 65536;
  double growth = 2;
  double backoff = 0.5;
  int64_t growth_interval = 2000;  ///< Updates without an overflow until the scale grows.
};

/// Keeps gradients of f16 from vanishing: the loss is multiplied by a number before it is differentiated,
/// gradients are divided by it, and updates whose gradients are not finite are left out and make the
/// number smaller. The rules of torch.amp.GradScaler.
/// Micikevicius et al., "Mixed Precision Training", 2018, section 3.2.
class LossScaler {
 public:
  explicit LossScaler(LossScalerOptions options = {})
      : options_(options),
        scale_(full({}, options.scale, DType::float32)),
        good_updates_(zeros({}, DType::int64)) {}

  Tensor scale(const Tensor& loss) const { return loss * scale_; }

  /// Divides the gradients of a scaled loss in place. Returns whether all are finite, as one bool.
  template <typename Tree>
  Tensor unscale(const Tree& gradients) const {
    const std::vector<Tensor> all = tensors_of(gradients);
    const std::vector<size_t> firsts = detail::first_equals(all);
    const Tensor inverse = reciprocal(scale_);
    std::vector<Tensor> finite;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!detail::is_floating(all[i].dtype()) || firsts[i] != i) continue;
      mul_(all[i], inverse);
      finite.push_back(litz::all(isfinite(all[i])));
    }
    return finite.empty() ? full({}, true, DType::bool_) : litz::all(stack(finite));
  }

  /// Updates a model by gradients of the scaled loss, unless some are not finite, and then the scale.
  /// Changes the gradients. Returns whether it updated the model, as one bool.
  template <typename Optimizer, typename Model>
  Tensor update(Optimizer& optimizer, const Model& model, const Model& gradients) {
    const Tensor is_good = unscale(gradients);
    update_if(is_good, optimizer, model, gradients);
    return is_good;
  }

  /// The same in two steps, for what happens to the gradients between them, such as clipping.
  template <typename Optimizer, typename Model>
  void update_if(const Tensor& is_good, Optimizer& optimizer, const Model& model,
                 const Model& gradients) {
    std::vector<Tensor> changed = tensors_of(model);
    for (const Tensor& tensor : optimizer.tensors()) changed.push_back(tensor);
    std::vector<Tensor> before;
    for (const Tensor& tensor : changed) before.push_back(clone(tensor));
    optimizer.update(model, gradients);
    for (size_t i = 0; i < changed.size(); ++i) {
      copy_(changed[i], where(is_good, changed[i], before[i]));
    }
    const Tensor good_updates = where(is_good, good_updates_ + 1, zeros_like(good_updates_));
    const Tensor grows = good_updates == options_.growth_interval;
    const Tensor good_scale = where(grows, scale_ * options_.growth, scale_);
    copy_(scale_, where(is_good, good_scale, scale_ * options_.backoff));
    copy_(good_updates_, where(grows, zeros_like(good_updates), good_updates));
  }

  /// The number that losses are multiplied by: f32, without dimensions.
  const Tensor& factor() const { return scale_; }

 private:
  LossScalerOptions options_;
  Tensor scale_;
  Tensor good_updates_;  ///< Since the scale changed: i64, without dimensions.
};

}  // namespace v1
}  // namespace litz
