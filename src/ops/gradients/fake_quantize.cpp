// Gradients of fake quantization: rounding counts as the identity, and what is clamped gets 0.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

void by_mask(GradientCall& call) {
  call.give("self", call.grad() * call.result(1));
  for (const std::string_view name : {"scale", "zero_point"}) {
    if (call.op().schema.find(name) >= 0) call.give_nothing(name);
  }
}

// Operators that keep no mask compute it again.
void per_tensor(GradientCall& call) {
  const Term mask = aten_all("fake_quantize_per_tensor_affine_cachemask",
                             {call.arguments().begin(), call.arguments().end()})[1];
  call.give("self", call.grad() * mask);
}

void per_tensor_by_tensors(GradientCall& call) {
  const ir::Argument enabled = call.create("ones", {Sizes{1}, ir::Attribute(DType::i64)});
  const Term mask = aten_all("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
                             {call["self"], call["scale"], call["zero_point"], enabled,
                              call.pass("quant_min"), call.pass("quant_max")})[1];
  call.give("self", call.grad() * mask);
  call.give_nothing("scale");
}

void per_channel(GradientCall& call) {
  const Term mask = aten_all("fake_quantize_per_channel_affine_cachemask",
                             {call.arguments().begin(), call.arguments().end()})[1];
  call.give("self", call.grad() * mask);
  call.give_nothing("scale");
  call.give_nothing("zero_point");
}

void learnable(GradientCall& call) {
  const std::string name(call.op().name().substr(5));
  const std::vector<Term> parts = call.backward_all(name + "_backward");
  call.give("self", parts[0]);
  call.give("scale", parts[1]);
  call.give("zero_point", parts[2]);
}

void mask_backward(GradientCall& call) { call.give("grad", call.grad() * call["mask"]); }

constexpr std::array kGradients{
    Gradient{"aten._fake_quantize_learnable_per_channel_affine "
             "aten._fake_quantize_learnable_per_tensor_affine",
             learnable},
    Gradient{"aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams "
             "aten.fake_quantize_per_channel_affine_cachemask "
             "aten.fake_quantize_per_tensor_affine_cachemask",
             by_mask},
    Gradient{"aten.fake_quantize_per_channel_affine", per_channel},
    Gradient{"aten.fake_quantize_per_channel_affine_cachemask_backward "
             "aten.fake_quantize_per_tensor_affine_cachemask_backward",
             mask_backward},
    Gradient{"aten.fake_quantize_per_tensor_affine", per_tensor},
    Gradient{"aten.fake_quantize_per_tensor_affine.tensor_qparams", per_tensor_by_tensors},
};

}  // namespace

std::span<const Gradient> fake_quantize_gradients() { return kGradients; }

}  // namespace litz::ops
