// Exported programs as functions that C++ programs train.

#include <litz/compile.h>
#include <litz/litz.h>
#include <litz/network.h>
#include <litz/nn.h>
#include <litz/optim.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMlp = "tests/data/pt2/v2_15_mlp_dynamic.raw.pt2";

TEST(PublicNetwork, ComputesWhatTheProgramDoesForAnySize) {
  const Network network = load_network(kMlp);
  EXPECT_THAT(network.parameter_names(), ElementsAre("a.weight", "a.bias", "b.weight"));
  Executable program = load(kMlp).value();
  for (const int64_t count : {2, 5}) {
    const Tensor x = randn({count, 8});
    const Tensor expected = std::get<Tensor>(program.run({x}).value()[0]);
    EXPECT_LT(max(abs(network({x})[0] - expected)).item<float>(), 1e-5) << count;
  }
}

TEST(PublicNetwork, IsTrained) {
  manual_seed(2);
  const Network network = load_network(kMlp);
  AdamW optimizer(network.parameters(), {.lr = 0.02});
  const Tensor x = randn({8, 8});
  const Tensor y = remainder(arange(8), 3);
  const auto step = compile([&] {
    auto [loss, gradients] = value_and_grad([&](const std::vector<Tensor>& parameters) {
      return cross_entropy(network.call(parameters, {x})[0], y);
    })(network.parameters());
    optimizer.update(network.parameters(), gradients);
    return loss;
  });
  const auto first = step().item<float>();
  for (int i = 0; i < 50; ++i) step();
  EXPECT_LT(step().item<float>(), 0.2 * first);
  EXPECT_LT(cross_entropy(network({x})[0], y).item<float>(), 0.2 * first);
}

TEST(PublicNetwork, KeepsItsBuffers) {
  const Network network = load_network("tests/data/pt2/v2_15_batch_norm_train.raw.pt2");
  std::vector<std::vector<float>> before;
  for (const auto& [name, buffer] : network.buffers()) {
    before.push_back(buffer.to_vector<float>());
  }
  EXPECT_THAT(before, testing::Not(testing::IsEmpty()));
  Executable program = load("tests/data/pt2/v2_15_batch_norm_train.raw.pt2").value();
  std::vector<int64_t> sizes;
  const std::vector<SignatureEntry> inputs = program.inputs();
  for (const SizeInfo& size : inputs[0].sizes) sizes.push_back(std::max<int64_t>(size.least, 2));
  network({randn(sizes)});
  bool has_changed = false;
  for (size_t i = 0; i < before.size(); ++i) {
    has_changed = has_changed || network.buffers()[i].second.to_vector<float>() != before[i];
  }
  EXPECT_TRUE(has_changed);
}

TEST(PublicNetwork, SaysWhatDoesNotFit) {
  const Network network = load_network(kMlp);
  EXPECT_THROW(network({randn({2, 7})}), Error);
  EXPECT_THROW(network({arange(8)}), Error);
  EXPECT_THROW(network({}), Error);
  EXPECT_THROW(load_network("missing.pt2"), Error);
}

}  // namespace
}  // namespace litz
