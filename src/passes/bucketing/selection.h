// Which collectives form buckets.

#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/bucketing/bucketing.h"

namespace litz::passes {

/// A collective that may be joined with others: one operand, one result, one wait.
struct BucketMember {
  ir::Node* start = nullptr;
  ir::Node* wait = nullptr;

  ir::Value operand() const { return start->input(0); }
};

struct SelectedBucket {
  std::vector<BucketMember> members;  ///< At least two, in the order of their waits.
  double bytes = 0;
  std::string closed;
};

/// The kind of a collective that can be joined; nothing for other nodes.
std::optional<Bucketed> bucketed_kind(const ir::Node& node);

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
  std::vector<Run> runs_;
  std::map<std::string, size_t> buckets_by_key_;
  std::vector<Unbucketed> refused_;
};

}  // namespace litz::passes
