#include "runtime/sim/sim_memory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

constexpr size_t kRange = size_t{256} << 30;
constexpr size_t kAlignment = 256;
constexpr size_t kPage = 4096;

std::byte* map_range(int rights) {
  void* const mapping =
      ::mmap(nullptr, kRange, rights, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(mapping != MAP_FAILED, ErrorCode::out_of_memory,
          "addresses for a simulated device must be available:", kRange, std::strerror(errno));
  return static_cast<std::byte*>(mapping);
}

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

SimMemory::SimMemory() : addresses_(map_range(PROT_NONE)) {
  try {
    bytes_ = map_range(PROT_READ | PROT_WRITE);
  } catch (...) {
    ::munmap(addresses_, kRange);
    throw;
  }
  free_.emplace(0, kRange);
}

SimMemory::~SimMemory() {
  ::munmap(addresses_, kRange);
  ::munmap(bytes_, kRange);
}

std::byte* SimMemory::allocate(size_t bytes) {
  require(bytes < kRange, ErrorCode::out_of_memory,
          "memory of a simulated device must fit into its addresses:", bytes, kRange);
  // Blocks have unused bytes between them, so an address past the end of one is not in the next.
  const size_t needed = round_up(bytes + 1, kAlignment);
  const std::lock_guard lock(mutex_);
  const auto room =
      std::ranges::find_if(free_, [&](const auto& each) { return each.second >= needed; });
  require(room != free_.end(), ErrorCode::out_of_memory,
          "a simulated device must have room for memory:", bytes);
  const auto [offset, size] = *room;
  free_.erase(room);
  if (size > needed) free_.emplace(offset + needed, size - needed);
  live_.emplace(offset, bytes);
  blocks_.emplace(offset, needed);
  return addresses_ + offset;
}

void SimMemory::free(std::byte* address) {
  const auto offset = static_cast<size_t>(address - addresses_);
  const std::lock_guard lock(mutex_);
  check(live_.erase(offset) == 1, "memory is given back once:", offset);
  retired_.push_back({offset, given_});
}

bool SimMemory::is_live(const std::byte* begin, size_t bytes) const {
  const auto offset = static_cast<size_t>(begin - addresses_);
  const std::lock_guard lock(mutex_);
  const auto after = live_.upper_bound(offset);
  if (after == live_.begin()) return false;
  const auto& [start, size] = *std::prev(after);
  return offset - start <= size && bytes <= size - (offset - start);
}

std::byte* SimMemory::bytes_of(const std::byte* address) const {
  if (address == nullptr) return nullptr;
  check(address >= addresses_ && address < addresses_ + kRange,
        "an address must be the simulated device's");
  return bytes_ + (address - addresses_);
}

void SimMemory::note_given(uint64_t job) {
  const std::lock_guard lock(mutex_);
  given_ = job;
}

void SimMemory::note_finished_below(uint64_t job) {
  const std::lock_guard lock(mutex_);
  std::erase_if(retired_, [&](const Retired& retired) {
    if (retired.last_job >= job) return false;
    make_free(retired.offset);
    return true;
  });
}

void SimMemory::make_free(size_t offset) {
  const auto block = blocks_.find(offset);
  size_t begin = offset;
  size_t size = block->second;
  blocks_.erase(block);
  if (size >= 16 * kPage) {  // Smaller ones stay with the process.
    const size_t first = round_up(begin, kPage);
    ::madvise(bytes_ + first, (begin + size - first) / kPage * kPage, MADV_DONTNEED);
  }
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == begin + size) {
    size += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      size += before->second;
      free_.erase(before);
    }
  }
  free_.emplace(begin, size);
}

}  // namespace litz::runtime
