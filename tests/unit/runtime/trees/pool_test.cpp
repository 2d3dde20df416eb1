#include "runtime/trees/pool.h"

#include <memory>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cpu/host_device.h"
#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

class PoolTest : public testing::Test {
 protected:
  std::shared_ptr<HostDevice> device_ = std::make_shared<HostDevice>();
  Pool pool_{device_, size_t{1} << 20};
};

TEST_F(PoolTest, gives_apart_memory_and_the_lowest_gap) {
  const auto a = pool_.allocate(100);
  auto b = pool_.allocate(1000);
  const auto c = pool_.allocate(10);
  EXPECT_FALSE(pool_.range_of(a.get()).meets(pool_.range_of(b.get())));
  EXPECT_FALSE(pool_.range_of(b.get()).meets(pool_.range_of(c.get())));
  std::byte* const was = b->address();
  b.reset();
  EXPECT_EQ(pool_.allocate(900)->address(), was);
  EXPECT_GT(pool_.allocate(2000)->address(), c->address());
}

TEST_F(PoolTest, returns_the_same_storage_for_the_same_range) {
  const Range range = pool_.place(100);
  auto first = pool_.give(range);
  const Storage* const was = first.get();
  EXPECT_EQ(pool_.give(range).get(), was) << "two tensors of one range share its storage";
  first.reset();
  EXPECT_EQ(pool_.give(range).get(), was) << "and so do later ones";
}

TEST_F(PoolTest, refuses_memory_that_is_held) {
  const auto held = pool_.allocate(1000);
  Range range = pool_.range_of(held.get());
  range.bytes = 500;
  EXPECT_THROW(pool_.give(range), InternalError);
}

TEST_F(PoolTest, honours_wishes_and_taken_ranges) {
  const Range first = pool_.place(100);
  const Range second = pool_.place(100, {&first, 1});
  EXPECT_FALSE(first.meets(second));
  EXPECT_EQ(pool_.place(100, {}, &second), second);
  const auto held = pool_.give(second);
  EXPECT_NE(pool_.place(100, {}, &second), second);
}

TEST_F(PoolTest, counts_holders) {
  const auto a = pool_.allocate(100);
  const auto b = a;
  EXPECT_EQ(pool_.holders(a.get()), 2);
  EXPECT_EQ(pool_.holders(device_->allocate(10).get()), 0);
  EXPECT_EQ(pool_.live().size(), 1U);
  EXPECT_EQ(pool_.bytes().live, 100U);
}

TEST_F(PoolTest, does_not_track_empty_memory) {
  const auto empty = pool_.allocate(0);
  EXPECT_EQ(empty->size(), 0U);
  EXPECT_TRUE(pool_.live().empty());
}

TEST_F(PoolTest, moves_a_storage_with_its_tensors) {
  const Tensor x(DType::f32, {2}, {1}, 0, pool_.allocate(8));
  Tensor view = x.view({1}, {1}, 1);
  Tensor source = Tensor::of<float>(DType::f32, {2}, {3, 4});
  device_->copy({}, x, source);
  std::byte* const was = x.address();
  pool_.move_out(x.storage().get(), {});
  EXPECT_NE(x.address(), was);
  EXPECT_EQ(view.at({0}), 4);
  EXPECT_TRUE(pool_.live().empty());
  EXPECT_EQ(pool_.allocate(8)->address(), was);
}

TEST_F(PoolTest, ends_a_storage_with_its_text) {
  const Tensor x(DType::f32, {2}, {1}, 0, pool_.allocate(8));
  const Tensor view = x.view({1}, {1}, 1);
  pool_.end(x.storage().get(), "it was overwritten", {});
  EXPECT_EQ(error_of([&] { view.data(); }), "it was overwritten");
  EXPECT_EQ(error_of([&] { x.address(); }), "it was overwritten");
  EXPECT_EQ(error_of([&] { x.storage()->mutable_data(); }), "it was overwritten");
  EXPECT_EQ(view.sizes(), std::vector<int64_t>{1}) << "sizes stay readable";
}

TEST_F(PoolTest, adds_segments_and_returns_them) {
  auto small = pool_.allocate(100);
  auto large = pool_.allocate(size_t{8} << 20);
  EXPECT_GE(pool_.bytes().committed, size_t{8} << 20);
  large.reset();
  pool_.trim();
  EXPECT_LT(pool_.bytes().committed, size_t{1} << 20);
  EXPECT_EQ(pool_.bytes().live, 100U);
  small.reset();
  pool_.trim();
  EXPECT_EQ(pool_.bytes().committed, 0U);
}

TEST(PoolMemory, outlives_pool_and_device) {
  auto device = std::make_shared<HostDevice>();
  auto pool = std::make_unique<Pool>(std::move(device), size_t{1} << 20);
  const Tensor x(DType::f32, {2}, {1}, 0, pool->allocate(8));
  pool.reset();
  Tensor(x).copy_from(Tensor::of<float>(DType::f32, {2}, {3, 4}));
  EXPECT_EQ(x.at({1}), 4);
}

}  // namespace
}  // namespace litz::runtime::trees
