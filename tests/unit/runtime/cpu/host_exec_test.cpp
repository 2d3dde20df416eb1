#include "runtime/cpu/host_exec.h"

#include <cstring>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

#include "cpu/test_kernels.h"
#include "runtime/cpu/host_arena.h"
#include "support/check.h"
#include "support/thread_pool.h"

namespace litz::runtime {
namespace {

// Shortens building: pointers are offsets in buffer 0, in units of int64.
class HostExecTest : public testing::Test {
 protected:
  NodeId add(GraphBuilder& graph, std::vector<NodeId> after, int64_t from, int64_t to,
             int64_t scalar, int64_t extent = 1) {
    const Ref pointers[] = {{0, from * 8}, {0, to * 8}};
    const auto bytes = static_cast<size_t>(extent) * 8;
    const Access accesses[] = {{pointers[0], bytes, false}, {pointers[1], bytes, true}};
    return graph.kernel(after, {add_kernel_, pointers, {&scalar, 1}, {&extent, 1}, accesses});
  }

  std::unique_ptr<GraphExec> instantiate(const GraphBuilder& graph, TestBuffer& buffer) {
    const Binding binding = buffer.binding();
    return device_.instantiate(graph, {&binding, 1});
  }

  HostDevice device_;
  KernelId add_kernel_ = add_kernel(device_, add_scalar);
  std::unique_ptr<GraphBuilder> graph_ = device_.begin();
};

TEST_F(HostExecTest, RunsNodesInOrder) {
  const NodeId first = add(*graph_, {}, 0, 1, 10, 1);
  const NodeId second = add(*graph_, {first}, 1, 2, 100);
  graph_->copy({&second, 1}, {0, 3 * 8}, {0, 2 * 8}, 8);
  graph_->fill({}, {0, 4 * 8}, 0x01010101, 4);
  TestBuffer buffer{1, 0, 0, 0, 0};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values, (std::vector<int64_t>{1, 11, 111, 111, 0x01010101}));
  buffer.values[0] = 2;
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[3], 112);
  EXPECT_EQ(device_.counters().launches, 2);
  EXPECT_EQ(device_.counters().copies, 2);
  EXPECT_EQ(device_.counters().bytes_copied, 16);
}

TEST_F(HostExecTest, OneGraphManyExecutables) {
  add(*graph_, {}, 0, 0, 1);
  TestBuffer first{0};
  TestBuffer second{10};
  const std::unique_ptr<GraphExec> one = instantiate(*graph_, first);
  const std::unique_ptr<GraphExec> two = instantiate(*graph_, second);
  graph_.reset();
  one->launch(StreamId{});
  two->launch(StreamId{});
  two->launch(StreamId{});
  EXPECT_EQ(first.values[0], 1);
  EXPECT_EQ(second.values[0], 12);
}

TEST_F(HostExecTest, PatchesChangeLaterLaunches) {
  const NodeId first = add(*graph_, {}, 0, 1, 10);
  const NodeId second = add(*graph_, {first}, 1, 1, 100);
  TestBuffer buffer{1, 0, 7};
  TestBuffer other{5, 0, 7};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  const Patch rebind[] = {BindBuffer{0, other.binding()}};
  exec->patch(rebind);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[1], 0);
  EXPECT_EQ(other.values[1], 115);
  const Patch scalar[] = {SetScalar{first, 0, 1000}};
  exec->patch(scalar);
  exec->launch(StreamId{});
  EXPECT_EQ(other.values[1], 1105);
  const Patch off[] = {EnableNode{second, false}};
  exec->patch(off);
  exec->launch(StreamId{});
  EXPECT_EQ(other.values[1], 1005);
  const Patch on[] = {EnableNode{second, true}, SetExtent{first, 0, 2}};
  exec->patch(on);
  exec->launch(StreamId{});
  EXPECT_EQ(other.values, (std::vector<int64_t>{5, 1105, 2005}));  // In place: x[1] is y[0].
  const Patch none[] = {SetExtent{first, 0, 0}, SetExtent{second, 0, 0}};
  exec->patch(none);
  other.values[1] = 3;
  exec->launch(StreamId{});
  EXPECT_EQ(other.values[1], 3);
  EXPECT_EQ(device_.counters().patches, 7);
}

// The offset stays with the pointer when its buffer moves later.
TEST_F(HostExecTest, PointersMoveWithinTheirBuffer) {
  const NodeId node = add(*graph_, {}, 0, 1, 10);
  TestBuffer buffer{1, 0, 7, 0};
  TestBuffer other{5, 0, 8, 0};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  const Patch moved[] = {SetOffset{node, 0, 2 * static_cast<int64_t>(sizeof(int64_t))}};
  exec->patch(moved);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values, (std::vector<int64_t>{1, 17, 7, 0}));
  const Patch rebind[] = {BindBuffer{0, other.binding()}};
  exec->patch(rebind);
  exec->launch(StreamId{});
  EXPECT_EQ(other.values, (std::vector<int64_t>{5, 18, 8, 0}));
}

