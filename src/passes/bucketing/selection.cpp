// Greedy selection along the waits of a graph. See selection.h.
//
// Adjacent waits of one key form a run. A bucket takes the collectives of a run in order until the
// next one would exceed the cap. Members of a run follow each other among all collectives that are
// looked at, so no two of different keys change their order, and no later bucket feeds an earlier
// one.

#include "passes/bucketing/selection.h"

#include <algorithm>
#include <utility>

#include "expr/estimate.h"
#include "ir/collectives.h"
#include "passes/bucketing/ancestors.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Trait;
using ir::Value;

double bytes_of(const TensorType& type) {
  return estimate(type.numel()) * static_cast<double>(item_size(type.dtype));
}

std::string text_of(const Node& node, std::string_view argument) {
  const int i = node.op().schema.find(argument);
  return i < 0 ? std::string() : to_string(node.arguments()[static_cast<size_t>(i)].attribute());
}

/// What members of a bucket share.
std::string key_of(const Node& start, Bucketed kind, BucketMode mode) {
  const TensorType& result = start.output().tensor();
  std::string key(name(kind));
  key += " of group " + ir::collective_group(start);
  for (const char* argument : {"group_size", "reduce_op"}) key += " " + text_of(start, argument);
  key += " on " + to_string(result.device);
  const bool any_dtype = kind == Bucketed::all_gather && mode == BucketMode::multi_dtype;
  if (!any_dtype) key += " " + std::string(litz::name(result.dtype));
  return key;
}

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

bool gathers_parameter(const Node& start) {
  Value operand = start.input(0);
  const Node* producer = operand.producer();
  if (producer != nullptr && is_convert(*producer)) producer = producer->input(0).producer();
  return is_marked(start, "parameter_gather", producer == nullptr);
}

/// A gradient that is also used otherwise does not count.
bool scatters_gradient(const BucketMember& member) {
  const Value result = member.wait->output();
  bool ends = returned_only(result);
  const auto users = result.users();
  if (!ends && users.size() == 1 && is_convert(*users[0])) ends = returned_only(users[0]->output());
  return is_marked(*member.start, "gradient_scatter", ends);
}

bool is_in_scope(const BucketMember& member, Bucketed kind, BucketScope scope) {
  if (scope == BucketScope::all) return true;
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

std::string name_of(const Node& start) {
  const std::string name = start.output().name();
  return name.empty() ? "#" + std::to_string(start.id()) : name;
}

/// Why a collective cannot be in a bucket; empty if it can.
std::string reason_against(const BucketMember& member) {
  if (member.wait == nullptr) return "it has no wait of its own";
  if (member.start->annotations().contains("bucket_sources")) return "it is a bucket already";
  const auto* awaited = std::get_if<TensorType>(&member.wait->output().type());
  if (awaited == nullptr || !is_contiguous(*awaited)) return "its result is not contiguous";
  return "";
}

BucketMember member_of(Node* start) {
  const auto users = start->output().users();
  const bool is_plain = users.size() == 1 && has(users[0]->op().traits, Trait::collective_wait) &&
                        users[0]->output_count() == 1;
  return {start, is_plain ? users[0] : nullptr};
}

}  // namespace

std::optional<Bucketed> bucketed_kind(const Node& node) {
  if (node.is("_c10d_functional.all_gather_into_tensor")) return Bucketed::all_gather;
  if (node.is("_c10d_functional.reduce_scatter_tensor")) return Bucketed::reduce_scatter;
  if (node.is("_c10d_functional.all_reduce")) return Bucketed::all_reduce;
  return std::nullopt;
}

BucketSelection::BucketSelection(ir::Graph& graph, Bucketed kind, const BucketOptions& options)
    : graph_(graph), kind_(kind), options_(options) {
  find_runs();
}

void BucketSelection::add_refused(const Node& start, std::string reason) {
  refused_.push_back({kind_, name_of(start), std::move(reason)});
}

