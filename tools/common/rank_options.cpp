#include "common/rank_options.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "common/exit_status.h"
#include "distributed/mpi/mpi_library.h"
#include "distributed/simulated_world.h"
#include "runtime/join_world.h"
#include "support/check.h"

namespace litz::tools {
namespace {

constexpr std::string_view kPlace = "{rank}";
constexpr const char* kSimulated = "simulated";

std::string engine_of(const RankSettings& settings) {
  if (!settings.engine.empty()) return settings.engine;
  const bool was_launched = settings.world == 0 && distributed::mpi::launched_processes() > 1;
  return was_launched ? "mpi" : kSimulated;
}

/// The results that a rank saves and compares. Only one rank prints, and only what names no rank is
/// its own.
ResultSettings results_of(const ResultSettings& all, int rank, bool is_shown) {
  ResultSettings own = all;
  own.is_quiet = !is_shown;
  for (std::string* const file : {&own.output, &own.compare}) {
    if (!is_shown && file->find(kPlace) == std::string::npos) file->clear();
    *file = for_rank(*file, rank);
  }
  return own;
}

distributed::Groups groups_of(const RankSettings& settings, int world) {
  distributed::Groups groups;
  for (const std::string& group : settings.groups) {
    groups.insert(distributed::parse_group(group, world));
  }
  return groups;
}

int run_simulated(const RankSettings& settings, const ResultSettings& results, uint64_t seed,
                  const RankWork& work) {
  const int ranks = std::max(settings.world, 1);
  const int shown = settings.rank.value_or(0);
  require(shown >= 0 && shown < ranks, "--rank must be one of the world's:", shown, ranks);
  distributed::SimulationOptions simulation{.ranks = ranks, .groups = groups_of(settings, ranks)};
  simulation.most_delay = std::chrono::microseconds(settings.delay_us);
  simulation.seed = seed;
  std::vector<std::function<int()>> ends(static_cast<size_t>(ranks));
  distributed::SimulatedWorld(std::move(simulation)).run([&](const auto& rank) {
    const int number = rank->rank();
    ends[static_cast<size_t>(number)] = work(rank, results_of(results, number, number == shown));
  });
  int status = kSuccess;
  for (const std::function<int()>& end : ends) status = std::max(status, end());
  return status;
}

/// The number of a rank's card, as --device states it.
int card_of(const std::string& device, int rank) {
  const std::optional<Device> where = device_option(for_rank(device, rank));
  require(where && where->kind == DeviceKind::cuda,
          "ranks meet over NCCL on cards: --device cuda, or cuda:{rank} for one each:", device);
  return std::max(where->index, 0);
}

int run_process(const RankSettings& settings, const std::string& device,
                const ResultSettings& results, const RankWork& work) {
  runtime::WorldOptions options;
  options.engine = runtime::parse_rank_engine(engine_of(settings));
  options.groups = groups_of(settings, std::numeric_limits<int>::max());
  if (settings.patience_s > 0) {
    options.patience = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(settings.patience_s));
  }
  options.rendezvous = settings.rendezvous;
  const int own = settings.rank.value_or(0);
  options.rank = own;
  options.world = std::max(settings.world, 1);
  options.card = [&](int rank) { return card_of(device, rank); };
  const auto rank = runtime::join_world(options);
  // Without mpirun, every process has a terminal, or a file, of its own.
  const bool shows_all = !settings.rendezvous.empty();
  require(settings.world == 0 || settings.world == rank->world(),
          "--world must be the number of processes:", settings.world, rank->world());
  std::function<int()> end;
  distributed::run_rank(*rank, [&] {
    require(own >= 0 && own < rank->world(), "--rank must be one of the world's:", own,
            rank->world());
    const bool is_shown = shows_all || rank->rank() == own;
    end = work(rank, results_of(results, rank->rank(), is_shown));
  });
  return end();
}

}  // namespace

void add_rank_options(CLI::App& command, RankSettings& settings) {
  command.add_option("--world", settings.world,
                     "how many ranks run: in this process, unless --engine says otherwise; {rank} "
                     "in the names of files stands for the rank");
  command.add_option("--rank", settings.rank,
                     "whose results are shown; with --rendezvous, which rank this process is");
  command.add_option("--engine", settings.engine,
                     "simulated: the ranks are threads of this process (default); mpi: mpirun "
                     "starts one process per rank (default there); nccl: the same on cards");
  command.add_option("--rendezvous", settings.rendezvous,
                     "nccl without mpirun: a file that all ranks name and that does not exist yet");
  command.add_option("--group", settings.groups,
                     "NAME=RANK,RANK,...: the ranks of a group; repeat for several. Group 0 is the "
                     "world");
  command.add_option("--delay", settings.delay_us,
                     "simulated ranks sleep for random times of at most so many microseconds");
  command
      .add_option("--patience", settings.patience_s,
                  "seconds that a process waits for the others at a time, before it fails; "
                  "otherwise for ever")
      ->check(number_within(0, 1e9, "NUMBER >= 0"));
}

bool has_ranks(const RankSettings& settings) {
  return settings.world > 1 || engine_of(settings) != kSimulated;
}

std::string for_rank(std::string text, int rank) {
  for (size_t at = text.find(kPlace); at != std::string::npos; at = text.find(kPlace)) {
    text.replace(at, kPlace.size(), std::to_string(rank));
  }
  return text;
}

void require_use(const RankSettings& settings) {
  const std::string engine = engine_of(settings);
  const bool is_simulated = engine == kSimulated;
  const auto require_none = [](bool is_given, const char* option, const char* needs) {
    require(!is_given, option, "does nothing here: it needs", needs);
  };
  require_none(!has_ranks(settings) && !settings.engine.empty(), "--engine", "--world");
  require_none(!has_ranks(settings) && settings.delay_us > 0, "--delay", "--world");
  const bool is_alone = !has_ranks(settings) && settings.world == 0;
  require_none(is_alone && settings.rank.has_value(), "--rank", "--world");
  require_none(is_alone && !settings.groups.empty(), "--group", "--world");
  require_none(!is_simulated && settings.delay_us > 0, "--delay", "--engine simulated");
  require_none(is_simulated && settings.patience_s > 0, "--patience", "ranks that are processes");
  require_none(engine != "nccl" && !settings.rendezvous.empty(), "--rendezvous", "--engine nccl");
}

int run_ranks(const RankSettings& settings, const CallSettings& calls,
              const ResultSettings& results, const RankWork& work) {
  if (engine_of(settings) != kSimulated) return run_process(settings, calls.device, results, work);
  return run_simulated(settings, results, static_cast<uint64_t>(calls.seed), work);
}

}  // namespace litz::tools
