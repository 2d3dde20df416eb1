// Trains a ResNet-18 on one batch of images, of random colours, and says how long a step takes.
//
//   resnet_step [STEPS [IMAGES [SIZE [WEIGHTS.safetensors]]]]
//
// The members have torchvision's names, so that weights saved from its resnet18 can be loaded; the file
// may also hold the batch, as "images" and "classes".
// He et al., "Deep Residual Learning for Image Recognition", 2015, table 1.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <litz/compile.h>
#include <litz/files.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <litz/state.h>
#include <optional>
#include <sys/resource.h>
#include <tuple>
#include <vector>

namespace {

using litz::BatchNorm2d;
using litz::Conv2d;
using litz::Tensor;

Conv2d conv(int64_t in, int64_t out, int64_t window, int64_t stride) {
  return Conv2d::make(in, out, window, stride, window / 2, false);
}

struct Block {
  Conv2d conv1;
  BatchNorm2d bn1;
  Conv2d conv2;
  BatchNorm2d bn2;
  std::optional<std::tuple<Conv2d, BatchNorm2d>> downsample;

  static Block make(int64_t in, int64_t out, int64_t stride) {
    Block block{conv(in, out, 3, stride), BatchNorm2d::make(out), conv(out, out, 3, 1),
                BatchNorm2d::make(out), std::nullopt};
    if (in != out) block.downsample = {conv(in, out, 1, stride), BatchNorm2d::make(out)};
    return block;
  }

  Tensor operator()(const Tensor& x) const {
    const Tensor inner = bn2(conv2(relu(bn1(conv1(x), true))), true);
    if (!downsample) return relu(inner + x);
    const auto& [project, norm] = *downsample;
    return relu(inner + norm(project(x), true));
  }
};

struct ResNet {
  Conv2d conv1;
  BatchNorm2d bn1;
  std::vector<Block> layer1, layer2, layer3, layer4;
  litz::Linear fc;

  static ResNet make(int64_t classes) {
    const auto layer = [](int64_t in, int64_t out) {
      return std::vector<Block>{Block::make(in, out, in == out ? 1 : 2), Block::make(out, out, 1)};
    };
    return {conv(3, 64, 7, 2),
            BatchNorm2d::make(64),
            layer(64, 64),
            layer(64, 128),
            layer(128, 256),
            layer(256, 512),
            litz::Linear::make(512, classes)};
  }

  Tensor operator()(Tensor x) const {
    x = max_pool2d(relu(bn1(conv1(x), true)), {3, 3}, {2, 2}, {1, 1});
    for (const auto* layer : {&layer1, &layer2, &layer3, &layer4}) {
      for (const Block& block : *layer) x = block(x);
    }
    return fc(mean(x, {2, 3}));
  }
};

int64_t argument(int argc, char** argv, int i, int64_t otherwise) {
  return argc > i ? std::atoll(argv[i]) : otherwise;
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t steps = argument(argc, argv, 1, 10);
  const int64_t images = argument(argc, argv, 2, 4);
  const int64_t size = argument(argc, argv, 3, 64);
  litz::manual_seed(1);
  const ResNet model = ResNet::make(1000);
  if (argc > 4) litz::load_model(argv[4], model, false);
  litz::SGD optimizer(model, {.lr = 0.01, .momentum = 0.9});
  const auto step = litz::compile([&](const Tensor& x, const Tensor& y) {
    auto [loss, gradients] =
        litz::value_and_grad([&](const ResNet& m) { return litz::cross_entropy(m(x), y); })(model);
    optimizer.update(model, gradients);
    return loss;
  });

  Tensor x = litz::rand({images, 3, size, size});
  Tensor y = litz::randint(1000, {images});
  if (argc > 4) {
    for (const auto& [name, tensor] : litz::load_tensors(argv[4])) {
      if (name == "images") x = tensor;
      if (name == "classes") y = tensor;
    }
  }
  float first = 0;
  float loss = 0;
  for (int64_t i = 0; i < steps; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    loss = step(x, y).item<float>();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    if (i == 0) first = loss;
    std::printf("step %ld: loss %.4f, %.1f ms\n", static_cast<long>(i), loss, took.count());
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf("peak memory %ld MiB\n", usage.ru_maxrss / 1024);
  return loss < first ? 0 : 1;
}