void BucketSelection::find_runs() {
  std::unordered_map<const Node*, Candidate> awaited;  // By wait, for lookup only.
  // Per group: the key of the last start, and how often it has changed.
  std::map<std::string, std::pair<std::string, size_t>> eras;
  for (Node* node : graph_.in_order()) {
    if (has(node->op().traits, Trait::collective_start)) {
      auto& [last, era] = eras[ir::collective_group(*node)];
      std::string key;
      if (bucketed_kind(*node) == kind_) key = add_start(node, awaited);
      if (key.empty() || key != last) ++era;
      last = key;
      if (options_.keeps_order && !key.empty()) {
        awaited.at(member_of(node).wait).key += " after " + std::to_string(era);
      }
    }
    const auto found = awaited.find(node);
    if (found == awaited.end()) continue;
    const std::string& key = found->second.key;
    if (runs_.empty() || runs_.back().key != key) runs_.push_back({.key = key, .candidates = {}});
    runs_.back().candidates.push_back(std::move(found->second));
  }
}

/// The key of a collective that may be in a bucket; empty for others.
std::string BucketSelection::add_start(Node* start,
                                       std::unordered_map<const Node*, Candidate>& awaited) {
  const BucketMember member = member_of(start);
  std::string reason = reason_against(member);
  if (reason.empty() && !is_in_scope(member, kind_, options_.scope)) reason = "it is not in scope";
  if (!reason.empty()) {
    add_refused(*start, std::move(reason));
    return "";
  }
  const double bytes =
      std::max(bytes_of(member.operand().tensor()), bytes_of(start->output().tensor()));
  std::string key = key_of(*start, kind_, options_.mode);
  awaited.emplace(member.wait, Candidate{member, key, bytes});
  return key;
}

size_t& BucketSelection::next_index(Run& run) {
  return options_.counts_by_key ? buckets_by_key_[run.key] : run.buckets;
}

std::vector<SelectedBucket> BucketSelection::next() {
  std::vector<Node*> starts;
  for (const Run& run : runs_) {
    for (const Candidate& each : run.candidates) starts.push_back(each.member.start);
  }
  if (starts.empty()) return {};
  const Ancestors ancestors(graph_, starts);
  std::vector<SelectedBucket> selected;
  size_t position = 0;  // Of the candidate, in `starts`.
  for (Run& run : runs_) {
    if (run.candidates.empty()) continue;
    std::vector<Candidate> left;
    SelectedBucket bucket;
    std::vector<size_t> positions;
    double cap = 0;
    const auto open = [&] {
      cap = options_.cap_mb(next_index(run)++) * 1024 * 1024;
      bucket = {};
      positions.clear();
    };
    const auto close = [&](std::string reason) {
      bucket.closed = std::move(reason);
      if (bucket.members.size() > 1) {
        selected.push_back(std::move(bucket));
      } else if (bucket.members.size() == 1) {
        const std::string first = run.is_rest ? "it depends on collectives before it; " : "";
        add_refused(*bucket.members[0].start, first + "nothing can join it: " + bucket.closed);
      }
    };
    open();
    for (Candidate& candidate : run.candidates) {
      const size_t own = position++;
      const bool depends = std::ranges::any_of(
          positions, [&](size_t member) { return ancestors.depends(own, member); });
      if (depends) {
        left.push_back(std::move(candidate));
        continue;
      }
      if (!bucket.members.empty() && bucket.bytes + candidate.bytes > cap) {
        close("the next collective would exceed the cap");
        open();
      }
      bucket.bytes += candidate.bytes;
      bucket.members.push_back(candidate.member);
      positions.push_back(own);
    }
    close(left.empty() ? "the run of equal collectives ends" : "the rest depends on it");
    run.candidates = std::move(left);
    run.is_rest = true;
  }
  return selected;
}

std::vector<Unbucketed> BucketSelection::others() const {
  std::vector<Unbucketed> others = refused_;
  for (const Run& run : runs_) {
    for (const Candidate& each : run.candidates) {
      others.push_back({kind_, name_of(*each.member.start), "it depends on collectives before it"});
    }
  }
  return others;
}

}  // namespace litz::passes
