// Memory of a card: blocks of large pieces that the driver gave, used again and again.
//
// The driver takes long to give memory and waits for all work to take it back. Freed blocks
// therefore stay here. One is used again when the work that was waiting as it was freed is done, and
// before by the only stream that has used it, whose work is in order. Callers may have given their own
// streams work of which nobody here knows: other streams get the blocks of those once the card is idle,
// for which the host waits when there are many.

#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/cuda/cuda_streams.h"
#include "runtime/device.h"

namespace litz::runtime::cuda {

/// Counts bytes.
class MemoryGauge {
 public:
  void add(size_t bytes) {
    const size_t now = bytes_ += bytes;
    size_t peak = peak_;
    while (peak < now && !peak_.compare_exchange_weak(peak, now)) {
    }
  }

  void subtract(size_t bytes) { bytes_ -= bytes; }

  /// The peak begins anew.
  DeviceMemoryUse read() {
    const size_t now = bytes_;
    return {now, std::max(now, peak_.exchange(now))};
  }

 private:
  std::atomic<size_t> bytes_{0};
  std::atomic<size_t> peak_{0};
};

/// Thread-safe.
class CudaMemory {
 public:
  explicit CudaMemory(std::shared_ptr<CudaStreams> streams) : streams_(std::move(streams)) {}

  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory();

  /// Returns an address, a multiple of 512, for work that `stream` gets first, if there is one. Throws
  /// Error{out_of_memory}.
  Address allocate(size_t bytes, std::optional<StreamId> stream = std::nullopt);
  /// `users` are the bits of all streams that have used it; 0: unknown.
  void free(Address address, uint64_t users = 0);

  MemoryGauge& gauge() { return gauge_; }

 private:
  struct Retired {
    Address address;
    CudaStreams::Job last_job;  ///< The last job that may use it.
    int32_t stream;             ///< The only one that has used it; -1: none or several.
    bool is_callers;            ///< A caller's stream has used it.
  };

  using RetiredList = std::map<uint64_t, Retired>;  ///< By number, in the order of jobs.

  bool take_of_stream(size_t bytes, StreamId stream, Address& address);
  void collect();
  void end(RetiredList::iterator retired);
  void collect_all();
  void make_free(Address address, size_t bytes);
  bool take_free(size_t bytes, Address& address);
  void add_piece(size_t bytes);
  void return_free_pieces();

  std::shared_ptr<CudaStreams> streams_;
  std::mutex mutex_;
  std::map<Address, size_t> pieces_;  ///< Given by the driver.
  std::map<Address, size_t> used_;
  std::map<Address, size_t> free_;  ///< Neighbours of one piece are joined.
  std::set<std::pair<size_t, Address>> by_size_;
  RetiredList retired_;
  size_t callers_bytes_ = 0;  ///< Of retired blocks that callers' streams have used.
  uint64_t retirements_ = 0;
  std::map<std::pair<int32_t, size_t>, std::vector<uint64_t>> of_stream_;  ///< By stream and size.
  MemoryGauge gauge_;
};

/// Reserves addresses of the card. `memory` counts the pages that become usable.
std::shared_ptr<Arena> reserve_arena(std::shared_ptr<CudaStreams> streams,
                                     std::shared_ptr<CudaMemory> memory, const DeviceModes& modes,
                                     size_t bytes);

/// One part of a fill that the driver does at once.
struct FillPart {
  size_t offset = 0;
  unsigned value = 0;
  unsigned element_bytes = 1;
  size_t elements = 0;
};

/// Divides a fill: the driver fills only whole and aligned words, or bytes.
std::vector<FillPart> parts_of_fill(Address begin, uint32_t word, size_t bytes);

/// Fills in the order of a stream.
void fill(const CudaStreams::Use& use, Address begin, uint32_t word, size_t bytes);

}  // namespace litz::runtime::cuda
