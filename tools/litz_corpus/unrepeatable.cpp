#include "litz_corpus/unrepeatable.h"

#include <algorithm>
#include <set>

#include "ir/child_graphs.h"
#include "ops/random_streams.h"
#include "passes/value_facts.h"

namespace litz::corpus {
namespace {

bool draws(const ir::Node& node) {
  const std::string_view name = node.op().name();
  return ops::draws(node) || name.starts_with("aten.empty") || name.starts_with("aten.new_empty") ||
         name.starts_with("aten.resize");
}

bool draws_in_child(const ir::Node& node) {
  return std::ranges::any_of(ir::child_graphs(node), [](ir::Graph* child) {
    return std::ranges::any_of(ir::post_order(*child), [](const ir::Graph* graph) {
      return std::ranges::any_of(graph->in_order(), [](const ir::Node* n) { return draws(*n); });
    });
  });
}

// The operands whose elements the node reads, not only their sizes.
std::vector<ir::Value> read_operands(const ir::Node& node) {
  if (passes::is_fill(node)) return {};
  const std::string_view name = node.op().name();
  const bool overwrites_first = name == "aten.copy" || name == "aten.fill.Tensor";
  std::vector<ir::Value> operands;
  for (size_t i = overwrites_first ? 1 : 0; i < node.input_count(); ++i) {
    operands.push_back(node.input(i));
  }
  return operands;
}

}  // namespace

std::vector<bool> unrepeatable_outputs(const ir::Program& program) {
  std::set<const void*> tainted;
  for (const ir::Node* node : program.graph().in_order()) {
    bool depends = draws(*node) || draws_in_child(*node);
    for (const ir::Value& operand : read_operands(*node))
      depends |= tainted.contains(operand.data());
    if (!depends) continue;
    for (const ir::Value& output : node->outputs()) tainted.insert(output.data());
  }
  std::vector<bool> outputs;
  for (const ir::Argument& output : program.graph().outputs()) {
    outputs.push_back(output.is_value() && tainted.contains(output.value().data()));
  }
  return outputs;
}

}  // namespace litz::corpus
