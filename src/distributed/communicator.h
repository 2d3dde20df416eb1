// One rank's access to its groups: the interface between collectives and engines that run them.
//
// A collective starts in the order of the calls, returns at once, and its results may be read after
// its wait. Every rank of a group must start the same collectives of the group in the same order.

#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "distributed/collective.h"

namespace litz::distributed {

/// Thread-safe, but a rank whose threads start collectives in no fixed order may stop for ever.
class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int world() const = 0;
  /// How many ranks a group has. Throws Error if it is unknown or lacks this rank.
  virtual size_t group_size(const std::string& group) const = 0;

  /// Throws Error if the group is unknown or has another size than stated, and, as soon as it is
  /// known, if the ranks do not start the same.
  virtual void start(Collective collective) = 0;
  /// Waits for the collective that has this tensor among its results. Does nothing if there is
  /// none: it was waited for already, or never started.
  virtual void wait(const Tensor& result) = 0;
  /// Waits for all that this rank has started.
  virtual void wait_all() = 0;

  /// This rank starts nothing more. The others hear of it, and get errors where they wait for what
  /// it has not started. `why` is the error that ended it; empty: it has come to its end.
  virtual void leave(const std::string& why) = 0;
};

/// Runs one rank's program, waits for what it has started, and leaves. Throws what the program
/// throws.
void run_rank(Communicator& rank, const std::function<void()>& program);

/// A world of one rank, which acts on itself.
std::shared_ptr<Communicator> single_rank();

/// The members of groups by name. PyTorch's default group, "0", is the whole world unless stated.
using Groups = std::map<std::string, std::vector<int>, std::less<>>;

/// "NAME=0,2": a group of a world of this size. Throws Error{invalid_argument} for other texts.
std::pair<std::string, std::vector<int>> parse_group(std::string_view text, int world);

/// The world's ranks in the collective's group. Throws Error if the group is not known, has another
/// size than the program states, or lacks this rank.
std::vector<int> members(const Groups& groups, int world, int rank, const Collective& collective);

}  // namespace litz::distributed
