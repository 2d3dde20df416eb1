// The table of contents of graph passes: one free function each, one file each.

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "ir/program.h"

namespace litz::passes {

enum class Changed : uint8_t { no, yes };

/// What passes get besides the graph. They never read options or the environment.
struct PassContext {
  ir::Program* program = nullptr;  ///< Null when a lone graph is rewritten.
};

/// Inlines wrap_with_set_grad_enabled, strict_mode, checkpoint wrappers, ...; wrap_with_autocast
/// with its casts applied.
Changed inline_wrappers(ir::Graph& graph, PassContext& context);
/// Makes a raw graph functional: in-place operators, views written through, hidden mutation;
/// appends mutation outputs to the program's signature.
Changed functionalize(ir::Graph& graph, PassContext& context);
/// Replaces operators that are defined by decomposition, until none is left.
Changed decompose(ir::Graph& graph, PassContext& context);
/// Removes nodes without uses and effects.
Changed eliminate_dead_nodes(ir::Graph& graph, PassContext& context);

struct Pass {
  std::string_view name;
  Changed (*run)(ir::Graph&, PassContext&);
  std::string_view reason;  ///< Why it stands where it stands.
};

/// From an imported program to what lowering takes.
std::span<const Pass> import_pipeline();
const Pass* find_pass(std::string_view name);

}  // namespace litz::passes
