// Random plans: fused and not, they give the same bits.

#include <gtest/gtest.h>

#include "fusion/random_plan.h"

namespace litz::fusion {
namespace {

class RandomPlans : public testing::TestWithParam<int> {};

TEST_P(RandomPlans, GiveTheSameBits) {
  int before = 0;
  int after = 0;
  for (int i = 0; i < 200; ++i) {
    RandomPlan random(static_cast<uint32_t>(GetParam() * 1000 + i));
    const FusionReport report = random.p.fuse_and_compare({.chain_small = i % 3 != 0,
                                                           .machine = {.function = product_facts},
                                                           .use_scratch = i % 2 == 0,
                                                           .verify = true});
    before += report.kernels_before;
    after += report.kernels_after;
    if (HasFailure()) FAIL() << "seed " << GetParam() * 1000 + i;
  }
  EXPECT_LT(after, before * 2 / 3);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomPlans, testing::Range(0, 8));

}  // namespace
}  // namespace litz::fusion
