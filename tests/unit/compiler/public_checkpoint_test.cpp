// Checkpointed regions of litz/gradients.h.

#include <litz/gradients.h>
#include <litz/nn.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "public_values.h"

namespace litz {
namespace {

using testing::ElementsAre;

TEST(Checkpoint, ChangesNoGradient) {
  manual_seed(7);
  const auto layers = std::pair(Linear::make(16, 16), Linear::make(16, 16));
  const Tensor x = randn({8, 16});
  const auto block = [](const Linear& layer) {
    return [&](const Tensor& y) { return dropout(gelu(layer(y)), 0.5, true); };
  };
  const auto loss = [&](bool is_checkpointed) {
    return [&, is_checkpointed](const auto& m) {
      if (!is_checkpointed) return sum(block(m.second)(block(m.first)(x)));
      return sum(checkpoint(block(m.second))(checkpoint(block(m.first))(x)));
    };
  };
  const auto gradients = [&](bool is_checkpointed) {
    manual_seed(11);
    const auto step = compile([&](const auto& m) { return grad(loss(is_checkpointed))(m); });
    return tensors_of(step(layers));
  };
  const std::vector<Tensor> kept = gradients(false);
  const std::vector<Tensor> repeated = gradients(true);
  for (size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(values(kept[i]), values(repeated[i])) << i;
}

TEST(Checkpoint, RunsPlainlyOutsideOfTraces) {
  auto twice = checkpoint([](const Tensor& x) { return x * 2; });
  EXPECT_THAT(values(twice(Tensor::from<float>({2}, std::vector<float>{1, 2}))), ElementsAre(2, 4));
}

}  // namespace
}  // namespace litz
