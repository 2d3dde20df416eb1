// The example inputs that an archive carries, flattened in the order of the program's user inputs.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/archive.h"
#include "ir/attribute.h"
#include "types/tensor.h"

namespace litz::import_ {

/// One leaf: a tensor with data, or a literal.
struct SampleInput {
  Tensor tensor;          ///< Undefined for literals.
  ir::Attribute literal;  ///< Number, string or None.
};

/// Nothing when the archive has none, or holds values of classes that only its author has; `why`
/// then says so. Never throws for what the pickle holds.
std::optional<std::vector<SampleInput>> read_sample_inputs(const Archive& archive,
                                                           std::string* why = nullptr);

}  // namespace litz::import_
