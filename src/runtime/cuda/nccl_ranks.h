// Ranks on cards, which NCCL brings together: one process (or thread) and one card per rank.
//
// Every group has a stream of its own. A collective runs there after the work that it follows, and
// events order what reads its results, so that it overlaps with other work. Reductions are in NCCL's
// order.

#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "runtime/cuda/card_ranks.h"
#include "runtime/cuda/cuda_context.h"
#include "runtime/cuda/nccl.h"
#include "runtime/cuda/nccl_rendezvous.h"

namespace litz::runtime::cuda {

struct NcclOptions {
  int rank = 0;
  int world = 1;
  distributed::Groups groups;
  int card = 0;
  /// How long a collective may take, the work that it waits for included; nullopt: for ever.
  std::optional<std::chrono::milliseconds> patience;
  const NcclFunctions* functions = nullptr;    ///< Null: the library of this process.
  std::shared_ptr<const CudaContext> context;  ///< Null: the card's.
};

/// Joins the groups of this rank. All ranks must do so at the same time, with equal groups. Throws
/// Error{unsupported} without NCCL or the card.
std::shared_ptr<CardRanks> join_nccl(NcclOptions options, NcclRendezvous& rendezvous);

}  // namespace litz::runtime::cuda
