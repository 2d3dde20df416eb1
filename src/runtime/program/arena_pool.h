// Arenas in which the programs of one executor take turns.
//
// A program at other sizes needs another arena, but never at the same time as long as one thread
// calls. So there are as many arenas as calls at once, of the largest size that was asked for in
// steps, and not one for every combination of sizes.

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
    std::shared_ptr<Storage> memory;
    std::optional<EventId> last_use;  ///< Whoever takes it waits for that.
    bool is_taken = false;
    bool is_dropped = false;  ///< A larger one replaced it: what is bound to it is to go, too.
  };

  /// A free arena of at least so many bytes, taken. Makes one if there is none, in the place of free
  /// ones that are smaller.
  std::shared_ptr<Arena> take(size_t bytes);

  static void give_back(Arena& arena) { arena.is_taken = false; }

  /// Of all arenas together.
  size_t bytes() const;

 private:
  GraphDevice& device_;
  std::vector<std::shared_ptr<Arena>> arenas_;
};

/// The size of the arena that is made for a need: at most a quarter more, the same for needs that
/// are close.
size_t arena_size(size_t bytes);

}  // namespace litz::runtime
