// Gradients of functions of C++ programs, and optimizers.

#include <cmath>
#include <litz/compile.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::Pointwise;

struct Line {
  Tensor slope;
  Tensor start;
  Tensor count;  // Of integers.
};

Tensor squares(const Line& line, const Tensor& x) {
  return sum(pow(line.slope * x + line.start, 2));
}

TEST(PublicGradients, HaveTheTypeOfTheArgument) {
  const Line line{row({2}), row({1}), arange(2)};
  const Tensor x = row({1, 3});
  const auto [loss, gradients] = value_and_grad([&](const Line& l) { return squares(l, x); })(line);
  EXPECT_EQ(loss.item<float>(), 9 + 49);
  EXPECT_THAT(values(gradients.slope), ElementsAre(2 * 3 * 1 + 2 * 7 * 3));
  EXPECT_THAT(values(gradients.start), ElementsAre(2 * 3 + 2 * 7));
  EXPECT_EQ(gradients.count.dtype(), DType::int64);
  EXPECT_THAT(values(gradients.count), ElementsAre(0, 0));
}

TEST(PublicGradients, ArePartOfACompiledFunction) {
  const Line line{row({2}), row({1}), arange(2)};
  const auto step = compile([&](const Tensor& x) {
    const Line gradients = grad([&](const Line& l) { return squares(l, x * 1); })(line);
    sub_(line.slope, gradients.slope * 0.5);
    return gradients;
  });
  EXPECT_THAT(values(step(row({1})).slope), ElementsAre(6));
  EXPECT_THAT(values(line.slope), ElementsAre(-1));
  EXPECT_THAT(values(step(row({1})).slope), ElementsAre(0));
  EXPECT_EQ(step.program_count(), 1U);
}

TEST(PublicGradients, OfPartsOfValuesOfTheFunctionAround) {
  const auto squares_of_row = [](const Tensor& t) { return sum(t[{1}] * t[{1}]); };
  const auto f = compile([&](const Tensor& x) {
    const Tensor y = (x * 1)[{slice(1, 3)}];
    const auto captures = [&](const Tensor& s) { return sum(y[{1}] * s); };
    return std::pair(grad(squares_of_row)(y), grad(captures)(y[{0}]));
  });
  const auto [of_argument, of_captured] =
      f(Tensor::from<float>({4, 1}, std::vector<float>{1, 2, 3, 4}));
  EXPECT_THAT(values(of_argument), ElementsAre(0, 6));
  EXPECT_THAT(values(of_captured), ElementsAre(3));
}

TEST(PublicGradients, NestToSecondDerivatives) {
  const auto third_power = [](const Tensor& x) { return sum(x * x * x); };
  const auto slope_sum = [&](const Tensor& x) { return sum(grad(third_power)(x)); };
  EXPECT_THAT(values(grad(slope_sum)(row({1, 2}))), ElementsAre(6, 12));
  const auto both = compile([&](const Tensor& x) { return grad(slope_sum)(x); });
  EXPECT_THAT(values(both(row({1, 2}))), ElementsAre(6, 12));
}

TEST(PublicGradients, TheSameTensorTwiceIsOneLeaf) {
  using Pair = std::pair<Tensor, Tensor>;
  const Tensor x = row({3});
  const auto product = [](const Pair& p) { return sum(p.first * p.second); };
  const Pair gradients = grad(product)(Pair(x, x));
  EXPECT_THAT(values(gradients.first), ElementsAre(6));
  EXPECT_THAT(values(gradients.second), ElementsAre(6));
  const Pair tied(x, x);
  SGD optimizer(tied, {.lr = 0.1, .momentum = 0.9});
  optimizer.update(tied, gradients);
  EXPECT_THAT(values(x), ElementsAre(FloatNear(2.4F, 1e-6F)));
  EXPECT_EQ(clip_grad_norm(gradients, 1).item<float>(), 6);
}

