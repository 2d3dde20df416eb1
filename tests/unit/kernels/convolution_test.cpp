// Convolutions against loops written out, over windows, groups, layouts and element types.

#include <vector>

#include <gtest/gtest.h>

#include "library_call.h"
#include "types/fill.h"

namespace litz::kernels {
namespace {

struct Case {
  std::vector<int64_t> input;
  std::vector<int64_t> weight;
  int64_t stride = 1;
  int64_t padding = 0;
  int64_t dilation = 1;
  bool transposed = false;
  int64_t output_padding = 0;
  int64_t groups = 1;
};

std::vector<int64_t> output_sizes(const Case& c) {
  std::vector<int64_t> sizes{c.input[0], c.transposed ? c.weight[1] * c.groups : c.weight[0]};
  for (size_t i = 2; i < c.input.size(); ++i) {
    const int64_t reach = c.dilation * (c.weight[i] - 1);
    sizes.push_back(c.transposed
                        ? (c.input[i] - 1) * c.stride - 2 * c.padding + reach + c.output_padding + 1
                        : (c.input[i] + 2 * c.padding - reach - 1) / c.stride + 1);
  }
  return sizes;
}

bool next(std::vector<int64_t>& index, const std::vector<int64_t>& sizes) {
  for (size_t i = sizes.size(); i-- > 0;) {
    if (++index[i] < sizes[i]) return true;
    index[i] = 0;
  }
  return false;
}

/// Every meeting of an input and a window element adds to one output.
Tensor written_out(const Case& c, const Tensor& input, const Tensor& weight) {
  const std::vector<int64_t> sizes = output_sizes(c);
  std::vector<double> sums(static_cast<size_t>(checked_numel(sizes)), 0);
  const std::vector<int64_t> strides = contiguous_strides(sizes);
  const int64_t group_in = c.input[1] / c.groups;
  const int64_t group_out = sizes[1] / c.groups;
  std::vector<int64_t> at(weight.rank(), 0);
  do {
    std::vector<int64_t> from(input.rank(), 0);
    do {
      const int64_t in_channel = c.transposed ? at[0] : at[1];
      const int64_t group = c.transposed ? at[0] / group_in : at[0] / group_out;
      const int64_t wanted = c.transposed ? at[0] : group * group_in + in_channel;
      if (from[1] != wanted) continue;
      int64_t offset = from[0] * strides[0];
      offset += (c.transposed ? group * group_out + at[1] : at[0]) * strides[1];
      bool meets = true;
      for (size_t d = 2; d < sizes.size() && meets; ++d) {
        const int64_t shift = at[d] * c.dilation - c.padding;
        int64_t out = from[d] * c.stride + shift;
        if (!c.transposed) {
          meets = (from[d] - shift) >= 0 && (from[d] - shift) % c.stride == 0;
          out = meets ? (from[d] - shift) / c.stride : 0;
        }
        meets = meets && out >= 0 && out < sizes[d];
        offset += out * strides[d];
      }
      if (meets) sums[static_cast<size_t>(offset)] += input.at(from) * weight.at(at);
    } while (next(from, input.sizes()));
  } while (next(at, weight.sizes()));
  return Tensor::of(DType::f64, sizes, std::span<const double>(sums));
}

std::vector<LibraryArgument> arguments(const Case& c, const Tensor& input, const Tensor& weight,
                                       LibraryArgument bias) {
  const auto list = [](int64_t value) { return std::vector<int64_t>{value}; };
  return {input,           weight,           std::move(bias), list(c.stride),
          list(c.padding), list(c.dilation), c.transposed,    list(c.output_padding),
          c.groups};
}

/// Channels innermost.
std::vector<int64_t> channels_last(const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size());
  strides[1] = 1;
  int64_t step = sizes[1];
  for (size_t i = sizes.size(); i-- > 2;) {
    strides[i] = step;
    step *= sizes[i];
  }
  strides[0] = step;
  return strides;
}

void expect_equal(const Tensor& actual, const Tensor& expected, double tolerance) {
  std::vector<int64_t> index(expected.rank(), 0);
  do {
    ASSERT_NEAR(actual.at(index), expected.at(index), tolerance);
  } while (next(index, expected.sizes()));
}

const Case kCases[] = {
    {{2, 3, 9}, {4, 3, 3}, 1, 1},
    {{2, 3, 8, 9}, {5, 3, 3, 2}, 2, 1},
    {{1, 4, 7, 7}, {6, 2, 3, 3}, 1, 2, 2, false, 0, 2},
    {{2, 4, 6, 5}, {4, 1, 3, 3}, 1, 1, 1, false, 0, 4},
    {{2, 4, 6, 5}, {8, 1, 3, 3}, 2, 1, 1, false, 0, 4},
    {{1, 2, 4, 5, 3}, {3, 2, 2, 3, 1}, 1, 1},
    {{1, 3, 4, 4}, {2, 3, 1, 1}},
    {{1, 3, 3, 1}, {2, 3, 3, 1}},
    {{2, 4, 5, 4}, {4, 3, 3, 2}, 2, 1, 1, true, 1},
    {{1, 4, 5}, {4, 2, 4}, 3, 0, 2, true, 2, 2},
    {{1, 2, 2, 3, 2}, {2, 2, 2, 2, 2}, 2, 0, 1, true},
    {{1, 3, 5, 5}, {3, 1, 3, 3}, 2, 1, 1, true, 1, 3},
    // Few outputs of a large window, as those of the gradient of a weight are.
    {{21, 3, 8, 9}, {5, 3, 7, 7}, 1, 1},
    {{40, 5, 16, 16}, {4, 5, 8, 8}, 1, 1, 2},
    {{7, 6, 11, 10}, {4, 3, 5, 6}, 3, 2, 1, false, 0, 2},
    {{3, 2, 4, 5, 6}, {3, 2, 3, 4, 5}, 1, 1},
    {{9, 2, 12}, {3, 2, 10}, 1, 3},
    // Many images of few pixels.
    {{30, 70, 2, 2}, {50, 70, 3, 3}, 1, 1},
    {{30, 20, 3, 2}, {40, 20, 1, 1}},
    {{12, 6, 2, 3}, {6, 4, 3, 3}, 2, 1, 1, true, 1, 2},
};

TEST(Convolution, MatchesLoopsWrittenOut) {
  for (const Case& c : kCases) {
    const Tensor input = fill_floats(DType::f32, c.input, 1, 1, 0);
    const Tensor weight = fill_floats(DType::f32, c.weight, 2, 1, 0);
    const Tensor expected = written_out(c, input, weight);
    const Tensor result = call_library("convolution", arguments(c, input, weight, {}),
                                       {Tensor::empty(DType::f32, output_sizes(c))})[0];
    expect_equal(result, expected, 1e-4);
    // The same with channels innermost everywhere.
    Tensor strided =
        Tensor::empty_strided(DType::f32, output_sizes(c), channels_last(output_sizes(c)));
    call_library("convolution",
                 arguments(c, input.clone(channels_last(c.input)),
                           weight.clone(channels_last(c.weight)), {}),
                 {strided});
    expect_equal(strided, expected, 1e-4);
  }
}

// Images of a batch are one product if the weight may change: its result has a gap behind each image here.
TEST(Convolution, WritesImagesWhereTheyBelong) {
  const Case c{{6, 5, 7, 6}, {9, 5, 3, 3}, 1, 1};
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16, DType::i32}) {
    const bool is_whole = is_integer(dtype);
    const Tensor input =
        is_whole ? fill_integers(dtype, c.input, 1, 9) : fill_floats(dtype, c.input, 1, 1, 0);
    const Tensor weight =
        is_whole ? fill_integers(dtype, c.weight, 2, 9) : fill_floats(dtype, c.weight, 2, 1, 0);
    const Tensor expected = written_out(c, input, weight);
    const std::vector<int64_t> sizes = output_sizes(c);
    std::vector<int64_t> strides = contiguous_strides(sizes);
    strides[0] += 5;
    Tensor result = Tensor::empty_strided(dtype, sizes, strides);
    call_library("convolution", arguments(c, input, weight, {}), {result});
    expect_equal(result, expected, dtype == DType::bf16 ? 0.1 : 1e-4);
  }
}

