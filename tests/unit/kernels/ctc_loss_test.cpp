// Connectionist temporal classification against sums over all paths.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "library_call.h"

namespace litz::kernels {
namespace {

using Lengths = std::vector<int64_t>;

Tensor even_scores(int64_t times, int64_t count, int64_t classes) {
  const std::vector<double> values(static_cast<size_t>(times * count * classes),
                                   -std::log(static_cast<double>(classes)));
  return Tensor::of(DType::f32, {times, count, classes}, std::span<const double>(values));
}

Tensor loss(const Tensor& scores, const Tensor& targets, Lengths inputs, Lengths lengths,
            int64_t reduction, bool zero_infinity, Tensor result) {
  return call_library("ctc_loss",
                      {scores, targets, std::move(inputs), std::move(lengths), int64_t{0},
                       reduction, zero_infinity},
                      {std::move(result)})[0];
}

TEST(CtcLoss, CountsThePathsThatSpellTheTarget) {
  // Of 4 paths over 2 times and 2 classes, 3 spell "1"; of 27 over 3 classes, 1 spells "1 1".
  const Tensor targets = Tensor::of<int64_t>(DType::i64, {2, 2}, {1, 0, 1, 1});
  const Tensor one = loss(even_scores(2, 1, 2), Tensor::of<int64_t>(DType::i64, {1, 1}, {1}), {2},
                          {1}, 2, false, Tensor::empty(DType::f32, {}));
  EXPECT_NEAR(one.at({}), -std::log(3.0 / 4), 1e-6);
  const Tensor both =
      loss(even_scores(3, 2, 3), targets, {2, 3}, {1, 2}, 0, false, Tensor::empty(DType::f32, {2}));
  EXPECT_NEAR(both.at({0}), -std::log(3.0 / 9), 1e-6);
  EXPECT_NEAR(both.at({1}), -std::log(1.0 / 27), 1e-5);
}

TEST(CtcLoss, MeanDividesByTheTargetsFirst) {
  const Tensor targets = Tensor::of<int64_t>(DType::i64, {3}, {1, 1, 1});
  const Tensor mean =
      loss(even_scores(3, 2, 3), targets, {2, 3}, {1, 2}, 1, false, Tensor::empty(DType::f32, {}));
  EXPECT_NEAR(mean.at({}), (-std::log(3.0 / 9) - std::log(1.0 / 27) / 2) / 2, 1e-5);
}

TEST(CtcLoss, ImpossibleTargetsAreInfiniteOrZero) {
  const Tensor targets = Tensor::of<int64_t>(DType::i64, {1, 2}, {1, 1});
  const auto value = [&](bool zero_infinity) {
    return loss(even_scores(2, 1, 2), targets, {2}, {2}, 2, zero_infinity,
                Tensor::empty(DType::f32, {}))
        .at({});
  };
  EXPECT_EQ(value(false), std::numeric_limits<double>::infinity());
  EXPECT_EQ(value(true), 0);
}

TEST(CtcLoss, RefusesClassesThatDoNotExist) {
  const Tensor targets = Tensor::of<int64_t>(DType::i64, {1, 1}, {2});
  EXPECT_THROW(
      loss(even_scores(2, 1, 2), targets, {2}, {1}, 2, false, Tensor::empty(DType::f32, {})),
      Error);
}

TEST(CtcLoss, RefusesTargetsThatAreNotThere) {
  const auto refuses = [](const Tensor& targets, Lengths lengths) {
    EXPECT_THROW(loss(even_scores(2, 2, 2), targets, {2, 2}, std::move(lengths), 2, false,
                      Tensor::empty(DType::f32, {})),
                 Error);
  };
  refuses(Tensor::of<int64_t>(DType::i64, {1, 1}, {1}), {1, 1});
  refuses(Tensor::of<int64_t>(DType::i64, {2}, {1, 1}), {1, std::numeric_limits<int64_t>::max()});
}

}  // namespace
}  // namespace litz::kernels
