// What training needs besides gradients and optimizers: checkpoints, halves, learning rates.

#include <cmath>
#include <filesystem>
#include <litz/compile.h>
#include <litz/mixed.h>
#include <litz/nn.h>
#include <litz/schedule.h>
#include <litz/state.h>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Block {
  LayerNorm norm;
  Attention attention;
  std::optional<Linear> skip;
};

struct Net {
  Embedding table;
  std::vector<Block> blocks;
  BatchNorm2d batch_norm;
  int heads = 2;
  std::map<std::string, Tensor> extra;
};

Net net() {
  return {Embedding::make(3, 4),
          {{LayerNorm::make(4), Attention::make(4, 2), std::nullopt}},
          BatchNorm2d::make(2),
          2,
          {{"scale", ones({1})}}};
}

std::string path_of(const char* name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

TEST(PublicTraining, TensorsHavePyTorchsNames) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : named_tensors(net())) names.push_back(name);
  EXPECT_THAT(names,
              ElementsAre("table.weight", "blocks.0.norm.weight", "blocks.0.norm.bias",
                          "blocks.0.attention.in_proj_weight", "blocks.0.attention.in_proj_bias",
                          "blocks.0.attention.out_proj.weight", "blocks.0.attention.out_proj.bias",
                          "batch_norm.weight", "batch_norm.bias", "batch_norm.running_mean",
                          "batch_norm.running_var", "extra.scale"));
}

TEST(PublicTraining, ModelsAreSavedAndLoaded) {
  const std::string path = path_of("model.safetensors");
  const Net saved = net();
  save_model(path, saved);
  const Net loaded = net();
  EXPECT_TRUE(load_model(path, loaded).empty());
  const NamedTensors expected = named_tensors(saved);
  const NamedTensors actual = named_tensors(loaded);
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].second.to_vector<float>(), expected[i].second.to_vector<float>());
  }
}

TEST(PublicTraining, FilesThatDoNotFitChangeNothing) {
  const std::string path = path_of("other.safetensors");
  const Linear layer = Linear::make(2, 3);
  const std::vector<float> before = layer.weight.to_vector<float>();
  const auto message = [&](const NamedTensors& tensors, bool strict = true) -> std::string {
    save_tensors(path, tensors);
    try {
      load_model(path, layer, strict);
    } catch (const Error& error) {
      EXPECT_EQ(layer.weight.to_vector<float>(), before);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message({{"weight", zeros({3, 2})}}), HasSubstr("\"bias\""));
  EXPECT_THAT(message({{"weight", zeros({3, 2})}, {"bias", zeros({2})}}), HasSubstr("\"bias\""));
  const NamedTensors more{{"weight", zeros({3, 2})}, {"bias", zeros({3})}, {"gain", zeros({3})}};
  EXPECT_THAT(message(more), HasSubstr("\"gain\""));
  EXPECT_EQ(message(more, false), "");
  EXPECT_THAT(layer.weight.to_vector<float>(), testing::Each(0));
}

TEST(PublicTraining, OverflowsAreLeftOut) {
  struct Model {
    Tensor w;
  };

  const Model model{full({2}, 1.0)};
  AdamW optimizer(model, {.lr = 0.5, .weight_decay = 0});
  LossScaler scaler({.scale = 8, .growth_interval = 2});
  const auto step = compile([&](const Tensor& x) {
    auto [loss, gradients] = value_and_grad([&](const Model& m) {
      const Model half = cast_floating(m, DType::float16);
      return scaler.scale(sum(half.w * x));
    })(model);
    return scaler.update(optimizer, model, gradients);
  });
  const auto is_good = [&](double x) { return step(full({2}, x, DType::float16)).item<int>(); };
  EXPECT_EQ(is_good(60000), 0);
  EXPECT_THAT(model.w.to_vector<float>(), ElementsAre(1, 1));
  EXPECT_EQ(scaler.factor().item<float>(), 4);
  EXPECT_EQ(optimizer.tensors()[1].item<double>(), 0);
  EXPECT_EQ(is_good(1), 1);
  EXPECT_NEAR(model.w.to_vector<float>()[0], 0.5, 1e-5);
  EXPECT_EQ(is_good(1), 1);
  EXPECT_EQ(scaler.factor().item<float>(), 8);
  EXPECT_EQ(optimizer.tensors()[1].item<double>(), 2);
}

TEST(PublicTraining, LearningRatesArePyTorchs) {
  // torch.optim.lr_scheduler with base 0.1, after 0, 3 and 20 steps of 10.
  EXPECT_NEAR(linear_lr(0.1, 0, 10), 0.1 / 3, 1e-12);
  EXPECT_NEAR(linear_lr(0.1, 3, 10), 0.1 * (1.0 / 3 + 0.2), 1e-12);
  EXPECT_NEAR(linear_lr(0.1, 20, 10), 0.1, 1e-12);
  EXPECT_NEAR(cosine_lr(0.1, 3, 10), 0.07938926261462366, 1e-12);
  EXPECT_NEAR(cosine_lr(0.1, 20, 10, 0.01), 0.01, 1e-12);
  EXPECT_NEAR(step_lr(0.1, 20, 10), 0.001, 1e-12);
}

}  // namespace
}  // namespace litz
