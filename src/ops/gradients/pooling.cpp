// Gradients of pooling, convolution, resampling and other windows over images.

#include <array>

#include "ops/gradients/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

// Backward operators whose other arguments are those of the call.
void avg_pool2d(GradientCall& call) { call.give("self", call.backward("avg_pool2d_backward")); }

void avg_pool3d(GradientCall& call) { call.give("self", call.backward("avg_pool3d_backward")); }

void adaptive_avg_pool2d(GradientCall& call) {
  call.give("self", call.backward("_adaptive_avg_pool2d_backward"));
}

void adaptive_avg_pool3d(GradientCall& call) {
  call.give("self", call.backward("_adaptive_avg_pool3d_backward"));
}

void by_indices(GradientCall& call, std::string_view backward) {
  call.give("self", call.backward(backward, {{"indices", call.result(1)}}));
}

void adaptive_max_pool2d(GradientCall& call) { by_indices(call, "adaptive_max_pool2d_backward"); }

void adaptive_max_pool3d(GradientCall& call) { by_indices(call, "adaptive_max_pool3d_backward"); }

void fractional_max_pool2d(GradientCall& call) {
  by_indices(call, "fractional_max_pool2d_backward");
}

void fractional_max_pool3d(GradientCall& call) {
  by_indices(call, "fractional_max_pool3d_backward");
}

void max_pool2d_with_indices(GradientCall& call) {
  by_indices(call, "max_pool2d_with_indices_backward");
}

void max_pool3d_with_indices(GradientCall& call) {
  by_indices(call, "max_pool3d_with_indices_backward");
}

Term indices_of(const GradientCall& call, std::string_view with_indices) {
  return aten_all(with_indices, {call.arguments().begin(), call.arguments().end()})[1];
}

void max_pool2d(GradientCall& call) {
  const Term indices = indices_of(call, "max_pool2d_with_indices");
  call.give("self", call.backward("max_pool2d_with_indices_backward", {{"indices", indices}}));
}

void max_pool3d(GradientCall& call) {
  const Term indices = indices_of(call, "max_pool3d_with_indices");
  call.give("self", call.backward("max_pool3d_with_indices_backward", {{"indices", indices}}));
}

// A row is an image of one row.
void max_pool1d_by(GradientCall& call, const Term& indices) {
  const auto pair = [&](std::string_view name, int64_t first) {
    const Sizes given = call.sizes(name);
    return Argument(given.empty() ? Sizes{} : Sizes{first, given[0]});
  };
  const Sizes stride = call.sizes("stride");
  const Term row =
      aten("max_pool2d_with_indices_backward",
           {unsqueeze(call.grad(), -2), unsqueeze(call["self"], -2), pair("kernel_size", 1),
            stride.empty() ? pair("kernel_size", 1) : pair("stride", 1), pair("padding", 0),
            pair("dilation", 1), call.pass("ceil_mode"), unsqueeze(indices, -2)});
  call.give("self", squeeze(row, -2));
}

void max_pool1d_with_indices(GradientCall& call) { max_pool1d_by(call, call.result(1)); }

void max_pool1d(GradientCall& call) {
  max_pool1d_by(call, indices_of(call, "max_pool1d_with_indices"));
}

// The elements of an image that indices of its flat form name.
Term gathered(const Term& image, const Term& indices, size_t dims) {
  const auto flat = [&](const Term& x) {
    Sizes sizes(x.sizes().begin(), x.sizes().end() - static_cast<ptrdiff_t>(dims));
    sizes.push_back(
        product(Sizes(x.sizes().end() - static_cast<ptrdiff_t>(dims), x.sizes().end())));
    return reshape(x, sizes);
  };
  return reshape(aten("gather", {flat(image), -1, flat(indices)}), indices.sizes());
}

void max_unpool2d(GradientCall& call) {
  call.give("self", gathered(call.grad(), call["indices"], 2));
}

void max_unpool3d(GradientCall& call) {
  call.give("self", gathered(call.grad(), call["indices"], 3));
}

// --- Backward operators are linear in grad_output.

void give_linear(GradientCall& call, const Term& gradient) {
  call.give("grad_output", gradient);
  if (call.wants("self")) call.give("self", zeros_like(call["self"]));
}

void max_pool2d_backward(GradientCall& call) {
  give_linear(call, gathered(call.grad(), call["indices"], 2));
}

void max_pool3d_backward(GradientCall& call) {
  give_linear(call, gathered(call.grad(), call["indices"], 3));
}

