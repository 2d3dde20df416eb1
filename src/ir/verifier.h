// Checks that a graph obeys the rules that every pass relies on.
//
// The fast level takes time linear in nodes and operands and looks at structure only; it is meant
// to run after every batch of edits. The full level also repeats type inference and follows child
// graphs and ordering edges; it runs after every pass in tests.

#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

enum class VerifyLevel : uint8_t {
  fast,  ///< Uses mirror operands; labels, terminator, arity, types present, definitions first.
  full,  ///< Also unique names and ids, child graphs, inferred types, ordering edges acyclic.
};

struct VerifyOptions {
  VerifyLevel level = VerifyLevel::full;
  /// Compares result types with what the operators infer. Imported graphs may state others.
  bool infer_types = true;
  size_t max_errors = 20;
};

/// What is wrong, one text per finding with the node, its source line and the pass that last
/// touched it; empty when all is well. Never throws for a bad graph.
std::vector<std::string> verification_errors(const Graph& graph, const VerifyOptions& options = {});
/// Every graph of the module, and that calls of child graphs do not recurse.
std::vector<std::string> verification_errors(const Module& module,
                                             const VerifyOptions& options = {});

/// Throws InternalError with the findings when there are any.
void verify(const Graph& graph, const VerifyOptions& options = {});
void verify(const Module& module, const VerifyOptions& options = {});

}  // namespace litz::ir
