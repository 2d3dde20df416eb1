// Convolution in one to three dimensions: grouped, dilated, transposed, in any layout.
//
// A group of a convolution is the product of its weights with the unfolded image, so both layouts
// and all window shapes go through one path. Transposed convolutions unfold the image with gaps.

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/convolution_weight.h"
#include "kernels/depthwise.h"
#include "kernels/functions.h"
#include "kernels/gemm.h"
#include "kernels/unfold.h"
#include "support/check.h"
#include "types/strided_copy.h"

namespace litz::kernels {
namespace {

/// Batch, channel and spatial steps of an image tensor.
struct ImageSteps {
  int64_t batch = 0;
  int64_t channel = 0;
  Extent spatial{0, 0, 0};
};

/// The address of a tensor's element 0.
struct Elements {
  std::byte* data = nullptr;
  DType dtype = DType::f32;

  Elements() = default;

  // Operands and results share one description; only results are written through it.
  explicit Elements(const Tensor& tensor)
      : data(const_cast<std::byte*>(tensor.data())), dtype(tensor.dtype()) {}

  std::byte* at(int64_t offset) const { return data + offset * item_size(dtype); }
};

struct Convolution {
  Elements input;
  Elements weight;     ///< [groups * outputs, inputs, window...], row-major.
  Tensor made_weight;  ///< Holds the converted weight; undefined if no conversion was needed.
  Elements bias;
  bool has_bias = false;
  int64_t bias_step = 0;
  Elements result;
  bool has_turned_weight = false;    ///< [groups * inputs, outputs, window...] instead.
  bool has_constant_weight = false;  ///< As LibraryCall::constants says.
  LibraryContext* context = nullptr;
  const TileEpilogue* epilogue = nullptr;  ///< As LibraryCall::epilogue.
  bool is_empty = false;                   ///< The result has no elements.
  Accumulator accumulator = Accumulator::f32;
  WindowGeometry geometry;
  int64_t batch = 1;
  int64_t groups = 1;
  int64_t inputs = 0;   ///< Channels of one group.
  int64_t outputs = 0;  ///< Channels of one group.
  ImageSteps input_steps;
  ImageSteps result_steps;
};

/// One value for all dimensions, or one per dimension.
int64_t at_dim(const LibraryCall& call, size_t argument, size_t i) {
  const std::span<const int64_t> values = call.integers(argument);
  require(values.size() == 1 || i < values.size(), ErrorCode::corrupt,
          "a convolution must have a number for each dimension:", argument, values.size());
  return values.size() == 1 ? values[0] : values[i];
}

ImageSteps steps_of(const Tensor& tensor, bool batched) {
  ImageSteps steps;
  const size_t first = batched ? 2 : 1;
  const size_t dims = tensor.rank() - first;
  if (batched) steps.batch = tensor.strides()[0];
  steps.channel = tensor.strides()[first - 1];
  for (size_t i = 0; i < dims; ++i) {
    steps.spatial[kSpatial - dims + i] = tensor.strides()[first + i];
  }
  return steps;
}

Convolution describe(const Tensor& input, const Tensor& weight, const Tensor& bias,
                     const Tensor& result, const LibraryCall& call) {
  Convolution conv;
  conv.is_empty = result.numel() == 0;
  if (conv.is_empty) return conv;
  const size_t dims = weight.rank() - 2;
  require(weight.rank() >= 3 && dims <= kSpatial, ErrorCode::unsupported,
          "convolution takes one to three spatial dimensions:", dims);
  require(input.rank() == dims + 2 || input.rank() == dims + 1,
          "a convolution's input must have batch (or not), channels and the spatial dimensions:",
          input.rank(), dims);
  const bool batched = input.rank() == dims + 2;
  const size_t first = batched ? 2 : 1;
  conv.accumulator = accumulator_of(input.dtype(), "convolution");
  conv.groups = call.integer(8);
  require(conv.groups > 0, "a convolution must have groups:", conv.groups);
  conv.batch = batched ? input.sizes()[0] : 1;
  require(result.rank() == input.rank() && (!batched || result.sizes()[0] == conv.batch),
          ErrorCode::corrupt,
          "a convolution's result must have the images of its input:", result.rank(), conv.batch);
  conv.inputs = input.sizes()[first - 1] / conv.groups;
  conv.outputs = result.sizes()[first - 1] / conv.groups;
  WindowGeometry& geometry = conv.geometry;
  geometry.transposed = call.flag(6);
  for (size_t i = 0; i < dims; ++i) {
    const size_t at = kSpatial - dims + i;
    geometry.input[at] = input.sizes()[first + i];
    geometry.output[at] = result.sizes()[first + i];
    geometry.window[at] = weight.sizes()[2 + i];
    geometry.stride[at] = at_dim(call, 3, i);
    geometry.padding[at] = at_dim(call, 4, i);
    geometry.dilation[at] = at_dim(call, 5, i);
    require(geometry.stride[at] > 0 && geometry.dilation[at] > 0,
            "the stride and the dilation of a convolution must be above 0:", geometry.stride[at],
            geometry.dilation[at]);
  }
  conv.has_constant_weight = call.is_constant(1);
  const bool is_turned = geometry.transposed && weight.is_contiguous() && !call.is_constant(1);
  if (is_turned) {
    require(weight.sizes()[0] == conv.groups * conv.inputs && weight.sizes()[1] == conv.outputs,
            "the weight of a convolution must fit its channels and groups:", weight.sizes()[0],
            weight.sizes()[1], conv.groups);
    conv.has_turned_weight = true;
  } else if (geometry.transposed || !weight.is_contiguous()) {
    const bool is_kept = call.is_constant(1) && call.context != nullptr;
    const LaidOutWeight made = row_major_weight(weight, conv.groups, geometry.transposed,
                                                is_kept ? call.context : nullptr);
    conv.made_weight = made.weight;
    conv.has_constant_weight = made.is_constant;
  }
  const Tensor& by_output = conv.made_weight.defined() ? conv.made_weight : weight;
  require(is_turned || (by_output.sizes()[0] == conv.groups * conv.outputs &&
                        by_output.sizes()[1] == conv.inputs),
          "the weight of a convolution must fit its channels and groups:", by_output.sizes()[0],
          by_output.sizes()[1], conv.groups);
  conv.input = Elements(input);
  conv.weight = Elements(by_output);
  conv.result = Elements(result);
  if (bias.defined()) {
    require(bias.rank() == 1 && bias.sizes()[0] == conv.groups * conv.outputs,
            "a convolution's bias must have an element per output channel:", bias.numel(),
            conv.groups * conv.outputs);
    conv.has_bias = true;
    conv.bias = Elements(bias);
    conv.bias_step = bias.strides()[0];
  }
  conv.context = call.context;
  conv.epilogue = call.epilogue;
  conv.input_steps = steps_of(input, batched);
  conv.result_steps = steps_of(result, batched);
  return conv;
}

/// The step from one position of a channel to the next, if it is always the same.
std::optional<int64_t> position_step(const Extent& size, const Extent& step) {
  std::optional<int64_t> unit;
  int64_t count = 1;
  for (int i = kSpatial; i-- > 0;) {
    if (size[i] == 1) continue;
    if (!unit) unit = step[i];
    if (step[i] != *unit * count) return std::nullopt;
    count *= size[i];
  }
  return unit.value_or(1);
}

/// True if every output position reads exactly the input position of the same index.
bool is_pointwise(const WindowGeometry& geometry) {
  if (geometry.transposed || geometry.window_size() != 1) return false;
  for (size_t i = 0; i < kSpatial; ++i) {
    if (geometry.stride[i] != 1 || geometry.padding[i] != 0) return false;
  }
  return true;
}

/// For outputs [channel, channel + count) of an image that were not written in tiles.
void finish_planes(const Convolution& conv, int64_t image, int64_t channel, int64_t count) {
  if (conv.epilogue == nullptr) return;
  const ImageSteps& out = conv.result_steps;
  const Extent& size = conv.geometry.output;
  for (int64_t c = channel; c < channel + count; ++c) {
    for (int64_t d = 0; d < size[0]; ++d) {
      const int64_t offset = image * out.batch + c * out.channel + d * out.spatial[0];
      conv.epilogue->run({.first = conv.result.at(offset),
                          .rows = size[1],
                          .columns = size[2],
                          .row_stride = out.spatial[1],
                          .column_stride = out.spatial[2]});
    }
  }
}

/// The right operand of the product: the images themselves, or unfolded while packing.
class Columns {
 public:
  Columns(const Convolution& conv, const Images& images, int64_t count) {
    if (is_pointwise(conv.geometry)) {
      const auto step = position_step(conv.geometry.input, images.strides);
      if (step && (count == 1 || images.image_stride == *step * conv.geometry.output_size())) {
        source_ = &matrix_.emplace(
            conv.accumulator, MatrixLines{images.data, images.dtype, *step, images.channel_stride});
        return;
      }
    }
    source_ = &unfolded_.emplace(conv.accumulator, conv.geometry, images);
  }

  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  const PanelSource* source() const { return source_; }

