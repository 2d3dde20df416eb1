// rank_checks: checks an engine of collectives on this machine, each of whose processes runs this.
//
//   mpirun -n 4 rank_checks
//   rank_checks --engine nccl --world 2 --rank 0 --rendezvous /tmp/meet --device cuda:{rank}

#include <cstdio>

#include <CLI/CLI.hpp>

#include "common/rank_options.h"
#include "rank_checks.h"
#include "support/check.h"

namespace tools = litz::tools;

namespace {

struct Settings {
  tools::RankSettings ranks;
  tools::CallSettings calls;
  std::vector<int64_t> rows{5, 3001};
  double rounding = 0;
};

int report(int rank, int world, const litz::testing_ranks::RankOutcome& outcome) {
  for (const std::string& failure : outcome.failures) {
    std::printf("rank %d of %d: %.400s\n", rank, world, failure.c_str());
  }
  std::printf("rank %d of %d: %lld collectives checked, %zu refused, %zu wrong\n", rank, world,
              static_cast<long long>(outcome.checked), outcome.refused.size(),
              outcome.failures.size());
  return outcome.failures.empty() ? 0 : 1;
}

int run(const Settings& settings) {
  return tools::run_ranks(
      settings.ranks, settings.calls, {},
      [&](const auto& rank, const tools::ResultSettings& /*results*/) {
        litz::testing_ranks::RankOutcome all;
        for (const int64_t rows : settings.rows) {
          const auto outcome = litz::testing_ranks::check_ranks(
              *rank, {.rows = rows, .rounding = settings.rounding});
          all.checked += outcome.checked;
          all.refused.insert(all.refused.end(), outcome.refused.begin(), outcome.refused.end());
          all.failures.insert(all.failures.end(), outcome.failures.begin(), outcome.failures.end());
        }
        return [all, number = rank->rank(), world = rank->world()] {
          return report(number, world, all);
        };
      });
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Checks every kind, dtype and reduction of collectives."};
  Settings settings;
  tools::add_rank_options(app, settings.ranks);
  tools::add_device_option(app, settings.calls.device, "cuda, cuda:N");
  app.add_option("--rows", settings.rows, "of operands");
  app.add_option("--rounding", settings.rounding, "what sums in another order may differ by");
  CLI11_PARSE(app, argc, argv);
  try {
    return run(settings);
  } catch (const litz::Error& error) {
    std::fprintf(stderr, "rank_checks: %s\n", error.what());
    return 2;
  }
}
