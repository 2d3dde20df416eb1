// Convolutions. The variants (fixed rank, string padding, transposed) become aten.convolution,
// which is a library call.
//
// Results are row-major, except that a channels-last image or weight (rank 4 or 5, not f64) makes
// the result channels-last, as in PyTorch's CPU library.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

/// Geometry of one call; lists have one entry per spatial dimension.
struct Window {
  Sizes stride;
  Sizes padding;
  Sizes dilation;
  Sizes output_padding;
  bool transposed = false;
  Expr groups = 1;
};

Sizes per_dim(Sizes values, size_t dims, std::string_view what) {
  if (values.size() == 1) values.resize(dims, values[0]);
  require(values.size() == dims, "a convolution needs one entry per spatial dimension:", what,
          values.size(), dims);
  return values;
}

Sizes list_or(const Call& call, std::string_view name, size_t dims, int64_t otherwise) {
  if (!call.has(name)) return Sizes(dims, Expr(otherwise));
  return per_dim(call.sizes(name), dims, name);
}

/// "same" pads to keep the size; an odd element goes to the high side.
Expr same_total(const TensorType& weight, const Sizes& dilation, size_t i) {
  return dilation[i] * (weight.sizes[2 + i] - 1);
}

Window window_of(const Call& call) {
  const TensorType& weight = call.type("weight");
  require(weight.rank() >= 3 && weight.rank() <= 5, ErrorCode::unsupported,
          "a convolution has one to three spatial dimensions; its weight is", weight);
  const size_t dims = weight.rank() - 2;
  Window window;
  window.stride = list_or(call, "stride", dims, 1);
  window.dilation = list_or(call, "dilation", dims, 1);
  window.output_padding = list_or(call, "output_padding", dims, 0);
  window.groups = call.expr("groups");
  const std::string_view name = call.op().name();
  window.transposed =
      call.has("transposed") ? call.flag("transposed") : name.starts_with("aten.conv_transpose");
  if (!name.ends_with(".padding")) {
    window.padding = list_or(call, "padding", dims, 0);
    return window;
  }
  const std::string_view text = call.str("padding");
  require(text == "same" || text == "valid", "padding must be 'same' or 'valid':", text);
  for (size_t i = 0; i < dims; ++i) {
    require(text == "valid" || window.stride[i].is(1),
            "padding='same' is for stride 1:", window.stride[i]);
    window.padding.push_back(text == "same" ? floor_div(same_total(weight, window.dilation, i), 2)
                                            : Expr(0));
  }
  return window;
}

bool pads_same(const Call& call) {
  return call.op().name().ends_with(".padding") && call.str("padding") == "same";
}

// Requires positive steps, non-negative paddings and non-empty windows.
void require_window(const Call& call, const TensorType& weight, const Window& window) {
  require(!known_less(window.groups, Expr(1)),
          "a convolution must have at least one group:", window.groups);
  for (size_t i = 0; i < window.stride.size(); ++i) {
    call.require_sizes(lt(0, weight.sizes[2 + i]),
                       "the window of a convolution must not be empty:", weight);
    call.require_sizes(logical_and(lt(0, window.stride[i]), lt(0, window.dilation[i])),
                       "stride and dilation of a convolution must be positive:", window.stride[i],
                       window.dilation[i]);
    call.require_sizes(logical_and(le(0, window.padding[i]), le(0, window.output_padding[i])),
                       "the padding of a convolution must not be negative:", window.padding[i],
                       window.output_padding[i]);
    if (!window.transposed) continue;
    call.require_sizes(
        lt(window.output_padding[i], max(window.stride[i], window.dilation[i])),
        "the output padding of a convolution must be below its stride or its dilation:",
        window.output_padding[i], window.stride[i], window.dilation[i]);
  }
  if (window.transposed) {
    call.require_sizes(lt(0, weight.sizes[1]),
                       "the weight of a transposed convolution must not be empty:", weight);
  }
  call.require_sizes(
      logical_and(le(window.groups, weight.sizes[0]), eq(mod(weight.sizes[0], window.groups), 0)),
      "the first dimension of a convolution's weight must divide by the groups, and "
      "hold one element for each:",
      weight, window.groups);
}

// Requires elements, unless there is no image or no channel.
void require_elements(const TensorType& input, size_t dims) {
  const auto is_empty = [](Expr size) { return known_equal(size, Expr(0)); };
  const std::span<const Expr> sizes(input.sizes);
  if (std::ranges::any_of(sizes.first(sizes.size() - dims), is_empty)) return;
  require(std::ranges::none_of(sizes.last(dims), is_empty),
          "the image of a convolution must not be empty:", input);
}

