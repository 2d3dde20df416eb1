// The state that library calls of one executable share: threads, scratch memory and packed
// constants.
//
// Fresh memory costs a page fault every 4 KiB, more than packing costs, so scratch memory is reused
// between calls. Constants are packed at the first call that multiplies with them.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "distributed/communicator.h"
#include "support/thread_pool.h"
#include "types/tensor.h"

namespace litz::kernels {

/// Thread-safe. Packed constants must outlive it: it identifies them by address.
class LibraryContext {
 public:
  /// Without a pool, the caller of a function works alone. Calls may pack the `constants`, except
  /// undefined ones; they must outlive this.
  explicit LibraryContext(ThreadPool* pool = nullptr, std::span<const Tensor> constants = {})
      : pool_(pool), constants_(constants) {}

  ThreadPool* pool() const { return pool_; }

  /// The rank that starts collectives; a world of its own unless told otherwise.
  const std::shared_ptr<distributed::Communicator>& communicator() const { return communicator_; }

  /// No call may run meanwhile.
  void join(std::shared_ptr<distributed::Communicator> communicator) {
    communicator_ = std::move(communicator);
  }

  /// Returns at least `bytes`, 64-byte aligned, contents unspecified.
  std::shared_ptr<Storage> take_scratch(size_t bytes);
  void give_back(std::shared_ptr<Storage> scratch);

  /// Everything that decides the contents of a packed constant: its address first, then layout,
  /// sizes, types, and the panel format of this processor's kernels.
  using PackedKey = std::array<int64_t, 9>;
  using Pack = detail::FunctionRef<void(std::byte* to)>;
  /// Returns `bytes` that `pack` filled at the first request; their address does not change.
  const std::byte* packed(const PackedKey& key, size_t bytes, const Pack& pack);
  /// Stores bytes that another context packed under the same key, so they are not packed here.
  void adopt(const PackedKey& key, std::shared_ptr<Storage> bytes);
  /// All packed constants so far, in order of creation.
  std::vector<std::pair<PackedKey, std::shared_ptr<Storage>>> packed_constants() const;
  /// Releases the memory of a part of a constant that calls will hardly read again, if it is in a
  /// mapped file.
  void release(std::span<const std::byte> original) const;
  /// The bytes of all packed constants.
  size_t packed_bytes() const;

 private:
  ThreadPool* pool_;
  std::span<const Tensor> constants_;
  std::shared_ptr<distributed::Communicator> communicator_ = distributed::single_rank();
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Storage>> scratch_;
  std::mutex pack_mutex_;  ///< All threads together pack one constant at a time.
  std::map<PackedKey, std::shared_ptr<Storage>> packed_;
  std::vector<PackedKey> order_;  ///< Of packed_: one may be made from an earlier one.
};

/// Calls body(chunk) for every chunk in [0, chunks), divided over the pool, if there is one.
template <typename Body>
void run_chunks(ThreadPool* pool, int64_t chunks, const Body& body) {
  if (pool != nullptr && chunks > 1) return pool->parallel(chunks, body);
  for (int64_t chunk = 0; chunk < chunks; ++chunk) body(chunk);
}

inline int64_t thread_count(const ThreadPool* pool) {
  return pool == nullptr ? 1 : pool->threads();
}

/// Multiply-adds per nanosecond and core, roughly, on operands in its caches. With the handover
/// price it decides whether threads share a product.
inline constexpr double kStepsPerNanosecond = 20;

/// Returns how many threads should share a product of this many steps.
inline int64_t threads_for_steps(const ThreadPool* pool, double steps) {
  return ThreadPool::worthwhile_threads(pool, steps / kStepsPerNanosecond);
}

/// Returns how many tasks they should make of it, if it is easily divided.
inline int64_t tasks_for_steps(const ThreadPool* pool, double steps) {
  return ThreadPool::worthwhile_tasks(pool, steps / kStepsPerNanosecond);
}

}  // namespace litz::kernels