TEST(PublicGradients, MayBeWrittenOneByOne) {
  using Pair = std::pair<Tensor, Tensor>;
  const Pair pair(zeros({2}), zeros({2}));
  const auto scaled = [&] {
    Pair gradients = grad([](const Pair& p) { return sum(p.first + p.second); })(pair);
    mul_(gradients.first, 2);
    return gradients;
  };
  for (const Pair& gradients : {scaled(), compile(scaled)()}) {
    EXPECT_THAT(values(gradients.first), ElementsAre(2, 2));
    EXPECT_THAT(values(gradients.second), ElementsAre(1, 1));
  }
}

TEST(PublicGradients, StatisticsOfBatchNormAreNoLeaves) {
  const auto norm = BatchNorm2d::make(2);
  const Tensor x = reshape(arange(16, DType::float32), {2, 2, 2, 2});
  const BatchNorm2d gradients =
      grad([&](const BatchNorm2d& n) { return sum(n(x, true) * x); })(norm);
  EXPECT_EQ(gradients.weight.sizes(), (std::vector<int64_t>{2}));
  EXPECT_NE(values(norm.mean)[0], 0);
}

TEST(PublicGradients, WritesOfTheFunctionAreDoneOnce) {
  const Tensor count = zeros({1});
  const auto counted = [&](const Tensor& x) {
    add_(count, 1);
    return sum(x * count);
  };
  EXPECT_THAT(values(grad(counted)(row({5}))), ElementsAre(1));
  EXPECT_THAT(values(grad(counted)(row({5}))), ElementsAre(2));
  EXPECT_THAT(values(compile(grad(counted))(row({5}))), ElementsAre(3));
  EXPECT_THAT(values(count), ElementsAre(3));
}

TEST(PublicGradients, AreOfOneNumber) {
  try {
    grad([](const Tensor& x) { return x * 2; })(row({1, 2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("one real number"));
  }
}

// torch.optim after the same three gradients.
template <typename Optimizer>
std::vector<float> after_three_steps(Optimizer make) {
  const Tensor x = row({0.5F, -1.25F, 2, 3});
  auto optimizer = make(x);
  const auto update = compile([&](const Tensor& gradient) { optimizer.update(x, gradient); });
  update(row({0.1F, -0.2F, 0.3F, 0.05F}));
  optimizer.update(x, row({-0.4F, 0.5F, 0.25F, 1.5F}));
  update(row({1, -1, 0, 2}));
  return values(x);
}

TEST(Optimizers, StepAsPyTorchDoes) {
  EXPECT_THAT(after_three_steps(
                  [](const Tensor& x) { return AdamW(x, {.lr = 0.1, .weight_decay = 0.05}); }),
              Pointwise(FloatNear(1e-6F),
                        std::vector<float>{0.406621218F, -1.13629043F, 1.69590759F, 2.69336748F}));
  EXPECT_THAT(after_three_steps([](const Tensor& x) {
                return SGD(x, {.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true});
              }),
              Pointwise(FloatNear(1e-6F),
                        std::vector<float>{0.379950941F, -1.11670136F, 1.81340885F, 2.17279291F}));
}

TEST(Optimizers, ScheduleWithoutCompilingAgain) {
  const Tensor x = row({1});
  SGD optimizer(x, {.lr = 1});
  const auto update = compile([&](const Tensor& gradient) { optimizer.update(x, gradient); });
  update(row({1}));
  optimizer.set_lr(0.5);
  update(row({1}));
  EXPECT_THAT(values(x), ElementsAre(-0.5));
  EXPECT_EQ(update.program_count(), 1U);
}

TEST(Optimizers, ClipTheNormOfAllGradients) {
  const std::vector<Tensor> gradients{row({3, 0}), row({4})};
  EXPECT_EQ(clip_grad_norm(gradients, 1).item<float>(), 5);
  EXPECT_NEAR(values(gradients[1])[0], 0.8, 1e-5);
  clip_grad_norm(gradients, 10);
  EXPECT_NEAR(values(gradients[1])[0], 0.8, 1e-5);
}

}  // namespace
}  // namespace litz
