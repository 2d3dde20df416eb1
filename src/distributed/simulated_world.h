// Several ranks in one process, one thread each: what tests run instead of a cluster.
//
// The results do not depend on which thread is faster. A rank that waits computes the results of all
// ranks, from operands as they are then: who writes an operand or reads a result too early gets
// wrong values here as on real engines. Ranks that would wait for ever get an error that names the
// collective and the ranks.

#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "distributed/communicator.h"

namespace litz::distributed {

struct SimulationOptions {
  int ranks = 2;
  Groups groups;
  /// Ranks sleep for random times of at most this before they start and wait.
  std::chrono::microseconds most_delay{0};
  uint64_t seed = 0;
  /// Results hold no sensible values before their wait.
  bool poisons = false;

  struct Death {
    int rank = 0;
    int64_t at = 0;  ///< Dies instead of starting this collective; 0 is its first.
  };

  std::optional<Death> death;
};

class SimulatedWorld {
 public:
  explicit SimulatedWorld(SimulationOptions options);
  ~SimulatedWorld();
  SimulatedWorld(const SimulatedWorld&) = delete;
  SimulatedWorld& operator=(const SimulatedWorld&) = delete;

  using Body = std::function<void(const std::shared_ptr<Communicator>&)>;

  /// Runs `body` once for every rank, all at the same time, and waits for what it has started.
  /// Throws the error that came first. One run per world.
  void run(const Body& body);
  /// The same; returns the errors by rank, null for ranks that ended well.
  std::vector<std::exception_ptr> try_run(const Body& body);

  /// A rank for a thread of the caller's, instead of a run; once per rank. It leaves with the last
  /// owner. May outlive the world.
  std::shared_ptr<Communicator> join(int rank);

  /// How many collectives all of their ranks have started, transfers included.
  int64_t completed() const;

 private:
  class State;
  class Rank;
  std::shared_ptr<State> state_;
};

}  // namespace litz::distributed
