// Lets equal calls share one node, and equal weights one input.
//
//   %a = aten.exp(%x)
//   %b = aten.exp(%x)             =>    %a = aten.exp(%x)
//   %c = aten.add.Tensor(%a, %b)        %c = aten.add.Tensor(%a, %a)
//
// Requires:        functional form.
// Ensures:         no two nodes with equal operator, arguments, result types and annotations, save
//                  those with effects, random numbers, child graphs or results whose sizes depend
//                  on data; no two weights that are the same tensor and never written.
// Why it matters:  layers repeat masks, positions and casts; recorded programs repeat them all.
// Cost:            one hash per node and weight.

#include <unordered_map>

#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "passes/constant_values.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

bool may_merge(const Node& node) {
  const ir::Trait kinds = ir::Trait::higher_order | ir::Trait::random | ir::Trait::data_dependent |
                          ir::Trait::collective_start | ir::Trait::collective_wait;
  if (ir::has(node.op().traits, kinds)) return false;
  return node.output_count() > 0 && !ir::has_effects(node) && ir::defined_symbols(node).empty();
}

class Hash {
 public:
  void add(size_t value) { hash_ ^= value + 0x9e3779b97f4a7c15ULL + (hash_ << 6) + (hash_ >> 2); }

  void add(const Argument& argument) {
    for (const Value value : argument.values()) add(std::hash<const void*>()(value.data()));
    if (!argument.is_attribute()) return;
    const ir::Attribute& attribute = argument.attribute();
    add(attribute.index());
    if (const auto* scalar = std::get_if<Expr>(&attribute)) add(scalar->hash());
    if (const auto* list = std::get_if<ir::Scalars>(&attribute)) {
      for (const Expr scalar : *list) add(scalar.hash());
    }
    if (const auto* dtype = std::get_if<DType>(&attribute)) add(static_cast<size_t>(*dtype));
    if (const auto* text = std::get_if<std::string>(&attribute)) {
      add(std::hash<std::string>()(*text));
    }
  }

  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

size_t hash_of(const Node& node) {
  Hash hash;
  hash.add(std::hash<const void*>()(&node.op()));
  for (const Argument& argument : node.arguments()) hash.add(argument);
  return hash.value();
}

bool equal(const Node& a, const Node& b) {
  if (&a.op() != &b.op() || a.output_count() != b.output_count() ||
      a.arguments().size() != b.arguments().size() || a.annotations() != b.annotations()) {
    return false;
  }
  for (size_t i = 0; i < a.arguments().size(); ++i) {
    if (!(a.arguments()[i] == b.arguments()[i])) return false;
  }
  for (size_t i = 0; i < a.output_count(); ++i) {
    if (a.output(i).type() != b.output(i).type()) return false;
  }
  return true;
}

Changed merge_nodes(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  // Looked up, never walked. Values of a bucket stand in graph order.
  std::unordered_map<size_t, std::vector<Node*>> seen;
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    if (may_merge(*node)) {
      std::vector<Node*>& bucket = seen[hash_of(*node)];
      Node* same = nullptr;
      for (Node* candidate : bucket) {
        if (same == nullptr && equal(*candidate, *node)) same = candidate;
      }
      if (same == nullptr) {
        bucket.push_back(node);
      } else if (context.may_rewrite()) {
        for (size_t i = 0; i < node->output_count(); ++i) {
          graph.replace_uses(node->output(i), same->output(i));
        }
        graph.erase(node);
        changed = Changed::yes;
      }
    }
    node = next;
  }
  return changed;
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

Changed merge_weights(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  std::unordered_map<const void*, std::vector<size_t>> seen;
  for (const size_t i : constant_inputs(graph, context)) {
    const Tensor& data = context.program->inputs[i].data;
    std::vector<size_t>& bucket = seen[data.data()];
    bool merged = false;
    for (const size_t k : bucket) {
      if (merged || !same_tensor(context.program->inputs[k].data, data)) continue;
      if (graph.input(k).type() != graph.input(i).type()) continue;
      merged = true;
      if (!graph.input(i).has_uses() || !context.may_rewrite()) continue;
      graph.replace_uses(graph.input(i), graph.input(k));
      changed = Changed::yes;
    }
    if (!merged) bucket.push_back(i);
  }
  return changed;
}

}  // namespace

Changed merge_equal_nodes(ir::Graph& graph, PassContext& context) {
  const Changed weights = merge_weights(graph, context);
  const Changed nodes = merge_nodes(graph, context);
  return weights == Changed::yes ? weights : nodes;
}

}  // namespace litz::passes
