// Checkpointed regions of litz/gradients.h: marks on the nodes of a traced function.

#include <set>

#include "support/check.h"

// After the library's own names.
#include "compiler/api/tracing.h"
#include "litz/gradients.h"

namespace litz {
inline namespace v1 {
namespace detail {

CheckpointedCalls::CheckpointedCalls() {
  const auto& tracer = current_tracer();
  if (tracer == nullptr) return;
  graph_ = &tracer->graph();
  last_ = tracer->graph().last();
}

void CheckpointedCalls::end(std::span<const Tensor> results) {
  const auto& tracer = current_tracer();
  // What was traced before a break runs at once, so there is nothing to mark.
  if (tracer == nullptr || &tracer->graph() != graph_) return;
  std::set<const ir::Node*> kept;
  for (const Tensor& result : results) {
    const auto& traced = TensorAccess::traced(result);
    if (traced != nullptr && traced->tracer == tracer) kept.insert(traced->value.producer());
  }
  ir::Graph& graph = tracer->graph();
  for (ir::Node* node = graph.last(); node != nullptr && node != last_; node = node->prev()) {
    ir::Annotations annotations = node->annotations();
    if (kept.contains(node)) {
      annotations.erase("recompute");
    } else {
      annotations.insert_or_assign("recompute", "must_recompute");
    }
    graph.set_annotations(node, std::move(annotations));
  }
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
