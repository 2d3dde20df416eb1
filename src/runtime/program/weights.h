// Parameters, buffers and constants of a program on its device: used in place where they can be,
// copied when first written.

#pragma once

#include <span>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/device_stream.h"
#include "types/tensor.h"

namespace litz::runtime {

class Weights {
 public:
  /// Takes the data of the signature's inputs; a device other than the host gets a copy of them.
  Weights(const artifact::Signature& signature, const DeviceStream& where);

  /// The weight behind an input; undefined for other inputs and for what nothing reads.
  const Tensor& at(size_t input) const { return tensors_[input]; }

  /// Whether a weight lies in this storage.
  bool hold(const Storage* storage) const;

  /// Replaces the contents of a weight, for this and all later calls. What shares its storage sees
  /// the change.
  void write(size_t input, const Tensor& value, const DeviceStream& where);

  /// Gives a weight memory that only this object knows, to be written in place.
  void own(size_t input, const DeviceStream& where);

 private:
  void move(size_t input, const DeviceStream& where);
  void note_storages();

  std::vector<Tensor> tensors_;
  std::vector<bool> owned_;
  std::vector<const Storage*> storages_;  ///< Of the tensors, sorted.
};

/// By input: true for weights that no call changes. Weights may share memory, and then change
/// together.
std::vector<bool> constant_inputs(const artifact::Signature& signature);

}  // namespace litz::runtime
