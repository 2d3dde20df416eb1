// Parameters, buffers and constants of a loaded program: used in place, copied when first written.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/program.h"
#include "types/tensor.h"

namespace litz::compiler {

class Weights {
 public:
  /// Takes the data of the program's inputs. Throws Error{not_found} for a weight that is read but
  /// missing, by name.
  explicit Weights(const ir::Program& program);

  /// The weight behind input i of the main graph; undefined for other inputs.
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

}  // namespace litz::compiler