TEST(Convolution, AddsItsBiasAndTakesOtherElementTypes) {
  const Case c = kCases[2];
  for (const DType dtype : {DType::f64, DType::bf16, DType::f16}) {
    const Tensor input = fill_floats(dtype, c.input, 1, 1, 0);
    const Tensor weight = fill_floats(dtype, c.weight, 2, 1, 0);
    const Tensor bias = fill_constant(dtype, {6}, 2);
    const Tensor expected = written_out(c, input, weight);
    const Tensor result = call_library("convolution", arguments(c, input, weight, bias),
                                       {Tensor::empty(dtype, output_sizes(c))})[0];
    const double tolerance = dtype == DType::f64 ? 1e-12 : dtype == DType::f16 ? 1e-2 : 5e-2;
    EXPECT_NEAR(result.at({0, 5, 3, 3}), expected.at({0, 5, 3, 3}) + 2, tolerance);
  }
}

TEST(Convolution, TakesImagesWithoutABatch) {
  const Case c = kCases[1];
  const Tensor input = fill_floats(DType::f32, {3, 8, 9}, 1, 1, 0);
  const Tensor weight = fill_floats(DType::f32, c.weight, 2, 1, 0);
  Case batched = c;
  batched.input = {1, 3, 8, 9};
  const Tensor expected =
      written_out(batched, input.view(batched.input, {216, 72, 9, 1}, 0), weight);
  std::vector<int64_t> sizes = output_sizes(batched);
  sizes.erase(sizes.begin());
  const Tensor result = call_library("convolution", arguments(c, input, weight, {}),
                                     {Tensor::empty(DType::f32, sizes)})[0];
  EXPECT_NEAR(result.at({4, 2, 3}), expected.at({0, 4, 2, 3}), 1e-4);
}

}  // namespace
}  // namespace litz::kernels
