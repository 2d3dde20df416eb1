// Training on the emulated card.

#include <litz/compile.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace litz {
namespace {

struct Mlp {
  Tensor w1 = uniform({16, 8}, 0.3);
  Tensor b1 = zeros({16});
  Tensor w2 = uniform({4, 16}, 0.3);
  Tensor b2 = zeros({4});
  Tensor tied = w2;

  Tensor operator()(const Tensor& x) const { return linear(gelu(linear(x, w1, b1)), w2, b2); }
};

std::vector<float> losses_on(const std::string& device) {
  manual_seed(3);
  const Mlp model = to_device(Mlp(), device);
  EXPECT_EQ(model.w1.device(), device);
  const Tensor x = uniform({12, 8}, 1).to(device);
  const Tensor y = remainder(arange(12), 4).to(device);
  AdamW optimizer(model, {.lr = 0.05});
  const auto step = compile([&](const Tensor& in, const Tensor& labels) {
    const auto [loss, gradients] =
        value_and_grad([&](const Mlp& m) { return cross_entropy(m(in), labels); })(model);
    optimizer.update(model, gradients);
    return loss;
  });
  std::vector<float> losses;
  for (int i = 0; i < 6; ++i) losses.push_back(step(x, y).item<float>());
  EXPECT_EQ(step.program_count(), 1U);
  EXPECT_EQ(model.tied.to("cpu").to_vector<float>(), model.w2.to("cpu").to_vector<float>());
  return losses;
}

TEST(PublicCardTraining, HasTheLossesOfTheHost) {
  const std::vector<float> here = losses_on("cpu");
  const std::vector<float> there = losses_on("cuda:0");
  ASSERT_EQ(here.size(), there.size());
  for (size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 1e-4) << i;
  EXPECT_LT(here.back(), 0.8F * here.front());
}

}  // namespace
}  // namespace litz
