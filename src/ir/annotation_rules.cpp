// Rules on annotations: values fit their keys, and must-save never conflicts with must-recompute.

#include <algorithm>
#include <set>
#include <unordered_map>

#include "ir/effects.h"
#include "ir/streams.h"
#include "ir/verifier_rules.h"

namespace litz::ir {
namespace {

bool is(const Node& node, std::string_view key, std::string_view value) {
  const auto found = node.annotations().find(key);
  return found != node.annotations().end() && found->second == value;
}

bool is_backward_only(const Node& node) {
  return is(node, "partitioner_tag", "is_backward") ||
         is(node, "partitioner_tag", "must_be_in_backward");
}

// False if a second run would be observable. Draws repeat from their stream, collectives by
// agreement.
bool can_be_repeated(const Node& node, EffectWalk& walk) {
  return std::ranges::all_of(walk.effects(node), [](const Effect& effect) {
    if (effect.kind == EffectKind::read || effect.kind == EffectKind::allocate) return true;
    return effect.resource == Resource::communicator;
  });
}

class RecomputeRules {
 public:
  RecomputeRules(const AliasClasses& aliases, Findings& findings)
      : aliases_(aliases), findings_(findings) {}

  void visit(const Node& node) {
    for (const Value result : node.outputs()) pass_on(result);
    if (is(node, "recompute", "must_save")) {
      findings_.expect(!is_backward_only(node), &node,
                       "what must be saved must not lie in the backward pass");
      for (const Value result : node.outputs()) check_base(result);
    } else if (is(node, "recompute", "must_recompute")) {
      findings_.expect(!is(node, "partitioner_tag", "must_be_in_forward"), &node,
                       "what must be recomputed must not be held in the forward pass");
      findings_.expect(can_be_repeated(node, walk_), &node,
                       "what must be recomputed must not have effects");
    }
  }

 private:
  // A view belongs to the part that its base belongs to.
  void pass_on(Value result) {
    const Value viewed = aliases_.viewed(result);
    const Node* maker = viewed ? viewed.producer() : nullptr;
    if (maker == nullptr) return;
    if (is(*maker, "recompute", "must_recompute")) {
      recomputed_[result.data()] = maker;
    } else if (const auto found = recomputed_.find(viewed.data()); found != recomputed_.end()) {
      recomputed_[result.data()] = found->second;
    }
  }

  // Saving a view would save the memory of its base, which was to be recomputed.
  void check_base(Value result) {
    const auto found = recomputed_.find(result.data());
    if (found == recomputed_.end()) return;
    findings_.add(result.producer(),
                  "a view that must be saved must not view what must be recomputed: " +
                      std::string(found->second->op().name()));
  }

  const AliasClasses& aliases_;
  Findings& findings_;
  EffectWalk walk_;
  // Views whose memory must be recomputed, with the node that does. For lookup only.
  std::unordered_map<const ValueData*, const Node*> recomputed_;
};

}  // namespace

void check_annotations(const Graph& graph, const AliasClasses& aliases, Findings& findings) {
  RecomputeRules recompute(aliases, findings);
  std::set<std::string_view> streams;
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const auto& [key, value] : node->annotations()) {
      const std::string error = annotation_error(key, value);
      findings.expect(error.empty(), node, error);
    }
    recompute.visit(*node);
    const auto stream = node->annotations().find(kStreamAnnotation);
    if (stream == node->annotations().end() || !has(node->op().traits, Trait::random)) continue;
    if (is(*node, "backward", "recomputed")) continue;  // Draws the same numbers again.
    findings.expect(streams.insert(stream->second).second, node,
                    "nodes that draw random numbers must have streams of their own");
  }
}

}  // namespace litz::ir
