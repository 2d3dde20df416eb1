// What a launch really touches beside what it declares, for tests.
//
// A launch runs twice. The first time, nothing outside of what it declares to write may change. The
// second time it begins with the same memory, but what it does not declare is poison, so that the
// results are other ones if it reads any of that; and it must stay poison, since a write may leave
// what was there.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "runtime/cpu/access_check.h"
#include "runtime/launch_graph.h"
#include "support/thread_pool.h"

namespace litz::runtime {

class MemoryWatch {
 public:
  /// Remembers what the memory holds; only launches that it is told of may change it. Ranges may
  /// overlap; all together are copied.
  explicit MemoryWatch(std::vector<WatchedMemory> memory);

  /// Runs `launch`, which does the same when it is repeated. Throws InternalError, with `name`, when
  /// it changes bytes that it does not declare to write or depends on bytes that it does not
  /// declare, and what `launch` throws.
  void run(const std::string& name, std::span<const ByteRange> declared,
           const detail::FunctionRef<void()>& launch);

 private:
  struct Watched {
    WatchedMemory now;
    std::vector<std::byte> before;
  };

  void check_unchanged(const std::string& name, std::span<const ByteRange> written) const;
  std::vector<std::byte> contents(std::span<const ByteRange> ranges) const;
  bool is_poison_left(std::span<const ByteRange> touched) const;
  void prepare_again(std::span<const ByteRange> touched, std::span<const ByteRange> written);
  void settle(std::span<const ByteRange> touched, std::span<const ByteRange> written,
              std::span<const std::byte> results);

  std::vector<Watched> memory_;
};

}  // namespace litz::runtime
