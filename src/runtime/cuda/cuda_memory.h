// Memory of a card: blocks of large pieces that the driver gave, used again and again.
//
// The driver takes long to give memory and waits for all work to take it back. Freed blocks
// therefore stay here. One is used again when the work that was waiting as it was freed is done.

#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "runtime/cuda/cuda_streams.h"
#include "runtime/device.h"

namespace litz::runtime::cuda {

/// Thread-safe.
class CudaMemory {
 public:
  explicit CudaMemory(std::shared_ptr<CudaStreams> streams) : streams_(std::move(streams)) {}

  CudaMemory(const CudaMemory&) = delete;
  CudaMemory& operator=(const CudaMemory&) = delete;
  ~CudaMemory();

  /// Returns an address, a multiple of 512. Throws Error{out_of_memory}.
  Address allocate(size_t bytes);
  void free(Address address);

 private:
  struct Retired {
    Address address;
    CudaStreams::Job last_job;  ///< The last job that may use it.
  };

  void collect();
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
  std::vector<Retired> retired_;
};

/// Reserves addresses of the card.
std::shared_ptr<Arena> reserve_arena(std::shared_ptr<CudaStreams> streams, const DeviceModes& modes,
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