 private:
  std::optional<MatrixPanels> matrix_;
  std::optional<UnfoldedPanels> unfolded_;
  const PanelSource* source_ = nullptr;
};

/// Lines are the output channels of a group, depths (input channel, window position).
MatrixLines weight_lines(const Convolution& conv, int64_t group) {
  const int64_t window = conv.geometry.window_size();
  const int64_t depth = conv.inputs * window;
  const std::byte* const data = conv.weight.at(group * conv.outputs * depth);
  if (!conv.has_turned_weight) return {data, conv.weight.dtype, depth, 1};
  return {data, conv.weight.dtype, window, 1, window, conv.outputs * window};
}

/// Multiplies the weights of a group with some images.
void run_group(const Convolution& conv, Range images, int64_t group, std::byte* staging,
               GemmWorkspace& workspace) {
  const int64_t positions = conv.geometry.output_size();
  const MatrixPanels weights(conv.accumulator, weight_lines(conv, group));
  const ImageSteps& in = conv.input_steps;
  const int64_t in_offset = images.begin * in.batch + group * conv.inputs * in.channel;
  const Columns columns(
      conv, {conv.input.at(in_offset), conv.input.dtype, in.batch, in.channel, in.spatial},
      images.count);
  const ImageSteps& out = conv.result_steps;
  const int64_t out_offset = images.begin * out.batch + group * conv.outputs * out.channel;
  std::byte* target = conv.result.at(out_offset);
  const std::optional<int64_t> step = position_step(conv.geometry.output, out.spatial);
  const DType dtype = conv.result.dtype;
  MatrixSlot result = step ? MatrixSlot{target, dtype, out.channel, *step}
                           : MatrixSlot{staging, dtype, positions, 1};
  if (images.count > 1 && out.batch != result.column_stride * positions) {
    result.block = positions;
    result.block_stride = out.batch;
  }
  MatrixSlot bias;
  if (conv.has_bias) {
    const int64_t next = conv.bias_step;
    bias = {conv.bias.at(group * conv.outputs * next), conv.bias.dtype, next, 0};
  }
  run_gemm({.rows = conv.outputs,
            .columns = images.count * positions,
            .depth = conv.inputs * conv.geometry.window_size(),
            .accumulator = conv.accumulator,
            .left = &weights,
            .right = columns.source(),
            .left_is_constant = conv.has_constant_weight,
            .result = result,
            .addend = conv.has_bias ? &bias : nullptr,
            .epilogue = step ? conv.epilogue : nullptr},
           workspace);
  if (step) return;
  const Extent& size = conv.geometry.output;
  const std::array<int64_t, 4> sizes{conv.outputs, size[0], size[1], size[2]};
  const std::array<int64_t, 4> to{out.channel, out.spatial[0], out.spatial[1], out.spatial[2]};
  const std::array<int64_t, 4> from{positions, size[1] * size[2], size[2], 1};
  copy_elements({target, dtype, to}, {staging, dtype, from}, sizes);
  finish_planes(conv, images.begin, group * conv.outputs, conv.outputs);
}

/// Multiply-adds of the convolution.
double steps_of(const Convolution& conv) {
  return static_cast<double>(conv.batch * conv.groups * conv.outputs) *
         static_cast<double>(conv.geometry.output_size()) *
         static_cast<double>(conv.inputs * conv.geometry.window_size());
}

/// Whether all images of a group are one product: weights that change are then packed once, and few
/// positions fill tiles. Sums are the same either way.
bool joins_images(const Convolution& conv) {
  constexpr int64_t kFewPositions = 64;
  if (conv.batch == 1 || !position_step(conv.geometry.output, conv.result_steps.spatial)) {
    return false;
  }
  return !conv.has_constant_weight || conv.geometry.output_size() < kFewPositions;
}

/// Threads divide many images and groups; each of a few is divided itself.
void run_by_products(const Convolution& conv) {
  ThreadPool* const pool = conv.context == nullptr ? nullptr : conv.context->pool();
  const int64_t images = joins_images(conv) ? conv.batch : 1;
  const int64_t parts = conv.batch / images * conv.groups;
  const bool divides_parts = parts >= thread_count(pool);
  const int64_t chunks = divides_parts ? std::min(parts, tasks_for_steps(pool, steps_of(conv))) : 1;
  run_chunks(pool, chunks, [&](int64_t chunk) {
    GemmWorkspace workspace(conv.context, divides_parts ? nullptr : pool);
    std::byte* staging = nullptr;  // A product uses blocks 0 to 2.
    if (!position_step(conv.geometry.output, conv.result_steps.spatial)) {
      const int64_t elements = conv.outputs * conv.geometry.output_size();
      staging = static_cast<std::byte*>(
          workspace.memory(3, static_cast<size_t>(elements * item_size(conv.result.dtype))));
    }
    for (int64_t part = chunk_begin(parts, chunks, chunk);
         part < chunk_begin(parts, chunks, chunk + 1); ++part) {
      run_group(conv, {part / conv.groups * images, images}, part % conv.groups, staging,
                workspace);
    }
  });
}

/// Memory of one task for run_depthwise, row-major in the accumulator's dtype.
struct Planes {
  std::byte* input = nullptr;
  std::byte* sums = nullptr;
};

Extent row_major(const Extent& size) { return {size[1] * size[2], size[2], 1}; }

/// Computes one plane of outputs.
void run_depthwise_channel(const Convolution& conv, int64_t image, int64_t channel,
                           const Elements& weight, const Planes& planes) {
  const DType dtype = weight.dtype;
  const Extent& out = conv.geometry.output;
  const Extent steps = row_major(out);
  const auto item = static_cast<int64_t>(item_size(dtype));
  if (conv.has_bias) {
    const std::array<int64_t, 3> still{0, 0, 0};
    copy_elements({planes.sums, dtype, steps},
                  {conv.bias.at(channel * conv.bias_step), conv.bias.dtype, still}, out);
  } else {
    std::memset(planes.sums, 0, static_cast<size_t>(conv.geometry.output_size() * item));
  }
  add_depthwise(conv.accumulator, conv.geometry, planes.input,
                weight.at(channel * conv.geometry.window_size()), planes.sums);
  const ImageSteps& to = conv.result_steps;
  copy_elements(
      {conv.result.at(image * to.batch + channel * to.channel), conv.result.dtype, to.spatial},
      {planes.sums, dtype, steps}, out);
  finish_planes(conv, image, channel, 1);
}

/// One input channel per group: planes are converted once, and windows slide over them.
void run_depthwise(const Convolution& conv) {
  const DType dtype = accumulator_dtype(conv.accumulator);
  const Extent& in = conv.geometry.input;
  Tensor converted;
  Elements weight = conv.weight;
  if (weight.dtype != dtype) {
    const std::array<int64_t, 1> count{conv.groups * conv.outputs * conv.geometry.window_size()};
    const std::array<int64_t, 1> step{1};
    converted = Tensor::empty(dtype, {count[0]});
    weight = Elements(converted);
    copy_elements({weight.data, dtype, step}, {conv.weight.data, conv.weight.dtype, step}, count);
  }
  ThreadPool* const pool = conv.context == nullptr ? nullptr : conv.context->pool();
  const int64_t parts = conv.batch * conv.groups;
  constexpr double kWindowStepsPerNanosecond = 4;  // Planes are converted and copied besides.
  const int64_t chunks = std::min(
      parts, ThreadPool::worthwhile_tasks(pool, steps_of(conv) / kWindowStepsPerNanosecond));
  run_chunks(pool, chunks, [&](int64_t chunk) {
    GemmWorkspace workspace(conv.context, nullptr);
    const auto memory = [&](int slot, int64_t elements) {
      return static_cast<std::byte*>(
          workspace.memory(slot, static_cast<size_t>(elements * item_size(dtype))));
    };
    const Planes planes{memory(0, in[0] * in[1] * in[2]), memory(1, conv.geometry.output_size())};
    for (int64_t part = chunk_begin(parts, chunks, chunk);
         part < chunk_begin(parts, chunks, chunk + 1); ++part) {
      const int64_t image = part / conv.groups;
      const int64_t group = part % conv.groups;
      const ImageSteps& from = conv.input_steps;
      copy_elements({planes.input, dtype, row_major(in)},
                    {conv.input.at(image * from.batch + group * from.channel), conv.input.dtype,
                     from.spatial},
                    in);
      for (int64_t k = 0; k < conv.outputs; ++k) {
        run_depthwise_channel(conv, image, group * conv.outputs + k, weight, planes);
      }
    }
  });
}

void run(const Convolution& conv) {
  if (conv.is_empty) return;
  // A few outputs per group do not fill a register tile either.
  if (conv.inputs == 1 && conv.outputs <= 4 && conv.groups > 1) return run_depthwise(conv);
  run_by_products(conv);
}

void run_real(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& result,
              const LibraryCall& call) {
  run(describe(input, weight, bias, result, call));
}

class PreparedConvolution final : public PreparedCall {
 public:
  PreparedConvolution(Convolution conv, size_t result) : conv_(std::move(conv)), result_(result) {}

