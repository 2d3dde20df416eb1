// The casts that a region of automatic mixed precision implies.
//
// Exports record operands of such regions uncast, and results in the dtype that the cast operands
// give. So the recorded dtype says what was cast: operands as they are, floating operands in the
// region's dtype, in f32, or all in the widest of theirs; the first that gives the recorded dtypes.

#pragma once

#include "ir/graph.h"

namespace litz::passes {

class Autocast {
 public:
  /// `call` is the wrapper; anything but an enabled autocast region makes `apply` do nothing.
  explicit Autocast(const ir::Node& call);

  /// Casts the operands of a node that was cloned out of the region. Throws Error{unsupported} when
  /// no cast explains the node's dtypes.
  void apply(ir::Node* node) const;

 private:
  bool enabled_ = false;
  DType dtype_ = DType::bf16;
};

}  // namespace litz::passes
