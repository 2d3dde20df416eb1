// Gradients of code that runs at once.

#include <cmath>
#include <litz/compile.h>
#include <litz/gradients.h>
#include <litz/nn.h>
#include <litz/tape.h>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

Tensor leaf(std::vector<float> numbers) {
  Tensor tensor = row(std::move(numbers));
  tensor.requires_grad_();
  return tensor;
}

template <typename Work>
std::string failure_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Tape, LeavesCollectGradients) {
  const Tensor x = leaf({1, 2, 3});
  EXPECT_TRUE(x.requires_grad());
  EXPECT_FALSE(x.grad());
  const Tensor y = x * x;
  EXPECT_TRUE(y.requires_grad());
  sum(y).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(2, 4, 6));
  sum(exp(x * 0) * x).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(3, 5, 7));
  x.set_grad(std::nullopt);
  EXPECT_FALSE(x.grad());
}

TEST(Tape, GradientsMayBeGiven) {
  const Tensor x = leaf({1, 2});
  const Tensor y = sin(x);
  const Tensor gradient = row({1, 10});
  y.backward({.gradient = &gradient});
  EXPECT_THAT(values(*x.grad()),
              ElementsAre(FloatNear(std::cos(1.0F), 1e-6F), FloatNear(10 * std::cos(2.0F), 1e-5F)));
  EXPECT_THAT(failure_of([&] { sin(x).backward(); }), HasSubstr("must be given"));
}

// By hand: d/dw of mean((x w - y)^2).
TEST(Tape, OfSeveralLeavesAndUses) {
  const Tensor w = leaf({0.5F, -1});
  const Tensor b = leaf({2});
  const Tensor x = Tensor::from<float>({2, 2}, std::vector<float>{1, 2, 3, 4});
  const Tensor y = mv(x, w) + b;
  mean(y * y).backward();
  // y = (0.5 - 2 + 2, 1.5 - 4 + 2) = (0.5, -0.5); gradient of y = y.
  EXPECT_THAT(values(*w.grad()), ElementsAre(0.5F * 1 - 0.5F * 3, 0.5F * 2 - 0.5F * 4));
  EXPECT_THAT(values(*b.grad()), ElementsAre(0));
}

TEST(Tape, RecordsViewsAndSeveralResults) {
  const Tensor x = leaf({1, 2, 3, 4});
  const std::vector<Tensor> halves = split(reshape(x, {2, 2}), 1, 1);
  sum(halves[0] * 3 + transpose(halves[1], 0, 1) * 5).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(6, 10, 6, 10));
}

TEST(Tape, OneTensorAsLeafAndAsConstant) {
  const Tensor x = leaf({3});
  sum(x * detach(x)).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(3));
  EXPECT_FALSE(detach(x).requires_grad());
}

TEST(Tape, NothingIsRecordedWithoutGrad) {
  const Tensor x = leaf({3});
  {
    const NoGrad scope;
    EXPECT_FALSE((x * 2).requires_grad());
    const NoGrad inner;
  }
  EXPECT_TRUE((x * 2).requires_grad());
  EXPECT_FALSE((row({1}) * 2).requires_grad());
  EXPECT_FALSE(argmax(x).requires_grad());
  EXPECT_FALSE(ones_like(x).requires_grad());
}

TEST(Tape, RetainedPassesMayBeRepeated) {
  const Tensor x = leaf({3});
  const Tensor y = sum(x * x);
  y.backward({.retains = true});
  y.backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(12));
  EXPECT_THAT(failure_of([&] { y.backward(); }), HasSubstr("released by an earlier backward pass"));
}

TEST(Tape, RandomMasksAreKept) {
  const Tensor x = leaf(std::vector<float>(64, 1));
  const Tensor y = dropout(x, 0.5, true);
  sum(y).backward();
  EXPECT_EQ(values(*x.grad()), values(y));
  EXPECT_NE(values(y), values(dropout(x, 0.5, true)));
}

TEST(Tape, NoticesWritesToWhatItKeeps) {
  const Tensor x = leaf({3});
  const Tensor factor = row({2});
  const Tensor y = sum(x * factor);
  mul_(factor, 2);
  EXPECT_THAT(failure_of([&] { y.backward(); }), HasSubstr("was written in place"));
  EXPECT_THAT(failure_of([&] { add_(x, 1); }), HasSubstr("must not write in place"));
  // A sum needs no contents.
  const Tensor z = sum(x + factor);
  mul_(factor, 2);
  z.backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(1));
}

TEST(Tape, StepsOfGradientDescent) {
  const Tensor w = leaf({0});
  const Tensor x = row({1, 2, 3});
  for (int i = 0; i < 50; ++i) {
    sum(pow(x * w - x * 2, 2)).backward();
    const NoGrad scope;
    sub_(w, w.take_grad() * 0.02);
  }
  EXPECT_THAT(values(w), ElementsAre(FloatNear(2, 1e-4F)));
}

