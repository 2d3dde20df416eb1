// litz::Group: the ranks of a program of several.

#include <algorithm>

#include "compiler/api/public_support.h"
#include "distributed/simulated_world.h"
#include "runtime/join_world.h"

namespace litz {
inline namespace v1 {
namespace {

distributed::Groups own_groups(const GroupOptions& options) {
  return {options.groups.begin(), options.groups.end()};
}

runtime::WorldOptions own_options(runtime::RankEngine engine, const GroupOptions& options) {
  runtime::WorldOptions how{.engine = engine, .groups = own_groups(options)};
  if (options.patience.count() > 0) how.patience = options.patience;
  return how;
}

}  // namespace

struct GroupAccess {
  static Result<std::shared_ptr<Group>> joined(const runtime::WorldOptions& options) {
    return guarded<std::shared_ptr<Group>>([&] {
      auto impl = std::make_unique<Group::Impl>(Group::Impl{runtime::join_world(options)});
      return std::shared_ptr<Group>(new Group(std::move(impl)));
    });
  }
};

Group::Group(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Group::~Group() = default;

Result<std::vector<std::shared_ptr<Group>>> Group::simulated(int ranks,
                                                             const GroupOptions& options) {
  return guarded<std::vector<std::shared_ptr<Group>>>([&] {
    distributed::SimulatedWorld world({.ranks = ranks, .groups = own_groups(options)});
    std::vector<std::shared_ptr<Group>> groups;
    groups.reserve(static_cast<size_t>(std::max(ranks, 0)));
    for (int rank = 0; rank < ranks; ++rank) {
      groups.push_back(
          std::shared_ptr<Group>(new Group(std::make_unique<Impl>(Impl{world.join(rank)}))));
    }
    return groups;
  });
}

Result<std::shared_ptr<Group>> Group::mpi(const GroupOptions& options) {
  return GroupAccess::joined(own_options(runtime::RankEngine::mpi, options));
}

Result<std::shared_ptr<Group>> Group::nccl(int card, const GroupOptions& options) {
  runtime::WorldOptions how = own_options(runtime::RankEngine::nccl, options);
  how.card = [card](int /*rank*/) { return card; };
  return GroupAccess::joined(how);
}

Result<std::shared_ptr<Group>> Group::nccl(int card, int rank, int world,
                                           const std::string& rendezvous,
                                           const GroupOptions& options) {
  runtime::WorldOptions how = own_options(runtime::RankEngine::nccl, options);
  how.card = [card](int /*rank*/) { return card; };
  how.rank = rank;
  how.world = world;
  how.rendezvous = rendezvous;
  return GroupAccess::joined(how);
}

int Group::rank() const { return impl_->communicator->rank(); }

int Group::world() const { return impl_->communicator->world(); }

void Group::leave(const std::string& reason) {
  impl_->communicator->leave(reason.empty() ? "an error" : reason);
}

}  // namespace v1
}  // namespace litz
