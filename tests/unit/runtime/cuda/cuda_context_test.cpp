#include "runtime/cuda/cuda_context.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using CudaContextTest = CudaTest;

TEST_F(CudaContextTest, CardsAreNumbered) {
  const cuda::CudaContext context(driver(), 0);
  EXPECT_EQ(context.number(), 0);
  EXPECT_THROW(cuda::CudaContext(driver(), 1), Error);
  EXPECT_THROW(cuda::CudaContext(driver(), -1), Error);
}

TEST_F(CudaContextTest, TimersMeasureTheirStream) {
  const cuda::Timer timer(streams().context().enter());
  const auto use = streams().use({});
  timer.start(use.stream());
  timer.stop(use.stream());
  EXPECT_GE(timer.seconds(), 0);
}

// The process keeps one, if there is a card.
TEST(LastingContext, IsOneForAll) {
  if (cuda::find_driver().driver == nullptr) {
    EXPECT_THROW(cuda::lasting_context(0), Error);
  } else {
    EXPECT_EQ(cuda::lasting_context(0), cuda::lasting_context(0));
  }
}

}  // namespace
}  // namespace litz::runtime
