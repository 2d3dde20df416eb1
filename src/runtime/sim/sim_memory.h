// Memory of the simulated device: addresses that the host cannot access, and the bytes behind them.
//
// Every address of the device is in a range without access rights, so host code that dereferences
// one faults at once. The bytes are at the same offset in a second range, which only launches
// receive.

#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace litz::runtime {

/// Thread-safe.
class SimMemory {
 public:
  /// Throws Error{io} when the system refuses the addresses.
  SimMemory();
  SimMemory(const SimMemory&) = delete;
  SimMemory& operator=(const SimMemory&) = delete;
  ~SimMemory();

  /// Returns a device address, a multiple of 256. Throws Error{out_of_memory} if there is no room.
  std::byte* allocate(size_t bytes);
  /// Frees memory. It is reused once all jobs given so far have run.
  void free(std::byte* address);

  /// True if the whole range is allocated.
  bool is_live(const std::byte* begin, size_t bytes) const;
  /// The host address of a device address' bytes; null for null.
  std::byte* bytes_of(const std::byte* address) const;

  /// Records that job number `job` was given to the device; jobs count from 1.
  void note_given(uint64_t job);
  /// Records that all jobs below `job` have run.
  void note_finished_below(uint64_t job);

 private:
  struct Retired {
    size_t offset;
    uint64_t last_job;  ///< The last job that may use it.
  };

  void make_free(size_t offset);

  std::byte* addresses_ = nullptr;
  std::byte* bytes_ = nullptr;
  mutable std::mutex mutex_;
  std::map<size_t, size_t> live_;    ///< Offset to size in use.
  std::map<size_t, size_t> free_;    ///< Offset to size; neighbours are joined.
  std::map<size_t, size_t> blocks_;  ///< Offset to size that the block takes up.
  std::vector<Retired> retired_;
  uint64_t given_ = 0;
};

}  // namespace litz::runtime
