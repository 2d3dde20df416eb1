// The functions of litz/c_api.h for ranks.

#include <chrono>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "litz/c_api.h"
#include "runtime/c/handles.h"
#include "runtime/join_world.h"

using litz::require;
using litz::runtime::c::guarded;
using litz::runtime::c::require_given;
using litz::runtime::c::require_reserved;

namespace {

litz::runtime::WorldOptions world_options(const litz_group_options& options) {
  require(options.engine == LITZ_GROUP_MPI || options.engine == LITZ_GROUP_NCCL,
          "an engine must be one of enum litz_group_engine:", options.engine);
  require(options.group_count == 0 || options.groups != nullptr, "groups must not be NULL");
  litz::runtime::WorldOptions how;
  how.engine = options.engine == LITZ_GROUP_MPI ? litz::runtime::RankEngine::mpi
                                                : litz::runtime::RankEngine::nccl;
  for (size_t i = 0; i < options.group_count; ++i) {
    require_given(options.groups[i], "a group");
    // The world is known later, and its engine checks the ranks.
    how.groups.insert(
        litz::distributed::parse_group(options.groups[i], std::numeric_limits<int>::max()));
  }
  if (options.patience_ms > 0) how.patience = std::chrono::milliseconds(options.patience_ms);
  if (options.rendezvous != nullptr) how.rendezvous = options.rendezvous;
  how.rank = options.rank;
  how.world = options.world;
  how.card = [card = options.card](int /*rank*/) { return card; };
  return how;
}

}  // namespace

litz_status litz_group_join(const litz_group_options* options, litz_group** group,
                            litz_error** error) {
  return guarded(error, [&] {
    require_given(options, "options");
    require_given(group, "a pointer to a group");
    require(options->size == sizeof *options,
            "the size of options must be set to sizeof(litz_group_options):", options->size);
    require_reserved(options->reserved);
    auto made = std::make_unique<litz_group>();
    made->communicator = litz::runtime::join_world(world_options(*options));
    *group = made.release();
  });
}

int32_t litz_group_rank(const litz_group* group) { return group->communicator->rank(); }

int32_t litz_group_world(const litz_group* group) { return group->communicator->world(); }

litz_status litz_group_leave(litz_group* group, const char* reason, litz_error** error) {
  return guarded(error, [&] {
    require_given(group, "a group");
    require_given(reason, "a reason");
    group->communicator->leave(*reason != '\0' ? reason : "an error");
  });
}

void litz_group_free(litz_group* group) { delete group; }
