// Layouts of Fourier transforms as PyTorch gives them, and the sum of overlapping frames.

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

std::string type_of(std::string_view op, const std::vector<TestArgument>& arguments) {
  return to_string(std::get<TensorType>(infer(op, arguments)[0]));
}

TEST(Fourier, TransformedDimensionsAreInnermost) {
  const Tensor signal = Tensor::zeros(DType::f32, {5, 6, 7});
  EXPECT_EQ(type_of("aten.fft_fft", {signal}), "c64[5, 6, 7]");
  EXPECT_EQ(type_of("aten.fft_hfft", {signal, integer(10), integer(1)}),
            "f32[5, 10, 7]{70, 1, 10}");
  EXPECT_EQ(type_of("aten.fft_hfft2", {signal, none(), integers({0})}), "f32[8, 6, 7]{1, 56, 8}");
  EXPECT_EQ(type_of("aten.fft_hfft2", {signal, none(), integers({0, -1})}),
            "f32[5, 6, 12]{12, 60, 1}");
  EXPECT_EQ(type_of("aten.fft_rfft2", {signal}), "c64[5, 6, 4]");
}

TEST(Fourier, IntegersBecomeFloatsAndHalvesAreRefused) {
  EXPECT_EQ(type_of("aten.fft_rfft", {Tensor::zeros(DType::i64, {6})}), "c64[4]");
  EXPECT_THROW(type_of("aten.fft_rfft", {Tensor::zeros(DType::f16, {6})}), Error);
  EXPECT_THROW(type_of("aten.fft_rfft", {Tensor::zeros(DType::c64, {6})}), Error);
}

TEST(Fourier, TransformsOfNoPointsAreEmpty) {
  const ir::OpInfo& c2c = *test_ops()->find("aten._fft_c2c");
  EXPECT_EQ(GraphRunner().run_sample(c2c, "(c64[3, 0], [1], 0, True)")[0].numel(), 0);
  const ir::OpInfo& r2c = *test_ops()->find("aten._fft_r2c");
  EXPECT_EQ(GraphRunner().run_sample(r2c, "(f32[3, 0], [1], 0, False)")[0].numel(), 0);
}

TEST(Fourier, FramesOfAShortTimeTransform) {
  EXPECT_EQ(type_of("aten.stft", {Tensor::zeros(DType::f32, {110}), integer(10), none(), none(),
                                  none(), boolean(false), none(), boolean(false)}),
            "f32[6, 51, 2]{2, 12, 1}");
  EXPECT_EQ(type_of("aten.istft", {Tensor::zeros(DType::c64, {2, 5, 9}), integer(8)}),
            "f32[2, 16]");
}

TEST(Fourier, OverlappingFramesAreWeighedByTheirWindows) {
  // Two frames of 4 points, 2 apart: where both lie they are averaged by squares of the window.
  const Tensor frames = Tensor::of<double>(DType::f32, {1, 2, 4}, {1, 1, 1, 1, 3, 3, 3, 3});
  const auto plain =
      values(run("aten._overlap_add", {frames, none(), integer(2), integer(0), integer(8)}));
  EXPECT_THAT(plain, ::testing::ElementsAre(1, 1, 2, 2, 3, 3, 0, 0));
  const Tensor window = f32({4}, {1, 1, 2, 1});
  const auto weighed =
      values(run("aten._overlap_add", {frames, window, integer(2), integer(1), integer(3)}));
  EXPECT_THAT(weighed, ::testing::ElementsAre(1, 1, 2));
}

// 2^-20 squared is 0 in f16, where the least sum of squares is 0 too.
TEST(Istft, SquaresOfWindowsOfHalvesAreHalves) {
  const Tensor frames = f32({1, 1, 2}, {1, 2});
  const auto weighed = [&](DType dtype) {
    const Tensor window = f32({2}, {0.25F, 0x1p-20F}).to(dtype);
    return values(run("aten._overlap_add", {frames, window, integer(2), integer(0), integer(2)}));
  };
  EXPECT_THAT(weighed(DType::f16), ::testing::ElementsAre(4, HUGE_VAL));
  EXPECT_THROW(weighed(DType::bf16), Error);
}

// 16 squared is 0 in u8, and two of bool are not one.
TEST(Istft, SquaresOfWholeWindowsWrap) {
  const Tensor frames = f32({1, 2, 2}, {1, 1, 1, 1});
  const auto weighed = [&](DType dtype, int64_t weight) {
    const Tensor window = i64({2}, {weight, weight}).to(dtype);
    return values(run("aten._overlap_add", {frames, window, integer(1), integer(1), integer(1)}));
  };
  EXPECT_THAT(weighed(DType::bool_, 1), ::testing::ElementsAre(1));
  EXPECT_THAT(weighed(DType::u8, 20), ::testing::ElementsAre(40.0F / 32));
  EXPECT_THROW(weighed(DType::u8, 16), Error);
}

TEST(Istft, TheSignalHasTheBitsOfItsWindow) {
  const ir::OpInfo& op = *test_ops()->find("aten.istft");
  const Tensor signal = GraphRunner().run_sample(op, "(c64[5, 9], 8, 4, 8, f64[8])")[0];
  EXPECT_EQ(signal.dtype(), DType::f64);
}

}  // namespace
}  // namespace litz::ops
