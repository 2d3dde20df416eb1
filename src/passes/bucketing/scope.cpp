#include "passes/bucketing/scope.h"

#include <algorithm>
#include <unordered_map>

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;

bool is_convert(const Node& node) {
  if (!has(node.op().traits, Trait::copy) || node.input_count() != 1) return false;
  return node.input(0).is_tensor() && node.output().is_tensor() &&
         node.input(0).tensor().device == node.output().tensor().device;
}

bool returned_only(Value value) {
  const auto users = value.users();
  return !users.empty() && std::ranges::all_of(users, [&](const Node* user) {
    return user == value.graph()->return_node();
  });
}

/// A mark decides; otherwise the pattern that frameworks make.
bool is_marked(const Node& start, std::string_view role, bool otherwise) {
  const auto mark = start.annotations().find("collective_role");
  return mark == start.annotations().end() ? otherwise : mark->second == role;
}

// Graph inputs above a node: none, one by its number, or several.
constexpr int64_t kNone = -1;
constexpr int64_t kSeveral = -2;

int64_t joined(int64_t a, int64_t b) {
  if (a == kNone || a == b) return b;
  return b == kNone ? a : kSeveral;
}

}  // namespace

ScopeFilter::ScopeFilter(const ir::Graph& graph, BucketScope scope) : scope_(scope) {
  if (scope != BucketScope::fsdp_recursive) return;
  find_single_inputs(graph);
  find_returned(graph);
}

void ScopeFilter::find_single_inputs(const ir::Graph& graph) {
  std::unordered_map<const Node*, int64_t> above;  // For lookup only.
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    int64_t own = kNone;
    for (size_t i = 0; i < node->input_count(); ++i) {
      const Value input = node->input(i);
      own = joined(own, input.producer() == nullptr ? static_cast<int64_t>(input.index())
                                                    : above.at(input.producer()));
    }
    above.emplace(node, own);
    if (own >= 0) of_one_input_.insert(node);
  }
}

void ScopeFilter::find_returned(const ir::Graph& graph) {
  for (const Node* node = graph.last(); node != nullptr; node = node->prev()) {
    bool is_used = false;
    bool is_returned = true;
    for (const Value output : node->outputs()) {
      for (const Node* user : output.users()) {
        is_used = true;
        is_returned = is_returned && (user == graph.return_node() ||
                                      (user->input_count() == 1 && is_returned_.contains(user)));
      }
    }
    if (is_used && is_returned) is_returned_.insert(node);
  }
}

bool ScopeFilter::gathers_parameter(const Node& start) const {
  if (scope_ == BucketScope::fsdp_recursive) {
    return is_marked(start, "parameter_gather", of_one_input_.contains(&start));
  }
  const Node* producer = start.input(0).producer();
  if (producer != nullptr && is_convert(*producer)) producer = producer->input(0).producer();
  return is_marked(start, "parameter_gather", producer == nullptr);
}

/// A gradient that is also used otherwise does not count.
bool ScopeFilter::scatters_gradient(const BucketMember& member) const {
  if (scope_ == BucketScope::fsdp_recursive) {
    return is_marked(*member.start, "gradient_scatter", is_returned_.contains(member.wait));
  }
  const Value result = member.wait->output();
  bool ends = returned_only(result);
  const auto users = result.users();
  if (!ends && users.size() == 1 && is_convert(*users[0])) ends = returned_only(users[0]->output());
  return is_marked(*member.start, "gradient_scatter", ends);
}

bool ScopeFilter::operator()(const BucketMember& member, Bucketed kind) const {
  if (scope_ == BucketScope::all) return true;
  switch (kind) {
    case Bucketed::all_gather:
      return gathers_parameter(*member.start);
    case Bucketed::reduce_scatter:
      return scatters_gradient(member);
    case Bucketed::all_reduce:
      return false;
  }
  return false;
}

}  // namespace litz::passes
