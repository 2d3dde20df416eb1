// Recordings of a context: when one is made, when one fits, what it copies.

#include "runtime/trees/context.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class ContextRecord : public TreeTest {
 protected:
  FunctionId plus_one() {
    return function("f", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  }
};

INSTANTIATE_TEST_SUITE_P(All, ContextRecord, testing::ValuesIn(all_setups()), setup_name);

TEST_P(ContextRecord, warms_up_records_and_replays) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(values(call(f, tensor({static_cast<float>(i)}))),
              (Floats{static_cast<float>(i + 1)}));
  }
  EXPECT_EQ(counts().warm_ups, is_fixed() ? 1 : 0);
  EXPECT_EQ(counts().recordings, 1);
  EXPECT_EQ(counts().replays, is_fixed() ? 3 : 4);
  EXPECT_EQ(counts().copied_inputs, is_fixed() ? 1 : 0);
}

TEST_P(ContextRecord, managed_inputs_are_not_copied) {
  const FunctionId f = plus_one();
  const FunctionId g = plus_one();
  for (int i = 0; i < 4; ++i) {
    const Context::StepScope scope(context());
    EXPECT_EQ(values(call(g, call(f, tensor({1})))), (Floats{3}));
  }
  EXPECT_EQ(counts().copied_inputs, is_fixed() ? 1 : 0);
  if (is_fixed()) {
    EXPECT_EQ(context().descendants(), (std::vector<int64_t>{1}));
  }
}

TEST_P(ContextRecord, the_other_branch_becomes_a_sibling) {  // T3
  const FunctionId f1 = plus_one();
  const FunctionId f2 = function("f2", [](Work& work, const Tensor& x) { return mul(work, x, 2); });
  const FunctionId f3 = function("f3", [](Work& work, const Tensor& x) { return mul(work, x, 3); });
  const auto run = [&](FunctionId branch) {
    const Context::Entry entry(context());
    const Tensor y = call(f1, tensor({1}));
    return values(call(branch, y));
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(f2), (Floats{4}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(f3), (Floats{6}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(run(f2), (Floats{4}));
  if (!is_fixed()) return;
  EXPECT_EQ(context().descendants(), (std::vector<int64_t>{2}));
  EXPECT_EQ(counts().restores, 2);
  EXPECT_EQ(counts().recordings, 3);
}

TEST_P(ContextRecord, memory_that_is_held_is_never_written) {  // H1, H4
  const FunctionId f = plus_one();
  const Context::StepScope scope(context());
  std::vector<Tensor> held;
  for (int i = 0; i < 12; ++i) {
    held.push_back(call(f, tensor({static_cast<float>(i)})));
    if (i % 3 == 2) held[static_cast<size_t>(i - 1)] = {};
  }
  for (int i = 0; i < 12; ++i) {
    const Tensor& y = held[static_cast<size_t>(i)];
    if (y.defined()) {
      EXPECT_EQ(values(y), (Floats{static_cast<float>(i + 1)})) << i;
    }
  }
}

TEST_P(ContextRecord, numbers_and_text_are_part_of_a_recording) {
  Function scales;
  scales.body = [](Work& work) -> std::vector<Value> {
    const double factor = std::get<double>(work.argument(1));
    return {mul(work, work.take(0), static_cast<float>(factor))};
  };
  const FunctionId f = add_function(std::move(scales));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(call_all(f, {tensor({2}), 3.0}).at(0)), (Floats{6}));
    EXPECT_EQ(values(call_all(f, {tensor({2}), 5.0}).at(0)), (Floats{10}));
  }
}

TEST_P(ContextRecord, every_layout_is_one_of_its_own) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) {
    const Tensor x = tensor({1, 2, 3, 4});
    EXPECT_EQ(values(call(f, x.view({2}, {1}, 0))), (Floats{2, 3}));
    EXPECT_EQ(values(call(f, x.view({2}, {2}, 0))), (Floats{2, 4}));
    EXPECT_EQ(values(call(f, x.view({2}, {2}, 1))), (Floats{3, 5}));
  }
}

TEST_P(ContextRecord, without_warm_up_the_first_call_records) {
  ContextOptions options;
  options.warms_up = false;
  start(options);
  const FunctionId f = plus_one();
  EXPECT_EQ(values(call(f, tensor({1}))), (Floats{2}));
  EXPECT_EQ(recordings(), 1);
  options.always_warms_up = true;
  start(options);
  const FunctionId g = plus_one();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(g, tensor({1}))), (Floats{2}));
  EXPECT_EQ(recordings(), 0);
}

TEST_P(ContextRecord, evicts_the_least_recently_used) {
  ContextOptions options;
  options.most_recordings = 2;
  options.warms_up = false;
  start(options);
  const FunctionId f = plus_one();
  for (size_t n = 1; n <= 3; ++n) call(f, tensor(Floats(n, 1)));
  EXPECT_EQ(recordings(), 2);
  EXPECT_EQ(counts().evictions, 1);
  call(f, tensor(Floats(2, 1)));
  EXPECT_EQ(counts().recordings, 3) << "the second one is still there";
  EXPECT_EQ(values(call(f, tensor(Floats(1, 1)))), (Floats{2}));
  EXPECT_EQ(counts().recordings, 4);
}

TEST_P(ContextRecord, a_consumed_input_makes_room) {
  const FunctionId f = plus_one();
  const FunctionId g = function("chain", [](Work& work, const Tensor&) {
    Tensor y = work.empty(DType::f32, {4});
    work.fill(y, 0);
    return add(work, y, 1);
  });
  for (int i = 0; i < 5; ++i) {
    const Context::StepScope scope(context());
    EXPECT_EQ(values(call(g, call(f, tensor({1, 2, 3, 4})))), Floats(4, 1));
    const Tensor kept = call(f, tensor({1, 2, 3, 4}));
    EXPECT_EQ(values(call(g, kept)), Floats(4, 1));
    EXPECT_EQ(values(kept), (Floats{2, 3, 4, 5})) << "an input that is held is not consumed";
  }
}

}  // namespace
}  // namespace litz::runtime::trees
