// Lets equal calls share one node, and equal weights one input.
//
//   %a = aten.exp(%x)
//   %b = aten.exp(%x)             =>    %a = aten.exp(%x)
//   %c = aten.add.Tensor(%a, %b)        %c = aten.add.Tensor(%a, %a)
//
// Requires:        nothing; reads of memory are merged only if no write lies between them.
// Ensures:         no two nodes with equal operator, arguments and result types, except those with
//                  effects, random numbers, child graphs or data-dependent result sizes, and those
//                  that annotations keep apart: keys that say so (annotations.h), and users' keys
//                  with different values. The kept node has the merged annotations of all. No two
//                  weights that are never written have the same data: one tensor, or equal dense
//                  ones (only a few large candidates are compared in full).
// Why it matters:  layers repeat masks, positions and casts; recorded programs repeat them all.
// Cost:            one hash per node; a few bytes of each weight, and all of it only if these equal
//                  another one's.

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "ir/effects.h"
#include "ir/inferred_types.h"
#include "passes/constant_values.h"
#include "passes/value_facts.h"
#include "support/hash.h"

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

// Equal reads before and after such a node may see different values.
bool changes_memory(const Node& node, ir::EffectWalk& effects) {
  return std::ranges::any_of(effects.effects(node), [](const ir::Effect& effect) {
    return effect.kind == ir::EffectKind::write || effect.kind == ir::EffectKind::free ||
           effect.resource == ir::Resource::unknown;
  });
}

// Users' keys have no rule for merging, so merging must not lose one.
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

uint64_t hash_of(const Node& node, size_t writes) {
  Hasher hash(hash_name(node.op().name()));
  hash.add(writes);
  for (const Argument& argument : node.arguments()) {
    if (argument.is_attribute()) add_to(hash, argument.attribute());
    for (const Value value : argument.values()) {
      hash.add(std::bit_cast<uintptr_t>(value.data()));
    }
  }
  for (const auto& [key, value] : node.annotations()) {
    if (!keeps_apart(key)) continue;
    hash.add(key);
    hash.add(value);
  }
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
    // Users' keys, whose values are equal here.
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

/// A node that others may be merged into. For lookup by hash only; those of a bucket are in graph
/// order.
struct Seen {
  Node* node;
  size_t writes;      ///< The number of writes before it.
  size_t merged = 0;  ///< 1 + index into the list of merged nodes; 0: none was merged into it.
};

/// The nodes merged into one, in the order of merging.
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
  std::unordered_map<uint64_t, std::vector<Seen>> seen;
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

// Weights up to this size are hashed completely once their keys agree; larger ones are compared
// instead, so that start-up does not read them all.
constexpr size_t kSmallBytes = size_t{64} << 10;
// Weights beyond that with equal keys and different contents are rare; the search stops here.
constexpr int kMostCompared = 4;

/// A weight that others may be merged into.
struct Weight {
  size_t input = 0;
  std::optional<uint64_t> contents;  ///< Hash; computed when another weight has the same key.
};

size_t byte_count(const Tensor& data) {
  return static_cast<size_t>(data.numel()) * item_size(data.dtype());
}

std::span<const std::byte> bytes_of(const Tensor& data) { return {data.data(), byte_count(data)}; }

// Equal for equal weights: covers dtype, size and a few bytes of the contents. Only a few, since
// each byte of a mapped file may load a page.
uint64_t key_of(const Tensor& data) {
  const uint64_t hash = hash_combine(static_cast<uint64_t>(data.dtype()), byte_count(data));
  if (!data.is_contiguous()) return hash;
  constexpr size_t kLooked = sizeof(uint64_t);
  const std::span<const std::byte> bytes = bytes_of(data);
  if (bytes.size() <= kLooked) return hash_bytes(bytes, hash);
  return hash_bytes(bytes.subspan(bytes.size() / 2 / kLooked * kLooked, kLooked), hash);
}

bool is_same_tensor(const Tensor& a, const Tensor& b) {
  return a.data() == b.data() && a.dtype() == b.dtype() && a.sizes() == b.sizes() &&
         a.strides() == b.strides();
}

class EqualWeights {
 public:
  EqualWeights(const ir::Graph& graph, const ir::Program& program)
      : graph_(graph), program_(program) {}

  /// The input that may replace this one: itself, unless an earlier one has the same contents.
  size_t first(size_t input) {
    std::vector<Weight>& bucket = seen_[key_of(data(input))];
    Weight added{input, {}};
    int compared = 0;
    for (Weight& earlier : bucket) {
      if (graph_.input(earlier.input).type() != graph_.input(input).type()) continue;
      if (is_equal(earlier, added, compared)) return earlier.input;
    }
    bucket.push_back(added);
    return input;
  }

 private:
  const Tensor& data(size_t input) const { return program_.inputs[input].data; }

  uint64_t contents(Weight& weight) const {
    if (!weight.contents) weight.contents = hash_bytes(bytes_of(data(weight.input)));
    return *weight.contents;
  }

  bool is_equal(Weight& earlier, Weight& later, int& compared) const {
    const Tensor& a = data(earlier.input);
    const Tensor& b = data(later.input);
    if (is_same_tensor(a, b)) return true;
    if (!a.is_contiguous() || !b.is_contiguous() || a.sizes() != b.sizes()) return false;
    const size_t bytes = byte_count(a);
    if (bytes != byte_count(b)) return false;
    if (bytes <= kSmallBytes) {
      return contents(earlier) == contents(later) && is_equal_memory(a, b, bytes);
    }
    if (compared++ >= kMostCompared || !is_equal_memory(a, b, bytes)) return false;
    // The later copy is not read again.
    const auto begin = static_cast<size_t>(b.data() - b.storage()->data());
    b.storage()->release_pages(begin, bytes);
    return true;
  }

  static bool is_equal_memory(const Tensor& a, const Tensor& b, size_t bytes) {
    return bytes == 0 || std::memcmp(a.data(), b.data(), bytes) == 0;
  }

  const ir::Graph& graph_;
  const ir::Program& program_;
  std::unordered_map<uint64_t, std::vector<Weight>> seen_;  // By key.
};

Changed merge_weights(ir::Graph& graph, PassContext& context) {
  const std::vector<size_t> inputs = constant_inputs(graph, context);
  if (inputs.empty()) return Changed::no;
  Changed changed = Changed::no;
  EqualWeights weights(graph, *context.program);
  for (const size_t i : inputs) {
    if (!graph.input(i).has_uses()) continue;
    const size_t first = weights.first(i);
    if (first == i || !context.may_rewrite()) continue;
    graph.replace_uses(graph.input(i), graph.input(first));
    changed = Changed::yes;
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
