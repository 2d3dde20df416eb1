#include "passes/differentiable_form.h"

#include <vector>

#include "ops/gradients/gradient_table.h"
#include "passes/expand_node.h"

namespace litz::passes {
namespace {

bool has_gradient(const ir::Node& node) { return ops::find_gradient(node.op().name()) != nullptr; }

// Results of a region without gradients count as constants.
Changed detach_regions(ir::Graph& graph, PassContext& /*context*/) {
  Changed changed = Changed::no;
  for (ir::Node* node : graph.in_order("higher_order.wrap_with_set_grad_enabled")) {
    if (known(node->scalar("enabled")) != false) continue;
    const auto scope = graph.insert_after(node);
    for (const ir::Value output : node->outputs()) {
      const bool is_detached = output.users().size() == 1 && output.users()[0]->is("aten.detach");
      if (!output.is_tensor() || !output.has_uses() || is_detached) continue;
      graph.replace_uses(output, graph.create("aten.detach", {output})->output());
      changed = Changed::yes;
    }
  }
  return changed;
}

Changed decompose_further(ir::Graph& graph, PassContext& context) {
  return decompose_unless(graph, context, has_gradient);
}

}  // namespace

std::span<const Pass> differentiable_pipeline() {
  static const std::vector<Pass> passes = [] {
    std::vector<Pass> list(import_pipeline().begin(), import_pipeline().end());
    for (Pass& pass : list) {
      if (pass.run == decompose) pass.run = decompose_further;
    }
    list.insert(list.begin(), {"detach-regions", detach_regions,
                               "while it is known which nodes are in a region without gradients"});
    return list;
  }();
  return passes;
}

}  // namespace litz::passes
