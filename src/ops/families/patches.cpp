// Rearranged images: pixels moved between channels and space, interleaved channels, and the patches
// under a sliding window as columns.

#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/image_checks.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

void require_divisible(Expr size, Expr divisor, std::string_view what) {
  require(!known_less_equal(divisor, Expr(0)) && !known_not_equal(mod(size, divisor), Expr(0)),
          "a size must be divisible by the factor:", what, size, divisor);
}

// --- pixels between channels and space ---

struct PixelShape {
  size_t channel = 0;  // The channel dimension; height and width follow.
  int64_t factor = 1;
};

PixelShape pixel_shape(const Call& call, std::string_view factor) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 3, "moving pixels needs channels, height and width, got", self);
  const PixelShape shape{self.rank() - 3, call.integer(factor)};
  require(shape.factor > 0, "the factor of a pixel shuffle must be positive:", shape.factor);
  return shape;
}

TensorType in_format_of(const TensorType& image, Sizes sizes) {
  TensorType type = contiguous_type(image.dtype, std::move(sizes), image.device);
  type.strides = strides_for(suggest_memory_format(image), type.sizes);
  return type;
}

TensorType pixel_shuffle_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const PixelShape shape = pixel_shape(call, "upscale_factor");
  const Expr area = shape.factor * shape.factor;
  Sizes sizes = self.sizes;
  require_divisible(sizes[shape.channel], area, "channels");
  sizes[shape.channel] = floor_div(sizes[shape.channel], area);
  sizes[shape.channel + 1] = sizes[shape.channel + 1] * shape.factor;
  sizes[shape.channel + 2] = sizes[shape.channel + 2] * shape.factor;
  return in_format_of(self, std::move(sizes));
}

void pixel_shuffle(NestCall& call) {
  const PixelShape shape = pixel_shape(call, "upscale_factor");
  const Expr r = shape.factor;
  call.builder().loop(call.result().sizes, [&](Exprs o) {
    Sizes source(o.begin(), o.end());
    const size_t c = shape.channel;
    source[c] = (o[c] * r + mod(o[c + 1], r)) * r + mod(o[c + 2], r);
    source[c + 1] = floor_div(o[c + 1], r);
    source[c + 2] = floor_div(o[c + 2], r);
    call.builder().store(call.out(), o, call.builder().load(call.in("self"), source));
  });
}

// All sizes change.
TensorType pixel_unshuffle_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const PixelShape shape = pixel_shape(call, "downscale_factor");
  Sizes sizes = self.sizes;
  sizes[shape.channel] = sizes[shape.channel] * (shape.factor * shape.factor);
  for (const size_t d : {shape.channel + 1, shape.channel + 2}) {
    require_divisible(sizes[d], shape.factor, "height and width");
    sizes[d] = floor_div(sizes[d], shape.factor);
  }
  if (known_equal(self.numel(), Expr(0))) {
    return preserved_type(self.dtype, self, MemoryFormat::preserve);
  }
  return in_format_of(self, std::move(sizes));
}

void pixel_unshuffle(NestCall& call) {
  const PixelShape shape = pixel_shape(call, "downscale_factor");
  const Expr r = shape.factor;
  call.builder().loop(call.result().sizes, [&](Exprs o) {
    Sizes source(o.begin(), o.end());
    const size_t c = shape.channel;
    source[c] = floor_div(o[c], r * r);
    source[c + 1] = o[c + 1] * r + mod(floor_div(o[c], r), r);
    source[c + 2] = o[c + 2] * r + mod(o[c], r);
    call.builder().store(call.out(), o, call.builder().load(call.in("self"), source));
  });
}

TensorType channel_shuffle_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 3, "a channel shuffle needs a batch, channels and space, got", self);
  require_divisible(self.sizes[1], call.expr("groups"), "channels");
  return contiguous_type(self.dtype, self.sizes, self.device);
}

// Channel i of group g becomes channel g of block i.
void channel_shuffle(NestCall& call) {
  const TensorType& self = call.type("self");
  const Expr groups = call.expr("groups");
  const Expr each = floor_div(self.sizes[1], groups);
  call.builder().loop(self.sizes, [&](Exprs o) {
    Sizes source(o.begin(), o.end());
    source[1] = mod(o[1], groups) * each + floor_div(o[1], groups);
    call.builder().store(call.out(), o, call.builder().load(call.in("self"), source));
  });
}

