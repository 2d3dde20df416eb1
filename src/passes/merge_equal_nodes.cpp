// Lets equal calls share one node, and equal weights one input.
//
//   %a = aten.exp(%x)
//   %b = aten.exp(%x)             =>    %a = aten.exp(%x)
//   %c = aten.add.Tensor(%a, %b)        %c = aten.add.Tensor(%a, %a)
//
// Requires:        nothing; reads of memory are merged only where no write stands between them.
// Ensures:         no two nodes with equal operator, arguments and result types, save those with
//                  effects, random numbers, child graphs or results whose sizes depend on data, and
//                  those that annotations keep apart: keys that say so (annotations.h), and keys of
//                  users with different values. What is left has the annotations of all, merged.
//                  No two weights that are the same tensor and never written.
// Why it matters:  layers repeat masks, positions and casts; recorded programs repeat them all.
// Cost:            one hash per node and weight.

#include <algorithm>
#include <array>
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

bool may_merge(const Node& node, ir::EffectWalk& effects) {
  const ir::Trait kinds = ir::Trait::higher_order | ir::Trait::random | ir::Trait::data_dependent |
                          ir::Trait::collective_start | ir::Trait::collective_wait;
  if (ir::has(node.op().traits, kinds)) return false;
  return node.output_count() > 0 && !effects.has_effects(node) && ir::defined_symbols(node).empty();
}

// Equal reads before and after it may see different values.
bool changes_memory(const Node& node, ir::EffectWalk& effects) {
  return std::ranges::any_of(effects.effects(node), [](const ir::Effect& effect) {
    return effect.kind == ir::EffectKind::write || effect.kind == ir::EffectKind::free ||
           effect.resource == ir::Resource::unknown;
  });
}

// Users' keys have no rule for merging, so nothing of them may get lost.
bool keeps_apart(std::string_view key) {
  const ir::AnnotationKey* declared = ir::find_annotation_key(key);
  return declared == nullptr || declared->keeps_apart;
}

ir::Annotations barriers(const ir::Annotations& annotations) {
  ir::Annotations found;
  for (const auto& [key, value] : annotations) {
    if (keeps_apart(key)) found.emplace(key, value);
  }
  return found;
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

  void add(const ir::Annotations& annotations) {
    for (const auto& [key, value] : annotations) {
      if (!keeps_apart(key)) continue;
      add(std::hash<std::string>()(key));
      add(std::hash<std::string>()(value));
    }
  }

  size_t value() const { return hash_; }

 private:
  size_t hash_ = 0;
};

size_t hash_of(const Node& node, size_t writes) {
  Hash hash;
  hash.add(writes);
  hash.add(std::hash<const void*>()(&node.op()));
  for (const Argument& argument : node.arguments()) hash.add(argument);
  hash.add(node.annotations());
  return hash.value();
}

bool equal(const Node& a, const Node& b) {
  if (&a.op() != &b.op() || a.output_count() != b.output_count() ||
      a.arguments().size() != b.arguments().size()) {
    return false;
  }
  if (a.annotations() != b.annotations() &&
      barriers(a.annotations()) != barriers(b.annotations())) {
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

void merge_into(Node* kept, Node* node) {
  ir::Graph& graph = kept->graph();
  if (kept->annotations() != node->annotations()) {
    const std::array sources{&kept->annotations(), &node->annotations()};
    ir::Annotations merged = ir::merge_annotations(sources);
    // Users' keys, which are equal here.
    for (const auto& [key, value] : kept->annotations()) {
      if (ir::find_annotation_key(key) == nullptr) merged.emplace(key, value);
    }
    if (merged != kept->annotations()) graph.set_annotations(kept, std::move(merged));
  }
  for (size_t i = 0; i < node->output_count(); ++i) {
    graph.replace_uses(node->output(i), kept->output(i));
  }
  graph.erase(node);
}

/// A node that others may be merged into. Looked up by hash, never walked; those of a bucket stand
/// in graph order.
struct Seen {
  Node* node;
  size_t writes;      ///< Before it.
  size_t merged = 0;  ///< 1 + index into the list of merged nodes; 0: it stands for itself alone.
};

/// What became one node, in the order in which that came about.
struct Merged {
  Node* kept;
  std::vector<uint32_t> sources;
};

void note(std::vector<Merged>& all, Seen& seen, const Node& node) {
  if (seen.merged == 0) {
    all.push_back({seen.node, {seen.node->id()}});
    seen.merged = all.size();
  }
  all[seen.merged - 1].sources.push_back(node.id());
}

Changed merge_nodes(ir::Graph& graph, PassContext& context) {
  ir::EffectWalk effects;
  std::unordered_map<size_t, std::vector<Seen>> seen;
  std::vector<Merged> merged;
  size_t writes = 0;
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    if (changes_memory(*node, effects)) {
      ++writes;
    } else if (may_merge(*node, effects)) {
      std::vector<Seen>& bucket = seen[hash_of(*node, writes)];
      const auto same = std::ranges::find_if(bucket, [&](const Seen& each) {
        return each.writes == writes && equal(*each.node, *node);
      });
      if (same == bucket.end()) {
        bucket.push_back({node, writes});
      } else if (context.may_rewrite()) {
        note(merged, *same, *node);
        merge_into(same->node, node);
      }
    }
    node = next;
  }
  for (Merged& each : merged) {
    graph.add_provenance(each.kept,
                         {graph.module().current_pass(), "replace", std::move(each.sources)});
  }
  return merged.empty() ? Changed::no : Changed::yes;
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
