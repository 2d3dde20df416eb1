#include "runtime/cuda/staging.h"

#include <cstring>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using Staging = CudaTest;

TEST_F(Staging, MemoryIsUsedAgainWhenWorkIsDone) {
  cuda::StagingPool pool(device_->streams());
  std::byte* first = nullptr;
  const std::shared_ptr<Storage> target = device_->allocate(1000);
  {
    const auto memory = pool.take(1000);
    first = memory.get();
    std::memset(first, 1, 1000);
    const auto use = streams().use({});
    use.driver().upload(cuda::address_on_card(target->address()), first, 1000, use.stream());
  }
  const auto second = pool.take(1000);
  if (second.get() == first) {
    EXPECT_TRUE(streams().has_finished(streams().last_job()));
  }
  streams().synchronize({});
  const auto third = pool.take(1000);
  EXPECT_TRUE(second.get() == first || third.get() == first);
  EXPECT_NE(pool.take(200000), nullptr);
}

TEST_F(Staging, RangesKeepOverlapsAndRemainders) {
  const std::shared_ptr<Storage> memory = floats({0, 1, 2, 3, 4, 5, 6, 7});
  std::byte* const base = memory->address();
  cuda::StagingPool pool(device_->streams());
  cuda::StagedRanges staged(
      streams(), pool, {},
      {{base + 16, 8, true}, {base, 12, false}, {base + 8, 12, true}, {nullptr, 0, false}});
  auto* const first = reinterpret_cast<float*>(staged.on_host(base));
  EXPECT_EQ(first[2], 2);
  EXPECT_EQ(reinterpret_cast<float*>(staged.on_host(base + 8)), first + 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(first) % 256, reinterpret_cast<uintptr_t>(base) % 256);
  EXPECT_EQ(staged.on_host(nullptr), nullptr);
  EXPECT_NE(staged.on_host(base + 4096), nullptr);
  for (int i = 0; i < 6; ++i) first[i] += 10;
  staged.copy_back();
  EXPECT_EQ(floats_of(memory), (std::vector<float>{0, 1, 12, 13, 14, 15, 6, 7}));
}

TEST_F(Staging, MissingMemoryIsRefused) {
  cuda::StagingPool pool(device_->streams());
  EXPECT_THROW(cuda::StagedRanges(streams(), pool, {}, {{nullptr, 4, false}}), Error);
}

}  // namespace
}  // namespace litz::runtime
