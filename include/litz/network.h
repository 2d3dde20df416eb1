// Exported programs (.pt2) as functions: to train them, and to use them inside of compiled functions.
//
//   litz::Network network = litz::load_network("model.pt2");
//   litz::AdamW optimizer(network.parameters(), {.lr = 1e-4});
//   auto step = litz::compile([&](litz::Tensor x, litz::Tensor y) {
//     auto [loss, gradients] = litz::value_and_grad([&](const std::vector<litz::Tensor>& parameters) {
//       return litz::cross_entropy(network.call(parameters, {x})[0], y);
//     })(network.parameters());
//     optimizer.update(network.parameters(), gradients);
//     return loss;
//   });

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "litz/arguments.h"
#include "litz/files.h"

namespace litz {
inline namespace v1 {

/// A program with parameters and buffers in memory of their own. It computes what was exported: a model
/// exported in evaluation mode has no dropout, and its batch norms use their running statistics. Copies
/// share everything.
class LITZ_API Network {
 public:
  /// The parameters, each once even if the model uses it under several names. Optimizers change them in
  /// place.
  const std::vector<Tensor>& parameters() const;
  /// Their first names in the model, such as "encoder.layers.0.weight".
  const std::vector<std::string>& parameter_names() const;
  /// Buffers and constants, which calls may change.
  const NamedTensors& buffers() const;

  /// The results, which must be tensors, for the tensors among the program's inputs in order. A dynamic
  /// size may differ between calls. Throws Error.
  std::vector<Tensor> operator()(const TensorList& inputs) const;
  /// The same with these tensors in place of the parameters.
  std::vector<Tensor> call(const TensorList& parameters, const TensorList& inputs) const;

 private:
  friend LITZ_API Network load_network(const std::string& path);
  struct Impl;
  explicit Network(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

/// Reads an exported program. Nothing in the file is executed. Throws Error.
LITZ_API Network load_network(const std::string& path);

}  // namespace v1
}  // namespace litz
