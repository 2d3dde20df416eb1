// Losses of connectionist temporal classification, their tables and derivatives: values of PyTorch.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "recorded_rows.h"
#include "support/check.h"

namespace litz::ops {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Logarithms of four distributions of three classes, and of the same backwards.
Tensor scores() {
  const auto l = [](float p) { return std::log(p); };
  return f32({4, 2, 3},
             {l(.5f),   l(.25f),  l(.25f), l(.5f),   l(.375f), l(.125f), l(.125f), l(.5f),
              l(.375f), l(.25f),  l(.25f), l(.5f),   l(.25f),  l(.25f),  l(.5f),   l(.125f),
              l(.5f),   l(.375f), l(.5f),  l(.375f), l(.125f), l(.5f),   l(.25f),  l(.25f)});
}

Tensor labels() { return i64({2, 2}, {1, 2, 1, 1}); }

const std::vector<double> kLosses{1.638167, 3.102830};
const std::vector<double> kTable{-0.693147, -1.386294, kNone,     kNone,     kNone,      //
                                 -2.772589, -0.980829, -3.465736, -2.367124, kNone,      //
                                 -4.158883, -2.212973, -2.287081, -1.386294, -3.753418,  //
                                 -4.852030, -3.060271, -2.249341, -2.853934, -1.989829,  //
                                 -0.693147, -0.980829, kNone,     kNone,     kNone,      //
                                 -2.079442, -1.519826, -2.367124, kNone,     kNone,      //
                                 -4.158883, -1.760988, -3.242592, -3.060271, kNone,      //
                                 -4.852030, -3.060271, -2.249341, -3.840429, -3.753418};

TEST(CtcLoss, GivesLossesAndSumsOverPaths) {
  expect_recorded({
      {"aten._ctc_loss",
       {scores(), labels(), integers({4, 4}), integers({2, 2})},
       {kLosses, kTable}},
      {"aten._ctc_loss.Tensor",
       {scores(), labels(), i64({2}, {4, 4}), i64({2}, {2, 2})},
       {kLosses, kTable}},
  });
}

TEST(CtcLoss, WhatLiesBehindASequenceIsImpossible) {
  const std::vector<Tensor> results = run_all(
      "aten._ctc_loss", {scores(), i64({1 + 2}, {1, 2, 1}), integers({4, 2}), integers({2, 1})});
  EXPECT_EQ(results[1].sizes(), (std::vector<int64_t>{2, 4, 5}));
  EXPECT_NEAR(results[1].at({1, 1, 2}), -2.367124, 1e-5);
  EXPECT_EQ(results[1].at({1, 1, 3}), kNone);
  EXPECT_EQ(results[1].at({1, 2, 0}), kNone);
}

TEST(CtcLoss, PathsOfInfiniteProbabilityHaveNoSum) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor losses = run("aten._ctc_loss", {f32({2, 1, 2}, {infinity, -1, -1, -1}),
                                               i64({1, 1}, {1}), integers({2}), integers({1})});
  EXPECT_TRUE(std::isnan(values(losses)[0]));
}

// Two labels that are equal, so that the last two states are of one class: the first one cannot be
// reached any more, the second one is infinite.
TEST(CtcLoss, DerivativesAddStatesFromTheLast) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Tensor table = f32({1, 3, 5}, {0, 0, 0, 0, 0, 0, 0, 0, infinity, 0, 0, 0, 0, 0, 0});
  const Tensor zeros = Tensor::zeros(DType::f32, {3, 1, 2});
  const std::vector<double> gradient = values(
      run("aten._ctc_loss_backward", {f32({1}, {1}), zeros, i64({1, 2}, {1, 1}), integers({3}),
                                      integers({2}), f32({1}, {0}), table, integer(0)}));
  EXPECT_TRUE(std::isnan(gradient[3]));
}

TEST(CtcLoss, DerivativesAreThoseOfPyTorch) {
  const Tensor gradient = f32({2}, {1, 2});
  const Tensor losses = f32({2}, {1.638167f, 3.102830f});
  Tensor table =
      run_all("aten._ctc_loss", {scores(), labels(), integers({4, 4}), integers({2, 2})})[1];
  expect_recorded({
      {"aten._ctc_loss_backward",
       {gradient, scores(), labels(), integers({4, 4}), integers({2, 2}), losses, table,
        integer(0)},
       {{0.007538,  -0.257538, 0.250000,  0.826087, -1.076087, 0.250000,  0.059673,  -0.223618,
         0.163945,  -1.195652, 0.195652,  1.000000, 0.124372,  0.179648,  -0.304020, -0.184783,
         -0.565217, 0.750000,  -0.203517, 0.375000, -0.171482, -0.043478, -0.456522, 0.500000}}},
  });
  const Tensor impossible = f32({2}, {1.638167f, std::numeric_limits<float>::infinity()});
  const std::vector<double> first{0.007538,  -0.257538, 0.250000,  kNan, kNan, kNan,
                                  0.059673,  -0.223618, 0.163945,  kNan, kNan, kNan,
                                  0.124372,  0.179648,  -0.304020, 0,    0,    0,
                                  -0.203517, 0.375000,  -0.171482, 0,    0,    0};
  std::vector<double> finite = first;
  for (double& value : finite) value = std::isnan(value) ? 0 : value;
  const Tensor lengths = i64({2}, {4, 2});
  const Tensor counts = i64({2}, {2, 2});
  table = run_all("aten._ctc_loss.Tensor", {scores(), labels(), lengths, counts})[1];
  expect_recorded({
      {"aten._ctc_loss_backward.Tensor",
       {gradient, scores(), labels(), lengths, counts, impossible, table, integer(0)},
       {first}},
      {"aten._ctc_loss_backward.Tensor",
       {gradient, scores(), labels(), lengths, counts, impossible, table, integer(0),
        boolean(true)},
       {finite}},
  });
}

TEST(CtcLoss, RefusesWhatPyTorchRefuses) {
  const auto refused = [](const Tensor& targets, std::vector<int64_t> lengths,
                          std::vector<int64_t> counts) {
    EXPECT_THROW(run_all("aten._ctc_loss", {scores(), targets, integers(std::move(lengths)),
                                            integers(std::move(counts))}),
                 Error);
  };
  refused(labels(), {5, 4}, {1, 0});
  refused(labels(), {4, 4}, {3, 0});
  refused(labels(), {4, -1}, {1, 0});
  refused(labels(), {4}, {1, 0});
  refused(i64({4}, {1, 2, 1, 1}), {4, 4}, {2, 1});  // A label is left over.
}

}  // namespace
}  // namespace litz::ops
