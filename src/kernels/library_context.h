// What the library calls of one executable share: threads, scratch memory and packed constants.
//
// Fresh memory costs a page fault every 4 KiB, more than packing does, so scratch is kept between
// calls. Constants are packed at the first call that multiplies with them.

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

#include "support/thread_pool.h"
#include "types/tensor.h"

namespace litz::kernels {

/// Thread-safe. Constants that were packed must outlive it: they are known by their addresses.
class LibraryContext {
 public:
  /// Without a pool, the caller of a function works alone. `constants` are what calls may pack; they
  /// must outlive this, undefined ones are passed over.
  explicit LibraryContext(ThreadPool* pool = nullptr, std::span<const Tensor> constants = {})
      : pool_(pool), constants_(constants) {}

  ThreadPool* pool() const { return pool_; }

  /// At least `bytes`, 64-byte aligned, contents unspecified.
  std::shared_ptr<Storage> take_scratch(size_t bytes);
  void give_back(std::shared_ptr<Storage> scratch);

  /// All that decides the contents of a packed constant: its address comes first, then layout, sizes,
  /// types, and how the kernels of this processor want it.
  using PackedKey = std::array<int64_t, 9>;
  using Pack = detail::FunctionRef<void(std::byte* to)>;
  /// `bytes` that `pack` filled when they were first asked for; they stay where they are.
  const std::byte* packed(const PackedKey& key, size_t bytes, const Pack& pack);
  /// Takes bytes that another context packed under the same key, which then is not packed here.
  void adopt(const PackedKey& key, std::shared_ptr<Storage> bytes);
  /// All packed constants so far, in the order in which they were made.
  std::vector<std::pair<PackedKey, std::shared_ptr<Storage>>> packed_constants() const;
  /// Gives back the memory of a part of a constant that calls will hardly read again, where it is
  /// a mapped file's.
  void release(std::span<const std::byte> original) const;
  /// What packed constants occupy.
  size_t packed_bytes() const;

 private:
  ThreadPool* pool_;
  std::span<const Tensor> constants_;
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Storage>> scratch_;
  std::mutex pack_mutex_;  ///< One constant is packed at a time, by all threads.
  std::map<PackedKey, std::shared_ptr<Storage>> packed_;
  std::vector<PackedKey> order_;  ///< Of packed_: one may be made of an earlier one.
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

/// Multiplications with an addition that a core does in a nanosecond, roughly, on operands in its
/// caches: what decides, with the price of handing work over, whether threads share a product.
inline constexpr double kStepsPerNanosecond = 20;

/// How many threads should share a product of so many steps.
inline int64_t threads_for_steps(const ThreadPool* pool, double steps) {
  return ThreadPool::worthwhile_threads(pool, steps / kStepsPerNanosecond);
}

/// The first of `total` things that belong to chunk `index` of `chunks`; equal shares.
inline int64_t chunk_begin(int64_t total, int64_t chunks, int64_t index) {
  return total / chunks * index + std::min(total % chunks, index);
}

}  // namespace litz::kernels
