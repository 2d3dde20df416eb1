// Losses and distances: reductions, ignored targets, smoothing, and the order of pairs.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "recorded_rows.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;

TEST(Loss, MeanSumAndNone) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4});
  const Tensor b = f32({2}, {0, 0});
  EXPECT_THAT(values(run("aten.mse_loss", {a, b, integer(0)})), ElementsAre(1, 4, 9, 16));
  EXPECT_EQ(run("aten.mse_loss", {a, b}).at({}), 7.5);
  EXPECT_EQ(run("aten.mse_loss", {a, b, integer(2)}).at({}), 30);
  EXPECT_THROW(run("aten.mse_loss", {a, b, integer(3)}), Error);
}

TEST(Loss, TheMeanOfNothingIsNan) {
  EXPECT_TRUE(std::isnan(run("aten.mse_loss", {f32({0}, {}), f32({0}, {})}).at({})));
}

TEST(Loss, CertainMistakesStayFinite) {
  const Tensor probability = f32({2}, {0, 1});
  const Tensor target = f32({2}, {1, 1});
  EXPECT_THAT(values(run("aten.binary_cross_entropy", {probability, target, none(), integer(0)})),
              ElementsAre(100, 0));
}

TEST(Loss, IgnoredTargetsNeitherCountNorNeedAClass) {
  const Tensor scores = f32({3, 2}, {-1, -2, -3, -4, -5, -6});
  const Tensor target = i64({3}, {0, -100, 1});
  const Tensor weight = f32({2}, {1, 3});
  EXPECT_EQ(run("aten.nll_loss", {scores, target}).at({}), 3.5);
  EXPECT_EQ(run("aten.nll_loss", {scores, target, weight}).at({}), 19.0 / 4);
  const auto both =
      run_all("aten.nll_loss_forward", {scores, target, weight, integer(2), integer(-100)});
  EXPECT_EQ(both[0].at({}), 19);
  EXPECT_EQ(both[1].at({}), 4);
}

TEST(Loss, TargetsMustNameAClass) {
  EXPECT_THROW(run("aten.nll_loss", {f32({1, 2}, {0, 0}), i64({1}, {2})}), Error);
}

TEST(Loss, WithoutClassesEveryTargetIsIgnored) {
  const Tensor scores = f32({2, 0}, {});
  const Tensor ignored = i64({2}, {-100, -100});
  EXPECT_EQ(run("aten.nll_loss", {scores, ignored, none(), integer(2)}).at({}), 0);
  EXPECT_EQ(run("aten.nll_loss", {scores, ignored, f32({0}, {}), integer(2)}).at({}), 0);
  EXPECT_THROW(run("aten.nll_loss", {scores, i64({2}, {-100, 0})}), Error);
  EXPECT_THROW(run("aten.nll_loss", {scores, i64({2}, {0, 0}), f32({0}, {})}), Error);
}

TEST(Loss, CrossEntropyOfProbabilitiesIsThatOfTheClass) {
  const Tensor scores = f32({2, 3}, {1, 2, 0.5, -1, 0, 3});
  const Tensor classes = i64({2}, {1, 2});
  const Tensor certain = f32({2, 3}, {0, 1, 0, 0, 0, 1});
  const auto loss = [&](const Tensor& target, double smoothing) {
    return run("aten.cross_entropy_loss",
               {scores, target, none(), integer(1), integer(-100), number(smoothing)})
        .at({});
  };
  EXPECT_NEAR(loss(classes, 0), loss(certain, 0), 1e-6);
  EXPECT_NEAR(loss(classes, 0.2), loss(certain, 0.2), 1e-6);
}

TEST(Loss, LabelsEndAtTheFirstNegative) {
  const Tensor scores = f32({4}, {0.1F, 0.2F, 0.4F, 0.8F});
  const Tensor target = i64({4}, {3, 0, -1, 1});
  // Labels 3 and 0 against classes 1 and 2.
  EXPECT_NEAR(run("aten.multilabel_margin_loss", {scores, target}).at({}), 0.85, 1e-6);
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Loss, MeansOfDerivativesAreOverTheScores) {
  const Tensor score = f32({1}, {3});
  const Tensor targets = f32({2}, {1, 2});
  EXPECT_EQ(values(run("aten.mse_loss_backward", {f32({}, {1}), score, targets, integer(1)})),
            (std::vector<double>{4, 2}));
  EXPECT_EQ(values(run("aten.mse_loss_backward", {f32({}, {1}), targets, score, integer(1)})),
            (std::vector<double>{-2, -1}));
}