  void run(std::span<std::byte* const> addresses, const TileEpilogue* epilogue) override {
    conv_.input.data = addresses[0];
    if (!conv_.made_weight.defined()) conv_.weight.data = addresses[1];
    if (conv_.has_bias) conv_.bias.data = addresses[2];
    conv_.result.data = addresses[result_];
    conv_.epilogue = epilogue;
    kernels::run(conv_);
  }

 private:
  Convolution conv_;
  size_t result_;
};

/// The real (part 0) or imaginary (part 1) parts of a complex tensor.
Tensor part_of(const Tensor& tensor, int part) {
  if (!tensor.defined()) return {};
  std::vector<int64_t> strides = tensor.strides();
  for (int64_t& stride : strides) stride *= 2;
  return Tensor(real_dtype(tensor.dtype()), tensor.sizes(), std::move(strides),
                2 * tensor.offset() + part, tensor.storage());
}

template <typename T>
void accumulate(Tensor& target, const Tensor& term, T sign) {
  T* to = reinterpret_cast<T*>(target.mutable_data());
  const T* from = reinterpret_cast<const T*>(term.data());
  const int64_t count = target.numel();
  for (int64_t i = 0; i < count; ++i) to[i] += sign * from[i];
}

void run_complex(const Tensor& input, const Tensor& weight, const Tensor& bias, Tensor& result,
                 const LibraryCall& call) {
  require(input.dtype() != DType::c32, ErrorCode::unsupported,
          "convolution of half-precision complex tensors is not available; cast to complex64");
  require(call.epilogue == nullptr, ErrorCode::corrupt,
          "complex results must have no epilogue:", call.function);
  const DType dtype = real_dtype(input.dtype());
  Tensor other = Tensor::empty(dtype, result.sizes());
  for (int part = 0; part < 2; ++part) {
    Tensor sum = Tensor::empty(dtype, result.sizes());
    run_real(part_of(input, 0), part_of(weight, part), part_of(bias, part), sum, call);
    run_real(part_of(input, 1), part_of(weight, 1 - part), {}, other, call);
    const double sign = part == 0 ? -1 : 1;
    if (dtype == DType::f64) {
      accumulate<double>(sum, other, sign);
    } else {
      accumulate<float>(sum, other, static_cast<float>(sign));
    }
    part_of(result, part).copy_from(sum);
  }
}

}  // namespace

void convolution(LibraryCall& call) {
  const Tensor& input = call.tensor(0);
  const Tensor& weight = call.tensor(1);
  const Tensor& bias = call.optional_tensor(2);
  require(input.dtype() == weight.dtype(),
          "input and weight of a convolution must have one dtype:", torch_name(input.dtype()),
          torch_name(weight.dtype()));
  if (is_complex(input.dtype())) {
    run_complex(input, weight, bias, call.results[0], call);
  } else {
    run_real(input, weight, bias, call.results[0], call);
  }
}

std::unique_ptr<PreparedCall> prepare_convolution(const LibraryCall& call) {
  if (is_complex(call.tensor(0).dtype())) return nullptr;
  if (call.tensor(1).dtype() != call.tensor(0).dtype()) return nullptr;  // An error.
  Convolution conv =
      describe(call.tensor(0), call.tensor(1), call.optional_tensor(2), call.results[0], call);
  // The converted layout of a constant is made once; that of a changing weight in every call.
  if (conv.made_weight.defined() && !call.is_constant(1)) return nullptr;
  return std::make_unique<PreparedConvolution>(std::move(conv), call.arguments.size());
}

}  // namespace litz::kernels