void avg_pool2d_backward(GradientCall& call) { give_linear(call, call.backward("avg_pool2d")); }

void avg_pool3d_backward(GradientCall& call) { give_linear(call, call.backward("avg_pool3d")); }

void adaptive_avg_pool_backward(GradientCall& call) {
  const bool is_volume = call.op().name() == "aten._adaptive_avg_pool3d_backward";
  const Sizes& sizes = call["grad_output"].sizes();
  const Sizes output(sizes.end() - (is_volume ? 3 : 2), sizes.end());
  give_linear(call, aten(is_volume ? "_adaptive_avg_pool3d" : "_adaptive_avg_pool2d",
                         {call.grad(), output}));
}

// --- Convolution.

constexpr std::array<std::string_view, 3> kOperands{"input", "weight", "bias"};

void convolution(GradientCall& call) {
  const Argument bias_sizes =
      call.is_tensor("bias") ? Argument(call.type("bias").sizes) : Argument();
  const std::vector<Term> parts = call.backward_all(
      "convolution_backward", {{"bias_sizes", bias_sizes}, {"output_mask", call.mask(kOperands)}});
  for (size_t i = 0; i < kOperands.size(); ++i) {
    if (call.wants(kOperands[i])) call.give(kOperands[i], parts[i]);
  }
}

// --- Resampling. Overloads name sizes and scales differently.

void resample(GradientCall& call, std::string_view backward, size_t dims) {
  const std::string_view operand = call.op().schema.find("input") >= 0 ? "input" : "self";
  const Term x = call[operand];
  const Sizes& sizes = call.grad().sizes();
  GradientCall::Named others = {
      {"output_size", Sizes(sizes.end() - static_cast<ptrdiff_t>(dims), sizes.end())},
      {"input_size", x.sizes()}};
  if (call.op().schema.find("scale_factors") >= 0 && call.has("scale_factors")) {
    const Sizes scales = call.sizes("scale_factors");
    constexpr std::array<std::string_view, 3> kNames{"scales_d", "scales_h", "scales_w"};
    for (size_t i = 0; i < dims; ++i) {
      others.emplace_back(dims == 1 ? "scales" : kNames[3 - dims + i], scales[i]);
    }
  }
  call.give(operand, call.backward(backward, others));
}

// The part of the name that the operator and its derivative share.
void upsample(GradientCall& call) {
  std::string_view name = call.op().name().substr(5);
  name = name.substr(0, name.find('.'));
  const size_t dims = name.find("1d") != std::string_view::npos   ? 1
                      : name.find("2d") != std::string_view::npos ? 2
                                                                  : 3;
  resample(call, std::string(name) + "_backward", dims);
}

void grid_sampler(GradientCall& call) {
  constexpr std::array<std::string_view, 2> kInputs{"input", "grid"};
  const bool is_volume = call.op().name() == "aten.grid_sampler_3d";
  const std::vector<Term> parts =
      call.backward_all(is_volume ? "grid_sampler_3d_backward" : "grid_sampler_2d_backward",
                        {{"output_mask", call.mask(kInputs)}});
  for (size_t i = 0; i < kInputs.size(); ++i) {
    if (call.wants(kInputs[i])) call.give(kInputs[i], parts[i]);
  }
}

// The grid is linear in theta: its derivative is the grid of the identity, with a 1 for the shift.
void affine_grid(GradientCall& call) {
  const Term theta = call["theta"];
  const int64_t dims = static_cast<int64_t>(call.sizes("size").size()) - 2;
  const Term grad = call.grad();
  const Expr batch = theta.sizes()[0];
  const Term row = reshape(range_like(grad, dims), {dims, 1});
  const Term column = reshape(range_like(grad, dims + 1), {1, dims + 1});
  const Term identity = to(row == column, theta.dtype());
  const Term base = aten("affine_grid_generator", {expand(unsqueeze(identity, 0), theta.sizes()),
                                                   call.pass("size"), call.pass("align_corners")});
  const Expr points = product(Sizes(base.sizes().begin() + 1, base.sizes().end() - 1));
  const Term places = reshape(base, {batch, points, dims});
  const Term with_one = cat({places, ones_like(narrow(places, 2, 0, 1))}, 2);
  const Term slopes = reshape(grad, {batch, points, dims});
  call.give("theta", matmul(transpose(slopes, 1, 2), with_one));
}

// --- Regions of images. As in PyTorch, their corners are not differentiated.

