// Makes one collective of the members of a bucket.

#pragma once

#include <vector>

#include "ir/graph.h"
#include "passes/bucketing/selection.h"

namespace litz::passes {

/// New nodes go before these.
struct BucketPlace {
  ir::Node* start = nullptr;
  ir::Node* wait = nullptr;
};

/// Starts where the last member started. Waits where the first wait of a member was, or after the
/// start; what reads an early member before that must then move behind it.
BucketPlace usual_place(const SelectedBucket& bucket);

struct MergedBucket {
  ir::Node* start = nullptr;
  std::vector<ir::Node*> waits;  ///< One for each member if the joined collective is coalesced.
};

/// Replaces starts and waits of the members, and conversions that only they read.
MergedBucket merge_bucket(ir::Graph& graph, const SelectedBucket& bucket, Bucketed kind,
                          BucketMode mode, const BucketPlace& place);

/// A pure conversion that `packed` makes part of the copy: it keeps device and sizes, and nobody
/// else reads it.
bool folds_into_pack(const ir::Node& node);

}  // namespace litz::passes
