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
  const auto next =
      run_all("aten._thnn_fused_lstm_cell",
              {f32({1, 4}, {1, 2, 3, 4}), f32({1, 4}, {0, 0, 0, 0}), f32({1, 1}, {2})});
  const double cell = logistic(2) * 2 + logistic(1) * std::tanh(3);
  EXPECT_NEAR(values(next[1])[0], cell, 1e-6);
  EXPECT_NEAR(values(next[0])[0], logistic(4) * std::tanh(cell), 1e-6);
  EXPECT_NEAR(values(next[2])[2], std::tanh(3), 1e-6);
}

TEST(Recurrent, ResultsAreSequencesAndStates) {
  const std::vector<Tensor> weights{f32({2, 1}, {1, 1}), f32({2, 2}, {1, 1, 1, 1}),
                                    f32({2, 1}, {1, 1}), f32({2, 2}, {1, 1, 1, 1})};
  const auto types =
      infer("aten.rnn_relu.input",
            {f32({1, 3, 1}, {1, 2, 3}), f32({2, 1, 2}, {0, 0, 0, 0}), weights, boolean(false),
             integer(1), number(0), boolean(false), boolean(true), boolean(true)});
  const auto& output = std::get<TensorType>(types[0]);
  EXPECT_EQ(output.sizes, (Sizes{1, 3, 4}));
  EXPECT_EQ(output.strides, (Sizes{4, 4, 1}));
  EXPECT_EQ(std::get<TensorType>(types[1]).sizes, (Sizes{2, 1, 2}));
}

// The second layer sees nothing, or twice what the first one gives.
TEST(Recurrent, DropsBetweenLayersInTraining) {
  const std::vector<Tensor> weights{f32({1, 1}, {1}), f32({1, 1}, {0}), f32({1, 1}, {1}),
                                    f32({1, 1}, {0})};
  const Tensor input = f32({8, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1});
  const Tensor output = run("aten.rnn_relu.input",
                            {input, f32({2, 1, 1}, {0, 0}), weights, boolean(false), integer(2),
                             number(0.5), boolean(true), boolean(false), boolean(false)});
  const auto* values = reinterpret_cast<const float*>(output.data());
  for (int i = 0; i < 8; ++i) EXPECT_TRUE(values[i] == 0 || values[i] == 2) << values[i];
}

}  // namespace
}  // namespace litz::ops