TEST_F(HostExecTest, ABadPatchChangesNothing) {
  const NodeId node = add(*graph_, {}, 0, 1, 10);
  TestBuffer buffer{1, 0};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  const Patch bad[] = {
      BindBuffer{1, buffer.binding()},
      BindBuffer{-1, buffer.binding()},
      SetScalar{node, 1, 0},
      SetScalar{{0, 5}, 0, 0},
      SetExtent{node, 1, 0},
      SetExtent{node, 0, -1},
      SetCost{node, 1, 0},
      SetCost{node, 0, -1},
      EnableNode{{1, 0}, false},
      SetOffset{node, 2, 0},
      SetOffset{node, -1, 0},
  };
  for (const Patch& patch : bad) {
    const Patch patches[] = {SetScalar{node, 0, 99}, patch};
    EXPECT_THROW(exec->patch(patches), Error);
  }
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[1], 11);
}

TEST_F(HostExecTest, BuildingRefusesWhatCannotBe) {
  const NodeId node = add(*graph_, {}, 0, 1, 10);
  EXPECT_THROW(add(*graph_, {{0, 1}}, 0, 1, 10), Error);
  EXPECT_THROW(add(*graph_, {{1, 0}}, 0, 1, 10), Error);
  EXPECT_THROW(graph_->kernel({}, {add_kernel_, {}, {}, {}, {}}), Error);  // No extent.
  EXPECT_THROW(graph_->call({}, {}), Error);
  EXPECT_THROW(graph_->conditional({}, ConditionKind::while_loop, {0, 0}, 2), Error);
  EXPECT_THROW(device_.instantiate(*graph_, {}), Error);  // Buffer 0 has no address.
  EXPECT_EQ(add(*graph_, {node}, 0, 1, 10).index, 1);
}

TEST_F(HostExecTest, Conditionals) {
  const GraphBuilder::Conditional choice =
      graph_->conditional({}, ConditionKind::if_else, {0, 0}, 2);
  add(*choice.bodies[0], {}, 1, 2, 10);
  const NodeId otherwise = add(*choice.bodies[1], {}, 1, 2, 20);
  TestBuffer buffer{1, 5, 0};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[2], 15);
  buffer.values[0] = 0;
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[2], 25);
  const Patch patches[] = {SetScalar{otherwise, 0, 30}};
  exec->patch(patches);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[2], 35);
}

TEST_F(HostExecTest, WhileRunsAsLongAsItsByte) {
  const KernelId count = add_kernel(device_, count_down);
  const GraphBuilder::Conditional loop =
      graph_->conditional({}, ConditionKind::while_loop, {0, 0}, 1);
  const NodeId step = add(*loop.bodies[0], {}, 2, 2, 3);
  const Ref pointers[] = {{0, 0}, {0, 8}};
  const int64_t extent = 1;
  loop.bodies[0]->kernel({&step, 1}, {count, pointers, {}, {&extent, 1}, {}});
  TestBuffer buffer{1, 5, 0};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[2], 15);
  exec->launch(StreamId{});  // The byte is zero now.
  EXPECT_EQ(buffer.values[2], 15);
}

// Adds its scalar to the first of its operands, unless that is negative.
struct AddCall final : NodeCall {
  void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) override {
    EXPECT_EQ(operands[1], nullptr);
    auto* const value = reinterpret_cast<int64_t*>(operands[0]);
    require(*value >= 0, "the value must not be negative");
    *value += scalars[0];
  }
};

TEST_F(HostExecTest, CallsAreGivenTheirOperandsOfEachLaunch) {
  AddCall call;
  const Ref pointers[] = {{0, 8}, Ref::fixed(nullptr)};
  const int64_t scalar = 3;
  const NodeId node = graph_->call({}, {&call, pointers, {&scalar, 1}, {}});
  graph_->label(node, "%1 = a test");
  EXPECT_THROW(graph_->label({0, 5}, "nothing"), Error);
  TestBuffer buffer{0, 1};
  TestBuffer other{0, 10};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  exec->launch(StreamId{});
  EXPECT_EQ(buffer.values[1], 4);
  const Patch patches[] = {BindBuffer{0, other.binding()}, SetScalar{node, 0, 5}};
  exec->patch(patches);
  exec->launch(device_.make_stream());
  EXPECT_EQ(other.values[1], 15);
  other.values[1] = -1;
  try {
    exec->launch(StreamId{});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("while running %1 = a test"), std::string::npos);
  }
}

