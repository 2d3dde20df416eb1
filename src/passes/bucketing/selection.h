// Which collectives form buckets.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/bucketing/bucketing.h"
#include "passes/bucketing/scope.h"

namespace litz::passes {

struct SelectedBucket {
  std::vector<BucketMember> members;  ///< At least two, in the order of their waits.
  double bytes = 0;
  std::string closed;
};

/// The kind of a collective that can be joined; nothing for other nodes.
std::optional<Bucketed> bucketed_kind(const ir::Node& node);

/// The collective with its wait; a null one if it is none of its own.
BucketMember bucket_member(ir::Node* start);
/// Why a collective cannot be in a bucket; empty if it can.
std::string reason_against(const BucketMember& member);
/// The larger of what goes in and what comes out.
double bucket_bytes(const ir::Node& start);
/// For reports, before the members are joined; without the round.
Bucket describe_bucket(const SelectedBucket& selected, Bucketed kind);
/// What members of a bucket share.
std::string bucket_key(const ir::Node& start, Bucketed kind, BucketMode mode);

/// Collectives of one kind by runs, from which buckets are taken round by round.
class BucketSelection {
 public:
  BucketSelection(ir::Graph& graph, Bucketed kind, const BucketOptions& options);

  /// The buckets of the next round; the caller joins them before the next call. A later round
  /// offers those that depend on a bucket of an earlier one. Empty: nothing is left to join.
  std::vector<SelectedBucket> next();

  /// All that are in no bucket, with the reason.
  std::vector<Unbucketed> others() const;

 private:
  struct Candidate {
    BucketMember member;
    std::string key;
    double bytes = 0;
  };

  /// Adjacent candidates of one key.
  struct Run {
    std::string key;
    std::vector<Candidate> candidates;
    size_t buckets = 0;    ///< How many have begun.
    bool is_rest = false;  ///< Depends on buckets of earlier rounds.
  };

  void find_runs();
  std::string add_start(ir::Node* start, std::unordered_map<const ir::Node*, Candidate>& awaited);
  void add_refused(const ir::Node& start, std::string reason);
  size_t& next_index(Run& run);

  ir::Graph& graph_;
  Bucketed kind_;
  const BucketOptions& options_;
  ScopeFilter is_in_scope_;
  std::vector<Run> runs_;
  std::map<std::string, size_t> buckets_by_key_;
  std::vector<Unbucketed> refused_;
};

}  // namespace litz::passes
