// A transformer that learns to continue a text, character by character.
//
//   char_gpt TEXT_FILE [STEPS]

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <litz/compile.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <string>
#include <vector>

using namespace litz;  // NOLINT

namespace {

constexpr int64_t kLength = 64;
constexpr int64_t kBatch = 16;
constexpr int64_t kWidth = 96;
constexpr int64_t kHeads = 4;
constexpr int64_t kLayers = 3;
constexpr int64_t kCharacters = 128;

struct Block {
  LayerNorm before_attention = LayerNorm::make(kWidth);
  Attention attention = Attention::make(kWidth, kHeads);
  LayerNorm before_mlp = LayerNorm::make(kWidth);
  Linear up = Linear::make(kWidth, 4 * kWidth);
  Linear down = Linear::make(4 * kWidth, kWidth);

  Tensor operator()(Tensor x) const {
    x = x + attention(before_attention(x));
    return x + down(gelu(up(before_mlp(x))));
  }
};

struct Gpt {
  Embedding characters = Embedding::make(kCharacters, kWidth, 0.1);
  Embedding places = Embedding::make(kLength, kWidth, 0.1);
  std::vector<Block> blocks = std::vector<Block>(kLayers);
  LayerNorm last = LayerNorm::make(kWidth);
  Linear head = Linear::make(kWidth, kCharacters, false);

  // The scores of the next character at each place of [batch, length].
  Tensor operator()(const Tensor& text) const {
    Tensor x = characters(text) + places(arange(text.sizes()[1]));
    for (const Block& block : blocks) x = block(x);
    return head(last(x));
  }
};

Tensor loss_of(const Gpt& model, const Tensor& text) {
  const Tensor input = text[{ellipsis, slice(0, kLength)}];
  const Tensor next = text[{ellipsis, slice(1, kLength + 1)}];
  return cross_entropy(reshape(model(input), {-1, kCharacters}), reshape(next, {-1}));
}

// Random pieces of the text, one character longer than the model looks at.
Tensor pieces(const std::vector<int64_t>& text) {
  std::vector<int64_t> values;
  for (int64_t i = 0; i < kBatch; ++i) {
    const auto begin = static_cast<size_t>(std::rand()) % (text.size() - kLength - 1);
    values.insert(values.end(), text.begin() + static_cast<std::ptrdiff_t>(begin),
                  text.begin() + static_cast<std::ptrdiff_t>(begin + kLength + 1));
  }
  return Tensor::from<int64_t>({kBatch, kLength + 1}, values);
}

std::string continued(const Gpt& model, std::vector<int64_t> text, size_t count) {
  const auto next = compile([&](const Tensor& window) {
    return multinomial(softmax(model(window)[{0, -1}] * 1.5, -1), 1);
  });
  std::string result;
  for (size_t i = 0; i < count; ++i) {
    const std::vector<int64_t> window(text.end() - kLength, text.end());
    const auto c = next(Tensor::from<int64_t>({1, kLength}, window)).item<int64_t>();
    text.push_back(c);
    result += static_cast<char>(c);
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: char_gpt TEXT_FILE [STEPS]\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  std::vector<int64_t> text;
  for (std::istreambuf_iterator<char> c(file), end; c != end; ++c) {
    text.push_back(static_cast<unsigned char>(*c) & 127);
  }
  if (text.size() < 2 * kLength) {
    std::fprintf(stderr, "%s is too short to learn from\n", argv[1]);
    return 2;
  }
  const int steps = argc > 2 ? std::atoi(argv[2]) : 300;
  manual_seed(7);
  const Gpt model;
  AdamW optimizer(model, {.lr = 2e-3});
  const auto step = compile([&](const Tensor& batch) {
    auto [loss, gradients] = value_and_grad([&](const Gpt& m) { return loss_of(m, batch); })(model);
    clip_grad_norm(gradients, 1.0);
    optimizer.update(model, gradients);
    return loss;
  });
  const auto begin = std::chrono::steady_clock::now();
  double loss = 0;
  for (int i = 0; i < steps; ++i) {
    optimizer.set_lr(2e-3 * std::min(1.0, (i + 1) / 20.0));
    loss = step(pieces(text)).item<double>();
    if (i % 50 == 0 || i + 1 == steps) {
      const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
      std::printf("step %4d: loss %.3f after %.1f s\n", i, loss, time.count());
    }
  }
  std::printf("%s\n", continued(model, text, 200).c_str());
  return 0;
}
