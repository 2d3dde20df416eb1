// Compares the recorded types of an imported node with those that its operator infers (G5, G10).

#pragma once

#include "import/graph_import.h"

namespace litz::import_ {

/// Throws Error{corrupt} if dtype, rank or a size differ; reports other differences to `on_type`.
/// Operators known to be recorded wrongly get the inferred types. Conditions on data-dependent
/// numbers are asserted before the node, and recorded symbols are bound there if inference finds an
/// expression for them (aten.item).
void check_inferred_types(ir::Node& node, GraphImportContext& context);

}  // namespace litz::import_
