// Replaces symbols by expressions in types and attributes.

#pragma once

#include <span>
#include <utility>

#include "ir/graph.h"

namespace litz::ir {

using SymbolReplacement = std::pair<SymbolId, Expr>;

ValueType replace_symbols(ValueType type, std::span<const SymbolReplacement> replacements);

/// Replaces them in the attributes and result types of one node, or the terminator. True on a
/// change.
bool replace_symbols(Node& node, std::span<const SymbolReplacement> replacements);

}  // namespace litz::ir