void region(GradientCall& call, std::string_view backward, std::string_view taken) {
  const Sizes& sizes = call["input"].sizes();
  GradientCall::Named others = {
      {"batch_size", sizes[0]}, {"channels", sizes[1]}, {"height", sizes[2]}, {"width", sizes[3]}};
  if (!taken.empty()) others.emplace_back(taken, call.result(1));
  call.give("input", call.backward(backward, others));
  call.give_nothing("rois");
}

void roi_align(GradientCall& call) { region(call, "torchvision._roi_align_backward", ""); }

void roi_pool(GradientCall& call) { region(call, "torchvision._roi_pool_backward", "argmax"); }

void ps_roi_align(GradientCall& call) {
  region(call, "torchvision._ps_roi_align_backward", "channel_mapping");
}

void ps_roi_pool(GradientCall& call) {
  region(call, "torchvision._ps_roi_pool_backward", "channel_mapping");
}

constexpr std::array kGradients{
    Gradient{"aten._adaptive_avg_pool2d", adaptive_avg_pool2d},
    Gradient{"aten._adaptive_avg_pool2d_backward aten._adaptive_avg_pool3d_backward",
             adaptive_avg_pool_backward},
    Gradient{"aten._adaptive_avg_pool3d", adaptive_avg_pool3d},
    Gradient{"aten._upsample_bicubic2d_aa aten._upsample_bicubic2d_aa.vec "
             "aten._upsample_bilinear2d_aa aten._upsample_bilinear2d_aa.vec "
             "aten._upsample_nearest_exact1d aten._upsample_nearest_exact1d.vec "
             "aten._upsample_nearest_exact2d aten._upsample_nearest_exact2d.vec "
             "aten._upsample_nearest_exact3d aten._upsample_nearest_exact3d.vec "
             "aten.upsample_bicubic2d aten.upsample_bicubic2d.vec "
             "aten.upsample_bilinear2d aten.upsample_bilinear2d.vec "
             "aten.upsample_linear1d aten.upsample_linear1d.vec "
             "aten.upsample_nearest1d aten.upsample_nearest1d.vec "
             "aten.upsample_nearest2d aten.upsample_nearest2d.vec "
             "aten.upsample_nearest3d aten.upsample_nearest3d.vec "
             "aten.upsample_trilinear3d aten.upsample_trilinear3d.vec",
             upsample},
    Gradient{"aten.adaptive_max_pool2d", adaptive_max_pool2d},
    Gradient{"aten.adaptive_max_pool3d", adaptive_max_pool3d},
    Gradient{"aten.affine_grid_generator", affine_grid},
    Gradient{"aten.avg_pool2d", avg_pool2d},
    Gradient{"aten.avg_pool2d_backward", avg_pool2d_backward},
    Gradient{"aten.avg_pool3d", avg_pool3d},
    Gradient{"aten.avg_pool3d_backward", avg_pool3d_backward},
    Gradient{"aten.convolution", convolution},
    Gradient{"aten.fractional_max_pool2d", fractional_max_pool2d},
    Gradient{"aten.fractional_max_pool3d", fractional_max_pool3d},
    Gradient{"aten.grid_sampler_2d aten.grid_sampler_3d", grid_sampler},
    Gradient{"aten.max_pool1d", max_pool1d},
    Gradient{"aten.max_pool1d_with_indices", max_pool1d_with_indices},
    Gradient{"aten.max_pool2d", max_pool2d},
    Gradient{"aten.max_pool2d_with_indices", max_pool2d_with_indices},
    Gradient{"aten.adaptive_max_pool2d_backward aten.fractional_max_pool2d_backward "
             "aten.max_pool2d_with_indices_backward",
             max_pool2d_backward},
    Gradient{"aten.max_pool3d", max_pool3d},
    Gradient{"aten.max_pool3d_with_indices", max_pool3d_with_indices},
    Gradient{"aten.adaptive_max_pool3d_backward aten.fractional_max_pool3d_backward "
             "aten.max_pool3d_with_indices_backward",
             max_pool3d_backward},
    Gradient{"aten.max_unpool2d", max_unpool2d},
    Gradient{"aten.max_unpool3d", max_unpool3d},
    Gradient{"torchvision.ps_roi_align", ps_roi_align},
    Gradient{"torchvision.ps_roi_pool", ps_roi_pool},
    Gradient{"torchvision.roi_align", roi_align},
    Gradient{"torchvision.roi_pool", roi_pool},
};

}  // namespace

std::span<const Gradient> pooling_gradients() { return kGradients; }

}  // namespace litz::ops
