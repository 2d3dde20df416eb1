#include "passes/overlap/module_schedule.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "ir/topological_sort.h"
#include "passes/bucketing/ancestors.h"
#include "passes/bucketing/merge.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;
using Edges = std::vector<std::pair<Node*, Node*>>;

bool is_inside(std::string_view path, std::string_view module) {
  return path.starts_with(module) && (path.size() == module.size() || path[module.size()] == '.');
}

void require_disjoint(std::span<const ModuleGroup> modules) {
  for (size_t i = 0; i < modules.size(); ++i) {
    for (size_t k = 0; k < i; ++k) {
      for (const std::string& a : modules[i]) {
        for (const std::string& b : modules[k]) {
          require(!is_inside(a, b) && !is_inside(b, a),
                  "groups of modules of a schedule must have none in common:", a, b);
        }
      }
    }
  }
}

std::optional<size_t> group_of(const Node& node, std::span<const ModuleGroup> modules) {
  for (size_t i = 0; i < modules.size(); ++i) {
    for (const std::string& module : modules[i]) {
      if (is_inside(node.location().module_path, module)) return i;
    }
  }
  return std::nullopt;
}

/// Members that do not depend on each other, taken round by round.
std::vector<SelectedBucket> independent_parts(const ir::Graph& graph,
                                              std::vector<BucketMember> members) {
  std::vector<SelectedBucket> parts;
  while (!members.empty()) {
    std::vector<Node*> starts;
    starts.reserve(members.size());
    for (const BucketMember& member : members) starts.push_back(member.start);
    const Ancestors ancestors(graph, starts);
    SelectedBucket& part = parts.emplace_back();
    part.closed = "the modules have no other";
    std::vector<BucketMember> left;
    std::vector<size_t> taken;
    for (size_t i = 0; i < members.size(); ++i) {
      const bool depends =
          std::ranges::any_of(taken, [&](size_t other) { return ancestors.depends(i, other); });
      if (depends) {
        left.push_back(members[i]);
        continue;
      }
      taken.push_back(i);
      part.bytes += bucket_bytes(*members[i].start);
      part.members.push_back(members[i]);
    }
    members = std::move(left);
  }
  return parts;
}

/// A collective of a group of modules, joined or alone.
struct Stage {
  Node* start = nullptr;
  Node* wait = nullptr;
};

class ModuleScheduler {
 public:
  ModuleScheduler(ir::Graph& graph, std::span<const ModuleGroup> modules, BucketMode mode)
      : graph_(graph), mode_(mode) {
    for (Node* node : graph.in_order()) {
      const auto kind = bucketed_kind(*node);
      if (!kind || kind == Bucketed::all_reduce) continue;
      const BucketMember member = bucket_member(node);
      const std::optional<size_t> group = group_of(*node, modules);
      if (!group || !reason_against(member).empty()) continue;
      found_[{*kind, *group, bucket_key(*node, *kind, mode)}].push_back(member);
    }
    require(!found_.empty(),
            "a schedule by modules must find their collectives; modules:", modules.size());
  }

  BucketReport run() {
    const Edges kept = fixed_dependences(graph_);
    for (auto& [key, members] : found_) {
      const Bucketed kind = std::get<0>(key);
      for (const SelectedBucket& part : independent_parts(graph_, std::move(members))) {
        stages_[kind].push_back(stage(part, kind));
      }
    }
    Edges edges;
    for (const auto& [first, second] : kept) {
      if (!first->is_erased() && !second->is_erased()) edges.emplace_back(first, second);
    }
    ir::sort_topologically(graph_, ir::SortRule::earliest, edges);
    for (auto& [kind, stages] : stages_) {
      std::ranges::sort(
          stages, [](const Stage& a, const Stage& b) { return a.start->is_before(*b.start); });
      for (size_t i = 0; i + 1 < stages.size(); ++i) {
        start_before_wait(stages[i + 1].start, stages[i].wait, edges);
      }
    }
    ir::sort_topologically(graph_, ir::SortRule::earliest, edges);
    return std::move(report_);
  }

 private:
  Stage stage(const SelectedBucket& part, Bucketed kind) {
    if (part.members.size() < 2) return {part.members[0].start, part.members[0].wait};
    report_.buckets.push_back(describe_bucket(part, kind));
    const MergedBucket merged = merge_bucket(graph_, part, kind, mode_, usual_place(part));
    return {merged.start, merged.waits[0]};
  }

  /// Adds the edge unless the start needs the wait's result, also through edges that were added.
  void start_before_wait(Node* start, Node* wait, Edges& edges) const {
    if (leads_to(wait, start, edges)) return;
    edges.emplace_back(start, wait);
  }

  static bool leads_to(const Node* first, const Node* second, const Edges& edges) {
    std::unordered_map<const Node*, std::vector<const Node*>> more;
    for (const auto& [a, b] : edges) more[a].push_back(b);
    std::unordered_map<const Node*, bool> seen;  // For lookup only.
    std::vector<const Node*> stack{first};
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      if (node == second) return true;
      if (!seen.emplace(node, true).second) continue;
      for (const ir::Value output : node->outputs()) {
        for (const Node* user : output.users()) stack.push_back(user);
      }
      if (const auto found = more.find(node); found != more.end()) {
        stack.insert(stack.end(), found->second.begin(), found->second.end());
      }
    }
    return false;
  }

  ir::Graph& graph_;
  BucketMode mode_;
  std::map<std::tuple<Bucketed, size_t, std::string>, std::vector<BucketMember>> found_;
  std::map<Bucketed, std::vector<Stage>> stages_;
  BucketReport report_;
};

}  // namespace

BucketReport schedule_modules(ir::Graph& graph, std::span<const ModuleGroup> modules,
                              BucketMode mode) {
  require_disjoint(modules);
  return ModuleScheduler(graph, modules, mode).run();
}

}  // namespace litz::passes
