// The memory that the functions of a context share.
//
// The pool gives away ranges, each as a Storage. A range is taken while someone besides the pool
// holds its storage. Nothing is ever given back: a range is free again when its last tensor dies.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime::trees {

/// Bytes of the pool, by address.
struct Range {
  std::byte* begin = nullptr;
  size_t bytes = 0;

  std::byte* end() const { return begin + bytes; }

  bool meets(const Range& other) const { return begin < other.end() && other.begin < end(); }

  bool operator==(const Range&) const = default;
};

/// Not thread-safe, but any thread may drop storages at any time.
class Pool {
 public:
  /// Reserves addresses `segment` bytes at a time.
  explicit Pool(std::shared_ptr<GraphDevice> device, size_t segment = size_t{256} << 20);

  /// Finds free memory, the lowest if `wish` is not free, apart from `taken`. Throws what
  /// GraphDevice::reserve and Arena::commit throw.
  Range place(size_t bytes, std::span<const Range> taken = {}, const Range* wish = nullptr);
  /// Gives away a free range, or one that the same storage has already. Empty ranges are not
  /// tracked.
  std::shared_ptr<Storage> give(const Range& range);

  std::shared_ptr<Storage> allocate(size_t bytes, std::span<const Range> taken = {}) {
    return give(place(bytes, taken));
  }

  /// The bytes of a range as a storage that does not hold it.
  std::shared_ptr<Storage> look_at(const Range& range) const;

  /// The range of a storage that the pool gave away and that has not left it; empty for others.
  Range range_of(const Storage* storage) const;
  /// Numbers the times that ranges are given away, since storages are used again; 0 for others.
  uint64_t giving_of(const Storage* storage) const;
  /// The pool's own handle of a storage that it gave away; null for others.
  std::shared_ptr<Storage> handle_of(const Storage* storage) const;
  /// How many besides the pool hold the storage; 0 if it is not the pool's.
  int64_t holders(const Storage* storage) const;
  /// The storages that someone holds, by address.
  std::vector<Storage*> live() const;
  /// Those that meet a range.
  std::vector<Storage*> live_in(std::span<const Range> ranges) const;

  /// Copies a live storage to memory of its own, in the order of the stream; its tensors follow.
  void move_out(Storage* storage, StreamId stream);
  /// Ends a live storage.
  void end(Storage* storage, std::string text, StreamId stream);

  /// Returns memory behind the last live storage to the system. No recording may use the pool.
  void trim();

  struct Bytes {
    size_t live = 0;
    size_t committed = 0;
  };

  Bytes bytes() const;

 private:
  struct Segment {
    std::shared_ptr<Arena> arena;
    std::shared_ptr<const void> keeper;  ///< Keeps arena and device.
  };

  struct Given {
    Range range;
    uint64_t giving = 0;
  };

  bool is_live(const std::shared_ptr<Storage>& storage) const { return storage.use_count() > 1; }

  bool is_free(const Range& range, std::span<const Range> taken) const;
  const Segment& segment_of(const std::byte* address) const;
  Range found_in(const Segment& segment, size_t bytes, std::span<const Range> taken) const;
  void forget(const Storage* storage);

  std::shared_ptr<GraphDevice> device_;
  size_t segment_bytes_;
  std::vector<Segment> segments_;
  std::map<std::byte*, std::shared_ptr<Storage>> given_;  ///< By address; apart if live.
  std::unordered_map<const Storage*, Given> ranges_;
  uint64_t givings_ = 0;
};

}  // namespace litz::runtime::trees
