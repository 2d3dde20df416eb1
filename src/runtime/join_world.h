// Engines of several ranks by name, for tools and the public interface.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "distributed/communicator.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// What brings the ranks of processes together.
enum class RankEngine : uint8_t { mpi, nccl };

/// Reads "mpi" or "nccl"; throws Error{invalid_argument} for others.
RankEngine parse_rank_engine(std::string_view text);

struct WorldOptions {
  RankEngine engine = RankEngine::mpi;
  distributed::Groups groups;
  /// How long a rank waits for others at a time; nullopt: for ever.
  std::optional<std::chrono::milliseconds> patience;

  // NCCL:

  /// The file through which ranks meet. Empty: they meet over MPI, which tells rank and world.
  std::string rendezvous;
  int rank = 0;
  int world = 1;
  /// The number of a rank's card. Empty: 0.
  std::function<int(int rank)> card;
};

/// Makes this process a rank. All ranks must do so at the same time. Throws Error{unsupported}
/// without the engine's library.
std::shared_ptr<distributed::Communicator> join_world(const WorldOptions& options);

}  // namespace litz::runtime
