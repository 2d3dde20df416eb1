#include "passes/differentiable_form.h"

#include <vector>

#include "ops/gradients/gradient_table.h"
#include "passes/expand_node.h"
#include "support/check.h"

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

/// The detached value that a tensor is a view of; null if it is none.
ir::Node* detached_source(ir::Value value) {
  for (ir::Node* node = value.producer(); node != nullptr; node = value.producer()) {
    if (node->is("aten.detach")) return node;
    if (!ir::has(node->op().traits, ir::Trait::view)) return nullptr;
    value = node->input(0);
  }
  return nullptr;
}

// A write through a detached alias changes a tensor and leaves its gradient alone. Functional form
// would make the new contents constants.
Changed refuse_hidden_writes(ir::Graph& graph, PassContext& /*context*/) {
  for (const ir::Node* node : graph.in_order()) {
    const std::vector<ir::SchemaArgument>& slots = node->op().schema.arguments;
    for (size_t i = 0; i < slots.size(); ++i) {
      if (!slots[i].mutated) continue;
      for (const ir::Value written : node->arguments()[i].values()) {
        const ir::Node* detach = written ? detached_source(written) : nullptr;
        if (detach == nullptr) continue;
        const ir::Value source = detach->input(0);
        require(source.producer() != nullptr && source.use_count() == 1, ErrorCode::unsupported,
                "a program that writes a tensor through a detached alias has no gradients:",
                node->op().name(), "%" + source.name());
      }
    }
  }
  return Changed::no;
}

/// Gradients that are stated take the place of those of the body.
Changed inline_further(ir::Graph& graph, PassContext& /*context*/) {
  return inline_wrappers_unless(
      graph, [](const ir::Node& node) { return node.is("higher_order.custom_gradient"); });
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
      if (pass.run == inline_wrappers) pass.run = inline_further;
    }
    list.insert(list.begin(),
                {Pass{"refuse-hidden-writes", refuse_hidden_writes,
                      "while it is known which operators write"},
                 Pass{"detach-regions", detach_regions,
                      "while it is known which nodes are in a region without gradients"}});
    return list;
  }();
  return passes;
}

}  // namespace litz::passes
