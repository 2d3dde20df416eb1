// Gradients of rearrangements: joins, pads, flips, repeats.

#include <array>
#include <numeric>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

// Old programs may join tensors with an empty one of rank 1, which has no part in the result.
void cat_of(GradientCall& call) {
  const Term grad = call.grad();
  const int64_t dim = call.dim("dim", grad.rank());
  Expr start = 0;
  for (size_t i = 0; i < call.values("tensors").size(); ++i) {
    const Term part = call.at("tensors", i);
    if (part.rank() != grad.rank()) {
      call.give("tensors", i, zeros_like(part));
      continue;
    }
    const Expr length = part.sizes()[static_cast<size_t>(dim)];
    if (call.wants("tensors", i)) call.give("tensors", i, narrow(grad, dim, start, length));
    start = start + length;
  }
}

void stack(GradientCall& call) {
  const int64_t dim = call.dim("dim", call.grad().rank());
  for (size_t i = 0; i < call.values("tensors").size(); ++i) {
    if (!call.wants("tensors", i)) continue;
    call.give("tensors", i, aten("select.int", {call.grad(), dim, static_cast<int64_t>(i)}));
  }
}

void constant_pad(GradientCall& call) {
  Sizes pad = call.sizes("pad");
  for (Expr& amount : pad) amount = -amount;
  call.give("self", aten("constant_pad_nd", {call.grad(), pad}));
}

// Every padded position passes its gradient to the position that it repeats.
void circular_pad(GradientCall& call) {
  const Sizes pad = call.sizes("pad");
  Term grad = call.grad();
  Sizes sizes = grad.sizes();
  for (size_t i = 0; i + 1 < pad.size(); i += 2) {
    const size_t d = grad.rank() - 1 - i / 2;
    const Expr size = call.type("self").sizes[d];
    const Term index =
        aten("remainder.Tensor", {range_like(grad, sizes[d]) - Term(pad[i]), Term(size)});
    sizes[d] = size;
    const auto dim = static_cast<int64_t>(d);
    grad = aten("index_add", {new_zeros(grad, sizes), dim, index, grad});
  }
  call.give("self", grad);
}

void flip(GradientCall& call) { call.give("self", aten("flip", {call.grad(), call.pass("dims")})); }

template <char kKind, int kRank>
void edge_pad(GradientCall& call) {
  const std::string kind = kKind == 'r' ? "reflection_pad" : "replication_pad";
  call.give("self", call.backward(kind + std::to_string(kRank) + "d_backward"));
}

template <char kKind, int kRank>
void edge_pad_backward(GradientCall& call) {
  const std::string kind = kKind == 'r' ? "reflection_pad" : "replication_pad";
  call.give("grad_output",
            aten(kind + std::to_string(kRank) + "d", {call.grad(), call.pass("padding")}));
  if (call.wants("self")) call.give("self", zeros_like(call["self"]));
}

// Each dimension becomes two, repeats and elements; sums over the repeats.
Term sum_of_repeats(const Term& grad, const Sizes& repeats, const Sizes& sizes) {
  Sizes split;
  Dims summed;
  const size_t added = repeats.size() - sizes.size();
  for (size_t d = 0; d < repeats.size(); ++d) {
    summed.push_back(static_cast<int64_t>(split.size()));
    split.push_back(repeats[d]);
    if (d >= added) split.push_back(sizes[d - added]);
  }
  return sum(reshape(grad, split), summed);
}

void repeat(GradientCall& call) {
  call.give("self", sum_of_repeats(call.grad(), call.sizes("repeats"), call["self"].sizes()));
}

void tile(GradientCall& call) {
  Sizes repeats = call.sizes("dims");
  const Sizes& sizes = call["self"].sizes();
  if (repeats.size() < sizes.size()) {
    repeats.insert(repeats.begin(), sizes.size() - repeats.size(), Expr(1));
  }
  call.give("self", sum_of_repeats(call.grad(), repeats, sizes));
}

// Repeats of an element are neighbours. Without a dimension, those of the flat tensor.
void repeat_interleave(GradientCall& call) {
  const Term x = call["self"];
  const Expr repeats = call.expr("repeats");
  Sizes sizes = {product(x.sizes())};
  size_t dim = 0;
  if (call.has("dim")) {
    sizes = x.rank() == 0 ? Sizes{1} : x.sizes();
    dim = static_cast<size_t>(call.dim("dim", x.rank()));
  }
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(dim) + 1, repeats);
  const Term summed = sum(reshape(call.grad(), sizes), {static_cast<int64_t>(dim) + 1});
  call.give("self", reshape(summed, x.sizes()));
}

