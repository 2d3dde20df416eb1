// Arenas in which the programs of one executor take turns.
//
// A program at other sizes needs more or less memory, but never at the same time as long as one thread
// calls. So there are as many arenas as calls at once, and not one for every combination of sizes. An
// arena grows in place, so what is bound to its addresses stays bound.

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/device.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Not safe from several threads at once; whoever has it locks.
class ArenaPool {
 public:
  explicit ArenaPool(GraphDevice& device) : device_(device) {}

  struct Arena {
    std::shared_ptr<runtime::Arena> range;
    std::shared_ptr<Storage> memory;  ///< What of the range is committed.
    std::optional<EventId> last_use;  ///< Whoever takes it waits for that.
    bool is_taken = false;
    bool is_dropped = false;  ///< Its range was too small: what is bound to it is to go, too.
  };

  /// A free arena of at least so many bytes, taken: one that has them, else one that grows, else a new
  /// one in the place of the free ones. Throws what GraphDevice::reserve and Arena::commit throw.
  std::shared_ptr<Arena> take(size_t bytes);

  static void give_back(Arena& arena) { arena.is_taken = false; }

  /// Of all arenas together.
  size_t bytes() const;

 private:
  void grow(Arena& arena, size_t bytes) const;

  GraphDevice& device_;
  std::vector<std::shared_ptr<Arena>> arenas_;
};

/// What an arena commits for a need: at most a quarter more, the same for needs that are close.
size_t arena_size(size_t bytes);

}  // namespace litz::runtime
