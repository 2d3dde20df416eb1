#include "runtime/program/size_buckets.h"

#include <algorithm>
#include <bit>
#include <set>

#include "support/arrange.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// A common plan may be this many times as large as some sizes need by themselves. A larger factor
// makes fewer plans and wastes more memory.
constexpr int64_t kMostGrowth = 2;
// Arenas are at least this large, so plans below it are never too large.
constexpr int64_t kLeastBytes = 4096;

int64_t sum_of_bytes(const artifact::ArenaLayout& layout) {
  int64_t sum = 0;
  for (const artifact::ArenaLayout::Range& range : layout.ranges) sum += range.bytes;
  return sum;
}

}  // namespace

Interval size_bucket(int64_t size) {
  if (size <= 1) return {size, size};
  const int64_t below = size - 1;
  const auto step =
      std::max<int64_t>(1, static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(below))) / 8);
  const int64_t lo = below / step * step;
  return {lo + 1, lo > INT64_MAX - step ? INT64_MAX : lo + step};
}

SizeBuckets::SizeBuckets(const ArenaPlanner& planner, size_t most)
    : planner_(planner), most_(most) {
  std::set<SymbolId> symbols;
  for (const artifact::ArenaBlock& block : planner.blocks()) {
    const auto known = std::ranges::find(needs_, block.bytes, &Need::bytes);
    if (known != needs_.end()) {
      ++known->blocks;
      continue;
    }
    needs_.push_back({block.bytes, 1});
    if (block.bytes.pool() != nullptr) pool_ = block.bytes.pool();
    for (const SymbolId symbol : free_symbols(block.bytes)) symbols.insert(symbol);
  }
  symbols_.assign(symbols.begin(), symbols.end());
}

SizeBuckets::Ranges SizeBuckets::bucket_ranges(const Bindings& sizes) const {
  Ranges ranges;
  for (const SymbolId symbol : symbols_) {
    const SymbolInfo& info = pool_->symbol(symbol);
    const int64_t size = sizes.find(symbol).value_or(0);
    Interval range{size, size};
    if (info.kind == SymbolKind::size) {
      const Interval bucket = size_bucket(size);
      range = {std::max(bucket.lo, std::min(info.range.lo, size)),
               std::min(bucket.hi, std::max(info.range.hi, size))};
    }
    ranges.emplace_back(symbol, range);
  }
  return ranges;
}

SizeBuckets::Ranges SizeBuckets::exact_ranges(const Bindings& sizes) const {
  Ranges ranges;
  for (const SymbolId symbol : symbols_) {
    const int64_t size = sizes.find(symbol).value_or(0);
    ranges.emplace_back(symbol, Interval{size, size});
  }
  return ranges;
}

int64_t SizeBuckets::needed(const Bindings& sizes) const {
  int64_t sum = 0;
  for (const Need& need : needs_) sum += need.blocks * rounded_block(evaluate(need.bytes, sizes));
  return sum;
}

std::shared_ptr<const SizeBucket> SizeBuckets::at(const Bindings& sizes) {
  if (!symbols_.empty()) {
    const std::shared_ptr<const SizeBucket> shared = find_or_make(bucket_ranges(sizes), nullptr);
    const bool is_close =
        shared != nullptr && (shared->layout.bytes <= kLeastBytes ||
                              sum_of_bytes(shared->layout) / kMostGrowth <= needed(sizes));
    if (is_close) return shared;
  }
  return find_or_make(exact_ranges(sizes), &sizes);
}

// Plans are made outside of the lock. If two threads make the same one, one of them is kept.
std::shared_ptr<const SizeBucket> SizeBuckets::find_or_make(const Ranges& ranges,
                                                            const Bindings* exact) {
  const auto find = [&]() -> const Known* {
    const auto at = std::ranges::find_if(known_, [&](const Known& known) {
      return known.sizes == ranges && (known.bucket != nullptr || exact == nullptr);
    });
    if (at == known_.end()) return nullptr;
    known_.splice(known_.begin(), known_, at);
    return &known_.front();
  };
  {
    const std::lock_guard lock(mutex_);
    if (const Known* known = find()) return known->bucket;
  }
  std::shared_ptr<SizeBucket> made;
  std::optional<artifact::ArenaLayout> plan =
      exact != nullptr ? planner_.plan(*exact) : planner_.plan(SizeBox(ranges));
  if (plan) {
    made = std::make_shared<SizeBucket>();
    made->sizes = ranges;
    made->layout = std::move(*plan);
  }
  const std::lock_guard lock(mutex_);
  if (const Known* known = find()) return known->bucket;
  ++plans_made_;
  known_.push_front({ranges, made});
  if (known_.size() > most_) known_.pop_back();
  return made;
}

int64_t SizeBuckets::plans_made() const {
  const std::lock_guard lock(mutex_);
  return plans_made_;
}

}  // namespace litz::runtime