TEST(Tape, EqualsValueAndGrad) {
  manual_seed(3);
  auto model = std::pair(Linear::make(8, 16), Linear::make(16, 4));
  const Tensor x = randn({5, 8});
  const Tensor classes = randint(4, {5});
  const auto loss_of = [&](const auto& m) {
    return cross_entropy(m.second(gelu(m.first(x))), classes);
  };
  const auto expected = value_and_grad(loss_of)(model);
  require_grad(model);
  const Tensor loss = loss_of(model);
  loss.backward();
  EXPECT_EQ(loss.item<float>(), expected.first.item<float>());
  const auto gradients = take_grads(model);
  EXPECT_FALSE(model.first.weight.grad());
  const std::vector<Tensor> found = tensors_of(gradients);
  const std::vector<Tensor> wanted = tensors_of(expected.second);
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_LT(max(abs(found[i] - wanted[i])).item<float>(), 1e-6F) << i;
  }
}

TEST(Tape, RefusesWhatHasNoGradient) {
  const Tensor x = leaf({3});
  EXPECT_THAT(failure_of([&] { row({1}).backward(); }), HasSubstr("must depend on a leaf"));
  const Tensor y = floor_divide(x, row({2}));
  EXPECT_THAT(failure_of([&] { y.backward(); }), HasSubstr("has no gradient"));
  Tensor integers = arange(3);
  EXPECT_THAT(failure_of([&] { integers.requires_grad_(); }), HasSubstr("only floating"));
  Tensor result = x * 2;
  EXPECT_THAT(failure_of([&] { result.requires_grad_(false); }), HasSubstr("only leaves"));
}

TEST(Tape, LongChainsNeedNoStack) {
  const Tensor x = leaf({1});
  Tensor y = x;
  for (int i = 0; i < 20000; ++i) y = y * 1;
  y = Tensor();
  EXPECT_TRUE(x.requires_grad());
}

TEST(Tape, CompiledFunctionsThatReadElementsAreRecordedByOperator) {
  const auto f = compile([](const Tensor& x) {
    const Tensor y = x * 2;
    return y.item<float>() > 0 ? y * 3 : y * 5;
  });
  const Tensor x = leaf({1});
  f(x).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(6));
  const Tensor z = leaf({-1});
  f(z).backward();
  EXPECT_THAT(values(*z.grad()), ElementsAre(10));
}

TEST(Tape, CompiledFunctionsMayCaptureLeaves) {
  const Tensor w = leaf({2});
  const auto f = compile([&](const Tensor& x) { return w * x; });
  {
    const NoGrad scope;
    EXPECT_FALSE(f(row({3})).requires_grad());
  }
  f(row({3})).backward();
  EXPECT_THAT(values(*w.grad()), ElementsAre(3));
  const auto reads_first = compile([&](const Tensor& x) {
    const Tensor y = x * 2;
    return y.item<float>() > 0 ? y * w : y;
  });
  EXPECT_THAT(failure_of([&] { reads_first(row({3})); }), HasSubstr("pass the tensor to it"));
}

TEST(Tape, CompiledFunctionsKeepWhatTheirBudgetLeaves) {
  manual_seed(2);
  const Linear layer = Linear::make(32, 32);
  const Tensor values_of_x = randn({16, 32});
  const auto gradient = [&](std::optional<double> budget, bool is_checkpointed) {
    manual_seed(4);
    const auto block = [&](const Tensor& y) { return dropout(gelu(layer(y)), 0.5, true); };
    const auto f = compile(
        [&](const Tensor& x) {
          return is_checkpointed ? sum(checkpoint(block)(checkpoint(block)(x)))
                                 : sum(block(block(x)));
        },
        {.run = {.memory_budget = budget}});
    Tensor x = values_of_x * 1;
    x.requires_grad_();
    f(x).backward();
    return values(*x.grad());
  };
  const std::vector<float> kept = gradient(std::nullopt, false);
  EXPECT_EQ(gradient(std::nullopt, true), kept);
  for (const double budget : {1.0, 0.5, 0.0}) EXPECT_EQ(gradient(budget, false), kept) << budget;
}

// A training step that is compiled as a whole updates leaves in a NoGrad.
TEST(Tape, CompiledStepsUpdateLeavesWithoutGrad) {
  const Tensor w = leaf({1});
  const auto step = compile([&](const Tensor& x) {
    const auto [loss, gradient] = value_and_grad([&](const Tensor& v) { return sum(v * x); })(w);
    sub_(w, gradient);
    return loss;
  });
  EXPECT_THAT(failure_of([&] { step(row({3})); }), HasSubstr("writes in place has no gradient"));
  const NoGrad scope;
  EXPECT_EQ(step(row({3})).item<float>(), 3);
  EXPECT_THAT(values(w), ElementsAre(-2));
}

TEST(Tape, CompiledFunctionsAreOneCall) {
  Tensor w = leaf({2, 3});
  const auto f = compile([&](const Tensor& x) { return sum(w * x * x); });
  const Tensor x = leaf({1, 4});
  const Tensor y = f(x) * 2;
  EXPECT_EQ(y.item<float>(), 2 * (2 + 48));
  y.backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(2 * 2 * 2 * 1, 2 * 2 * 3 * 4));
  EXPECT_THAT(values(*w.grad()), ElementsAre(2, 32));
  f(x);
  const NoGrad scope;
  EXPECT_FALSE(f(x).requires_grad());
}

}  // namespace
}  // namespace litz
