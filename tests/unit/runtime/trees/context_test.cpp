// Functions, steps and threads of a context; context_record_test.cpp has its recordings.

#include "runtime/trees/context.h"

#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class ContextTest : public TreeTest {
 protected:
  FunctionId plus_one() {
    return function("f", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  }
};

INSTANTIATE_TEST_SUITE_P(All, ContextTest, testing::ValuesIn(all_setups()), setup_name);

TEST_P(ContextTest, refuses_functions_without_a_body_and_of_others) {
  EXPECT_THROW(context().add({}), Error);
  EXPECT_THROW(context().call({77}, {}), Error);
}

TEST_P(ContextTest, removes_functions_while_their_results_are_held) {
  const FunctionId f = plus_one();
  const FunctionId g = plus_one();
  Tensor y;
  for (int i = 0; i < 4; ++i) {
    const Context::StepScope scope(context());
    y = call(g, call(f, tensor({1})));
  }
  context().remove(f);
  EXPECT_EQ(values(y), (Floats{3}));
  EXPECT_THROW(call(f, tensor({1})), Error);
  EXPECT_EQ(context().descendants().size(), 0U) << "g was recorded after f";
  EXPECT_EQ(values(call(g, tensor({1}))), (Floats{2}));
}

TEST_P(ContextTest, forgets_recordings_and_makes_new_ones) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) call(f, tensor({1}));
  EXPECT_EQ(recordings(), 1);
  context().forget_recordings(f);
  EXPECT_EQ(recordings(), 0);
  EXPECT_EQ(values(call(f, tensor({5}))), (Floats{6}));
  EXPECT_EQ(recordings(), 1);
}

TEST_P(ContextTest, a_step_scope_keeps_everything_of_its_step) {
  ContextOptions options;
  options.policy = OutputPolicy::trap;
  start(options);
  const FunctionId f = plus_one();
  for (int round = 0; round < 4; ++round) {
    const Context::StepScope scope(context());
    std::vector<Tensor> held;
    for (int i = 0; i < 4; ++i) held.push_back(call(f, tensor({static_cast<float>(i)})));
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(values(held[static_cast<size_t>(i)]), (Floats{static_cast<float>(i + 1)}));
    }
  }
  EXPECT_EQ(counts().traps, 0);
}

TEST_P(ContextTest, an_entry_within_an_entry_begins_no_step) {  // H12
  ContextOptions options;
  options.policy = OutputPolicy::trap;
  start(options);
  const FunctionId f = plus_one();
  for (int round = 0; round < 4; ++round) {
    const Context::Entry outer(context());
    const Tensor y = call(f, tensor({1}));
    {
      const Context::Entry inner(context());
      call(f, tensor({2}));
    }
    EXPECT_EQ(values(y), (Floats{2}));
  }
}

TEST_P(ContextTest, a_failing_function_leaves_everything_as_it_was) {  // H6
  const FunctionId f = plus_one();
  bool fails = false;
  const FunctionId g = function("g", [&](Work& work, const Tensor& x) {
    Tensor y = mul(work, x, 2);
    if (fails) fail(ErrorCode::invalid_argument, "it does not like the input");
    return y;
  });
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    call(g, call(f, tensor({1})));
  }
  context().mark_step();
  const Tensor y = call(f, tensor({1}));
  fails = true;
  // Only another size runs the function again.
  EXPECT_NE(error_of([&] { call(g, tensor({1, 2})); }), "");
  fails = false;
  EXPECT_EQ(values(y), (Floats{2}));
  EXPECT_EQ(context().live_storages(), 1);
  EXPECT_EQ(values(call(g, y)), (Floats{4}));
}

TEST_P(ContextTest, reports_functions) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) call(f, tensor({1}));
  Tensor held = call(f, tensor({1}));
  const ContextReport report = context().report();
  ASSERT_EQ(report.functions.size(), 1U);
  EXPECT_EQ(report.functions[0].name, "f");
  EXPECT_EQ(report.functions[0].calls, 4);
  EXPECT_EQ(report.functions[0].replays, is_fixed() ? 2 : 3);
  EXPECT_EQ(report.functions[0].recordings, 1);
  EXPECT_EQ(report.live_bytes, 4U);
  EXPECT_GT(report.committed_bytes, 0U);
  EXPECT_NE(to_string(report).find("f: 4 calls"), std::string::npos);
  held = {};
}

TEST_P(ContextTest, tells_its_state) {
  const FunctionId f = plus_one();
  EXPECT_EQ(context().state(), PathState::none);
  call(f, tensor({1}));
  if (!is_fixed()) return;
  EXPECT_EQ(context().state(), PathState::warm_up);
  call(f, tensor({1}));
  EXPECT_EQ(context().state(), PathState::recording);
  call(f, tensor({1}));
  EXPECT_EQ(context().state(), PathState::execution);
}

}  // namespace
}  // namespace litz::runtime::trees
