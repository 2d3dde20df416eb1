#include "runtime/cpu/host_arena.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

#include "runtime/cpu/host_device.h"

namespace litz::runtime {
namespace {

constexpr size_t kPage = 65536;                 // A multiple of every system's page.
constexpr size_t kHugePage = size_t{2} << 20;   // One entry of the TLB instead of 512.
constexpr size_t kMostBytes = size_t{1} << 46;  // Below half of the address space.

size_t round_up(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void fill_words(std::byte* begin, uint32_t word, size_t bytes) {
  if (word == (word & 0xff) * 0x01010101U) {
    std::memset(begin, static_cast<int>(word & 0xff), bytes);
    return;
  }
  const size_t whole = bytes / sizeof(word) * sizeof(word);
  for (size_t i = 0; i < whole; i += sizeof(word)) std::memcpy(begin + i, &word, sizeof(word));
  std::memcpy(begin + whole, &word, bytes - whole);
}

void prefer_huge_pages(std::byte* begin, size_t bytes) {
  const auto address = reinterpret_cast<uintptr_t>(begin);
  const uintptr_t first = round_up(address, kHugePage);
  const uintptr_t end = (address + bytes) / kHugePage * kHugePage;
  // Systems without large pages ignore this.
  if (first < end) ::madvise(begin + (first - address), end - first, MADV_HUGEPAGE);
}

HostArena::HostArena(HostDevice& device, size_t bytes) : device_(device) {
  require(bytes <= kMostBytes, ErrorCode::out_of_memory,
          "an arena must fit into addresses:", bytes);
  reserved_ = round_up(std::max<size_t>(bytes, 1), kPage);
  mapped_ = reserved_ + kHugePage;
  mapping_ =
      ::mmap(nullptr, mapped_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  require(mapping_ != MAP_FAILED, ErrorCode::out_of_memory,
          "addresses for an arena must be available:", mapped_, std::strerror(errno));
  const auto address = reinterpret_cast<uintptr_t>(mapping_);
  base_ = static_cast<std::byte*>(mapping_) + (round_up(address, kHugePage) - address);
  prefer_huge_pages(base_, reserved_);
}

HostArena::~HostArena() { ::munmap(mapping_, mapped_); }

void HostArena::commit(size_t bytes) {
  device_.count_call();
  require(bytes <= reserved_, ErrorCode::limit_exceeded,
          "committed memory must be reserved:", bytes, reserved_);
  if (bytes <= committed_) return;
  const size_t end = round_up(bytes, kPage);
  const size_t more = end - committed_;
  require(::mprotect(base_ + committed_, more, PROT_READ | PROT_WRITE) == 0,
          ErrorCode::out_of_memory, "memory for an arena must be available:", more,
          std::strerror(errno));
  if (device_.modes().poison) fill_words(base_ + committed_, kPoisonWord, more);
  committed_ = end;
}

void HostArena::trim(size_t bytes) {
  device_.count_call();
  const size_t end = round_up(bytes, kPage);
  if (end >= committed_) return;
  // Dropped pages come back as zeros.
  require(::madvise(base_ + end, committed_ - end, MADV_DONTNEED) == 0 &&
              ::mprotect(base_ + end, committed_ - end, PROT_NONE) == 0,
          ErrorCode::io, "memory of an arena must be returnable:", std::strerror(errno));
  committed_ = end;
}

}  // namespace litz::runtime
