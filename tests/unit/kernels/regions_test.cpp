// Suppression of boxes and pooling over regions: ties, NaN, boxes without area, reversed ones.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "library_call.h"

namespace litz::kernels {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<int64_t> kept(const Tensor& boxes, const Tensor& scores, double threshold) {
  const Tensor result = call_library("nms", {boxes, scores, threshold}, {Tensor()})[0];
  std::vector<int64_t> values;
  for (int64_t i = 0; i < result.numel(); ++i) values.push_back(result.int_at({i}));
  return values;
}

using Positions = std::vector<int64_t>;

Tensor rows(int64_t count, std::initializer_list<float> values, int64_t width = 4) {
  return Tensor::of<float>(DType::f32, {count, width}, values);
}

TEST(Nms, EqualScoresStayInOrderAndNaNComesFirst) {
  const Tensor apart = rows(4, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7});
  const Tensor scores = Tensor::of<float>(DType::f32, {4}, {0.5f, 0.5f, kNaN, kInfinity});
  EXPECT_EQ(kept(apart, scores, 0.5), (Positions{2, 3, 0, 1}));
}

TEST(Nms, OverlapMustExceedTheThreshold) {
  // They share a half of each: a third of both.
  const Tensor boxes = rows(2, {0, 0, 2, 1, 1, 0, 3, 1});
  const Tensor scores = Tensor::of<float>(DType::f32, {2}, {1, 2});
  EXPECT_EQ(kept(boxes, scores, 0.34), (Positions{1, 0}));
  EXPECT_EQ(kept(boxes, scores, 0.33), (Positions{1}));
  EXPECT_EQ(kept(rows(2, {0, 0, 1, 1, 0, 0, 1, 1}), scores, 1.0), (Positions{1, 0}));
}

TEST(Nms, BoxesWithoutAreaSuppressNothing) {
  const Tensor scores = Tensor::of<float>(DType::f32, {2}, {1, 2});
  EXPECT_EQ(kept(rows(2, {1, 1, 1, 1, 1, 1, 1, 1}), scores, 0.1), (Positions{1, 0}));
  EXPECT_EQ(kept(rows(0, {}), Tensor::of<float>(DType::f32, {0}, {}), 0.1), Positions());
}

Tensor ramp() {
  std::vector<float> values(36);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  return Tensor::of(DType::f32, {1, 1, 6, 6}, std::span<const float>(values));
}

std::vector<double> aligned(const Tensor& image, std::initializer_list<float> box, int64_t ratio,
                            bool aligned) {
  const Tensor result = call_library(
      "roi_align", {image, rows(1, box, 5), 1.0, int64_t{2}, int64_t{2}, ratio, aligned},
      {Tensor::empty(DType::f32, {1, 1, 2, 2})})[0];
  return {result.at({0, 0, 0, 0}), result.at({0, 0, 0, 1}), result.at({0, 0, 1, 0}),
          result.at({0, 0, 1, 1})};
}

using Values = std::vector<double>;

TEST(RoiAlign, ReversedBoxes) {
  EXPECT_EQ(aligned(ramp(), {0, 3, 0, 1, 4}, -1, false), (Values{9.25, 9.75, 21.25, 21.75}));
  EXPECT_EQ(aligned(ramp(), {0, 3, 0, 1, 4}, 2, true), (Values{5, 4, 17, 16}));
  EXPECT_EQ(aligned(ramp(), {0, 3, 3, 1, 1}, -1, true), (Values{0, 0, 0, 0}));
  // PyTorch refuses a negative number of samples.
  EXPECT_THROW(aligned(ramp(), {0, 3, 0, 1, 4}, -1, true), Error);
}

TEST(RoiAlign, OutsideCountsNothing) {
  EXPECT_EQ(aligned(ramp(), {0, -30, -30, -20, -20}, 2, false), (Values{0, 0, 0, 0}));
  EXPECT_EQ(aligned(ramp(), {0, kNaN, kNaN, kNaN, kNaN}, 2, false), (Values{0, 0, 0, 0}));
  Tensor image = ramp();
  reinterpret_cast<float*>(image.mutable_data())[0] = kInfinity;
  EXPECT_TRUE(std::isnan(aligned(image, {0, -30, -30, -20, -20}, 2, false)[0]));
}

TEST(RoiAlign, RefusesImagesThatAreNotThereAndHugeBoxes) {
  EXPECT_THROW(aligned(ramp(), {1, 0, 0, 2, 2}, 2, false), Error);
  EXPECT_THROW(aligned(ramp(), {-1, 0, 0, 2, 2}, 2, false), Error);
  EXPECT_THROW(aligned(ramp(), {kNaN, 0, 0, 2, 2}, 2, false), Error);
  EXPECT_THROW(aligned(ramp(), {0, 0, 0, 1e9f, 1e9f}, -1, false), Error);
}

TEST(RoiPool, EmptyBinsGiveZeroAndNoPlace) {
  const auto results = call_library(
      "roi_pool", {ramp(), rows(1, {0, -30, -30, -20, -20}, 5), 1.0, int64_t{1}, int64_t{1}},
      {Tensor::empty(DType::f32, {1, 1, 1, 1}), Tensor::empty(DType::i32, {1, 1, 1, 1})});
  EXPECT_EQ(results[0].at({0, 0, 0, 0}), 0);
  EXPECT_EQ(results[1].int_at({0, 0, 0, 0}), -1);
}

}  // namespace
}  // namespace litz::kernels
