// Declarations of the text form: `sym s0 in [2, 4096] hint 128`.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace litz::ir {

/// The declarations for a text of these graphs: operators (declared_ops.h), then one line per
/// symbol that occurs in them, in order of creation.
std::string module_header(const Module& module, std::span<const Graph* const> graphs);

/// Ids of the symbols that occur in a graph's types and attributes, ascending, each once.
std::vector<SymbolId> symbols_in(const Graph& graph);

std::string_view symbol_kind_name(SymbolKind kind);
std::optional<SymbolKind> parse_symbol_kind(std::string_view text);
/// The kind that a symbol's name implies, which the text then omits: s77, u0, zf3, zuf0.
std::optional<SymbolKind> implied_symbol_kind(std::string_view name);

}  // namespace litz::ir