TEST(Loss, LogitsHaveTheDtypeOfTheTargets) {
  const Tensor target = f32({2}, {0, 1}).to(DType::f16);
  EXPECT_EQ(run("aten.binary_cross_entropy_with_logits", {f32({2}, {1, 2}), target}).dtype(),
            DType::f16);
}

TEST(Loss, NanAndInfinityGoWherePyTorchLetsThem) {
  expect_recorded({
      {"aten.multi_margin_loss",
       {f32({2, 3}, {kNan, 1, 2, 0.5F, 0.25F, 1}), i64({2}, {1, 0}), integer(1), integer(1), none(),
        integer(0)},
       {{0.6666667, 0.75}}},
      {"aten.multi_margin_loss",
       {f32({1, 2}, {kInf, 1}), i64({1}, {0}), integer(2), integer(1), f32({2}, {kInf, kNan})},
       {{0}}},
      {"aten.multi_margin_loss_backward",
       {f32({2}, {kInf, 1}), f32({2, 3}, {kNan, 1, 2, 0.5F, 0.25F, 1}), i64({2}, {1, 0}),
        integer(1), integer(1), none(), integer(0)},
       {{kNan, -kInf, kInf, -0.6666667, 0.3333333, 0.3333333}}},
      {"aten.huber_loss_backward",
       {f32({}, {1}), f32({3}, {kNan, 2, 0.25F}), f32({3}, {0, 0, 0}), integer(2), number(0.5)},
       {{kNan, 0.5, 0.25}}},
      {"aten.smooth_l1_loss_backward",
       {f32({}, {1}), f32({3}, {kNan, 2, 0}), f32({3}, {0, 0, 0}), integer(2), number(0)},
       {{kNan, 1, -1}}},
      {"aten.cosine_embedding_loss",
       {f32({2, 2}, {kInf, 1, 1, 0}), f32({2, 2}, {1, 1, 0, 1}), i64({2}, {0, 1}), number(0),
        integer(0)},
       {{0, 1}}},
      {"aten._masked_softmax_backward",
       {f32({1, 3}, {kNan, 1, 2}), f32({1, 3}, {0.5F, 0.25F, 0.25F}), truth({1, 3}, {1, 0, 0}),
        integer(1)},
       {{0, 0.0625, 0.3125}}},
      {"aten._cdist_forward",
       {f32({1, 2}, {0, kNan}), f32({2, 2}, {1, 1, 0, 0}), number(0), none()},
       {{kNan, kNan}}},
      {"aten._cdist_forward",
       {f32({1, 2}, {3, kNan}), f32({2, 2}, {1, 1, 0, 0}), number(kInf), none()},
       {{2, 3}}},
      {"aten._pdist_forward", {f32({2, 2}, {3, kNan, 1, 1}), number(kInf)}, {{kNan}}},
      {"aten._cdist_backward",
       {f32({1, 2}, {kInf, 2}), f32({1, 3}, {3, 1, 2}), f32({2, 3}, {1, 2, 3, 4, 0, 1}),
        number(kInf), f32({1, 2}, {2, 1})},
       {{kInf, kNan, kNan}}},
  });
}

TEST(Loss, SoftMarginsOverflowInHalves) {
  const auto f16 = [](float value) {
    return run("aten.to.dtype", {f32({1}, {value}), ir::Attribute(DType::f16)});
  };
  EXPECT_EQ(values(run("aten.soft_margin_loss", {f16(20), f16(-1), integer(0)}))[0], kInf);
  EXPECT_EQ(
      values(run("aten.soft_margin_loss_backward", {f16(1), f16(5.5F), f16(-2), integer(0)}))[0],
      kInf);
}

