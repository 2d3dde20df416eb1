// Sizes in buckets, and the memory plan that all sizes of a bucket share.
//
//   s0 = 121 .. 128   one plan, with room for the largest that each temporary can be there
//   s0 = 129 .. 144   the next one
//
// A bucket of sizes is an eighth of their power of two. Bounds hold for the whole bucket by interval
// arithmetic, since a size like 64 - s0 or s0 mod 8 need not grow with s0. Where a bound is unknown,
// or far above what some sizes need, those sizes have a plan of their own.

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

/// The bucket of a size: 0, 1 and what is negative alone, else at most an eighth of the size wide.
Interval size_bucket(int64_t size);

/// Sizes that share a layout of the arena, and the layout.
struct SizeBucket {
  std::vector<std::pair<SymbolId, Interval>> sizes;  ///< Of symbols that temporaries depend on.
  artifact::ArenaLayout layout;
};

/// Safe from several threads, except the constructor.
class SizeBuckets {
 public:
  /// The blocks of the planner and the pool of their sizes must outlive this. Keeps the plans of at most so many
  /// buckets, and forgets the ones used longest ago.
  explicit SizeBuckets(const ArenaPlanner& planner, size_t most = 64);

  /// Throws Error for sizes that overflow or are negative.
  std::shared_ptr<const SizeBucket> at(const Bindings& sizes);

  /// How many plans were made.
  int64_t plans_made() const;

 private:
  using Ranges = std::vector<std::pair<SymbolId, Interval>>;

  /// Bytes that several blocks need.
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
  const ExprPool* pool_ = nullptr;  ///< Null where nothing depends on sizes.
  std::vector<SymbolId> symbols_;   ///< That blocks depend on.
  std::vector<Need> needs_;
  mutable std::mutex mutex_;
  std::list<Known> known_;  ///< Used last first.
  int64_t plans_made_ = 0;
};

}  // namespace litz::runtime
