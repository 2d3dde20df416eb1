// What makes a set of nodes worth calling.

#pragma once

#include <algorithm>

#include "ir/effects.h"
#include "ir/graph.h"

namespace litz::passes {

/// True for a node that others than members of its set notice: they read it, or it has effects.
template <typename IsMember>
bool is_of_use(const ir::Node& node, ir::EffectWalk& effects, const IsMember& is_member) {
  // Sizes that it finds out may be mentioned where its results are not read.
  if (effects.has_effects(node) || ir::has(node.op().traits, ir::Trait::data_dependent)) {
    return true;
  }
  return std::ranges::any_of(node.outputs(), [&](ir::Value output) {
    return !std::ranges::all_of(output.users(),
                                [&](const ir::Node* user) { return is_member(*user); });
  });
}

}  // namespace litz::passes