TEST_F(HostExecTest, FailuresNameTheCheckAndTheValue) {
  const KernelId below = add_kernel(device_, check_below);
  const Ref pointer{0, 0};
  const int64_t limit = 10;
  const int64_t extent = 4;
  graph_->kernel({}, {below, {&pointer, 1}, {&limit, 1}, {&extent, 1}, {}});
  TestBuffer buffer{1, 12, 3, 11};
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, buffer);
  try {
    exec->launch(StreamId{});
    FAIL();
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.code(), ErrorCode::out_of_range);
    EXPECT_EQ(fault.node(), (NodeId{0, 0}));
    EXPECT_EQ(fault.failure().value, 12);
    EXPECT_STREQ(fault.what(),
                 "an index must lie in its dimension: index of a test must be at least 0 "
                 "and below 10 but is 12");
  }
  buffer.values = {1, 2, 3, 4};
  EXPECT_NO_THROW(exec->launch(StreamId{}));
}

TEST(HostExec, ThreadsShareLargeKernels) {
  ThreadPool pool(3);
  HostDevice device(&pool);
  const KernelId kernel = add_kernel(device, multiply);
  const KernelId below = add_kernel(device, check_below);
  std::vector<int64_t> x(10000);
  std::vector<int64_t> z(10000);
  std::iota(x.begin(), x.end(), 0);
  const std::unique_ptr<GraphBuilder> graph = device.begin();
  const Ref pointers[] = {Ref::fixed(x.data()), Ref::fixed(x.data()), Ref::fixed(z.data())};
  const int64_t extent = 10000;
  const int64_t cost = 1'000'000;
  const NodeId node = graph->kernel({}, {kernel, pointers, {}, {&extent, 1}, {}, {&cost, 1}});
  const int64_t limit = 10;
  graph->kernel({&node, 1}, {below, {pointers, 1}, {&limit, 1}, {&extent, 1}, {}, {&cost, 1}});
  const std::unique_ptr<GraphExec> exec = device.instantiate(*graph, {});
  try {
    exec->launch(StreamId{});
    FAIL();
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.failure().value, 10);  // The first of all, though other pieces fail too.
  }
  for (int64_t i = 0; i < extent; ++i) ASSERT_EQ(z[static_cast<size_t>(i)], i * i);
}

