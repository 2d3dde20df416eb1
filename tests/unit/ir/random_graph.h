// Random graphs and random edits for property tests.

#pragma once

#include <cstdint>
#include <random>

#include "ir/graph.h"

namespace litz::ir {

/// Fills a module's new graph `name` with `count` random calls of tiny operators, names,
/// annotations, locations and ordering edges.
Graph& random_graph(Module& module, uint32_t seed, size_t count, const std::string& name = "main");

/// One random legal edit.
void random_edit(Graph& graph, std::mt19937& random);

}  // namespace litz::ir
