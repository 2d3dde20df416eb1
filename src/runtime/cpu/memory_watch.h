// Checks in tests that a launch touches only the memory that it declares.
//
// A launch runs twice. In the first run, memory that it does not declare to write must not change.
// The second run starts from the same memory, but everything undeclared is poison. If the launch
// reads any of it, the results differ. The poison must also stay, since a write in the first run
// may have stored the value that was there.

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
  /// Saves the contents of the memory, which only launches that run through this object may change.
  /// Ranges may overlap; all of them together are copied.
  explicit MemoryWatch(std::vector<WatchedMemory> memory);

  /// Runs `launch`, which must do the same when it is repeated. Throws InternalError with `name` if
  /// it changes bytes that it does not declare to write, or depends on bytes that it does not
  /// declare. Also throws what `launch` throws.
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
