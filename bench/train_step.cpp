// A training step of a small GPT in C++: milliseconds of a step, of the first one, and peak memory.
// bench/train_step.py measures the same model in PyTorch.
//
//   bench_train_step [STEPS] [kept|checkpointed|BUDGET] [START.safetensors|-] [DEVICE]
//
// The second argument tells what the backward part computes again: nothing, the blocks, or what a memory
// budget from 0 to 1 leaves. The third is what bench/train_step.py writes, weights and a text: training
// starts there, and the loss of every step is printed.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <litz/compile.h>
#include <litz/files.h>
#include <litz/gradients.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <litz/state.h>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "gpt_model.h"

namespace {

using litz::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int64_t kWidth = 384;
constexpr int64_t kHeads = 6;
constexpr int64_t kLayers = 6;
constexpr int64_t kBatch = 8;
constexpr int64_t kLength = 128;
constexpr int64_t kWords = 512;

struct Gpt {
  litz::Embedding words = litz::Embedding::make(kWords, kWidth, 0.02);
  litz::Embedding places = litz::Embedding::make(kLength, kWidth, 0.02);
  std::vector<GptBlock> blocks = gpt_blocks(kLayers, kWidth, kHeads);
  litz::LayerNorm last = litz::LayerNorm::make(kWidth);
  litz::Linear head = litz::Linear::make(kWidth, kWords, false);

  Tensor operator()(const Tensor& text, bool is_checkpointed) const {
    Tensor x = words(text) + places(litz::arange(kLength));
    for (const GptBlock& block : blocks)
      x = is_checkpointed ? litz::checkpoint(block)(x) : block(x);
    return head(last(x));
  }
};

double milliseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  const std::string way = argc > 2 ? argv[2] : "kept";
  litz::Options options;
  if (way != "kept" && way != "checkpointed") options.memory_budget = std::atof(way.c_str());
  litz::manual_seed(1);
  const std::string start = argc > 3 && std::string(argv[3]) != "-" ? argv[3] : "";
  const std::string device = argc > 4 ? argv[4] : "cpu";
  const Gpt model = litz::to_device(Gpt(), device);
  if (!start.empty()) litz::load_model(start, model, false);
  litz::AdamW optimizer(model, {.lr = 1e-3});
  const auto step = litz::compile(
      [&](const Tensor& x, const Tensor& y) {
        auto [loss, gradients] = litz::value_and_grad([&](const Gpt& m) {
          return litz::cross_entropy(reshape(m(x, way == "checkpointed"), {-1, kWords}),
                                     reshape(y, {-1}));
        })(model);
        optimizer.update(model, gradients);
        return loss;
      },
      {.run = options});
  Tensor text = litz::randint(kWords, {kBatch, kLength + 1});
  if (!start.empty()) {
    for (const auto& [name, tensor] : litz::load_tensors(start)) {
      if (name == "text") text = tensor;
    }
  }
  const Tensor x = contiguous(litz::slice(text, 1, 0, kLength)).to(device);
  const Tensor y = contiguous(litz::slice(text, 1, 1, kLength + 1)).to(device);
  Clock::time_point begin = Clock::now();
  float loss = step(x, y).item<float>();
  std::printf("first step %.0f ms, loss %.4f\n", milliseconds(begin), loss);
  std::vector<double> times;
  if (!start.empty()) std::printf("loss 0 %.6f\n", loss);
  for (int i = 0; i < steps; ++i) {
    begin = Clock::now();
    loss = step(x, y).item<float>();
    times.push_back(milliseconds(begin));
    if (!start.empty()) std::printf("loss %d %.6f\n", i + 1, loss);
  }
  std::ranges::sort(times);
  begin = Clock::now();
  for (int i = 0; i < steps; ++i) step(x, y);
  litz::Tensor(step(x, y)).wait();
  const double together = milliseconds(begin) / (steps + 1);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  std::printf(
      "step: median %.2f ms, least %.2f ms, %.2f ms one after another; peak memory %ld MiB; loss "
      "%.4f\n",
      times[times.size() / 2], times[0], together, usage.ru_maxrss / 1024, loss);
  return 0;
}
