#include "runtime/trees/work.h"

#include <array>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/cpu/host_device.h"
#include "runtime/trees/pool.h"
#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

class WorkTest : public testing::Test {
 protected:
  Work work(std::vector<Argument> inputs, bool records = false) {
    return {*device_, {}, std::move(inputs), {.records = records, .pool = &pool_, .taken = {}}};
  }

  static Tensor floats(std::initializer_list<float> values) {
    return Tensor::of<float>(DType::f32, {static_cast<int64_t>(values.size())}, values);
  }

  std::shared_ptr<GraphDevice> device_ = make_tested_device(false);
  Pool pool_{device_, size_t{1} << 20};
};

TEST_F(WorkTest, runs_at_once_in_the_order_of_its_statements) {
  Work now = work({floats({1, 2})});
  const Tensor y = add(now, now.take(0), 1);
  add_to(now, y, 10);
  const Tensor z = mul(now, y, 2);
  now.finish();
  EXPECT_EQ(z.at({1}), 26);
}

TEST_F(WorkTest, reads_values_between_nodes) {
  Work now = work({floats({1, 2})});
  const Tensor y = add(now, now.take(0), 1);
  EXPECT_EQ(now.on_host(y).at({0}), 2);
  const Tensor z = mul(now, y, 2);
  now.finish();
  EXPECT_EQ(z.at({0}), 4);
}

TEST_F(WorkTest, hands_inputs_over_once) {
  Work now = work({floats({1}), int64_t{3}, std::monostate()});
  now.take(0);
  EXPECT_THROW(now.take(0), Error);
  EXPECT_THROW(now.take(1), Error);
  EXPECT_THROW(now.take(7), Error);
  EXPECT_EQ(now.integer(1), 3);
  EXPECT_THROW(now.integer(2), Error);
}

TEST_F(WorkTest, records_without_running) {
  const Tensor x = floats({1, 2});
  Work later = work({x}, true);
  Tensor y = add(later, later.take(0), 1);
  const Range range = pool_.range_of(y.storage().get());
  const Recording recording = later.record();
  EXPECT_EQ(recording.footprint, std::vector<Range>{range});
  EXPECT_GE(recording.nodes, 1);
  Tensor(x).copy_from(floats({5, 6}));
  recording.exec->launch({});
  EXPECT_EQ(y.at({1}), 7);
}

TEST_F(WorkTest, uses_memory_again_that_the_function_dropped) {
  Work later = work({floats({1, 2})}, true);
  const Tensor x = later.take(0);
  Tensor y = add(later, x, 1);
  std::byte* const was = y.address();
  const Tensor z = add(later, y, 1);
  y = {};
  EXPECT_EQ(add(later, z, 1).address(), was);
}

TEST_F(WorkTest, keeps_constants_of_recordings) {
  std::weak_ptr<Storage> constant;
  Recording recording;
  {
    const Tensor c = floats({5});
    constant = c.storage();
    Work later = work({floats({1})}, true);
    add(later, later.take(0), c);
    recording = later.record();
  }
  EXPECT_FALSE(constant.expired());
  recording = {};
  EXPECT_TRUE(constant.expired());
}

TEST_F(WorkTest, refuses_the_host_while_recording) {
  Work later = work({floats({1})}, true);
  const Tensor y = add(later, later.take(0), 1);
  EXPECT_THROW(later.on_host(y), Error);
  EXPECT_THROW(later.on_device(floats({1})), Error);
}

TEST_F(WorkTest, keeps_ordinary_memory_until_it_has_run) {
  Work now(*device_, {}, {floats({1, 2})}, {});
  Tensor y = add(now, now.take(0), 1);
  const Tensor z = mul(now, y, 2);
  y = {};
  now.finish();
  EXPECT_EQ(z.at({1}), 6);
}

TEST_F(WorkTest, branches_and_loops_alike_at_once_and_recorded) {
  for (const uint8_t flag : {0, 1}) {
    for (const bool records : {false, true}) {
      Tensor predicate = Tensor::of<uint8_t>(DType::u8, {1}, {flag});
      Work now = work({predicate, floats({1, 2})}, records);
      const Tensor byte = now.take(0);
      const Tensor x = now.take(1);
      const std::array<Work::Part, 2> parts{[&](Work& part) { add_to(part, x, 10); },
                                            [&](Work& part) { add_to(part, x, 20); }};
      now.branch(byte, parts);
      int left = 3;
      now.loop(byte, [&](Work& part) {
        add_to(part, x, 1);
        part.call("count", {}, std::array{byte}, [&left](std::span<std::byte* const> operands) {
          *operands[0] = static_cast<std::byte>(--left > 0 ? 1 : 0);
        });
      });
      if (records) {
        const Recording recording = now.record();
        EXPECT_EQ(x.at({0}), 1) << "nothing ran yet";
        recording.exec->launch({});
      } else {
        now.finish();
      }
      EXPECT_EQ(x.at({0}), flag != 0 ? 14 : 21);
    }
  }
}

TEST_F(WorkTest, inputs_on_one_storage_share_a_buffer) {
  const Tensor x = floats({1, 2, 3, 4});
  Work later = work({x.view({2}, {1}, 2), x.view({2}, {1}, 0)}, true);
  const Tensor high = later.take(0);
  const Tensor low = later.take(1);
  const Tensor sum = add(later, high, low);
  const Recording recording = later.record();
  EXPECT_EQ(recording.input_buffers[0], recording.input_buffers[1]);
  recording.exec->launch({});
  EXPECT_EQ(sum.at({0}), 4);
}

}  // namespace
}  // namespace litz::runtime::trees
