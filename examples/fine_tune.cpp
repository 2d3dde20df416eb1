// Fine-tunes an exported program: a new last layer is trained on what the program computes, together with
// the program's own parameters, which are then saved by their names for PyTorch.
//
//   fine_tune MODEL.pt2 INPUTS.npz WEIGHTS.safetensors
//
// The model's last result must have a row of numbers for each input: tests/data/demo/vit.pt2 has.

#include <cstdio>
#include <litz/compile.h>
#include <litz/network.h>
#include <litz/nn.h>
#include <litz/optim.h>
#include <litz/state.h>
#include <vector>

namespace {

struct Model {
  std::vector<litz::Tensor> exported;
  litz::Linear head;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: fine_tune MODEL.pt2 INPUTS.npz WEIGHTS.safetensors\n");
    return 2;
  }
  try {
    const litz::Network network = litz::load_network(argv[1]);
    const litz::Tensor x = litz::load_tensors(argv[2])[0].second;
    const int64_t width = network({x}).back().sizes().back();
    const Model model{network.parameters(), litz::Linear::make(width, 2)};
    // What the two classes are is up to the caller: here, even and odd rows.
    const litz::Tensor y = remainder(litz::arange(x.size(0)), 2);

    litz::AdamW optimizer(model, {.lr = 1e-3});
    const auto step = litz::compile([&] {
      auto [loss, gradients] = litz::value_and_grad([&](const Model& m) {
        return litz::cross_entropy(m.head(network.call(m.exported, {x}).back()), y);
      })(model);
      optimizer.update(model, gradients);
      return loss;
    });
    const float first = step().item<float>();
    float loss = first;
    for (int i = 1; i < 30; ++i) loss = step().item<float>();
    std::printf("loss %.4f to %.4f\n", first, loss);

    litz::NamedTensors weights;
    for (size_t i = 0; i < model.exported.size(); ++i) {
      weights.emplace_back(network.parameter_names()[i], model.exported[i]);
    }
    litz::save_tensors(argv[3], weights);
    return loss < first ? 0 : 1;
  } catch (const litz::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
