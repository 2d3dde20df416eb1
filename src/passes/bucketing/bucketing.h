// Joins collectives of one kind and group into few large ones ("buckets").
//
// The latency of a collective is paid once per bucket. Which collectives are joined follows from the
// graph alone, so ranks with equal graphs keep starting the same collectives in the same order.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::passes {

/// The kinds that can be joined.
enum class Bucketed : uint8_t { all_gather, reduce_scatter, all_reduce };

std::string_view name(Bucketed kind);

enum class BucketScope : uint8_t {
  all,
  fsdp,  ///< Gathers of parameters and scatters of gradients, as they are or converted.
  /// Gathers of what one input alone gives, and scatters that reach only results of the graph,
  /// through any operators of one operand.
  fsdp_recursive,
};

enum class BucketMode : uint8_t {
  plain,        ///< Joined by views and a concatenation.
  packed,       ///< Joined by one operator that also converts.
  multi_dtype,  ///< Like plain; gathers of different dtypes are joined as bytes.
  coalesced,    ///< Scatters become one coalesced collective without copies; others as in plain.
};

/// Throws Error{invalid_argument} for other names than "all", "fsdp" and "fsdp-recursive".
BucketScope parse_bucket_scope(std::string_view text);
/// Likewise for "plain", "packed", "multi-dtype" and "coalesced".
BucketMode parse_bucket_mode(std::string_view text);

struct BucketOptions {
  /// The most megabytes (2^20 bytes) of a bucket, by its index in a run of adjacent collectives of
  /// one key. Read for every bucket. One collective may be larger.
  std::function<double(size_t)> cap_mb = [](size_t /*index*/) { return 2000.0; };
  BucketScope scope = BucketScope::all;
  BucketMode mode = BucketMode::plain;
  /// Buckets are counted per key of the graph instead of per run.
  bool counts_by_key = false;
  /// Never changes the order of different collectives of a group, for ranks whose graphs differ
  /// between the collectives.
  bool keeps_order = false;
};

struct Bucket {
  Bucketed kind = Bucketed::all_gather;
  std::string group;
  std::vector<std::string> members;  ///< Names of the results of the joined collectives.
  double bytes = 0;                  ///< The larger of what goes in and what comes out.
  std::string closed;                ///< Why no further collective joined it.
  /// Counts from 0: members of a later round depend on buckets of earlier ones.
  size_t round = 0;
};

/// A collective that is in no bucket.
struct Unbucketed {
  Bucketed kind = Bucketed::all_gather;
  std::string name;
  std::string reason;
};

struct BucketReport {
  std::vector<Bucket> buckets;
  std::vector<Unbucketed> others;
};

/// Joins scatters, then reductions, then gathers. The graph must be functional, and be free of
/// operators that are defined by decomposition, which it stays.
BucketReport bucket_collectives(ir::Graph& graph, const BucketOptions& options = {});

}  // namespace litz::passes
