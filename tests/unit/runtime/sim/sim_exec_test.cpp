#include "runtime/sim/sim_exec.h"

#include <gtest/gtest.h>

#include "cpu/test_kernels.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

// y = x + scalar, on an int64 each.
class SimExecTest : public testing::Test {
 protected:
  std::shared_ptr<Storage> number(int64_t value) {
    const Tensor there = copied(Tensor::scalar_int(DType::i64, value), {}, where_);
    device_.synchronize({});  // Other streams use it, too.
    return there.storage();
  }

  int64_t value_of(const std::shared_ptr<Storage>& storage) {
    return on_host(Tensor(DType::i64, {}, {}, 0, storage), where_).int_at({});
  }

  static Binding binding(const std::shared_ptr<Storage>& storage) {
    return {storage->address(), 8};
  }

  std::unique_ptr<GraphExec> add(const std::shared_ptr<Storage>& x,
                                 const std::shared_ptr<Storage>& y, int64_t scalar) {
    const std::unique_ptr<GraphBuilder> graph = device_.begin();
    const Ref pointers[] = {{0, 0}, {1, 0}};
    const int64_t extent = 1;
    node_ = graph->kernel({}, {kernel_, pointers, {&scalar, 1}, {&extent, 1}, {}});
    const Binding bindings[] = {binding(x), binding(y)};
    return device_.instantiate(*graph, bindings);
  }

  SimDevice device_;
  DeviceStream where_{device_, {}};
  KernelId kernel_ = device_.add_kernel(
      {.name = "add", .phases = {{.function = add_scalar}}, .checks = {{.text = "a test"}}});
  NodeId node_;
};

// Each launch has the patches that came before it, and none that came after.
TEST_F(SimExecTest, PatchesBelongToTheLaunchesAfterThem) {
  for (uint64_t seed = 0; seed < 16; ++seed) {
    device_.set_modes({.order_seed = seed});
    const auto x = number(1);
    std::vector<std::shared_ptr<Storage>> results;
    const auto y = number(0);
    const auto exec = add(x, y, 0);
    for (int64_t i = 0; i < 6; ++i) {
      results.push_back(number(0));
      const Patch patches[] = {BindBuffer{1, binding(results.back())}, SetScalar{node_, 0, 10 * i}};
      exec->patch(patches);
      exec->launch(StreamId{i % 2 == 0 ? 0 : device_.make_stream().value});
    }
    for (int32_t stream = 0; stream < 4; ++stream) device_.synchronize({stream});
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_EQ(value_of(results[static_cast<size_t>(i)]), 1 + 10 * i);
  }
}

TEST_F(SimExecTest, GoesWhenItsLaunchesHaveRun) {
  const auto x = number(1);
  const auto y = number(0);
  for (int i = 0; i < 8; ++i) add(x, y, i)->launch({});
  EXPECT_EQ(value_of(y), 8);
}

TEST_F(SimExecTest, RefusesWhatIsNotThere) {
  auto x = number(1);
  const auto exec = add(x, x, 0);
  const Patch bad[] = {SetScalar{node_, 5, 0}};
  EXPECT_THROW(exec->patch(bad), Error);
  const Binding gone = binding(x);
  x.reset();
  const Patch dangling[] = {BindBuffer{0, gone}};
  EXPECT_THROW(exec->patch(dangling), Error);
}

TEST_F(SimExecTest, FailuresOfKernelsComeLater) {
  const KernelId below = device_.add_kernel(
      {.name = "below", .phases = {{.function = check_below}}, .checks = {{.text = "a test"}}});
  const auto x = number(20);
  const std::unique_ptr<GraphBuilder> graph = device_.begin();
  const Ref pointer{0, 0};
  const int64_t limit = 10;
  const int64_t extent = 1;
  const NodeId node = graph->kernel({}, {below, {&pointer, 1}, {&limit, 1}, {&extent, 1}, {}});
  graph->label(node, "%3 = a test");
  const Binding bound = binding(x);
  const auto exec = device_.instantiate(*graph, {&bound, 1});
  EXPECT_NO_THROW(exec->launch({}));
  try {
    device_.synchronize({});
    FAIL();
  } catch (const KernelFault& fault) {
    EXPECT_EQ(fault.failure().value, 20);
    EXPECT_NE(std::string(fault.what()).find("%3 = a test"), std::string::npos);
  }
}

TEST_F(SimExecTest, TimesItsNodes) {
  const auto x = number(1);
  const auto y = number(0);
  std::vector<double> seconds(1);
  add(x, y, 4)->launch_timed({}, seconds);
  EXPECT_GT(seconds[0], 0);
  EXPECT_EQ(value_of(y), 5);
}

}  // namespace
}  // namespace litz::runtime