void require_fit(const Call& call, const TensorType& input, const TensorType& weight,
                 const Window& window) {
  const size_t dims = weight.rank() - 2;
  const bool needs_batch = call.op().schema.find("transposed") >= 0;
  require(
      input.rank() == dims + 2 || (input.rank() == dims + 1 && !needs_batch),
      "the input of a convolution must have a batch (or not), channels and the weight's spatial "
      "dimensions:",
      input, weight);
  require(input.dtype == weight.dtype,
          "input and weight of a convolution must have one dtype:", name(input.dtype),
          name(weight.dtype));
  const Expr channels = input.sizes[input.rank() - dims - 1];
  const Expr expected = window.transposed ? weight.sizes[0] : weight.sizes[1] * window.groups;
  require(!known_not_equal(channels, expected),
          "the input of a convolution must have the channels its weight expects:", input, weight,
          "groups", window.groups);
  if (!call.has("bias")) return;
  const TensorType& bias = call.type("bias");
  const Expr outputs = window.transposed ? weight.sizes[1] * window.groups : weight.sizes[0];
  require(bias.rank() == 1 && !known_not_equal(bias.sizes[0], outputs),
          "the bias of a convolution must have one element per output channel:", bias, outputs);
  require(bias.dtype == input.dtype,
          "input and bias of a convolution must have one dtype:", name(input.dtype),
          name(bias.dtype));
}

Expr output_size(const Call& call, const TensorType& weight, const Window& window, Expr size,
                 size_t i) {
  const Expr reach = window.dilation[i] * (weight.sizes[2 + i] - 1);
  if (window.transposed) {
    return (size - 1) * window.stride[i] - 2 * window.padding[i] + reach +
           window.output_padding[i] + 1;
  }
  if (pads_same(call)) return size;
  const Expr room = size + 2 * window.padding[i] - reach - 1;
  return floor_div(room, window.stride[i]) + 1;
}

/// Channels-last if an operand has that format.
Sizes result_strides(const TensorType& input, const TensorType& weight,
                     std::span<const Expr> sizes) {
  const Sizes plain = contiguous_strides(sizes);
  if (sizes.size() < 4 || input.rank() != sizes.size() || input.dtype == DType::f64) return plain;
  const MemoryFormat wanted =
      sizes.size() == 4 ? MemoryFormat::channels_last : MemoryFormat::channels_last_3d;
  if (suggest_memory_format(input) != wanted && suggest_memory_format(weight) != wanted) {
    return plain;
  }
  // Dense in both formats: keeps the row-major strides.
  TensorType dense{input.dtype, input.device, Sizes(sizes.begin(), sizes.end()), plain, 0};
  return is_contiguous(dense, wanted) ? plain : strides_for(wanted, sizes);
}

TensorType convolution_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& weight = call.type("weight");
  const Window window = window_of(call);
  require_window(call, weight, window);
  require_fit(call, input, weight, window);
  const size_t dims = weight.rank() - 2;
  require_elements(input, dims);
  const size_t first = input.rank() - dims;
  Sizes sizes(input.sizes.begin(), input.sizes.begin() + static_cast<ptrdiff_t>(first - 1));
  const Expr outputs = window.transposed ? weight.sizes[1] * window.groups : weight.sizes[0];
  // Without input channels there are no output channels.
  sizes.push_back(known_equal(input.sizes[first - 1], 0) ? Expr(0) : outputs);
  for (size_t i = 0; i < dims; ++i) {
    sizes.push_back(output_size(call, weight, window, input.sizes[first + i], i));
    call.require_sizes(le(1, sizes.back()),
                       "the window of a convolution must fit the padded input:", input, weight);
  }
  const Sizes strides = result_strides(input, weight, sizes);
  TensorType type = contiguous_type(input.dtype, std::move(sizes), input.device);
  type.strides = strides;
  return type;
}

/// Pads the high side with zeros if "same" padding is odd.
ir::Value pad_high(const DecomposeCall& call, ir::Value input, const Window& window) {
  const TensorType& weight = call.type("weight");
  const size_t dims = weight.rank() - 2;
  ir::Scalars pad;
  bool is_odd = false;
  for (size_t i = dims; i-- > 0;) {  // From the innermost dimension: low, high.
    const Expr extra = mod(same_total(weight, window.dilation, i), 2);
    is_odd = is_odd || !extra.is(0);
    pad.insert(pad.end(), {Expr(0), extra});
  }
  return is_odd ? call.aten("constant_pad_nd", {input, pad, 0}) : input;
}

std::vector<ir::Value> to_convolution(DecomposeCall& call) {
  const Window window = window_of(call);
  ir::Value input = call["input"];
  if (pads_same(call)) input = pad_high(call, input, window);
  const bool batched = input.tensor().rank() == call.type("weight").rank();
  if (!batched) input = call.aten("unsqueeze", {input, 0});
  const ir::Value result =
      call.aten("convolution", {input, call["weight"], call.pass("bias"), window.stride,
                                window.padding, window.dilation, Expr::boolean(window.transposed),
                                window.output_padding, window.groups});
  return {batched ? result : call.aten("squeeze.dim", {result, 0})};
}

