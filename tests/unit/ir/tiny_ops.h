// A dozen operators for tests of the graph layer, which knows none of its own.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/graph.h"

namespace litz::ir {

std::shared_ptr<const OpSet> tiny_ops();

/// f32 of these sizes on the CPU.
ValueType f32(Sizes sizes);

/// Parses, and fails the test with every diagnostic when the text is malformed.
std::unique_ptr<Module> module_of(std::string_view text);

/// The graph of that name.
Graph& graph_of(const Module& module, std::string_view name = "main");

}  // namespace litz::ir
