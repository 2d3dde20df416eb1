// Metadata of nodes for people, as recorded by the exporter: source line, module, annotations.
//
// Running needs none of it; text that does not parse counts as absent.

#pragma once

#include "ir/graph.h"
#include "support/json.h"

namespace litz::import_ {

/// The user's source line (the last frame that is not the exporter's own) and the innermost module.
ir::Location read_location(const JsonValue& metadata);
/// The user's annotations ("custom"), without internal marks of tracers and without values that do
/// not fit a key that the IR declares.
ir::Annotations read_annotations(const JsonValue& metadata);

/// "layer.py:41", or the module path, for messages; empty when neither is known.
std::string describe(const ir::Location& location);

}  // namespace litz::import_
