// Replaces operators that are defined by other operators, until none is left.
//
//   %y = aten.linear(%x, %w, %b)   =>   %t = aten.t(%w)
//                                       %y = aten.addmm(%b, %x, %t)
//
// Requires:        nothing.
// Ensures:         no operator with a Decompose definition, save those that write their operands: these wait for
//                  functionalize.
// Why it matters:  lowering knows loop nests, views and library calls only; and what may or may not
//                  be a view (reshape, contiguous, to) is one or the other afterwards.
// Cost:            one visit per node, those made here included.

#include <vector>

#include "ops/bodies.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "support/check.h"

namespace litz::passes {
namespace {

bool writes_operands(const ir::Node& node) {
  return node.op().schema.mutates() || has(node.op().traits, ir::Trait::hidden_mutation);
}

// Null when the node stays.
const ops::Decompose* decomposition(const ir::Node& node, bool functional) {
  if (node.op().definition == nullptr) return nullptr;
  const auto* decompose = std::get_if<ops::Decompose>(&ops::definition(node.op()).impl);
  if (decompose == nullptr) return nullptr;
  if (node.op().schema.mutates()) return nullptr;
  return functional || !writes_operands(node) ? decompose : nullptr;
}

bool same_strides(const TensorType& a, const TensorType& b) {
  for (size_t d = 0; d < a.rank(); ++d) {
    if (!known_equal(a.strides[d], b.strides[d])) return false;
  }
  return true;
}

// A stand-in for `promised`: the same tensor, copied where its strides would differ, since readers
// were typed with the strides that the operator promised.
ir::Value with_type(ir::Graph& graph, ir::Value value, const ir::ValueType& promised) {
  const auto* wanted = std::get_if<TensorType>(&promised);
  if (wanted == nullptr || value.tensor() == *wanted) return value;
  const TensorType& given = value.tensor();
  check(given.dtype == wanted->dtype && given.rank() == wanted->rank(),
        "a decomposition must keep dtype and rank:", to_string(given), to_string(*wanted));
  check(known_equal(given.offset, wanted->offset),
        "a decomposition must keep the place in the storage:", to_string(given),
        to_string(*wanted));
  if (same_strides(given, *wanted)) return value;
  return graph.create("litz.restride", {value, ir::Attribute(wanted->strides)})->output();
}

void replace(ir::Graph& graph, ir::Node* node, const ops::Decompose& decompose) {
  const auto scope = graph.insert_before(node);
  std::vector<ir::ValueType> promised;
  for (const ir::Value output : node->outputs()) promised.push_back(output.type());
  ops::DecomposeCall call(ops::Call(*node), graph, promised);
  const std::vector<ir::Value> results = decompose.build(call);
  check(results.size() == promised.size(),
        "a decomposition returns every result:", node->op().name(), results.size(),
        promised.size());
  for (size_t i = 0; i < results.size(); ++i) {
    graph.replace_uses(node->output(i), with_type(graph, results[i], promised[i]));
  }
  graph.erase(node);
}

}  // namespace

Changed decompose(ir::Graph& graph, PassContext& context) {
  const bool functional = context.program == nullptr || context.program->functional;
  Changed changed = Changed::no;
  ir::Node* node = graph.first();
  while (node != nullptr) {
    const ops::Decompose* how = decomposition(*node, functional);
    if (how == nullptr) {
      node = node->next() == graph.return_node() ? nullptr : node->next();
      continue;
    }
    // What is emitted may itself be decomposed: go on from the first new node.
    ir::Node* before = node->prev();
    replace(graph, node, *how);
    node = before != nullptr ? before->next() : graph.first();
    if (node == graph.return_node()) node = nullptr;
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
