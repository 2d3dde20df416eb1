// Reserved addresses of the host, committed page by page.

#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device.h"

namespace litz::runtime {

/// Repeats the bytes of `word` over the memory.
void fill_words(std::byte* begin, uint32_t word, size_t bytes);

/// Hints that the system should use large pages for the whole ones in the range.
void prefer_huge_pages(std::byte* begin, size_t bytes);

class HostDevice;

class HostArena final : public Arena {
 public:
  /// Throws Error{io} when the system refuses the addresses.
  HostArena(HostDevice& device, size_t bytes);
  HostArena(const HostArena&) = delete;
  HostArena& operator=(const HostArena&) = delete;
  ~HostArena() override;

  void commit(size_t bytes) override;
  void trim(size_t bytes) override;

 private:
  HostDevice& device_;
  void* mapping_ = nullptr;
  size_t mapped_ = 0;
};

}  // namespace litz::runtime
