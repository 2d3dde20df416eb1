#include "runtime/cuda/cuda_memory.h"

#include <map>
#include <random>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using CudaMemory = CudaTest;

TEST_F(CudaMemory, BlocksNeverOverlap) {
  cuda::CudaMemory memory(device_->streams());
  std::mt19937_64 random(7);
  std::map<cuda::Address, size_t> live;
  for (int i = 0; i < 2000; ++i) {
    if (!live.empty() && random() % 2 == 0) {
      const auto some = std::next(live.begin(), static_cast<int64_t>(random() % live.size()));
      memory.free(some->first);
      live.erase(some);
      continue;
    }
    const size_t bytes = random() % 8 == 0 ? random() % (3 << 20) : random() % 5000;
    const cuda::Address address = memory.allocate(bytes);
    EXPECT_EQ(address % 512, 0U);
    const auto after = live.lower_bound(address);
    if (after != live.end()) {
      ASSERT_LE(address + bytes, after->first);
    }
    if (after != live.begin()) {
      const auto before = std::prev(after);
      ASSERT_LE(before->first + before->second, address);
    }
    live.emplace(address, std::max<size_t>(bytes, 1));
  }
}

TEST_F(CudaMemory, BlocksWaitForTheWorkThatMayUseThem) {
  cuda::CudaMemory memory(device_->streams());
  const StreamId stream = streams().make();
  const cuda::Address first = memory.allocate(4096);
  {
    const auto use = streams().use(stream);
    use.driver().fill_bytes(first, 1, 4096, use.stream());
  }
  memory.free(first);
  const cuda::Address second = memory.allocate(4096);
  if (second == first) {  // The card was fast.
    EXPECT_TRUE(streams().has_finished(1));
  }
  streams().synchronize(stream);
  memory.free(second);
  EXPECT_EQ(memory.allocate(4096), first);
}

// The work of one stream is in order.
TEST_F(CudaMemory, StreamsUseTheirOwnBlocksAtOnce) {
  cuda::CudaMemory memory(device_->streams());
  const StreamId stream = streams().make();
  const StreamId other = streams().make();
  const uint64_t users = uint64_t{1} << stream.value;
  const cuda::Address first = memory.allocate(4096, stream);
  { const auto use = streams().use(stream); }
  memory.free(first, users);
  EXPECT_NE(memory.allocate(4096, other), first);
  EXPECT_EQ(memory.allocate(4000, stream), first);
  memory.free(first, users);
  EXPECT_NE(memory.allocate(512, stream), first) << "much too large";
  EXPECT_NE(memory.allocate(4096), first);
  streams().synchronize(stream);
  memory.gauge().read();
  const size_t held = memory.gauge().read().bytes;
  EXPECT_EQ(memory.allocate(4096), first);
  EXPECT_EQ(memory.gauge().read().peak_bytes, held + 4096);
}

// Callers may have given their streams work on the block, which is in the order of the stream.
TEST_F(CudaMemory, BlocksOfCallersStreamsStayThere) {
  cuda::CudaMemory memory(device_->streams());
  cuda::Stream handle = nullptr;
  driver().create_stream(&handle, cuda::kStreamNonBlocking);
  const StreamId stream = streams().of_caller(handle);
  const uint64_t users = uint64_t{1} << stream.value;
  const cuda::Address first = memory.allocate(4096, stream);
  streams().begin_call(stream);
  { const auto use = streams().use(stream); }
  streams().end_call(stream);
  memory.free(first, users);
  streams().synchronize(stream);
  EXPECT_NE(memory.allocate(4096), first);
  EXPECT_EQ(memory.allocate(4096, stream), first);
  // Many of them are worth a wait.
  constexpr size_t kPart = size_t{5} << 30;  // The emulated card has 8 GiB.
  const cuda::Address large = memory.allocate(kPart, stream);
  memory.free(large, users);
  EXPECT_EQ(memory.allocate(kPart), large);
  driver().destroy_stream(handle);
}

TEST_F(CudaMemory, FullCardsGiveBackWhatIsFree) {
  cuda::CudaMemory memory(device_->streams());
  constexpr size_t kPart = size_t{3} << 30;  // The emulated card has 8 GiB.
  const cuda::Address first = memory.allocate(kPart);
  const cuda::Address second = memory.allocate(kPart);
  try {
    memory.allocate(kPart);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::out_of_memory);
  }
  memory.free(first);
  memory.free(second);
  EXPECT_NO_THROW(memory.allocate(2 * kPart));
  EXPECT_THROW(memory.allocate(size_t{1} << 60), Error);
}

TEST_F(CudaMemory, ArenasGrowInPlace) {
  const std::shared_ptr<Arena> arena = device_->reserve(size_t{64} << 20);
  std::byte* const base = arena->base();
  arena->commit(100);
  EXPECT_GE(arena->committed(), 100U);
  arena->commit(size_t{10} << 20);
  EXPECT_EQ(arena->base(), base);
  const auto memory = Storage::lend({base, arena->committed()}, device_->device(), arena);
  const std::vector<float> values = floats_of(memory);
  EXPECT_EQ(values.front(), 0);
  EXPECT_EQ(values.back(), 0);
  arena->trim(size_t{5} << 20);
  EXPECT_GE(arena->committed(), size_t{5} << 20);
  arena->trim(0);
  EXPECT_EQ(arena->committed(), 0U);
  arena->commit(1);
  EXPECT_THROW(arena->commit(size_t{1} << 40), Error);
}

TEST_F(CudaMemory, FillsBeginAnywhere) {
  const std::shared_ptr<Storage> memory = device_->allocate(64);
  const uint32_t word = 0x04030201;
  for (size_t begin = 0; begin < 6; ++begin) {
    for (size_t bytes = 0; bytes < 20; ++bytes) {
      device_->fill({}, memory->address(), 0xeeeeeeee, 64);
      device_->fill({}, memory->address() + begin, word, bytes);
      const Tensor whole(DType::u8, {64}, {1}, 0, memory);
      Tensor host = Tensor::empty(DType::u8, {64});
      device_->copy({}, host, whole);
      device_->synchronize({});
      for (size_t i = 0; i < 64; ++i) {
        const bool is_inside = i >= begin && i < begin + bytes;
        const int64_t expected = is_inside ? static_cast<int64_t>((i - begin) % 4 + 1) : 0xee;
        ASSERT_EQ(host.int_at({static_cast<int64_t>(i)}), expected) << begin << ' ' << bytes;
      }
    }
  }
}

}  // namespace
}  // namespace litz::runtime
