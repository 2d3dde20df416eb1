#include "runtime/join_world.h"

#include <utility>

#include "distributed/mpi/mpi_world.h"
#include "runtime/cuda/nccl_ranks.h"
#include "support/check.h"

namespace litz::runtime {

RankEngine parse_rank_engine(std::string_view text) {
  require(text == "mpi" || text == "nccl", "an engine of ranks must be mpi or nccl:", text);
  return text == "mpi" ? RankEngine::mpi : RankEngine::nccl;
}

namespace {

using distributed::Communicator;

std::shared_ptr<Communicator> join_mpi(const WorldOptions& options) {
  return distributed::join_mpi({.groups = options.groups, .patience = options.patience});
}

std::shared_ptr<Communicator> join_nccl(const WorldOptions& options) {
  constexpr std::chrono::minutes kUsualPatience{1};  // Processes start at about the same time.
  cuda::NcclOptions how{.rank = options.rank,
                        .world = options.world,
                        .groups = options.groups,
                        .patience = options.patience};
  std::unique_ptr<cuda::NcclRendezvous> rendezvous;
  if (options.rendezvous.empty()) {
    const std::shared_ptr<Communicator> host = join_mpi(options);
    how.rank = host->rank();
    how.world = host->world();
    rendezvous = cuda::meet_by_ranks(host);
  } else {
    rendezvous = cuda::meet_by_file(options.rendezvous, options.patience.value_or(kUsualPatience));
  }
  how.card = options.card ? options.card(how.rank) : 0;
  return cuda::join_nccl(std::move(how), *rendezvous);
}

}  // namespace

std::shared_ptr<Communicator> join_world(const WorldOptions& options) {
  switch (options.engine) {
    case RankEngine::mpi:
      return join_mpi(options);
    case RankEngine::nccl:
      return join_nccl(options);
  }
  fail(ErrorCode::internal, "an engine must be one of enum RankEngine");
}

}  // namespace litz::runtime
