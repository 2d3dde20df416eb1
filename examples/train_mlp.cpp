// Trains a small network that tells the two arms of a spiral apart.
//
//   train_mlp [STEPS]

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <litz/compile.h>
#include <litz/nn.h>
#include <litz/optim.h>

namespace {

struct Mlp {  // Plain structs are trees of tensors.
  litz::Tensor w1, b1, w2, b2;

  litz::Tensor operator()(const litz::Tensor& x) const {
    return linear(tanh(linear(x, w1, b1)), w2, b2);
  }
};

// Points [count, 2] and the arm of each.
std::pair<litz::Tensor, litz::Tensor> spiral(int64_t count) {
  const litz::Tensor arm = litz::randint(2, {count});
  const litz::Tensor radius = litz::rand({count}) * 2 + 0.2;
  const litz::Tensor angle = radius * 2 + arm * M_PI;
  return {litz::stack({radius * cos(angle), radius * sin(angle)}, 1), arm};
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? std::atoi(argv[1]) : 500;
  litz::manual_seed(1);
  Mlp model{litz::normal({32, 2}, 1), litz::zeros({32}), litz::normal({2, 32}, 0.2),
            litz::zeros({2})};
  litz::AdamW optimizer(model, {.lr = 1e-2});

  const auto step = litz::compile([&](litz::Tensor x, litz::Tensor y) {
    auto [loss, gradients] =
        litz::value_and_grad([&](const Mlp& m) { return litz::cross_entropy(m(x), y); })(model);
    optimizer.update(model, gradients);  // In place: the model is seen, not copied.
    return loss;
  });

  float loss = 0;
  for (int i = 0; i < steps; ++i) {
    const auto [x, y] = spiral(256);
    loss = step(x, y).item<float>();  // One program a call.
    if (i % 100 == 0) std::printf("step %3d: loss %.4f\n", i, loss);
  }
  const auto [x, y] = spiral(1000);
  const double right = mean(eq(argmax(model(x), 1), y), litz::DType::float32).item<double>();
  std::printf("loss %.4f, %.1f %% right\n", loss, 100 * right);
  return loss < 0.3 ? 0 : 1;
}
