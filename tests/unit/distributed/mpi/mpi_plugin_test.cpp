// Ranks that are processes: mpirun starts this program several times.

#include <cstdio>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/mpi/mpi_library.h"
#include "distributed/mpi/mpi_world.h"
#include "rank_checks.h"
#include "support/check.h"

namespace litz::distributed {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(MpiPlugin, EveryCollectiveGivesTheSimulatedBits) {
  const auto rank = join_mpi({});
  EXPECT_EQ(rank->world(), mpi::launched_processes());
  for (const int64_t rows : {5, 3001}) {
    testing_ranks::RankChecks checks{.rows = rows};
    if (rows > 5) checks.dtypes = {DType::f32, DType::f16, DType::i64};
    const auto outcome = testing_ranks::check_ranks(*rank, checks);
    EXPECT_THAT(outcome.failures, IsEmpty());
    EXPECT_THAT(outcome.refused, IsEmpty());
    EXPECT_GT(outcome.checked, 60);
  }
}

TEST(MpiPlugin, SubGroupsAndAnotherWorldAfterTheFirst) {
  const int ranks = mpi::launched_processes();
  MpiOptions options;
  std::vector<int> reversed;
  for (int i = ranks - 1; i >= 0; --i) reversed.push_back(i);
  options.groups = {{"reversed", reversed}, {"first", {0, 1}}};
  const auto rank = join_mpi(options);
  for (const std::string group : {"reversed", "first"}) {
    if (group == "first" && rank->rank() > 1) continue;
    const auto outcome =
        testing_ranks::check_ranks(*rank, {.dtypes = {DType::f32, DType::u8}, .group = group});
    EXPECT_THAT(outcome.failures, IsEmpty());
  }
}

// Alone: afterwards mpirun finds fault with the processes, as it should.
TEST(MpiPluginErrors, ARankThatFailedIsNamed) {
  const auto rank = join_mpi({.patience = std::chrono::seconds(20)});
  std::string said;
  try {
    run_rank(*rank, [&] {
      require(rank->rank() != 1, "rank one fails");
      Collective collective{.kind = CollectiveKind::all_reduce, .group = "0"};
      collective.operands = {Tensor::scalar(DType::f32, 1)};
      collective.results = {Tensor::scalar(DType::f32, 0)};
      rank->start(collective);
      rank->wait(collective.results[0]);
    });
  } catch (const Error& error) {
    said = error.what();
  }
  const bool is_cause = rank->rank() == 1;
  EXPECT_THAT(said, HasSubstr(is_cause ? "rank one fails" : "rank 1 ended before all_reduce sum"));
  if (!::testing::Test::HasFailure()) std::puts("the failure is named");
}

TEST(MpiPluginErrors, PatienceEnds) {
  const auto rank = join_mpi({.patience = std::chrono::milliseconds(300)});
  std::string said;
  try {
    run_rank(*rank, [&] {
      // As if it were stuck.
      if (rank->rank() == 1) std::this_thread::sleep_for(std::chrono::seconds(2));
      Collective collective{.kind = CollectiveKind::all_reduce, .group = "0"};
      collective.operands = {Tensor::scalar(DType::f32, 1)};
      collective.results = {Tensor::scalar(DType::f32, 0)};
      rank->start(collective);
      rank->wait(collective.results[0]);
    });
  } catch (const Error& error) {
    said = error.what();
  }
  if (rank->rank() != 1) {
    EXPECT_THAT(said, HasSubstr("which rank 1 has not started"));
  }
  if (!::testing::Test::HasFailure()) std::puts("patience has ended");
}

}  // namespace
}  // namespace litz::distributed

// Without mpirun the tests would compare one rank with itself.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (litz::distributed::mpi::launched_processes() < 2) {
    std::puts("start this program with mpirun, as CTest does: mpirun -n 2 test_mpi_ranks");
    return 0;
  }
  return RUN_ALL_TESTS();
}
