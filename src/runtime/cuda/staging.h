// Memory of the host that the card reads and writes by itself, and copies of the card's memory in it.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "runtime/cuda/cuda_streams.h"

namespace litz::runtime::cuda {

/// Pinned memory, which takes long to allocate and is used again. Thread-safe.
class StagingPool {
 public:
  explicit StagingPool(std::shared_ptr<CudaStreams> streams) : streams_(std::move(streams)) {}

  StagingPool(const StagingPool&) = delete;
  StagingPool& operator=(const StagingPool&) = delete;
  ~StagingPool();

  /// Returns memory of at least `bytes`. It is used again once its owners are gone and the work
  /// that waits then is done. The pool must outlive it.
  std::shared_ptr<std::byte> take(size_t bytes);

 private:
  struct Retired {
    std::byte* begin;
    size_t bytes;
    CudaStreams::Job last_job;
  };

  std::byte* take_free(size_t bytes);
  void give_back(std::byte* begin, size_t bytes);

  std::shared_ptr<CudaStreams> streams_;
  std::mutex mutex_;
  std::multimap<size_t, std::byte*> free_;  ///< By size, a power of two.
  std::vector<Retired> retired_;
  std::vector<std::byte*> all_;
};

/// Bytes of the card that a call on the host reads or writes.
struct CardRange {
  std::byte* begin = nullptr;
  size_t bytes = 0;
  bool is_write = false;
};

/// Copies of ranges of the card's memory on the host. Ranges that overlap do so here, too.
class StagedRanges {
 public:
  /// Copies the ranges to the host, in the order of the stream, and waits for it. Calls may write
  /// parts of what they write, so that is copied as well.
  StagedRanges(CudaStreams& streams, StagingPool& pool, StreamId stream,
               std::vector<CardRange> ranges);

  /// The host's address of an address of the card. One in no range gets an address that faults;
  /// null stays null.
  std::byte* on_host(const std::byte* address) const;

  /// Copies what is written back, in the order of the stream.
  void copy_back();

 private:
  struct Group {
    std::byte* begin;
    std::byte* end;
    size_t place;  ///< Offset in the staging memory.
  };

  void join_ranges();

  CudaStreams& streams_;
  StreamId stream_;
  std::vector<CardRange> ranges_;  ///< Ordered by address.
  std::vector<Group> groups_;
  std::shared_ptr<std::byte> memory_;
};

}  // namespace litz::runtime::cuda
