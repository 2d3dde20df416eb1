// Optimizers for models that are trees of tensors (litz/tree.h).
//
//   litz::AdamW optimizer(model, {.lr = 1e-3});
//   optimizer.update(model, gradients);  // In place; eager, or inside of a compiled function.
//
// Updates are PyTorch's, in its order of operations. Tensors that are not floating stay as they are. The
// learning rate is a tensor, so a schedule changes it without compiling again.

#pragma once

#include <cstddef>
#include <vector>

#include "litz/index.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {
namespace detail {

inline bool is_floating(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16 || dtype == DType::float32 ||
         dtype == DType::float64;
}

/// The learning rate and the moments of an optimizer, one of each per floating tensor of the model.
class LITZ_API OptimizerState {
 public:
  OptimizerState(const std::vector<Tensor>& parameters, size_t moments, double lr)
      : lr_(full({}, lr, DType::float64)), step_(zeros({}, DType::float64)) {
    if (!parameters.empty()) {  // A call would have to bring them to the host otherwise.
      lr_ = lr_.to(parameters[0].device());
      step_ = step_.to(parameters[0].device());
    }
    for (const Tensor& parameter : updated_among(parameters)) {
      for (size_t i = 0; i < moments; ++i) moments_.push_back(zeros_like(parameter));
    }
  }

  /// The learning rate of updates from now on.
  void set_lr(double lr) { copy_(lr_, Tensor::from<double>({}, std::vector<double>{lr})); }

  double lr() const { return lr_.item<double>(); }

  /// The tensors to keep in a checkpoint: learning rate, number of updates, moments.
  std::vector<Tensor> tensors() const {
    std::vector<Tensor> all{lr_, step_};
    all.insert(all.end(), moments_.begin(), moments_.end());
    return all;
  }

 protected:
  /// Calls `update(parameter, gradient, moments)` for each floating tensor.
  template <typename Update>
  void each(const std::vector<Tensor>& parameters, const std::vector<Tensor>& gradients,
            size_t moments, Update update) {
    const std::vector<size_t> firsts = first_equals(parameters);
    if (parameters.size() != gradients.size() ||
        updated_among(parameters).size() * moments != moments_.size()) {
      throw Error(
          ErrorKind::invalid_argument,
          "an optimizer updates the model that it was made for, with a gradient for each of "
          "its tensors");
    }
    const Tensor* next = moments_.data();
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (!is_floating(parameters[i].dtype()) || firsts[i] != i) continue;
      if (gradients[i].sizes() != parameters[i].sizes()) {
        throw Error(ErrorKind::invalid_argument, "a gradient must have the sizes of its parameter");
      }
      update(parameters[i], gradients[i], next);
      next += moments;
    }
  }

  Tensor lr_;    ///< f64, without dimensions.
  Tensor step_;  ///< The number of updates, likewise.
  std::vector<Tensor> moments_;

 private:
  /// The floating parameters, each once: a weight that the model has twice is updated once.
  static std::vector<Tensor> updated_among(const std::vector<Tensor>& parameters) {
    const std::vector<size_t> firsts = first_equals(parameters);
    std::vector<Tensor> updated;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (is_floating(parameters[i].dtype()) && firsts[i] == i) updated.push_back(parameters[i]);
    }
    return updated;
  }
};

}  // namespace detail

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  double weight_decay = 0;
  bool nesterov = false;
};

/// Stochastic gradient descent, torch.optim.SGD without dampening.
class SGD : public detail::OptimizerState {
 public:
  template <typename Model>
  explicit SGD(const Model& model, SgdOptions options = {})
      : OptimizerState(tensors_of(model), options.momentum == 0 ? 0 : 1, options.lr),
        options_(options) {}

  template <typename Model>
  void update(const Model& model, const Model& gradients) {
    add_(step_, 1);
    each(tensors_of(model), tensors_of(gradients), options_.momentum == 0 ? 0 : 1,
         [&](const Tensor& parameter, const Tensor& gradient, const Tensor* velocity) {
           Tensor step = gradient;
           if (options_.weight_decay != 0) step = add(step, parameter, options_.weight_decay);
           if (options_.momentum != 0) {
             // The first step is the gradient itself, as the velocity is 0 before it.
             add_(mul_(*velocity, options_.momentum), step);
             step = options_.nesterov ? add(step, *velocity, options_.momentum) : *velocity;
           }
           sub_(parameter, step * lr_);
         });
  }

 private:
  SgdOptions options_;
};

struct AdamWOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 1e-2;
};

/// Adam with decoupled weight decay, torch.optim.AdamW.
/// Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019.
class AdamW : public detail::OptimizerState {
 public:
  template <typename Model>
  explicit AdamW(const Model& model, AdamWOptions options = {})
      : OptimizerState(tensors_of(model), 2, options.lr), options_(options) {}

  template <typename Model>
  void update(const Model& model, const Model& gradients) {
    add_(step_, 1);
    const Tensor step_size = lr_ / (1 - pow(options_.beta1, step_));
    const Tensor correction = sqrt(1 - pow(options_.beta2, step_));
    each(tensors_of(model), tensors_of(gradients), 2,
         [&](const Tensor& parameter, const Tensor& gradient, const Tensor* moments) {
           mul_(parameter, 1 - lr_ * options_.weight_decay);
           lerp_(moments[0], gradient, 1 - options_.beta1);
           addcmul_(mul_(moments[1], options_.beta2), gradient, gradient, 1 - options_.beta2);
           const Tensor scale = sqrt(moments[1]) / correction + options_.eps;
           sub_(parameter, moments[0] * step_size / scale);
         });
  }

 private:
  AdamWOptions options_;
};

struct LionOptions {
  double lr = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;
};

/// Lion: the sign of an interpolated momentum.
/// Chen et al., "Symbolic Discovery of Optimization Algorithms", 2023.
class Lion : public detail::OptimizerState {
 public:
  template <typename Model>
  explicit Lion(const Model& model, LionOptions options = {})
      : OptimizerState(tensors_of(model), 1, options.lr), options_(options) {}

  template <typename Model>
  void update(const Model& model, const Model& gradients) {
    add_(step_, 1);
    each(tensors_of(model), tensors_of(gradients), 1,
         [&](const Tensor& parameter, const Tensor& gradient, const Tensor* momentum) {
           mul_(parameter, 1 - lr_ * options_.weight_decay);
           sub_(parameter, sign(lerp(*momentum, gradient, 1 - options_.beta1)) * lr_);
           lerp_(*momentum, gradient, 1 - options_.beta2);
         });
  }

 private:
  LionOptions options_;
};

/// Scales gradients in place so that their norm together is at most `most`; returns their norm before.
/// Like torch.nn.utils.clip_grad_norm_ with norm 2.
template <typename Tree>
Tensor clip_grad_norm(const Tree& gradients, double most) {
  const std::vector<Tensor> all = tensors_of(gradients);
  const std::vector<size_t> firsts = detail::first_equals(all);
  std::vector<Tensor> clipped;  // A gradient of a tensor that the model has twice counts once.
  std::vector<Tensor> norms;
  for (size_t i = 0; i < all.size(); ++i) {
    if (!detail::is_floating(all[i].dtype()) || firsts[i] != i) continue;
    clipped.push_back(all[i]);
    norms.push_back(linalg_vector_norm(all[i]));
  }
  const Tensor norm = linalg_vector_norm(stack(norms));
  const Tensor factor = clamp_max(most / (norm + 1e-6), 1.0);
  for (const Tensor& gradient : clipped) mul_(gradient, factor);
  return norm;
}

}  // namespace v1
}  // namespace litz
