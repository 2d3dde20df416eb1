// Reads the graph signature: the kind of each input and output of the main graph, by position.

#pragma once

#include <string>
#include <vector>

#include "import/graph_import.h"
#include "import/payloads.h"
#include "ir/program.h"
#include "support/json.h"

namespace litz::import_ {

/// One input spec with the name of its graph input.
struct RecordedInput {
  ir::InputSpec spec;
  std::string name;  ///< The graph input's name; empty for literals.
};

/// Reads `input_specs`. Throws Error.
std::vector<RecordedInput> read_input_specs(const JsonValue& signature, const JsonPath& path);
/// Reads `output_specs`; mutations refer to inputs by position. Throws Error.
std::vector<ir::OutputSpec> read_output_specs(const JsonValue& signature, const JsonPath& path,
                                              const std::vector<RecordedInput>& inputs);

/// Sets the labels of user inputs and outputs from the recorded containers. If these are
/// unreadable, positions stay as names, and a warning is added.
void label_leaves(const JsonValue& graph_module, const JsonPath& path, ir::Program& program);

/// Attaches the payloads. Throws Error{corrupt} if one is missing from the index (W4) or differs
/// from its placeholder (W6); missing bytes set `weights_missing`.
void attach_payloads(const PayloadTable& payloads, ir::Program& program);

}  // namespace litz::import_
