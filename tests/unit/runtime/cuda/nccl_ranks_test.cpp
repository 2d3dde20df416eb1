#include "runtime/cuda/nccl_ranks.h"

#include <chrono>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "cuda/nccl_threads.h"
#include "rank_checks.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using distributed::Collective;
using distributed::CollectiveKind;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NcclRanks : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (emulated_driver() == nullptr) GTEST_SKIP() << "no emulation of CUDA";
    before_ = live_handles();
  }

  void TearDown() override {
    if (emulated_driver() != nullptr && !may_leak_) EXPECT_EQ(live_handles(), before_);
  }

  bool may_leak_ = false;  ///< Calls that give something back fail.

 private:
  int64_t before_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Ranks, NcclRanks, ::testing::Values(1, 2, 3));

// i16, float8, bits and products of complex numbers are what NCCL lacks.
TEST_P(NcclRanks, EveryCollectiveThatNcclHasGivesTheSimulatedBits) {
  const auto errors = run_nccl_threads(GetParam(), {}, [](const CardRank& rank) {
    const auto outcome = testing_ranks::check_ranks(*rank, {});
    EXPECT_THAT(outcome.failures, IsEmpty());
    EXPECT_GT(outcome.checked, 400);
    EXPECT_THAT(outcome.refused, ::testing::Not(::testing::Contains(HasSubstr("sum of f32"))));
    EXPECT_THAT(outcome.refused, ::testing::Contains(HasSubstr("all_reduce band of i32")));
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

class NcclPair : public NcclRanks {};

INSTANTIATE_TEST_SUITE_P(Two, NcclPair, ::testing::Values(2));

Collective sum_of(double value, const std::string& group = "0") {
  Collective collective{.kind = CollectiveKind::all_reduce, .group = group};
  collective.operands = {Tensor::scalar(DType::f32, value)};
  collective.results = {Tensor::scalar(DType::f32, 0)};
  return collective;
}

TEST_P(NcclPair, SubGroupsHaveTheirOwnOrder) {
  cuda::NcclOptions options;
  options.groups = {{"a", {1, 0}}, {"one", {1}}};
  const auto errors = run_nccl_threads(2, options, [](const CardRank& rank) {
    Collective first = sum_of(rank->rank() + 1, rank->rank() == 0 ? "a" : "0");
    Collective second = sum_of(rank->rank() + 1, rank->rank() == 0 ? "0" : "a");
    const Tensor a = first.results[0];
    const Tensor b = second.results[0];
    rank->start(std::move(first));
    rank->start(std::move(second));
    rank->wait(b);
    rank->wait(a);
    EXPECT_EQ(a.at({}), 3);
    EXPECT_EQ(b.at({}), 3);
    if (rank->rank() == 1) {
      Collective alone = sum_of(7, "one");
      const Tensor result = alone.results[0];
      rank->start(std::move(alone));
      rank->wait(result);
      EXPECT_EQ(result.at({}), 7);
    }
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

// Both send first; on one stream, neither would come to its receive.
TEST_P(NcclPair, TransfersThatAreStartedTogetherDoNotWaitForEachOther) {
  const auto errors = run_nccl_threads(2, {}, [](const CardRank& rank) {
    std::vector<Tensor> results;
    for (const CollectiveKind kind : {CollectiveKind::send, CollectiveKind::receive}) {
      Collective move{.kind = kind, .group = "0", .peer = 1 - rank->rank()};
      move.operands = {Tensor::scalar(DType::f32, rank->rank() + 5)};
      move.results = move.operands;
      results.push_back(move.results[0]);
      rank->start(std::move(move));
    }
    rank->wait(results[1]);
    rank->wait(results[0]);
    EXPECT_EQ(results[1].at({}), 6 - rank->rank());
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST_P(NcclPair, PatienceEnds) {
  cuda::NcclOptions options;
  options.patience = std::chrono::milliseconds(150);
  const auto errors = run_nccl_threads(2, options, [](const CardRank& rank) {
    if (rank->rank() == 1) return std::this_thread::sleep_for(std::chrono::milliseconds(800));
    Collective sum = sum_of(1);
    const Tensor result = sum.results[0];
    rank->start(std::move(sum));
    rank->wait(result);
  });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("longer than 150 ms"), HasSubstr("rank 0 waits for "),
                               HasSubstr("all_reduce sum of f32[]")));
}

TEST_P(NcclPair, LeftRanksStartNothing) {
  const auto errors = run_nccl_threads(2, {}, [](const CardRank& rank) {
    rank->leave("");
    EXPECT_THROW(rank->start(sum_of(1)), Error);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(NcclRank, MustBeOneOfTheWorlds) {
  const auto rendezvous = cuda::meet_by_file("unused", {});
  EXPECT_THROW(cuda::join_nccl({.rank = 2, .world = 2}, *rendezvous), Error);
}

// Whichever call of driver or NCCL fails, the rank gets an error or its results.
TEST_P(NcclRanks, EveryCallMayFail) {
  if (GetParam() != 1) return;
  const auto run = [] {
    return run_nccl_threads(1, {}, [](const CardRank& rank) {
      Collective sum = sum_of(4);
      const Tensor result = sum.results[0];
      rank->start(std::move(sum));
      rank->wait(result);
      EXPECT_EQ(result.at({}), 4);
    })[0];
  };
  const int64_t begin = driver_calls();
  ASSERT_EQ(run(), "");
  const int64_t calls = driver_calls() - begin;
  int failures = 0;
  may_leak_ = true;
  for (int64_t call = 2; call <= calls; ++call) {
    fail_driver_call(call);
    const std::string error = run();
    fail_driver_call(0);
    if (!error.empty()) ++failures;
  }
  EXPECT_GT(failures, 8);
}

}  // namespace
}  // namespace litz::runtime
