// Gradients of copies and casts, and operators whose results do not depend on what they read: fills,
// random numbers, detached values.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

void identity(GradientCall& call) { call.give("self", call.grad()); }

void cast(GradientCall& call) { call.give("a", call.grad()); }

void copy(GradientCall& call) {
  if (call.wants("self")) call.give("self", zeros_like(call["self"]));
  call.give("src", call.grad());
}

void fill(GradientCall& call) {
  if (call.wants("self")) call.give("self", zeros_like(call["self"]));
  if (call.wants("value")) call.give("value", sum(call.grad()));
}

// The derivative by parameters of a distribution counts as zero: the draw is not differentiated.
void drawn(GradientCall& call) { zero_gradient(call); }

constexpr std::array kGradients{
    Gradient{"aten._cast_Float aten._to_copy aten.alias aten.alias_copy aten.clone aten.lift "
             "aten.lift_fresh aten.lift_fresh_copy litz.restride",
             identity},
    Gradient{"aten.copy", copy},
    Gradient{"aten.fill.Scalar aten.fill.Tensor aten.zero", fill},
    Gradient{"prims.convert_element_type prims.copy_strided", cast},
    Gradient{"aten.bernoulli aten.bernoulli.Tensor aten.bernoulli.p "
             "aten.cauchy aten.exponential aten.geometric aten.log_normal aten.normal "
             "aten.normal_functional aten.normal.Tensor_Tensor aten.normal.Tensor_float "
             "aten.normal.float_Tensor "
             "aten.poisson aten.random aten.random.from aten.random.to aten.uniform",
             drawn},
    constant("aten.detach aten.detach_ aten.detach_copy aten.empty_like aten.full_like "
             "aten.new_empty aten.new_empty_strided aten.new_full aten.new_ones aten.new_zeros "
             "aten.ones_like aten.zeros_like aten.rand_like aten.rand_like.generator "
             "aten.randn_like aten.randn_like.generator"),
    constant("aten.bincount aten.histc"),
    undefined("aten.linspace.Scalar_Tensor aten.linspace.Tensor_Scalar "
              "aten.linspace.Tensor_Tensor aten.logspace.Scalar_Tensor "
              "aten.logspace.Tensor_Scalar aten.logspace.Tensor_Tensor",
              "PyTorch defines none"),
    undefined("aten.randint_like aten.randint_like.generator aten.randint_like.low_dtype "
              "aten.randint_like.low_generator_dtype",
              "PyTorch defines none"),
    undefined("aten._unique2 aten.unique_consecutive aten.unique_dim", "PyTorch defines none"),
};

}  // namespace

std::span<const Gradient> copy_gradients() { return kGradients; }

}  // namespace litz::ops
