// Dead-code elimination. See dead_code.h.

#include "ir/dead_code.h"

#include "ir/child_graphs.h"

namespace litz::ir {
namespace {

bool clean(Graph& graph, const DeadCodeOptions& options) {
  bool erased = false;
  for (Node* node = graph.last(); node != nullptr;) {
    Node* before = node->prev();
    if (!options.keep || !options.keep(*node)) erased |= graph.erase_if_unused(node);
    node = before;
  }
  return erased;
}

}  // namespace

bool eliminate_dead_code(Graph& graph, const DeadCodeOptions& options) {
  if (!options.child_graphs) return clean(graph, options);
  bool erased = clean(graph, options);
  // After the callers: a child without calls need not be cleaned.
  std::vector<Graph*> graphs = post_order(graph);
  for (auto child = graphs.rbegin() + 1; child != graphs.rend(); ++child) {
    erased |= clean(**child, options);
  }
  return erased;
}

}  // namespace litz::ir
