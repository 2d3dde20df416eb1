#include "runtime/cuda/cuda_card.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

namespace litz::runtime {
namespace {

using CudaCard = CudaTest;

TEST_F(CudaCard, BlocksKnowTheStreamThatTheyAreFor) {
  const StreamId stream = device_->make_stream();
  const std::shared_ptr<Storage> own = device_->allocate_on(stream, 4096);
  EXPECT_EQ(own->use()->writer, stream.value);
  EXPECT_EQ(own->use()->users, uint64_t{1} << stream.value);
  EXPECT_EQ(device_->allocate(4096)->use()->users, 0U);
  EXPECT_GE(device_->memory_use().peak_bytes, 8192U);
}

// The owner's memory must not be given away while work uses it.
TEST_F(CudaCard, OwnersOfLentMemoryOutliveTheWork) {
  const std::shared_ptr<Storage> memory = floats({1, 2, 3, 4});
  const StreamId stream = device_->make_stream();
  auto owner = std::make_shared<int>(1);
  const std::weak_ptr<int> kept = owner;
  std::shared_ptr<Storage> lent =
      device_->lend({memory->address(), 16}, std::move(owner), std::nullopt);
  EXPECT_EQ(lent->use()->writer, -1);
  device_->finish();
  device_->fill(stream, lent->address(), 0, 16);
  lent.reset();
  EXPECT_FALSE(kept.expired());
  device_->synchronize(stream);
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(device_->lend({memory->address(), 16}, nullptr, stream)->use()->writer, stream.value);
}

}  // namespace
}  // namespace litz::runtime
