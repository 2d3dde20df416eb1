#include "machine/cpu_targets.h"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace litz::machine {
namespace {

TEST(CpuTargets, AreFoundByName) {
  for (const CpuTargetRow& target : cpu_targets()) {
    ASSERT_NE(find_cpu_target(target.name), nullptr) << target.name;
    EXPECT_EQ(find_cpu_target(target.name)->features, target.features);
    EXPECT_EQ(target.vector_bytes % 16, 0) << target.name;
  }
  EXPECT_EQ(find_cpu_target("vax"), nullptr);
  EXPECT_EQ(find_cpu_target(kHostTarget), nullptr) << "the host is one of the others";
}

TEST(CpuTargets, AreListedOnce) {
  EXPECT_THAT(target_names(), testing::ElementsAre("host", "avx2", "avx512", "neon"));
  EXPECT_EQ(target_list(), "host, avx2, avx512, neon");
}

}  // namespace
}  // namespace litz::machine
