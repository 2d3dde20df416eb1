// Gradients of random functions, computed in every way there is: all must agree.

#include <litz/gradients.h>
#include <litz/tape.h>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace litz {
namespace {

constexpr int64_t kSize = 4;

/// A number of one argument, made of random operators, views and products.
struct RandomFunction {
  unsigned seed = 0;
  bool is_checkpointed = false;

  static Tensor step(const Tensor& x, const Tensor& other, unsigned choice) {
    switch (choice % 10) {
      case 0:
        return sin(x);
      case 1:
        return x * other;
      case 2:
        return tanh(x + other);
      case 3:
        return matmul(x, other) * 0.25;
      case 4:
        return transpose(x, 0, 1);
      case 5:
        return reshape(cat({x[{slice(0, 2)}], other[{slice(2, 4)}]}), {kSize, kSize});
      case 6:
        return softmax(x, -1);
      case 7:
        return where(gt(x, other), x, other * 0.5);
      case 8:
        return x - mean(other, 1, true);
      default:
        return relu(x) + other;
    }
  }

  Tensor operator()(const Tensor& x) const {
    std::mt19937 random(seed);
    std::vector<Tensor> made{x, cos(x)};
    for (int i = 0; i < 6; ++i) {
      const Tensor& first = made[random() % made.size()];
      const Tensor& second = made[random() % made.size()];
      const auto choice = static_cast<unsigned>(random());
      auto one = [&](const Tensor& a, const Tensor& b) { return step(a, b, choice); };
      Tensor result =
          is_checkpointed && i % 2 == 0 ? checkpoint(one)(first, second) : one(first, second);
      made.push_back(std::move(result));
    }
    return sum(made.back() * made[made.size() - 2]);
  }
};

void expect_equal(const Tensor& found, const Tensor& expected, unsigned seed, const char* way) {
  const float difference = max(abs(found - expected)).item<float>();
  const float size = max(abs(expected)).item<float>();
  EXPECT_LE(difference, 1e-5F * (1 + size)) << "seed " << seed << ", " << way;
}

TEST(RandomGradients, AgreeInAllWays) {
  manual_seed(1);
  for (unsigned seed = 0; seed < 5; ++seed) {
    const Tensor x = randn({kSize, kSize});
    const RandomFunction f{seed};
    const Tensor expected = grad(f)(x);
    const auto compiled = [&](const RandomFunction& g, std::optional<double> budget) {
      return compile(grad(g), {.run = {.memory_budget = budget}})(x);
    };
    expect_equal(compiled(f, std::nullopt), expected, seed, "compiled");
    expect_equal(compiled(f, 1), expected, seed, "budget 1");
    expect_equal(compiled(f, 0.4), expected, seed, "budget 0.4");
    expect_equal(compiled(f, 0), expected, seed, "budget 0");
    expect_equal(compiled({seed, true}, std::nullopt), expected, seed, "checkpointed");
    Tensor leaf = x * 1;
    leaf.requires_grad_();
    f(leaf).backward();
    expect_equal(leaf.take_grad(), expected, seed, "tape");
    compile(f)(leaf).backward();
    expect_equal(leaf.take_grad(), expected, seed, "tape of a compiled function");
    const Tensor direction = randn({kSize, kSize});
    expect_equal(jvp(f)(x, direction).second, sum(expected * direction), seed, "forward mode");
  }
}

}  // namespace
}  // namespace litz