void roll(GradientCall& call) {
  Sizes shifts = call.sizes("shifts");
  for (Expr& shift : shifts) shift = -shift;
  call.give("self", aten("roll", {call.grad(), shifts, call.pass("dims")}));
}

void tril(GradientCall& call) {
  call.give("self", aten("tril", {call.grad(), call.pass("diagonal")}));
}

void triu(GradientCall& call) {
  call.give("self", aten("triu", {call.grad(), call.pass("diagonal")}));
}

void diag_embed(GradientCall& call) {
  call.give("self", aten("diagonal",
                         {call.grad(), call.pass("offset"), call.pass("dim1"), call.pass("dim2")}));
}

void trace(GradientCall& call) {
  call.give("self", aten("trace_backward", {call.grad(), call["self"].sizes()}));
}

// Images without channels keep their sizes in PyTorch, so their shuffle does not go back.
void pixel_shuffle(GradientCall& call) {
  if (known_equal(call.type("self").numel(), Expr(0))) return zero_gradient(call);
  call.give("self", aten("pixel_unshuffle", {call.grad(), call.pass("upscale_factor")}));
}

void pixel_unshuffle(GradientCall& call) {
  if (known_equal(call.type("self").numel(), Expr(0))) return zero_gradient(call);
  call.give("self", aten("pixel_shuffle", {call.grad(), call.pass("downscale_factor")}));
}

// Shuffling as many groups as a group had channels restores their order.
void channel_shuffle(GradientCall& call) {
  const Expr channels = call["self"].sizes()[1];
  const Expr groups = floor_div(channels, call.expr("groups"));
  call.give("self", aten("channel_shuffle", {call.grad(), groups}));
}

void im2col(GradientCall& call) {
  const Sizes& sizes = call["self"].sizes();
  const Sizes image(sizes.end() - 2, sizes.end());
  call.give("self",
            aten("col2im", {call.grad(), image, call.pass("kernel_size"), call.pass("dilation"),
                            call.pass("padding"), call.pass("stride")}));
}

void col2im(GradientCall& call) {
  call.give("self", aten("im2col", {call.grad(), call.pass("kernel_size"), call.pass("dilation"),
                                    call.pass("padding"), call.pass("stride")}));
}

constexpr std::array kGradients{
    Gradient{"aten._pad_circular", circular_pad},
    Gradient{"aten.cat", cat_of},
    Gradient{"aten.channel_shuffle aten.native_channel_shuffle", channel_shuffle},
    Gradient{"aten.col2im", col2im},
    Gradient{"aten.constant_pad_nd", constant_pad},
    Gradient{"aten.diag_embed", diag_embed},
    Gradient{"aten.flip", flip},
    Gradient{"aten.im2col", im2col},
    Gradient{"aten.pixel_shuffle", pixel_shuffle},
    Gradient{"aten.pixel_unshuffle", pixel_unshuffle},
    Gradient{"aten.reflection_pad1d", edge_pad<'r', 1>},
    Gradient{"aten.reflection_pad1d_backward", edge_pad_backward<'r', 1>},
    Gradient{"aten.reflection_pad2d", edge_pad<'r', 2>},
    Gradient{"aten.reflection_pad2d_backward", edge_pad_backward<'r', 2>},
    Gradient{"aten.reflection_pad3d", edge_pad<'r', 3>},
    Gradient{"aten.reflection_pad3d_backward", edge_pad_backward<'r', 3>},
    Gradient{"aten.repeat", repeat},
    Gradient{"aten.repeat_interleave.self_int", repeat_interleave},
    Gradient{"aten.replication_pad1d", edge_pad<'e', 1>},
    Gradient{"aten.replication_pad1d_backward", edge_pad_backward<'e', 1>},
    Gradient{"aten.replication_pad2d", edge_pad<'e', 2>},
    Gradient{"aten.replication_pad2d_backward", edge_pad_backward<'e', 2>},
    Gradient{"aten.replication_pad3d", edge_pad<'e', 3>},
    Gradient{"aten.replication_pad3d_backward", edge_pad_backward<'e', 3>},
    Gradient{"aten.roll", roll},
    Gradient{"aten.stack", stack},
    Gradient{"aten.tile", tile},
    Gradient{"aten.trace", trace},
    Gradient{"aten.tril", tril},
    Gradient{"aten.triu", triu},
    undefined("aten._chunk_cat", "PyTorch defines none"),
};

}  // namespace

std::span<const Gradient> rearrange_gradients() { return kGradients; }

}  // namespace litz::ops
