// Machine code in memory, ready to call. This loader needs no LLVM.
//
// Many objects share one mapping. It is written first; then its code becomes executable and its
// constants read-only. No page is ever both writable and executable.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "artifact/kernel_abi.h"
#include "runtime/cpu/object_linker.h"

namespace litz::runtime {

/// Owns a mapping. Functions found in it are invalid afterwards. Move-only. `find` is thread-safe.
class LoadedCode {
 public:
  /// Makes an object without code.
  LoadedCode() = default;
  /// Loads ELF64 relocatable objects for this machine; they may be freed afterwards. `resolve`
  /// gives the functions that they call; memcpy, memmove and memset are known without it. Throws
  /// Error{corrupt} for a bad object, {unsupported} for another machine's, {io} when the system
  /// refuses memory.
  static LoadedCode load(std::span<const std::span<const std::byte>> objects,
                         ImportResolver resolve);

  LoadedCode(LoadedCode&& other) noexcept;
  LoadedCode& operator=(LoadedCode&& other) noexcept;
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;
  ~LoadedCode();

  /// Returns the global function of that name, or null if no object defines it.
  artifact::KernelFunction find(std::string_view symbol) const;

  /// Size of the mapping.
  size_t bytes() const { return bytes_; }

 private:
  void unmap() noexcept;

  void* mapping_ = nullptr;
  size_t bytes_ = 0;
  std::vector<std::pair<std::string, size_t>> functions_;  // Offsets; sorted by name.
};

}  // namespace litz::runtime
