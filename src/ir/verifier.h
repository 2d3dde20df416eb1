// Checks that a graph obeys the rules that all passes rely on.
//
// The fast level takes time linear in nodes and operands and checks only structure; it may run
// after every batch of edits. The full level also repeats type inference and checks child graphs,
// ordering edges and memory; it is linear, too, and runs after every pass in tests.

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
  /// Adds unique names and ids, child graphs, inferred types, ordering edges acyclic with operands,
  /// annotations, views, waits of collectives, donated memory.
  full,
};

struct VerifyOptions {
  VerifyLevel level = VerifyLevel::full;
  /// Compares result types with those that operators infer. Imported graphs may state others, and
  /// so may passes that choose layouts (passes/layout_change.h); then only views must match
  /// inference.
  bool infer_types = true;
  /// Rejects reads of a value whose memory was written since through another value. This must hold
  /// once a graph was functional: in-place operators then only overwrite values that are not read
  /// again.
  bool forbid_overwritten_reads = false;
  /// Collectives must start in this order, by graph id (see collective_orders); null: any order.
  const std::map<uint32_t, CollectiveOrder>* collectives_at_entry = nullptr;
  /// Arguments, by position, that share memory. For a single graph.
  AliasClasses::SharedInputs shared_inputs = {};
  size_t max_errors = 20;
};

/// The errors of a graph, one text per finding with the node, its source line and the pass that
/// last changed it; empty if there are none. Never throws for a bad graph.
std::vector<std::string> verification_errors(const Graph& graph, const VerifyOptions& options = {});
/// Checks every graph of the module, and that calls of child graphs do not recurse.
std::vector<std::string> verification_errors(const Module& module,
                                             const VerifyOptions& options = {});

/// Throws InternalError with the findings if there are any.
void verify(const Graph& graph, const VerifyOptions& options = {});
void verify(const Module& module, const VerifyOptions& options = {});

}  // namespace litz::ir