// --- patches as columns ---

struct Patches {
  std::array<int64_t, 2> kernel;
  std::array<int64_t, 2> dilation;
  std::array<int64_t, 2> padding;
  std::array<int64_t, 2> stride;

  // The number of patches along one dimension.
  Expr count(size_t i, Expr size) const {
    return floor_div(size + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1, stride[i]) + 1;
  }
};

std::array<int64_t, 2> pair(const Call& call, std::string_view name, int64_t least) {
  const std::vector<int64_t> given = call.integers(name);
  require(given.size() == 1 || given.size() == 2, "patches have two dimensions:", name,
          given.size());
  const std::array<int64_t, 2> result{given.front(), given.back()};
  for (const int64_t value : result) {
    require(value >= least,
            "kernel, dilation and stride of patches are positive, padding is not "
            "negative:",
            name, value);
  }
  return result;
}

Patches patches_of(const Call& call) {
  return {pair(call, "kernel_size", 1), pair(call, "dilation", 1), pair(call, "padding", 0),
          pair(call, "stride", 1)};
}

TensorType im2col_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_image(call, self, 2);
  const Patches patches = patches_of(call);
  const size_t first = self.rank() - 2;
  const Expr rows = patches.count(0, self.sizes[first]);
  const Expr columns = patches.count(1, self.sizes[first + 1]);
  call.require_sizes(logical_and(le(1, rows), le(1, columns)),
                     "a patch must fit into the image:", self);
  Sizes sizes(self.sizes.begin(), self.sizes.end() - 3);
  sizes.push_back(self.sizes[first - 1] * (patches.kernel[0] * patches.kernel[1]));
  sizes.push_back(rows * columns);
  return contiguous_type(self.dtype, sizes, self.device);
}

Scalar zero(KernelBuilder& b, DType dtype) {
  return b.cast(b.constant(DType::i64, int64_t{0}), dtype);
}

void im2col(NestCall& call) {
  const TensorType& self = call.type("self");
  const Patches patches = patches_of(call);
  const size_t first = self.rank() - 2;
  KernelBuilder& b = call.builder();
  const std::array extents{self.sizes[first - 1], Expr(patches.kernel[0]), Expr(patches.kernel[1]),
                           patches.count(0, self.sizes[first]),
                           patches.count(1, self.sizes[first + 1])};
  const Sizes batch(self.sizes.begin(), self.sizes.end() - 3);
  b.loop(batch, [&](Exprs n) {
    // Channel, row and column in the patch, row and column of the patch.
    b.loop(extents, [&](Exprs i) {
      IndexVector source(n.begin(), n.end());
      source.emplace_back(i[0]);
      Expr inside = Expr::boolean(true);
      for (size_t d = 0; d < 2; ++d) {
        const Expr place =
            i[3 + d] * patches.stride[d] - patches.padding[d] + i[1 + d] * patches.dilation[d];
        source.emplace_back(place);
        inside =
            logical_and(inside, logical_and(le(Expr(0), place), lt(place, self.sizes[first + d])));
      }
      IndexVector target(n.begin(), n.end());
      target.emplace_back((i[0] * extents[1] + i[1]) * extents[2] + i[2]);
      target.emplace_back(i[3] * extents[4] + i[4]);
      b.store(
          call.out(), target,
          b.load_if(b.index(inside, DType::bool_), call.in("self"), source, zero(b, self.dtype)));
    });
  });
}

TensorType col2im_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_image(call, self, 1);  // Columns of patches form an image with one dimension.
  const Patches patches = patches_of(call);
  const Sizes size = call.sizes("output_size");
  require(size.size() == 2, "an image has two sizes, got", size.size());
  const Expr area = patches.kernel[0] * patches.kernel[1];
  const Expr channels = self.sizes[self.rank() - 2];
  require_divisible(channels, area, "rows of patches");
  const Expr count = patches.count(0, size[0]) * patches.count(1, size[1]);
  require(!known_not_equal(count, self.sizes.back()),
          "there must be as many columns as patches in the image:", self.sizes.back(), count);
  Sizes sizes(self.sizes.begin(), self.sizes.end() - 2);
  sizes.push_back(floor_div(channels, area));
  sizes.push_back(size[0]);
  sizes.push_back(size[1]);
  return contiguous_type(self.dtype, sizes, self.device);
}

