// Compares the recorded types of an imported node with those its operator infers (G5, G10).

#pragma once

#include "import/graph_import.h"

namespace litz::import_ {

/// Throws Error{corrupt} when dtype, rank or a size differ; reports other differences to `on_type`.
/// Of operators that are known to be recorded wrongly the inferred types are taken. What must hold of
/// numbers read from data is asserted in front of the node, and symbols that the file names where
/// inference finds an expression are bound there (aten.item).
void check_inferred_types(ir::Node& node, GraphImportContext& context);

}  // namespace litz::import_
