// Parameters, buffers and constants of a program: used in place, copied when first written.

#pragma once

#include <span>
#include <vector>

#include "artifact/signature.h"
#include "types/tensor.h"

namespace litz::runtime {

class Weights {
 public:
  /// Takes the data of the signature's inputs.
  explicit Weights(const artifact::Signature& signature);

  /// The weight behind an input; undefined for other inputs and for what nothing reads.
  const Tensor& at(size_t input) const { return tensors_[input]; }

  /// Whether a weight lies in this storage.
  bool hold(const Storage* storage) const;

  /// Replaces the contents of a weight, for this and all later calls. What shares its storage sees
  /// the change.
  void write(size_t input, const Tensor& value);

  /// Gives a weight memory that only this object knows, to be written in place.
  void own(size_t input);

 private:
  void note_storages();

  std::vector<Tensor> tensors_;
  std::vector<bool> owned_;
  std::vector<const Storage*> storages_;  ///< Of the tensors, sorted.
};

/// By input: true for weights that no call changes. Weights may share memory, and then change
/// together.
std::vector<bool> constant_inputs(const artifact::Signature& signature);

}  // namespace litz::runtime