// A launch tells what an iteration costs at its sizes, and a patch what it costs at others.
TEST(HostExec, CostsDecideHowManyTasksThereAre) {
  ThreadPool pool(3);
  HostDevice device(&pool);
  const KernelId kernel = add_kernel(device, count_calls);
  int64_t calls = 0;
  const Ref pointer = Ref::fixed(&calls);
  const int64_t extent = 8;
  const int64_t cost = 1000;
  const std::unique_ptr<GraphBuilder> graph = device.begin();
  const NodeId node = graph->kernel({}, {kernel, {&pointer, 1}, {}, {&extent, 1}, {}, {&cost, 1}});
  const std::unique_ptr<GraphExec> exec = device.instantiate(*graph, {});
  const auto calls_at = [&](std::initializer_list<Patch> patches) {
    calls = 0;
    exec->patch(std::vector<Patch>(patches));
    exec->launch(StreamId{});
    return calls;
  };
  EXPECT_EQ(calls_at({}), 1);
  EXPECT_EQ(calls_at({SetCost{node, 0, 2'000'000}}), 3) << "one for each thread";
  EXPECT_EQ(calls_at({SetCost{node, 0, 1'000'000'000}}), 8) << "one for each iteration";
  EXPECT_EQ(calls_at({SetExtent{node, 0, 2}}), 2) << "the cost stays";
  EXPECT_EQ(calls_at({SetExtent{node, 0, 8}, SetCost{node, 0, 10}}), 1);
}

TEST_F(HostExecTest, ReleasedRangesAreFilledInPoisonMode) {
  const NodeId node = add(*graph_, {}, 0, 1, 10);
  graph_->release({&node, 1}, {0, 0}, 8);
  TestBuffer plain{1, 0};
  instantiate(*graph_, plain)->launch(StreamId{});
  EXPECT_EQ(plain.values, (std::vector<int64_t>{1, 11}));
  device_.set_modes({.poison = true});
  TestBuffer poisoned{1, 0};
  instantiate(*graph_, poisoned)->launch(StreamId{});
  uint32_t word = 0;
  std::memcpy(&word, poisoned.values.data(), sizeof(word));
  EXPECT_EQ(word, kPoisonWord);
  EXPECT_EQ(poisoned.values[1], 11);
}

TEST_F(HostExecTest, AccessesMustLieInTheirBuffers) {
  device_.set_modes({.check_accesses = true});
  add(*graph_, {}, 0, 1, 10, 2);
  TestBuffer small{1, 0};
  TestBuffer large{1, 0, 0};
  EXPECT_THROW(instantiate(*graph_, small), InternalError);
  const std::unique_ptr<GraphExec> exec = instantiate(*graph_, large);
  const Patch patches[] = {BindBuffer{0, small.binding()}};
  EXPECT_THROW(exec->patch(patches), InternalError);
  exec->launch(StreamId{});
  EXPECT_EQ(large.values[1], 11);
  EXPECT_EQ(small.values[1], 0);
}

TEST_F(HostExecTest, NodesWithoutAPathMustNotConflict) {
  device_.set_modes({.check_accesses = true});
  const NodeId first = add(*graph_, {}, 0, 1, 10);
  add(*graph_, {first}, 1, 2, 10);
  TestBuffer buffer{1, 0, 0, 0};
  EXPECT_NO_THROW(instantiate(*graph_, buffer));
  const GraphBuilder::Conditional choice =
      graph_->conditional({}, ConditionKind::if_else, {0, 0}, 1);
  add(*choice.bodies[0], {}, 1, 3, 10);  // Reads what the first node writes.
  EXPECT_THROW(instantiate(*graph_, buffer), InternalError);
}

TEST_F(HostExecTest, UndeclaredAccessesAreRefusedByTheCheck) {
  const Ref pointers[] = {{0, 0}, {0, 8}};
  const int64_t one = 1;
  graph_->kernel({}, {add_kernel_, pointers, {&one, 1}, {&one, 1}, {}});
  TestBuffer buffer{1, 0};
  EXPECT_NO_THROW(instantiate(*graph_, buffer));
  device_.set_modes({.check_accesses = true});
  EXPECT_THROW(instantiate(*graph_, buffer), InternalError);
}

TEST_F(HostExecTest, AddressesOutsideOfPointersAreFound) {
  device_.set_modes({.audit_pointers = true});
  const std::shared_ptr<Arena> arena = device_.reserve(1 << 20);
  const auto address = static_cast<int64_t>(reinterpret_cast<intptr_t>(arena->base()));
  EXPECT_NO_THROW(add(*graph_, {}, 0, 1, 10));
  EXPECT_THROW(add(*graph_, {}, 0, 1, address + 100), InternalError);
  EXPECT_THROW(graph_->fill({}, Ref::fixed(arena->base()), 0, 8), InternalError);
}

TEST_F(HostExecTest, TimesItsNodesWhenAsked) {
  const NodeId first = add(*graph_, {}, 0, 1, 10);
  add(*graph_, {first}, 1, 2, 100);
  std::vector<double> seconds(2);
  TestBuffer buffer{1, 0, 0};
  const auto exec = instantiate(*graph_, buffer);
  exec->launch_timed(StreamId{}, seconds);
  EXPECT_EQ(buffer.values[2], 111);
  EXPECT_GT(seconds[0], 0);
  EXPECT_GT(seconds[1], 0);
  const std::vector<double> before = seconds;
  exec->launch(StreamId{});
  EXPECT_EQ(seconds, before);
  seconds.resize(1);
  EXPECT_THROW(exec->launch_timed(StreamId{}, seconds), InternalError);
}

// Without its edge, the second node sees the first one's result in some orders only.
TEST_F(HostExecTest, OrderFuzzingRevealsMissingEdges) {
  const NodeId first = add(*graph_, {}, 0, 1, 10);
  const std::unique_ptr<GraphBuilder> wrong = device_.begin();
  add(*wrong, {}, 0, 1, 10);
  add(*wrong, {}, 1, 2, 100);
  add(*graph_, {first}, 1, 2, 100);
  int right_with_edge = 0;
  int right_without = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    device_.set_modes({.order_seed = seed});
    TestBuffer buffer{1, 0, 0};
    instantiate(*graph_, buffer)->launch(StreamId{});
    right_with_edge += buffer.values[2] == 111 ? 1 : 0;
    TestBuffer other{1, 0, 0};
    instantiate(*wrong, other)->launch(StreamId{});
    right_without += other.values[2] == 111 ? 1 : 0;
  }
  EXPECT_EQ(right_with_edge, 40);
  EXPECT_GT(right_without, 0);
  EXPECT_LT(right_without, 40);
}

TEST_F(HostExecTest, ExecutablesRunInParallel) {
  add(*graph_, {}, 0, 0, 1);
  std::vector<std::thread> threads;
  std::vector<TestBuffer> buffers(4, TestBuffer{0});
  for (TestBuffer& buffer : buffers) {
    threads.emplace_back([&buffer, exec = std::shared_ptr(instantiate(*graph_, buffer))] {
      for (int i = 0; i < 1000; ++i) exec->launch(StreamId{});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const TestBuffer& buffer : buffers) EXPECT_EQ(buffer.values[0], 1000);
  EXPECT_EQ(device_.counters().launches, 4000);
}

}  // namespace
}  // namespace litz::runtime
