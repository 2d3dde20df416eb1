// Replaces symbols by expressions in what mentions them: types and attributes.

#pragma once

#include <span>
#include <utility>

#include "ir/graph.h"

namespace litz::ir {

using SymbolReplacement = std::pair<SymbolId, Expr>;

ValueType replace_symbols(ValueType type, std::span<const SymbolReplacement> replacements);

/// In the attributes and the result types of one node (the terminator, too). True when it changed.
bool replace_symbols(Node& node, std::span<const SymbolReplacement> replacements);

}  // namespace litz::ir
