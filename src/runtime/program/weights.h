// Parameters, buffers and constants of a program on its device: used in place if possible, copied
// at the first write.

#pragma once

#include <span>
#include <vector>

#include "artifact/signature.h"
#include "runtime/program/device_stream.h"
#include "types/tensor.h"

namespace litz::runtime {

class Weights {
 public:
  /// Uses the data of the signature's inputs. A device other than the host gets a copy.
  Weights(const artifact::Signature& signature, const DeviceStream& where);

  /// Shares the weights that no call changes, and uses the signature's data for the others.
  Weights(const artifact::Signature& signature, const Weights& shared, const DeviceStream& where);

  /// The weight of an input; undefined for other inputs and for unused weights.
  const Tensor& at(size_t input) const { return tensors_[input]; }

  /// True if a weight is in this storage.
  bool hold(const Storage* storage) const;

  /// Replaces the contents of a weight, for this and all later calls. Tensors that share its
  /// storage see the change.
  void write(size_t input, const Tensor& value, const DeviceStream& where);

  /// Gives a weight memory without other owners, to be written in place.
  void own(size_t input, const DeviceStream& where);

 private:
  void place(const DeviceStream& where);
  void move(size_t input, const DeviceStream& where);
  void note_storages();

  std::vector<Tensor> tensors_;
  std::vector<bool> owned_;
  std::vector<const Storage*> storages_;  ///< Storages of the tensors, sorted.
};

/// By input: true for weights that no call changes. Weights that share memory change together.
std::vector<bool> constant_inputs(const artifact::Signature& signature);

}  // namespace litz::runtime
