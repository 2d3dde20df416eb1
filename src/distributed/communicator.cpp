#include "distributed/communicator.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "support/check.h"
#include "support/text.h"

namespace litz::distributed {
namespace {

/// Every collective of one rank is complete when it starts.
class SingleRank final : public Communicator {
 public:
  int rank() const override { return 0; }

  int world() const override { return 1; }

  size_t group_size(const std::string& /*group*/) const override { return 1; }

  void start(Collective collective) override {
    // A group with any name consists of this rank; its stated size tells when that is wrong.
    require(collective.group_size.value_or(1) == 1,
            "a program for several ranks must run with as many (--world); group, its size:",
            collective.group, collective.group_size.value_or(1));
    require(collective.kind != CollectiveKind::send && collective.kind != CollectiveKind::receive,
            ErrorCode::unsupported,
            "one rank must not send to itself (--world); group:", collective.group);
    const Collective* alone = &collective;
    combine({&alone, 1});
  }

  void wait(const Tensor& /*result*/) override {}

  void wait_all() override {}

  void leave(const std::string& /*why*/) override {}
};

bool is_default(std::string_view group) { return group.empty() || group == "0"; }

}  // namespace

namespace {

/// The error that ended the rank matters more than one of the engine.
void leave_after_error(Communicator& rank, const std::string& why) {
  try {
    rank.leave(why);
  } catch (const std::exception&) {
    // Others hear nothing, and their patience ends.
  }
}

}  // namespace

void run_rank(Communicator& rank, const std::function<void()>& program) {
  try {
    program();
    rank.wait_all();
    rank.leave("");
  } catch (const std::exception& error) {
    leave_after_error(rank, error.what());
    throw;
  } catch (...) {
    leave_after_error(rank, "an unknown error");
    throw;
  }
}

std::shared_ptr<Communicator> single_rank() { return std::make_shared<SingleRank>(); }

std::pair<std::string, std::vector<int>> parse_group(std::string_view text, int world) {
  const size_t equals = text.find('=');
  require(equals != std::string_view::npos, "a group must be stated as NAME=RANK,RANK,...:", text);
  std::pair<std::string, std::vector<int>> group{std::string(text.substr(0, equals)), {}};
  for (const std::string_view part : split(text.substr(equals + 1), ',')) {
    const std::optional<int64_t> rank = parse_int(trim(part));
    require(rank && *rank >= 0 && *rank < world,
            "a group must consist of ranks of the world:", text, world);
    const auto member = static_cast<int>(*rank);
    require(std::ranges::find(group.second, member) == group.second.end(),
            "a group must name every rank once:", text);
    group.second.push_back(member);
  }
  return group;
}

std::vector<int> members(const Groups& groups, int world, int rank, const Collective& collective) {
  std::vector<int> ranks;
  if (const auto stated = groups.find(collective.group); stated != groups.end()) {
    ranks = stated->second;
  } else {
    require(is_default(collective.group), ErrorCode::not_found,
            "the ranks of every group but the default one must be stated (--group NAME=0,1,...):",
            collective.group);
    ranks.resize(static_cast<size_t>(world));
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  const auto size = static_cast<int64_t>(ranks.size());
  require(collective.group_size.value_or(size) == size,
          "a group must have as many ranks as the program states; group, ranks, stated:",
          collective.group, size, collective.group_size.value_or(size));
  require(std::ranges::find(ranks, rank) != ranks.end(),
          "a rank must start collectives only of its own groups; rank, group:", rank,
          collective.group);
  return ranks;
}

}  // namespace litz::distributed
