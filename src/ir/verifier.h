// Checks that a graph obeys the rules that every pass relies on.
//
// The fast level takes time linear in nodes and operands and looks at structure only; it is meant
// to run after every batch of edits. The full level also repeats type inference and follows child
// graphs, ordering edges and memory; it is linear, too, and runs after every pass in tests.

#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/alias_classes.h"
#include "ir/collectives.h"
#include "ir/graph.h"

namespace litz::ir {

enum class VerifyLevel : uint8_t {
  fast,  ///< Uses mirror operands; labels, terminator, arity, types present, definitions first.
  /// Also unique names and ids, child graphs, inferred types, ordering edges acyclic with operands,
  /// annotations, views, waits of collectives, donated memory.
  full,
};

struct VerifyOptions {
  VerifyLevel level = VerifyLevel::full;
  /// Compares result types with what the operators infer. Imported graphs may state others, and so
  /// do passes that choose layouts (passes/layout_change.h); then views alone must lie as inferred.
  bool infer_types = true;
  /// Refuses reads of a value whose memory was written since through another one, as must hold
  /// once a graph was functional: an in-place operator then only replaces what nobody reads again.
  bool forbid_overwritten_reads = false;
  /// Collectives must start in this order, by graph id (see collective_orders); null: in any.
  const std::map<uint32_t, CollectiveOrder>* collectives_at_entry = nullptr;
  /// Arguments, by position, that lie in one memory. For one graph.
  AliasClasses::SharedInputs shared_inputs = {};
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