constexpr std::array kConvSample{
    "(f32[2, 3, 5, 6], f32[4, 3, 3, 2], f32[4], [2, 1], [1, 0], [1, 1], False, [0, 0], 1)"sv,
    "(f32[1, 4, 5], f32[4, 2, 3], f32[2], [2], [1], [1], True, [1], 1)"sv,
    "(f32[s0, 4, 5, 5], f32[4, 1, 3, 3], None, [1, 1], [1, 1], [1, 1], False, [0, 0], 4)"sv,
    "(f32[2, 0, 5], f32[3, 0, 2], f32[3], [1], [1], [1], False, [0], 1)"sv};
constexpr std::array kPlainConvSample{
    "(f32[2, 3, 5, 6], f32[4, 3, 3, 2], f32[4], [2, 1], [1, 0], [1, 1], False, [0, 0], 1, False, "
    "False, False, False)"sv};
constexpr std::array kConv1dSample{"(f32[2, 4, 7], f32[6, 2, 3], f32[6], 2, 1, groups=2)"sv,
                                   "(f32[4, 7], f32[6, 4, 3])"sv};
constexpr std::array kConv2dSample{"(f32[2, 3, 6, 5], f32[4, 3, 3, 3], f32[4], 1, 1)"sv,
                                   "(bf16[1, 3, 6, 5] {90, 1, 15, 3}, bf16[4, 3, 1, 1])"sv};
constexpr std::array kConv3dSample{"(f32[1, 2, 4, 5, 4], f32[3, 2, 2, 3, 2], None, 1, 1)"sv};
constexpr std::array kSame1dSample{"(f32[1, 2, 7], f32[3, 2, 4], padding='same')"sv};
constexpr std::array kSame2dSample{"(f32[1, 2, 5, 7], f32[3, 2, 2, 3], padding='same')"sv};
constexpr std::array kSame3dSample{"(f32[1, 2, 4, 4, 5], f32[3, 2, 2, 3, 1], padding='same')"sv};
constexpr std::array kTransposed1dSample{"(f32[1, 4, 5], f32[4, 2, 3], f32[4], 2, 1, 1, 2)"sv};
constexpr std::array kTransposed2dSample{"(f32[1, 3, 4, 3], f32[3, 2, 3, 3], f32[2], 2, 1, 1)"sv};
constexpr std::array kTransposed3dSample{"(f32[1, 2, 2, 3, 3], f32[2, 2, 2, 2, 2], None, 2)"sv};

constexpr OpDef variant(ir::SchemaText schema, std::string_view doc,
                        std::span<const std::string_view> samples) {
  return {.schema = schema,
          .doc = doc,
          .meta = convolution_meta,
          .impl = Decompose{to_convolution},
          .samples = {.calls = samples}};
}

constexpr std::array kOps{
    variant(
        "aten._convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] "
        "padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, "
        "bool benchmark, bool deterministic, bool cudnn_enabled, bool allow_tf32) -> Tensor",
        "convolution; the flags choose among libraries and do not matter here.", kPlainConvSample),
    variant(
        "aten.conv1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, SymInt[1] "
        "padding=0, SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution over one dimension.", kConv1dSample),
    variant(
        "aten.conv1d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
        "str padding='valid', SymInt[1] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution with padding 'valid' (none) or 'same' (keeps the size).", kSame1dSample),
    variant(
        "aten.conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] "
        "padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution over two dimensions.", kConv2dSample),
    variant(
        "aten.conv2d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, "
        "str padding='valid', SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution with padding 'valid' (none) or 'same' (keeps the size).", kSame2dSample),
    variant(
        "aten.conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, SymInt[3] "
        "padding=0, SymInt[3] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution over three dimensions.", kConv3dSample),
    variant(
        "aten.conv3d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1, "
        "str padding='valid', SymInt[3] dilation=1, SymInt groups=1) -> Tensor",
        "Convolution with padding 'valid' (none) or 'same' (keeps the size).", kSame3dSample),
    variant(
        "aten.conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1] stride=1, "
        "SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1, SymInt[1] dilation=1) "
        "-> Tensor",
        "The transpose of conv1d: inputs spread through the window.", kTransposed1dSample),
    variant("aten.conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] "
            "stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt groups=1, SymInt[2] "
            "dilation=1) -> Tensor",
            "The transpose of conv2d.", kTransposed2dSample),
    variant("aten.conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] "
            "stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt groups=1, SymInt[3] "
            "dilation=1) -> Tensor",
            "The transpose of conv3d.", kTransposed3dSample),
    OpDef{
        .schema = "aten.convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, "
                  "SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, "
                  "SymInt groups) -> Tensor",
        .doc = "Convolution over one to three dimensions: each output is the sum over a window of "
               "the input times the weight, plus the bias.",
        .meta = convolution_meta,
        .impl = Library{"convolution"},
        .samples = {.calls = kConvSample}},
};

}  // namespace

std::span<const OpDef> convolution_ops() { return kOps; }

}  // namespace litz::ops
