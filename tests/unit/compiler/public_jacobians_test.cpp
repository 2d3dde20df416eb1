// Derivatives of litz/gradients.h.

#include <cmath>
#include <litz/gradients.h>
#include <litz/nn.h>
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

using Pair = std::pair<Tensor, Tensor>;

/// (a sin(b), a + b)
Pair both(const Pair& p) { return {p.first * sin(p.second), p.first + p.second}; }

TEST(Jacobians, VjpOfTrees) {
  const Pair point(row({2, 3}), row({0.5, 1}));
  const Pair weights(row({1, 10}), row({100, 1000}));
  const auto check = [&](const std::pair<Pair, Pair>& outcome) {
    EXPECT_THAT(values(outcome.first.second), ElementsAre(2.5, 4));
    EXPECT_THAT(values(outcome.second.first),
                ElementsAre(FloatNear(std::sin(0.5F) + 100, 1e-4F),
                            FloatNear(10 * std::sin(1.0F) + 1000, 1e-3F)));
    EXPECT_THAT(values(outcome.second.second),
                ElementsAre(FloatNear(2 * std::cos(0.5F) + 100, 1e-4F),
                            FloatNear(30 * std::cos(1.0F) + 1000, 1e-3F)));
  };
  check(vjp(both)(point, weights));
  check(compile([](const Pair& p, const Pair& w) { return vjp(both)(p, w); })(point, weights));
}

TEST(Jacobians, JvpOfTrees) {
  const Pair point(row({2}), row({0.5}));
  const Pair direction(row({3}), row({0.25}));
  const auto check = [&](const std::pair<Pair, Pair>& outcome) {
    EXPECT_THAT(values(outcome.first.first), ElementsAre(FloatNear(2 * std::sin(0.5F), 1e-6F)));
    EXPECT_THAT(values(outcome.second.first),
                ElementsAre(FloatNear(std::sin(0.5F) * 3 + 2 * std::cos(0.5F) * 0.25F, 1e-6F)));
    EXPECT_THAT(values(outcome.second.second), ElementsAre(3.25));
  };
  check(jvp(both)(point, direction));
  check(compile([](const Pair& p, const Pair& d) { return jvp(both)(p, d); })(point, direction));
}

TEST(Jacobians, JvpOfTheSameTensorTwice) {
  const Tensor x = row({3});
  const auto product = [](const Pair& p) { return p.first * p.second; };
  EXPECT_THAT(values(jvp(product)(Pair(x, x), Pair(row({1}), row({10}))).second), ElementsAre(33));
}

TEST(Jacobians, WhatDoesNotDependIsZero) {
  const auto constant = [](const Tensor& x) { return ones_like(x); };
  EXPECT_THAT(values(jvp(constant)(row({3, 4}), row({1, 1})).second), ElementsAre(0, 0));
  EXPECT_THAT(values(vjp(constant)(row({3, 4}), row({1, 1})).second), ElementsAre(0, 0));
}

TEST(Jacobians, JvpIsVjpTheOtherWay) {
  manual_seed(5);
  const Linear layer = Linear::make(6, 5);
  const auto f = [&](const Tensor& x) { return softmax(gelu(layer(x)), -1); };
  const Tensor x = randn({3, 6});
  const Tensor direction = randn({3, 6});
  const Tensor weights = randn({3, 5});
  const float forward = sum(jvp(f)(x, direction).second * weights).item<float>();
  const float backward = sum(vjp(f)(x, weights).second * direction).item<float>();
  EXPECT_NEAR(forward, backward, 1e-5F);
}

TEST(Jacobians, Whole) {
  const auto f = [](const Tensor& x) { return stack({sum(x * x), prod(x)}); };
  const Tensor found = jacobian(f)(row({1, 2, 3}));
  EXPECT_EQ(found.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_THAT(values(found), ElementsAre(2, 4, 6, 6, 3, 2));
}

TEST(Jacobians, Hessian) {
  const auto f = [](const Tensor& x) { return sum(x * x * x) + prod(x); };
  const Tensor found = hessian(f)(row({1, 2}));
  EXPECT_EQ(found.sizes(), (std::vector<int64_t>{2, 2}));
  EXPECT_THAT(values(found), ElementsAre(6, 1, 1, 12));
  EXPECT_THAT(values(compile(hessian(f))(row({1, 2}))), ElementsAre(6, 1, 1, 12));
}

TEST(Jacobians, ResultsBesideTheLoss) {
  const auto f = [](const Tensor& x) { return std::pair(sum(x * x), std::vector<Tensor>{x * 2}); };
  const auto check = [](const auto& outcome) {
    EXPECT_EQ(outcome.first.first.template item<float>(), 5);
    EXPECT_THAT(values(outcome.first.second[0]), ElementsAre(2, 4));
    EXPECT_THAT(values(outcome.second), ElementsAre(2, 4));
  };
  check(value_and_grad_with_aux(f)(row({1, 2})));
  check(compile([&](const Tensor& x) { return value_and_grad_with_aux(f)(x); })(row({1, 2})));
}

TEST(Jacobians, StoppedGradients) {
  const auto f = [](const Tensor& x) { return sum(stop_gradient(x) * x); };
  EXPECT_THAT(values(grad(f)(row({1, 2}))), ElementsAre(1, 2));
}

TEST(Jacobians, RefuseCotangentsOfOtherSizes) {
  const auto f = [](const Tensor& x) { return x * 2; };
  try {
    vjp(f)(row({1, 2}), row({1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("must have the type and sizes"));
  }
}

}  // namespace
}  // namespace litz
