#include "runtime/join_world.h"

#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(JoinWorld, EnginesHaveNames) {
  EXPECT_EQ(parse_rank_engine("mpi"), RankEngine::mpi);
  EXPECT_EQ(parse_rank_engine("nccl"), RankEngine::nccl);
  EXPECT_THROW(parse_rank_engine("gloo"), Error);
}

TEST(JoinWorld, WithoutMpiTheReasonIsTold) {
  ::setenv("LITZ_MPI", "absent", 1);
  try {
    join_world({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("absent"));
  }
  ::unsetenv("LITZ_MPI");
}

}  // namespace
}  // namespace litz::runtime
