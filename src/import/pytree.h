// Readable names for a program's flat inputs and outputs, from the recorded container structure.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace litz::import_ {

/// Names of the leaves of an input spec in order: "x", "batch[0]", "opts['k']". `forward_names` are
/// the parameter names of the module's forward. Throws Error{corrupt} if the text is not a spec.
std::vector<std::string> input_leaf_names(std::string_view spec,
                                          const std::vector<std::string>& forward_names);

/// Names of the leaves of an output spec: "out", "[0]", "['logits']".
std::vector<std::string> output_leaf_names(std::string_view spec);

}  // namespace litz::import_
