// Functions whose gradients are stated (litz/gradients.h).

#include <litz/gradients.h>
#include <litz/tape.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Rounds; the gradient passes as if it did not.
Tensor rounded(const Tensor& x) {
  return custom_gradient([](const Tensor& y) { return round(y); },
                         [](const Tensor& /*y*/, const Tensor& /*result*/, const Tensor& gradient) {
                           return gradient;
                         })(x);
}

TEST(CustomGradient, TakesThePlaceOfTheOperators) {
  EXPECT_THAT(values(rounded(row({1.4F, 2.6F}))), ElementsAre(1, 3));
  const auto loss = [](const Tensor& x) { return sum(rounded(x) * rounded(x)); };
  EXPECT_THAT(values(grad(loss)(row({1.4F, 2.6F}))), ElementsAre(2, 6));
  EXPECT_THAT(values(compile(grad(loss))(row({1.4F, 2.6F}))), ElementsAre(2, 6));
  EXPECT_THAT(values(compile(rounded)(row({1.4F}))), ElementsAre(1));
}

TEST(CustomGradient, OfTreesWithCapturedTensors) {
  using Pair = std::pair<Tensor, Tensor>;
  const Tensor scale = row({10});
  const Tensor other = row({100});
  const auto f = [&](const Pair& p) {
    return custom_gradient([&](const Pair& q) { return Pair(q.first * scale, q.first + q.second); },
                           [&](const Pair& q, const Pair& result, const Pair& gradient) {
                             return Pair(gradient.first * other + result.first,
                                         gradient.second * q.second);
                           })(p);
  };
  const auto loss = [&](const Pair& p) {
    const Pair both = f(p);
    return sum(both.first * 2 + both.second);
  };
  const auto check = [](const Pair& gradients) {
    EXPECT_THAT(values(gradients.first), ElementsAre(2 * 100 + 3 * 10));
    EXPECT_THAT(values(gradients.second), ElementsAre(5));
  };
  check(grad(loss)(Pair(row({3}), row({5}))));
  check(compile(grad(loss))(Pair(row({3}), row({5}))));
}

// d/dx of f'(x) = x by the statement, though f is the identity.
TEST(CustomGradient, HoldsForSecondDerivatives) {
  const auto f = [](const Tensor& x) {
    return sum(custom_gradient([](const Tensor& y) { return y * 1; },
                               [](const Tensor& y, const Tensor& /*result*/,
                                  const Tensor& gradient) { return gradient * y; })(x));
  };
  const auto slope = [&](const Tensor& x) { return sum(grad(f)(x) * x); };
  EXPECT_THAT(values(grad(slope)(row({3}))), ElementsAre(6));
  EXPECT_THAT(values(compile(grad(slope))(row({3}))), ElementsAre(6));
}

TEST(CustomGradient, RefusesOtherSizesAndTheTape) {
  const auto wrong = [](const Tensor& x) {
    return sum(custom_gradient([](const Tensor& y) { return y * 1; },
                               [](const Tensor& /*y*/, const Tensor& /*result*/,
                                  const Tensor& gradient) { return sum(gradient); })(x));
  };
  try {
    grad(wrong)(row({1, 2}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("must have the type and sizes of its argument"));
  }
  Tensor x = row({1.4F});
  x.requires_grad_();
  try {
    rounded(x);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("compile the function that calls it"));
  }
  compile(rounded)(x).backward();
  EXPECT_THAT(values(*x.grad()), ElementsAre(1));
}

}  // namespace
}  // namespace litz
