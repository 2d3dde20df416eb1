// Which collectives to join, and in which order of kinds. See bucketing.h.

#include "passes/bucketing/bucketing.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "ir/topological_sort.h"
#include "passes/bucketing/ancestors.h"
#include "passes/bucketing/merge.h"
#include "passes/bucketing/selection.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Node;

constexpr std::array<std::string_view, 3> kKinds{"all_gather", "reduce_scatter", "all_reduce"};
constexpr std::array<std::string_view, 3> kScopes{"all", "fsdp", "fsdp-recursive"};
constexpr std::array<std::string_view, 4> kModes{"plain", "packed", "multi-dtype", "coalesced"};

template <typename Enumerator, size_t N>
Enumerator parsed(std::string_view text, const std::array<std::string_view, N>& names,
                  const char* what) {
  const auto found = std::ranges::find(names, text);
  require(found != names.end(),
          "an option of buckets must have one of its values; option, given:", what, text);
  return static_cast<Enumerator>(found - names.begin());
}

}  // namespace

std::string_view name(Bucketed kind) { return kKinds[static_cast<size_t>(kind)]; }

BucketScope parse_bucket_scope(std::string_view text) {
  return parsed<BucketScope>(text, kScopes, "scope (all, fsdp, fsdp-recursive)");
}

BucketMode parse_bucket_mode(std::string_view text) {
  return parsed<BucketMode>(text, kModes, "mode (plain, packed, multi-dtype, coalesced)");
}

BucketReport bucket_collectives(ir::Graph& graph, const BucketOptions& options) {
  BucketReport report;
  for (const Bucketed kind :
       {Bucketed::reduce_scatter, Bucketed::all_reduce, Bucketed::all_gather}) {
    BucketSelection selection(graph, kind, options);
    for (size_t round = 0;; ++round) {
      const std::vector<SelectedBucket> selected = selection.next();
      if (selected.empty()) break;
      const auto kept = fixed_dependences(graph);
      for (const SelectedBucket& bucket : selected) {
        report.buckets.push_back(describe_bucket(bucket, kind));
        report.buckets.back().round = round;
        merge_bucket(graph, bucket, kind, options.mode, usual_place(bucket));
      }
      std::vector<std::pair<Node*, Node*>> still;
      for (const auto& [first, second] : kept) {
        if (!first->is_erased() && !second->is_erased()) still.emplace_back(first, second);
      }
      ir::sort_topologically(graph, ir::SortRule::earliest, still);
    }
    for (Unbucketed& other : selection.others()) report.others.push_back(std::move(other));
  }
  return report;
}

}  // namespace litz::passes
