// Decides whether a set of nodes is worth a call.

#pragma once

#include <algorithm>

#include "ir/effects.h"
#include "ir/graph.h"

namespace litz::passes {

/// True for a node with effects, or with readers outside of its set.
template <typename IsMember>
bool is_of_use(const ir::Node& node, ir::EffectWalk& effects, const IsMember& is_member) {
  // The sizes that it defines may be used even if its results are not read.
  if (effects.has_effects(node) || ir::has(node.op().traits, ir::Trait::data_dependent)) {
    return true;
  }
  return std::ranges::any_of(node.outputs(), [&](ir::Value output) {
    return !std::ranges::all_of(output.users(),
                                [&](const ir::Node* user) { return is_member(*user); });
  });
}

}  // namespace litz::passes
