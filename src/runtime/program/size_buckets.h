// Sizes in buckets, and the memory plan that all sizes of a bucket share.
//
//   s0 = 121 .. 128   one plan, with room for each temporary's largest size in the bucket
//   s0 = 129 .. 144   the next plan
//
// A bucket spans an eighth of the power of two of its sizes. Bounds hold for the whole bucket by
// interval arithmetic, since a size like 64 - s0 or s0 mod 8 need not grow with s0. Where a bound
// is unknown, or far above the need of some sizes, those sizes have their own plan.

#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "artifact/launch_list.h"
#include "runtime/program/arena_planner.h"

namespace litz::runtime {

/// Returns the bucket of a size: 0, 1 and negative sizes alone, else at most an eighth of the size
/// wide.
Interval size_bucket(int64_t size);

/// Sizes that share a layout of the arena, and the layout.
struct SizeBucket {
  /// Ranges of the symbols that temporaries depend on.
  std::vector<std::pair<SymbolId, Interval>> sizes;
  artifact::ArenaLayout layout;
};

/// Thread-safe, except for the constructor.
class SizeBuckets {
 public:
  /// The planner's blocks and the pool of their sizes must outlive this. Keeps the plans of at most
  /// `most` buckets, and forgets the least recently used ones.
  explicit SizeBuckets(const ArenaPlanner& planner, size_t most = 64);

  /// Throws Error for sizes that overflow or are negative.
  std::shared_ptr<const SizeBucket> at(const Bindings& sizes);

  /// The number of plans made.
  int64_t plans_made() const;

 private:
  using Ranges = std::vector<std::pair<SymbolId, Interval>>;

  /// The bytes that several blocks need.
  struct Need {
    Expr bytes;
    int64_t blocks = 0;
  };

  struct Known {
    Ranges sizes;
    std::shared_ptr<const SizeBucket> bucket;  ///< Null: there is no common plan.
  };

  Ranges bucket_ranges(const Bindings& sizes) const;
  Ranges exact_ranges(const Bindings& sizes) const;
  std::shared_ptr<const SizeBucket> find_or_make(const Ranges& ranges, const Bindings* exact);
  int64_t needed(const Bindings& sizes) const;

  ArenaPlanner planner_;
  size_t most_;
  const ExprPool* pool_ = nullptr;  ///< Null if nothing depends on sizes.
  std::vector<SymbolId> symbols_;   ///< Symbols that blocks depend on.
  std::vector<Need> needs_;
  mutable std::mutex mutex_;
  std::list<Known> known_;  ///< Most recently used first.
  int64_t plans_made_ = 0;
};

}  // namespace litz::runtime
