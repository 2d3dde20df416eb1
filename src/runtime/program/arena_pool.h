// Arenas that the programs of one executor share in turn.
//
// A program needs more or less memory at other sizes, but one thread needs only one arena at a
// time. So there are as many arenas as concurrent calls, not one per combination of sizes. An arena
// grows in place, so addresses bound to it stay valid.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Not thread-safe: the owner locks.
class ArenaPool {
 public:
  explicit ArenaPool(GraphDevice& device) : device_(device) {}

  struct Arena {
    std::shared_ptr<runtime::Arena> range;
    std::shared_ptr<Storage> memory;    ///< The committed part of the range.
    std::optional<StreamId> last_user;  ///< The next user comes after this stream's work.
    bool is_taken = false;
    bool is_dropped = false;  ///< Its range was too small: everything bound to it must be dropped.
  };

  /// Takes a free arena of at least `bytes` bytes: one that is large enough, else one that grows,
  /// else a new one that replaces the free ones. Throws what GraphDevice::reserve and Arena::commit
  /// throw.
  std::shared_ptr<Arena> take(size_t bytes);

  static void give_back(Arena& arena) { arena.is_taken = false; }

  /// The bytes of all arenas together.
  size_t bytes() const;

 private:
  void grow(Arena& arena, size_t bytes) const;

  GraphDevice& device_;
  std::vector<std::shared_ptr<Arena>> arenas_;
};

/// The size that an arena commits for a need: at most a quarter more, and equal for similar needs.
size_t arena_size(size_t bytes);

}  // namespace litz::runtime