TEST(Loss, ResultsHaveTheDtypeOfTheScores) {
  const Tensor score = f32({1}, {3}).to(DType::f16);
  const Tensor one = f32({1}, {1});
  for (const auto& [op, arguments] : std::vector<std::pair<const char*, std::vector<TestArgument>>>{
           {"aten.huber_loss", {score, one, integer(0)}},
           {"aten.mse_loss_backward", {one, score, one, integer(0)}},
           {"aten.mish_backward", {one, score}}}) {
    EXPECT_EQ(run(op, arguments).dtype(), DType::f16) << op;
  }
}

TEST(Loss, SoftMarginsOfTwoDtypes) {
  const auto gradient = [](const Tensor& score, const Tensor& target, int reduction) {
    return values(
        run("aten.soft_margin_loss_backward", {f32({1}, {2}), score, target, integer(reduction)}));
  };
  const std::vector<double> mean =
      gradient(f32({2}, {0.25F, -1}).to(DType::f16), f32({2}, {40, 1.5F}), 1);
  EXPECT_NEAR(mean[0], -0.0018157958984375, 1e-9);
  EXPECT_NEAR(mean[1], -1.2265625, 1e-9);
  // The opposite of a u8 is a u8.
  const std::vector<double> bytes =
      gradient(f32({2}, {0.01F, -0.02F}), i64({2}, {255, 2}).to(DType::u8), 1);
  EXPECT_NEAR(bytes[0], -128.1374969, 1e-4);
  EXPECT_NEAR(bytes[1], -0.0123629235, 1e-8);
}

TEST(Loss, SmoothingOfProbabilitiesIsInTheirDtype) {
  const Tensor scores = Tensor::of<double>(DType::f64, {1, 3}, {1, 2, 0.5});
  const Tensor target = Tensor::of<double>(DType::f64, {1, 3}, {0, 1, 0});
  EXPECT_NEAR(run("aten.cross_entropy_loss",
                  {scores, target, none(), integer(1), integer(-100), number(0.1)})
                  .at({}),
              0.5477021174412783, 1e-14);
}

TEST(Distance, PairsComeByTheirFirstAndThenTheirSecond) {
  const Tensor rows = f32({3, 1}, {0, 1, 3});
  EXPECT_THAT(values(run("aten._pdist_forward", {rows, number(2)})), ElementsAre(1, 3, 2));
  EXPECT_TRUE(values(run("aten._pdist_forward", {f32({1, 2}, {0, 1}), number(2)})).empty());
}

TEST(Distance, OrdersOfCdist) {
  const Tensor a = f32({1, 2}, {0, 0});
  const Tensor b = f32({2, 2}, {3, 4, 0, 2});
  const auto distances = [&](double p) {
    return values(run("aten._cdist_forward", {a, b, number(p), none()}));
  };
  EXPECT_THAT(distances(0), ElementsAre(2, 1));
  EXPECT_THAT(distances(1), ElementsAre(7, 2));
  EXPECT_THAT(distances(2), ElementsAre(5, 2));
  EXPECT_THAT(distances(HUGE_VAL), ElementsAre(4, 2));
  EXPECT_THAT(distances(3), ElementsAre(DoubleNear(std::cbrt(91.0), 1e-5), DoubleNear(2, 1e-5)));
}

TEST(Distance, RenormOnlyShrinks) {
  const Tensor rows = f32({2, 2}, {3, 4, 0.3F, 0.4F});
  const auto result = values(run("aten.renorm", {rows, number(2), integer(0), number(1)}));
  EXPECT_NEAR(result[0], 0.6, 1e-6);
  EXPECT_NEAR(result[2], 0.3, 1e-7);
}

TEST(Distance, SumToSizeUndoesBroadcasting) {
  const Tensor a = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_THAT(values(run("aten.sum_to_size", {a, integers({2})})), ElementsAre(4, 6));
  EXPECT_THAT(values(run("aten.sum_to_size", {a, integers({2, 1})})), ElementsAre(3, 7));
}

}  // namespace
}  // namespace litz::ops