// Every pixel sums the patches that cover it, which start at multiples of the stride.
void col2im(NestCall& call) {
  const TensorType& self = call.type("self");
  const Patches patches = patches_of(call);
  const Sizes& sizes = call.result().sizes;
  const size_t first = sizes.size() - 2;
  KernelBuilder& b = call.builder();
  const DType compute = compute_dtype(self.dtype);
  const std::array counts{patches.count(0, sizes[first]), patches.count(1, sizes[first + 1])};
  b.loop(sizes, [&](Exprs o) {
    const std::array window{Expr(patches.kernel[0]), Expr(patches.kernel[1])};
    const ReduceKind kind = self.dtype == DType::bool_ ? ReduceKind::any : ReduceKind::sum;
    const Scalar total = b.reduce(kind, window, [&](Exprs k) {
      Expr covers = Expr::boolean(true);
      std::array<Expr, 2> patch;
      for (size_t d = 0; d < 2; ++d) {
        const Expr start = o[first + d] + patches.padding[d] - k[d] * patches.dilation[d];
        patch[d] = floor_div(start, patches.stride[d]);
        covers = logical_and(covers, eq(mod(start, patches.stride[d]), Expr(0)));
        covers = logical_and(covers, logical_and(le(Expr(0), patch[d]), lt(patch[d], counts[d])));
      }
      IndexVector source(o.begin(), o.end() - 3);
      source.emplace_back((o[first - 1] * window[0] + k[0]) * window[1] + k[1]);
      source.emplace_back(patch[0] * counts[1] + patch[1]);
      return b.cast(
          b.load_if(b.index(covers, DType::bool_), call.in("self"), source, zero(b, self.dtype)),
          compute);
    });
    b.store(call.out(), o, b.cast(total, self.dtype));
  });
}

constexpr std::array kPixelSample{"(f32[2, 8, 3, 2], 2)"sv};
constexpr std::array kUnpixelSample{"(f32[2, 2, 6, 4], 2)"sv, "(f32[2, 0, 4, 4], 2)"sv};
constexpr std::array kChannelSample{"(f32[2, 6, 3, 2], 3)"sv};
constexpr std::array kIm2colSample{"(f32[2, 3, 5, 6], [2, 3], [1, 1], [1, 0], [2, 1])"sv,
                                   "(f32[3, 5, 6], [2, 2], [2, 1], [0, 0], [1, 1])"sv};
constexpr std::array kCol2imSample{"(f32[2, 12, 20], [5, 6], [2, 2], [1, 1], [0, 0], [1, 1])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.channel_shuffle(Tensor self, SymInt groups) -> Tensor",
          .doc = "Interleaves the channels of groups.",
          .meta = channel_shuffle_meta,
          .impl = LoopNest{channel_shuffle},
          .samples = {.calls = kChannelSample}},
    OpDef{.schema = "aten.col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] "
                    "dilation, int[2] padding, int[2] stride) -> Tensor",
          .doc = "Adds up columns of patches into an image.",
          .meta = col2im_meta,
          .impl = LoopNest{col2im},
          .samples = {.calls = kCol2imSample}},
    OpDef{.schema = "aten.im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, "
                    "int[2] stride) -> Tensor",
          .doc = "The patches under a sliding window, one column each.",
          .meta = im2col_meta,
          .impl = LoopNest{im2col},
          .samples = {.calls = kIm2colSample}},
    OpDef{.schema = "aten.native_channel_shuffle(Tensor self, SymInt groups) -> Tensor",
          .doc = "Interleaves the channels of groups.",
          .meta = channel_shuffle_meta,
          .impl = LoopNest{channel_shuffle},
          .samples = {.calls = kChannelSample}},
    OpDef{.schema = "aten.pixel_shuffle(Tensor self, int upscale_factor) -> Tensor",
          .doc = "Moves blocks of channels into squares of pixels.",
          .meta = pixel_shuffle_meta,
          .impl = LoopNest{pixel_shuffle},
          .samples = {.calls = kPixelSample}},
    OpDef{.schema = "aten.pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor",
          .doc = "Moves squares of pixels into blocks of channels.",
          .meta = pixel_unshuffle_meta,
          .impl = LoopNest{pixel_unshuffle},
          .samples = {.calls = kUnpixelSample}},
};

}  // namespace

std::span<const OpDef> patches_ops() { return kOps; }

}  // namespace litz::ops
