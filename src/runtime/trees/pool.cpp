#include "runtime/trees/pool.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "support/check.h"

namespace litz::runtime::trees {
namespace {

/// The alignment of ranges: enough for the loads of every device.
constexpr size_t kAlignment = 256;

size_t rounded(size_t bytes) {
  require(bytes <= size_t{1} << 46, ErrorCode::out_of_memory,
          "memory of a pool must fit a machine, bytes:", bytes);
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

Tensor bytes_of(const std::shared_ptr<Storage>& storage) {
  return Tensor(DType::u8, {static_cast<int64_t>(storage->size())}, {1}, 0, storage);
}

}  // namespace

Pool::Pool(std::shared_ptr<GraphDevice> device, size_t segment)
    : device_(std::move(device)), segment_bytes_(std::max(segment, kAlignment)) {}

bool Pool::is_free(const Range& range, std::span<const Range> taken) const {
  if (!live_in({&range, 1}).empty()) return false;
  return std::ranges::none_of(taken, [&](const Range& other) { return other.meets(range); });
}

const Pool::Segment& Pool::segment_of(const std::byte* address) const {
  const auto found = std::ranges::find_if(
      segments_, [&](const Segment& segment) { return segment.arena->contains(address); });
  check(found != segments_.end(), "a range must lie in the pool");
  return *found;
}

/// The lowest gap that is large enough; empty if there is none.
Range Pool::found_in(const Segment& segment, size_t bytes, std::span<const Range> taken) const {
  std::vector<Range> busy(taken.begin(), taken.end());
  for (const auto& [begin, storage] : given_) {
    if (is_live(storage)) busy.push_back(ranges_.at(storage.get()).range);
  }
  std::ranges::sort(busy, {}, &Range::begin);
  std::byte* at = segment.arena->base();
  std::byte* const end = at + segment.arena->reserved();
  for (const Range& range : busy) {
    if (range.end() <= at || range.begin >= end) continue;
    if (range.begin >= at + bytes) break;
    at = segment.arena->base() + rounded(static_cast<size_t>(range.end() - segment.arena->base()));
  }
  if (at > end || static_cast<size_t>(end - at) < bytes) return {};
  return {at, bytes};
}

Range Pool::place(size_t bytes, std::span<const Range> taken, const Range* wish) {
  if (wish != nullptr && wish->bytes == bytes && is_free(*wish, taken)) return *wish;
  const size_t needed = rounded(std::max<size_t>(bytes, 1));
  for (const Segment& segment : segments_) {
    if (const Range range = found_in(segment, needed, taken); range.begin != nullptr) {
      return {range.begin, bytes};
    }
  }

  struct Kept {
    std::shared_ptr<GraphDevice> device;  // Outlives the arena.
    std::shared_ptr<Arena> arena;
  };

  auto kept = std::make_shared<Kept>(Kept{device_, nullptr});
  kept->arena = device_->reserve(std::max(segment_bytes_, 4 * needed));
  const std::shared_ptr<Arena> arena = kept->arena;
  segments_.push_back({arena, std::move(kept)});
  return {arena->base(), bytes};
}

std::shared_ptr<Storage> Pool::look_at(const Range& range) const {
  const Segment& segment = segment_of(range.begin);
  const auto end = static_cast<size_t>(range.end() - segment.arena->base());
  if (end > segment.arena->committed()) {
    // In steps, so that growing functions seldom ask the system.
    constexpr size_t kStep = size_t{1} << 20;
    const size_t wanted = std::max(end + end / 4, (end + kStep - 1) / kStep * kStep);
    segment.arena->commit(std::min(wanted, segment.arena->reserved()));
  }
  return Storage::lend({range.begin, range.bytes}, device_->device(), segment.keeper);
}

std::shared_ptr<Storage> Pool::give(const Range& range) {
  if (range.bytes == 0) return look_at(range);
  // Storages that nobody holds make room; the one of exactly this range is used again.
  auto at = given_.upper_bound(range.begin);
  if (at != given_.begin()) --at;
  while (at != given_.end() && at->first < range.end()) {
    const Range known = ranges_.at(at->second.get()).range;
    if (known == range) {
      if (!is_live(at->second)) {
        // Order the last owner's accesses before the next owner's.
        std::atomic_thread_fence(std::memory_order_acquire);
        ranges_.at(at->second.get()).giving = ++givings_;
      }
      return at->second;
    }
    if (!known.meets(range)) {
      ++at;
      continue;
    }
    check(!is_live(at->second), "memory that is held must not be given away, bytes:", known.bytes);
    ranges_.erase(at->second.get());
    at = given_.erase(at);
  }
  std::shared_ptr<Storage> storage = look_at(range);
  given_.emplace(range.begin, storage);
  ranges_.emplace(storage.get(), Given{range, ++givings_});
  return storage;
}

Range Pool::range_of(const Storage* storage) const {
  const auto found = ranges_.find(storage);
  return found == ranges_.end() ? Range{} : found->second.range;
}

uint64_t Pool::giving_of(const Storage* storage) const {
  const auto found = ranges_.find(storage);
  return found == ranges_.end() ? 0 : found->second.giving;
}

std::shared_ptr<Storage> Pool::handle_of(const Storage* storage) const {
  const auto found = ranges_.find(storage);
  return found == ranges_.end() ? nullptr : given_.at(found->second.range.begin);
}

int64_t Pool::holders(const Storage* storage) const {
  const auto found = ranges_.find(storage);
  if (found == ranges_.end()) return 0;
  return given_.at(found->second.range.begin).use_count() - 1;
}

std::vector<Storage*> Pool::live() const {
  std::vector<Storage*> live;
  for (const auto& [begin, storage] : given_) {
    if (is_live(storage)) live.push_back(storage.get());
  }
  return live;
}

std::vector<Storage*> Pool::live_in(std::span<const Range> ranges) const {
  std::vector<Storage*> found;
  for (const auto& [begin, storage] : given_) {
    if (!is_live(storage)) continue;
    const Range& range = ranges_.at(storage.get()).range;
    const bool meets =
        std::ranges::any_of(ranges, [&](const Range& other) { return other.meets(range); });
    if (meets) found.push_back(storage.get());
  }
  return found;
}

void Pool::forget(const Storage* storage) {
  const auto found = ranges_.find(storage);
  check(found != ranges_.end(), "only a storage of the pool can leave it");
  given_.erase(found->second.range.begin);
  ranges_.erase(found);
}

void Pool::move_out(Storage* storage, StreamId stream) {
  const std::shared_ptr<Storage> moved = given_.at(range_of(storage).begin);
  const std::shared_ptr<Storage> target = device_->allocate(moved->size());
  // The tensor to copy from stays where it is.
  device_->copy(stream, bytes_of(target), bytes_of(look_at(range_of(storage))));
  moved->move_to(target);
  forget(storage);
}

void Pool::end(Storage* storage, std::string text, StreamId stream) {
  const std::shared_ptr<Storage> ended = given_.at(range_of(storage).begin);
  if (device_->modes().poison) {
    device_->fill(stream, ended->address(), kPoisonWord, ended->size());
  }
  ended->end(std::move(text));
  forget(storage);
}

void Pool::trim() {
  for (auto at = given_.begin(); at != given_.end();) {
    if (is_live(at->second)) {
      ++at;
      continue;
    }
    ranges_.erase(at->second.get());
    at = given_.erase(at);
  }
  std::erase_if(segments_, [&](const Segment& segment) {
    size_t used = 0;
    for (const auto& [begin, storage] : given_) {
      if (!segment.arena->contains(begin)) continue;
      used = static_cast<size_t>(ranges_.at(storage.get()).range.end() - segment.arena->base());
    }
    segment.arena->trim(used);
    return used == 0;
  });
}

Pool::Bytes Pool::bytes() const {
  Bytes bytes;
  for (const Storage* storage : live()) bytes.live += storage->size();
  for (const Segment& segment : segments_) bytes.committed += segment.arena->committed();
  return bytes;
}

}  // namespace litz::runtime::trees
