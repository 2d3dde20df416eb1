// Memory of the simulated device: addresses that the host cannot follow, and the bytes behind them.
//
// Every address of the device lies in a range without access rights, so host code that follows one
// stops at once. The bytes lie at the same distance in a second range, which only launches are given.

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

  /// A device address, a multiple of 256. Throws Error{limit_exceeded} when there is no room.
  std::byte* allocate(size_t bytes);
  /// Gives memory back. It is used again once all work that had been given by now has run.
  void free(std::byte* address);

  /// Whether all of the range is allocated.
  bool is_live(const std::byte* begin, size_t bytes) const;
  /// Where the bytes of a device address are; null for null.
  std::byte* bytes_of(const std::byte* address) const;

  /// Number `job` of the device's jobs, which count from 1, has been given to it.
  void note_given(uint64_t job);
  /// All jobs below `job` have run.
  void note_finished_below(uint64_t job);

 private:
  struct Retired {
    size_t offset;
    uint64_t last_job;  ///< That may use it.
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
