// Stages of one collective; all kinds are in mpi_world_test.cpp.

#include "distributed/mpi/posted_collective.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"
#include "thread_mpi.h"

namespace litz::distributed::mpi {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;

Channels channels_of(int rank, int ranks) {
  Channels channels{.ranks = static_cast<size_t>(ranks), .own = static_cast<size_t>(rank)};
  std::vector<int> all;
  for (int i = 0; i < ranks; ++i) all.push_back(i);
  EXPECT_EQ(thread_mpi().make_group(all.data(), ranks, 0, &channels.first), 0);
  EXPECT_EQ(thread_mpi().make_group(all.data(), ranks, 1, &channels.second), 0);
  return channels;
}

void arrive(PostedCollective& posted) {
  while (!posted.has_arrived()) std::this_thread::yield();
}

Collective sum_of(int64_t count, int rank) {
  Collective collective{.kind = CollectiveKind::all_reduce};
  collective.operands = {Tensor::zeros(DType::f32, {count})};
  auto* const data = reinterpret_cast<float*>(collective.operands[0].mutable_data());
  for (int64_t i = 0; i < count; ++i) data[i] = static_cast<float>(i + rank);
  collective.results = collective.operands;
  return collective;
}

// 10,001 elements divide into no three equal slices.
TEST(PostedCollective, LargeReductionsHaveTwoStages) {
  const auto errors = run_threads({.ranks = 3, .looks = 2}, [](int rank) {
    PostedCollective posted(thread_mpi(), channels_of(rank, 3), sum_of(10'001, rank));
    posted.begin();
    const Tensor result = posted.collective().results[0];
    EXPECT_TRUE(posted.has_second_stage());
    EXPECT_EQ(result.at({1}), 1 + rank);  // Untouched until the end.
    arrive(posted);
    posted.begin_second_stage();
    EXPECT_FALSE(posted.has_second_stage());
    arrive(posted);
    posted.fill_results();
    EXPECT_EQ(result.at({0}), 3);
    EXPECT_EQ(result.at({10'000}), 30'003);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(PostedCollective, SmallReductionsHaveOne) {
  const auto errors = run_threads({.ranks = 2}, [](int rank) {
    PostedCollective posted(thread_mpi(), channels_of(rank, 2), sum_of(100, rank));
    posted.begin();
    EXPECT_FALSE(posted.has_second_stage());
    arrive(posted);
    posted.fill_results();
    EXPECT_EQ(posted.collective().results[0].at({99}), 199);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

TEST(PostedCollective, TagsBeyondMpisAreRefused) {
  const auto errors = run_threads({.ranks = 2}, [](int rank) {
    Collective collective{.kind = CollectiveKind::send, .peer = 1 - rank, .tag = 40'000};
    collective.operands = {Tensor::zeros(DType::f32, {1})};
    collective.results = collective.operands;
    PostedCollective posted(thread_mpi(), channels_of(rank, 2), collective);
    EXPECT_THROW(posted.begin(), Error);
  });
  EXPECT_THAT(errors, Each(IsEmpty()));
}

}  // namespace
}  // namespace litz::distributed::mpi
