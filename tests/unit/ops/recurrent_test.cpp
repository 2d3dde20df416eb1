// Recurrent cells and sequences against their equations.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

TEST(Recurrent, LstmGatesInOrder) {
  // One feature each: gates are input, forget, candidate, output.
  const auto next = run_all(
      "aten.lstm_cell", {f32({1, 1}, {1}), std::vector<Tensor>{f32({1, 1}, {0}), f32({1, 1}, {2})},
                         f32({4, 1}, {1, 2, 3, 4}), f32({4, 1}, {0, 0, 0, 0})});
  const double cell = logistic(2) * 2 + logistic(1) * std::tanh(3);
  EXPECT_NEAR(values(next[1])[0], cell, 1e-6);
  EXPECT_NEAR(values(next[0])[0], logistic(4) * std::tanh(cell), 1e-6);
}

TEST(Recurrent, GruResetsTheStatesPart) {
  const Tensor next = run("aten.gru_cell", {f32({1, 1}, {1}), f32({1, 1}, {2}),
                                            f32({3, 1}, {1, 2, 3}), f32({3, 1}, {0, 0, 1})});
  const double reset = logistic(1);
  const double keep = logistic(2);
  const double candidate = std::tanh(3 + reset * 2);
  EXPECT_NEAR(values(next)[0], (2 - candidate) * keep + candidate, 1e-6);
}

TEST(Recurrent, BackwardDirectionReadsFromTheEnd) {
  const std::vector<Tensor> weights{f32({1, 1}, {1}), f32({1, 1}, {1}), f32({1, 1}, {1}),
                                    f32({1, 1}, {1})};
  const auto results =
      run_all("aten.rnn_relu.input",
              {f32({3, 1, 1}, {1, 10, 100}), f32({2, 1, 1}, {0, 0}), weights, boolean(false),
               integer(1), number(0), boolean(false), boolean(true), boolean(false)});
  EXPECT_THAT(values(results[0]), ElementsAre(1, 111, 11, 110, 111, 100));
  EXPECT_THAT(values(results[1]), ElementsAre(111, 111));
}

TEST(Recurrent, DropoutInTrainingIsRefused) {
  const std::vector<Tensor> weights{f32({1, 1}, {1}), f32({1, 1}, {1})};
  EXPECT_THROW(run("aten.rnn_tanh.input",
                   {f32({1, 1, 1}, {1}), f32({1, 1, 1}, {0}), weights, boolean(false), integer(1),
                    number(0.5), boolean(true), boolean(false), boolean(false)}),
               Error);
}

}  // namespace
}  // namespace litz::ops
