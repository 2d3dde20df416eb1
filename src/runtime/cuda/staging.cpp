#include "runtime/cuda/staging.h"

#include <algorithm>
#include <bit>

#include "support/check.h"

namespace litz::runtime::cuda {
namespace {

constexpr size_t kLeast = size_t{64} << 10;
constexpr size_t kAlignment = 256;  // Addresses keep their remainder: code may depend on it.

}  // namespace

// --- The pool

// At the end of the process the driver may be gone already.
StagingPool::~StagingPool() {
  const Driver& driver = streams_->context().driver();
  driver.set_context.result_of(streams_->context().handle());
  for (std::byte* const begin : all_) driver.free_host.result_of(begin);
}

std::shared_ptr<std::byte> StagingPool::take(size_t bytes) {
  const size_t size = std::bit_ceil(std::max(bytes, kLeast));
  std::byte* begin = take_free(size);
  if (begin == nullptr) {
    void* made = nullptr;
    streams_->context().enter().allocate_host(&made, size, kHostMemoryPortable | kHostMemoryMapped);
    begin = static_cast<std::byte*>(made);
    const std::lock_guard lock(mutex_);
    all_.push_back(begin);
  }
  return {begin, [this, size](std::byte* memory) { give_back(memory, size); }};
}

std::byte* StagingPool::take_free(size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto collect = [&] {
    std::erase_if(retired_, [&](const Retired& retired) {
      if (!streams_->has_finished(retired.last_job)) return false;
      free_.emplace(retired.bytes, retired.begin);
      return true;
    });
  };
  collect();
  if (!free_.contains(bytes) && !retired_.empty()) {
    streams_->poll();
    collect();
  }
  const auto found = free_.find(bytes);
  if (found == free_.end()) return nullptr;
  std::byte* const begin = found->second;
  free_.erase(found);
  return begin;
}

void StagingPool::give_back(std::byte* begin, size_t bytes) {
  const std::lock_guard lock(mutex_);
  retired_.push_back({begin, bytes, streams_->last_job()});
}

// --- Ranges

StagedRanges::StagedRanges(CudaStreams& streams, StagingPool& pool, StreamId stream,
                           std::vector<CardRange> ranges)
    : streams_(streams), stream_(stream), ranges_(std::move(ranges)) {
  std::erase_if(ranges_, [](const CardRange& range) { return range.bytes == 0; });
  for (const CardRange& range : ranges_) {
    require(range.begin != nullptr, "a call must have the memory that it accesses:", range.bytes);
  }
  join_ranges();
  const size_t bytes =
      groups_.empty()
          ? 0
          : groups_.back().place + static_cast<size_t>(groups_.back().end - groups_.back().begin);
  memory_ = pool.take(bytes + kAlignment);
  {
    const CudaStreams::Use use = streams_.use(stream_);
    for (const Group& group : groups_) {
      use.driver().download(memory_.get() + group.place, address_on_card(group.begin),
                            static_cast<size_t>(group.end - group.begin), use.stream());
    }
  }
  streams_.synchronize(stream_);
}

void StagedRanges::join_ranges() {
  std::ranges::sort(ranges_, {}, &CardRange::begin);
  for (const CardRange& range : ranges_) {
    std::byte* const end = range.begin + range.bytes;
    if (!groups_.empty() && range.begin < groups_.back().end) {
      groups_.back().end = std::max(groups_.back().end, end);
      continue;
    }
    size_t place = 0;
    if (!groups_.empty()) {
      const Group& last = groups_.back();
      place = last.place + static_cast<size_t>(last.end - last.begin);
      place = (place + kAlignment - 1) / kAlignment * kAlignment;
    }
    place += address_on_card(range.begin) % kAlignment;
    groups_.push_back({range.begin, end, place});
  }
}

std::byte* StagedRanges::on_host(const std::byte* address) const {
  if (address == nullptr) return nullptr;
  for (const Group& group : groups_) {
    if (address < group.begin || address >= group.end) continue;
    return memory_.get() + group.place + (address - group.begin);
  }
  return reinterpret_cast<std::byte*>(kAlignment);
}

void StagedRanges::copy_back() {
  const CudaStreams::Use use = streams_.use(stream_);
  for (const CardRange& range : ranges_) {
    if (!range.is_write) continue;
    use.driver().upload(address_on_card(range.begin), on_host(range.begin), range.bytes,
                        use.stream());
  }
}

}  // namespace litz::runtime::cuda
