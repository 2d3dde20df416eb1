// The engine over MPI, on an MPI of threads. What real processes do is in mpi_plugin_test.cpp.

#include "distributed/mpi/mpi_world.h"

#include <chrono>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "distributed/simulated_world.h"
#include "rank_checks.h"
#include "support/check.h"
#include "thread_mpi.h"

namespace litz::distributed {
namespace {

using mpi::run_threads;
using mpi::ThreadMpiOptions;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

MpiOptions options() {
  MpiOptions options{.patience = std::chrono::seconds(60)};
  options.functions = &mpi::thread_mpi();
  return options;
}

/// What each rank threw.
std::vector<std::string> run(const ThreadMpiOptions& how, const MpiOptions& world,
                             const std::function<void(Communicator& rank)>& body) {
  return run_threads(how, [&](int /*rank*/) {
    const auto rank = join_mpi(world);
    run_rank(*rank, [&] { body(*rank); });
  });
}

Collective sum_of(int64_t count, double value, const std::string& group = "0") {
  Collective collective{.kind = CollectiveKind::all_reduce, .group = group};
  collective.operands = {Tensor::of<double>(DType::f32, {1}, {value})};
  if (count != 1) {
    collective.operands = {Tensor::zeros(DType::f32, {count})};
    collective.operands[0].copy_from(Tensor::zeros(DType::f32, {count}));
  }
  collective.results = {Tensor::zeros(DType::f32, {count})};
  return collective;
}

void sum(Communicator& rank, int64_t count = 1, const std::string& group = "0") {
  Collective collective = sum_of(count, rank.rank() + 1, group);
  const Tensor result = collective.results[0];
  rank.start(std::move(collective));
  rank.wait(result);
}

class MpiWorld : public ::testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Ranks, MpiWorld, ::testing::Values(1, 2, 3, 4));

// Few rows travel in one stage, many in two.
TEST_P(MpiWorld, EveryCollectiveGivesTheSimulatedBits) {
  for (const int64_t rows : {5, 3001}) {
    for (const int looks : {0, 3}) {
      const auto errors =
          run({.ranks = GetParam(), .looks = looks}, options(), [&](Communicator& rank) {
            testing_ranks::RankChecks checks{.rows = rows};
            if (rows > 5) checks.dtypes = {DType::f32, DType::bf16, DType::i16, DType::c128};
            const auto outcome = testing_ranks::check_ranks(rank, checks);
            require(outcome.failures.empty(),
                    outcome.failures.empty() ? "" : outcome.failures[0].c_str());
            require(outcome.refused.empty(), "nothing is refused");
            require(outcome.checked > 60, "all was checked:", outcome.checked);
          });
      EXPECT_THAT(errors, Each(IsEmpty()));
    }
  }
}

TEST(RankChecks, HoldForTheSimulatedWorld) {
  SimulatedWorld({.ranks = 3}).run([](const auto& rank) {
    const auto outcome = testing_ranks::check_ranks(*rank, {});
    EXPECT_THAT(outcome.failures, IsEmpty());
  });
}

TEST(MpiWorldGroups, SubGroupsRunSideBySide) {
  MpiOptions world = options();
  world.groups = {{"a", {3, 1}}, {"b", {0, 2}}, {"c", {0, 1, 2}}};
  const auto errors = run({.ranks = 4}, world, [](Communicator& rank) {
    const std::string own = rank.rank() % 2 == 1 ? "a" : "b";
    Collective first = sum_of(1, rank.rank(), own);
    const Tensor result = first.results[0];
    rank.start(std::move(first));
    sum(rank);
    if (rank.rank() < 3) sum(rank, 1, "c");
    rank.wait(result);
    EXPECT_EQ(result.at({0}), own == "a" ? 4 : 2);
    EXPECT_EQ(rank.group_size(own), 2U);
    EXPECT_THROW((void)rank.group_size(own == "a" ? "b" : "a"), Error);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(MpiWorldGroups, RanksMustStateTheSame) {
  const auto errors = run_threads({.ranks = 2}, [](int rank) {
    MpiOptions world = options();
    world.groups = {{"a", rank == 0 ? std::vector<int>{0, 1} : std::vector<int>{1, 0}}};
    join_mpi(world);
  });
  EXPECT_THAT(errors, Each(HasSubstr("all ranks must state the same groups")));
}

// The second stage of one rank must not depend on when the other one waits.
TEST(MpiWorldOrder, WaitsInOtherOrdersThanStarts) {
  const auto errors = run({.ranks = 2}, options(), [](Communicator& rank) {
    Collective large = sum_of(10'000, 1);
    Collective small = sum_of(1, 2);
    const Tensor large_result = large.results[0];
    const Tensor small_result = small.results[0];
    rank.start(std::move(large));
    if (rank.rank() == 0) rank.wait(large_result);
    Collective move{.kind = rank.rank() == 0 ? CollectiveKind::send : CollectiveKind::receive,
                    .group = "0",
                    .peer = 1 - rank.rank()};
    move.operands = {Tensor::scalar(DType::f32, 5)};
    move.results = move.operands;
    const Tensor moved = move.results[0];
    rank.start(std::move(move));
    rank.wait(moved);
    rank.start(std::move(small));
    rank.wait(small_result);
    rank.wait(large_result);
    EXPECT_EQ(small_result.at({0}), 4);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(MpiWorldErrors, OtherCollectivesAreNamed) {
  const auto errors =
      run({.ranks = 2}, options(), [](Communicator& rank) { sum(rank, rank.rank() == 0 ? 3 : 4); });
  EXPECT_THAT(errors[0],
              AllOf(HasSubstr("must start the same collectives in the same order; rank 1"),
                    HasSubstr("f32[4]"), HasSubstr("f32[3] (number 1 of group 0)")));
  EXPECT_THAT(errors[1], Not(IsEmpty()));
}

TEST(MpiWorldErrors, ARankThatEndedIsNamed) {
  const auto errors = run({.ranks = 3}, options(), [](Communicator& rank) {
    sum(rank);
    if (rank.rank() != 1) sum(rank);
  });
  EXPECT_THAT(errors[0], HasSubstr("rank 1 ended before all_reduce sum of f32[1] (number 2"));
  EXPECT_THAT(errors[1], IsEmpty());
  EXPECT_THAT(errors[2], HasSubstr("rank 1 ended before"));
}

TEST(MpiWorldErrors, TheErrorOfTheOtherRankIsTold) {
  const auto errors = run({.ranks = 2}, options(), [](Communicator& rank) {
    require(rank.rank() == 0, "rank one must not fail, but does");
    sum(rank);
  });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 1 ended before"), HasSubstr("must not fail")));
}

TEST(MpiWorldErrors, PatienceEnds) {
  MpiOptions world = options();
  world.patience = std::chrono::milliseconds(100);
  const auto errors = run({.ranks = 2}, world, [](Communicator& rank) {
    if (rank.rank() == 1) std::this_thread::sleep_for(std::chrono::milliseconds(600));
    sum(rank);
  });
  EXPECT_THAT(errors[0],
              AllOf(HasSubstr("longer than 100 ms"), HasSubstr("rank 0 waits for all_reduce"),
                    HasSubstr("which rank 1 has not started")));
}

TEST(MpiWorldErrors, TransfersOfOtherTypesAreRefused) {
  const auto errors = run({.ranks = 2}, options(), [](Communicator& rank) {
    Collective move{.kind = rank.rank() == 0 ? CollectiveKind::send : CollectiveKind::receive,
                    .group = "0",
                    .peer = 1 - rank.rank()};
    move.operands = {Tensor::zeros(rank.rank() == 0 ? DType::f32 : DType::i32, {2})};
    move.results = move.operands;
    const Tensor moved = move.results[0];
    rank.start(std::move(move));
    rank.wait(moved);
  });
  EXPECT_THAT(errors[1], HasSubstr("a rank must receive what the other sends"));
}

TEST(MpiWorldErrors, RowsMustFit) {
  const auto errors = run({.ranks = 2}, options(), [](Communicator& rank) {
    Collective collective{.kind = CollectiveKind::all_to_all, .group = "0"};
    collective.operands = {Tensor::zeros(DType::f32, {4})};
    collective.results = {Tensor::zeros(DType::f32, {4})};
    collective.sent = {2, 2};
    if (rank.rank() == 0) collective.received = {1, 3};
    if (rank.rank() == 1) collective.received = {2, 2};
    const Tensor result = collective.results[0];
    rank.start(std::move(collective));
    rank.wait(result);
  });
  EXPECT_THAT(errors[0], Not(IsEmpty()));
}

// Whichever call of MPI fails, every rank gets an error or its results, and none hangs.
TEST(MpiWorldErrors, EveryCallMayFail) {
  MpiOptions world = options();
  world.groups = {{"pair", {1, 0}}};
  const auto body = [](Communicator& rank) {
    sum(rank);
    sum(rank, 10'000, "pair");
  };
  ASSERT_THAT(run({.ranks = 2}, world, body), Each(IsEmpty()));
  world.patience = std::chrono::milliseconds(200);
  int failures = 0;
  for (int call = 0; call < 40; ++call) {
    const auto errors = run({.ranks = 2, .fails = 1, .fails_at = call}, world, body);
    if (!errors[1].empty()) {
      EXPECT_THAT(errors[1], HasSubstr("told to fail"));
      ++failures;
    }
  }
  EXPECT_GT(failures, 20);
}

}  // namespace
}  // namespace litz::distributed
