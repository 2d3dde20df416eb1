#include "runtime/cuda/cuda_segment.h"

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"

namespace litz::runtime {
namespace {

class CudaSegment : public CudaTest {
 protected:
  /// A state of fills and copies over the given addresses.
  cuda::LaunchState state_of(const std::vector<PlainNode>& nodes,
                             const std::vector<std::byte*>& addresses) {
    cuda::LaunchState state{.nodes = &nodes};
    for (const PlainNode& node : nodes) {
      state.places.push_back({.pointer = state.pointers.size()});
      for (size_t i = 0; i < node.pointers.size(); ++i) {
        state.pointers.push_back(cuda::address_on_card(addresses[state.pointers.size()]));
      }
    }
    return state;
  }
};

// The driver fills aligned words and bytes; another address may need other parts.
TEST_F(CudaSegment, FillsFollowTheirAddress) {
  const auto memory = device_->allocate(64);
  std::vector<PlainNode> nodes(1);
  nodes[0] = {.kind = PlainNodeKind::fill, .pointers = {{}}, .bytes = 9, .word = 0x04030201};
  cuda::LaunchState state = state_of(nodes, {memory->address()});
  cuda::CudaSegment segment(*device_, state, 0, 1, false);
  for (const size_t begin : {0U, 4U, 5U, 6U, 7U, 1U, 8U}) {
    device_->fill({}, memory->address(), 0, 64);
    state.pointers[0] = cuda::address_on_card(memory->address() + begin);
    segment.change(0);
    segment.launch(streams().use({}));
    Tensor host = Tensor::empty(DType::u8, {64});
    device_->copy({}, host, Tensor(DType::u8, {64}, {1}, 0, memory));
    device_->synchronize({});
    for (size_t i = 0; i < 64; ++i) {
      const bool is_inside = i >= begin && i < begin + 9;
      ASSERT_EQ(host.int_at({static_cast<int64_t>(i)}),
                is_inside ? static_cast<int64_t>((i - begin) % 4 + 1) : 0);
    }
  }
}

TEST_F(CudaSegment, ReleasedMemoryIsFilledOnRequest) {
  const auto memory = floats({1, 2});
  std::vector<PlainNode> nodes(1);
  nodes[0] = {.kind = PlainNodeKind::release, .pointers = {{}}, .bytes = 4};
  cuda::LaunchState state = state_of(nodes, {memory->address()});
  cuda::CudaSegment keeps(*device_, state, 0, 1, false);
  keeps.launch(streams().use({}));
  EXPECT_EQ(floats_of(memory), (std::vector<float>{1, 2}));
  cuda::CudaSegment fills(*device_, state, 0, 1, true);
  fills.launch(streams().use({}));
  EXPECT_NE(floats_of(memory)[0], 1);
  EXPECT_EQ(floats_of(memory)[1], 2);
}

TEST_F(CudaSegment, CopiesMoveAndNodesAreSwitchedOff) {
  const auto from = floats({1, 2, 3, 4});
  const auto to = floats({0, 0, 0, 0});
  std::vector<PlainNode> nodes(2);
  nodes[0] = {.kind = PlainNodeKind::copy, .pointers = {{}, {}}, .bytes = 8};
  nodes[1] = {.kind = PlainNodeKind::copy, .pointers = {{}, {}}, .bytes = 4};
  cuda::LaunchState state =
      state_of(nodes, {to->address(), from->address(), to->address(), from->address() + 12});
  cuda::CudaSegment segment(*device_, state, 0, 2, false);
  segment.launch(streams().use({}));
  EXPECT_EQ(floats_of(to), (std::vector<float>{4, 2, 0, 0}));
  state.pointers[0] = cuda::address_on_card(to->address() + 8);
  state.places[1].is_enabled = false;
  device_->fill({}, to->address(), 0, 16);
  segment.change(0);
  segment.change(1);
  segment.launch(streams().use({}));
  EXPECT_EQ(floats_of(to), (std::vector<float>{0, 0, 1, 2}));
}

}  // namespace
}  // namespace litz::runtime
