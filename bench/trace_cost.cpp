// What it costs to trace and compile GPT-2 (12 layers, 768 wide, 50,257 words) in C++, and what a call
// costs afterwards: the forward pass of 1 x 128 places, and a training step of it.
//
//   bench_trace_cost [forward|train]
//
// The first call traces, compiles and runs. LITZ_CACHE_DIR names a folder for compiled kernels: an empty one
// shows the cold start, a second run the warm one. The phases of compiling are logged to stderr.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <litz/compile.h>
#include <litz/gradients.h>
#include <litz/litz.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <string>
#include <vector>

#include "gpt_model.h"

namespace {

using litz::Tensor;
using Clock = std::chrono::steady_clock;

constexpr int64_t kWidth = 768;
constexpr int64_t kHeads = 12;
constexpr int64_t kLayers = 12;
constexpr int64_t kPlaces = 1024;
constexpr int64_t kLength = 128;
constexpr int64_t kWords = 50257;

/// The head is the table of words, as in the published weights.
struct Gpt2 {
  litz::Embedding words = litz::Embedding::make(kWords, kWidth, 0.02);
  litz::Embedding places = litz::Embedding::make(kPlaces, kWidth, 0.02);
  std::vector<GptBlock> blocks = gpt_blocks(kLayers, kWidth, kHeads);
  litz::LayerNorm last = litz::LayerNorm::make(kWidth);

  Tensor operator()(const Tensor& text) const {
    Tensor x = words(text) + places(litz::arange(kLength));
    for (const GptBlock& block : blocks) x = block(x, "tanh");
    return linear(last(x), words.weight);
  }
};

double milliseconds(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

template <typename Call>
void measure(const char* what, const Call& call) {
  Clock::time_point begin = Clock::now();
  call();
  const double first = milliseconds(begin);
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) {
    begin = Clock::now();
    call();
    times.push_back(milliseconds(begin));
  }
  std::ranges::sort(times);
  std::printf("%s: first call %.0f ms, later ones %.0f ms, so %.0f ms to trace and compile\n", what,
              first, times[2], first - times[2]);
}

}  // namespace

int main(int argc, char** argv) {
  const bool trains = argc > 1 && std::string(argv[1]) == "train";
  litz::manual_seed(1);
  const Gpt2 model;
  const Tensor text = litz::randint(kWords, {1, kLength + 1});
  const Tensor x = contiguous(litz::slice(text, 1, 0, kLength));
  const Tensor y = contiguous(litz::slice(text, 1, 1, kLength + 1));
  litz::set_log(litz::LogLevel::debug);
  if (!trains) {
    const auto forward = litz::compile([&](const Tensor& t) { return model(t); });
    measure("forward", [&] { forward(x); });
    return 0;
  }
  litz::AdamW optimizer(model, {.lr = 1e-4});
  const auto step = litz::compile([&](const Tensor& t, const Tensor& next) {
    auto [loss, gradients] = litz::value_and_grad([&](const Gpt2& m) {
      return litz::cross_entropy(reshape(m(t), {-1, kWords}), reshape(next, {-1}));
    })(model);
    optimizer.update(model, gradients);
    return loss;
  });
  measure("training step", [&] { step(x, y); });
  return 0;
}
