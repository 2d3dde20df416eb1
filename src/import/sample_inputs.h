// The example inputs in an archive, flattened in the order of the program's user inputs.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "import/archive.h"
#include "schema/attribute.h"
#include "types/tensor.h"

namespace litz::import_ {

/// One leaf: a tensor with data, or a literal.
struct SampleInput {
  Tensor tensor;          ///< Undefined for literals.
  ir::Attribute literal;  ///< Number, string or None.
};

/// Nothing if the archive has none, or has values of the author's own classes; `why` then tells.
/// Never throws because of the pickle's content.
std::optional<std::vector<SampleInput>> read_sample_inputs(const Archive& archive,
                                                           std::string* why = nullptr);

}  // namespace litz::import_
