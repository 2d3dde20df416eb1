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

double bytes_of(const TensorType& type) {
  return estimate(type.numel()) * static_cast<double>(item_size(type.dtype));
}

std::string text_of(const Node& node, std::string_view argument) {
  const int i = node.op().schema.find(argument);
  return i < 0 ? std::string() : to_string(node.arguments()[static_cast<size_t>(i)].attribute());
}

std::string name_of(const Node& start) {
  const std::string name = start.output().name();
  return name.empty() ? "#" + std::to_string(start.id()) : name;
}

}  // namespace

std::optional<Bucketed> bucketed_kind(const Node& node) {
  if (node.is("_c10d_functional.all_gather_into_tensor")) return Bucketed::all_gather;
  if (node.is("_c10d_functional.reduce_scatter_tensor")) return Bucketed::reduce_scatter;
  if (node.is("_c10d_functional.all_reduce")) return Bucketed::all_reduce;
  return std::nullopt;
}

BucketMember bucket_member(Node* start) {
  const auto users = start->output().users();
  const bool is_plain = users.size() == 1 && has(users[0]->op().traits, Trait::collective_wait) &&
                        users[0]->output_count() == 1;
  return {start, is_plain ? users[0] : nullptr, false};
}

std::string reason_against(const BucketMember& member) {
  if (member.wait == nullptr) return "it has no wait of its own";
  if (member.start->annotations().contains("bucket_sources")) return "it is a bucket already";
  const auto* awaited = std::get_if<TensorType>(&member.wait->output().type());
  if (awaited == nullptr || !is_contiguous(*awaited)) return "its result is not contiguous";
  return "";
}

double bucket_bytes(const Node& start) {
  return std::max(bytes_of(start.input(0).tensor()), bytes_of(start.output().tensor()));
}

Bucket describe_bucket(const SelectedBucket& selected, Bucketed kind) {
  Bucket bucket;
  bucket.kind = kind;
  bucket.group = ir::collective_group(*selected.members[0].start);
  bucket.bytes = selected.bytes;
  bucket.closed = selected.closed;
  for (const BucketMember& member : selected.members) {
    bucket.members.push_back(name_of(*member.start));
  }
  return bucket;
}

std::string bucket_key(const Node& start, Bucketed kind, BucketMode mode) {
  const TensorType& result = start.output().tensor();
  std::string key(name(kind));
  key += " of group " + ir::collective_group(start);
  for (const char* argument : {"group_size", "reduce_op"}) key += " " + text_of(start, argument);
  key += " on " + to_string(result.device);
  const bool any_dtype = kind == Bucketed::all_gather && mode == BucketMode::multi_dtype;
  if (!any_dtype) key += " " + std::string(litz::name(result.dtype));
  return key;
}

BucketSelection::BucketSelection(ir::Graph& graph, Bucketed kind, const BucketOptions& options)
    : graph_(graph), kind_(kind), options_(options), is_in_scope_(graph, options.scope) {
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
        awaited.at(bucket_member(node).wait).key += " after " + std::to_string(era);
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
  const BucketMember member = bucket_member(start);
  std::string reason = reason_against(member);
  if (reason.empty() && !is_in_scope_(member, kind_)) reason = "it is not in scope";
  if (!reason.empty()) {
    add_refused(*start, std::move(reason));
    return "";
  }
  std::string key = bucket_key(*start, kind_, options_.mode);
  awaited.emplace(member.wait, Candidate{member, key, bucket_bytes(*start)});
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
