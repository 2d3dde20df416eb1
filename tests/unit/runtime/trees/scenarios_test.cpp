// The scenarios S1 to S28 of docs/graph_trees.md, as far as functions of a context show them. Each
// compares with the values that separate calls have.

#include <array>
#include <thread>
#include <utility>

#include "runtime/program/device_stream.h"
#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class Scenarios : public TreeTest {
 protected:
  FunctionId plus_one() {
    return function("f", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  }

  FunctionId twice() {
    return function("g", [](Work& work, const Tensor& x) { return mul(work, x, 2); });
  }

  void start_with(OutputPolicy policy) {
    ContextOptions options;
    options.policy = policy;
    start(options);
  }
};

INSTANTIATE_TEST_SUITE_P(All, Scenarios, testing::ValuesIn(all_setups()), setup_name);

TEST_P(Scenarios, s1_chained_calls_need_no_marks) {
  for (const auto policy : {OutputPolicy::fresh, OutputPolicy::clone, OutputPolicy::trap}) {
    start_with(policy);
    const FunctionId f = plus_one();
    const FunctionId g = twice();
    for (int i = 0; i < 4; ++i) {
      EXPECT_EQ(values(call(g, call(f, tensor({1, 1})))), (Floats{4, 4}));
      EXPECT_EQ(values(call(f, call(f, tensor({1, 1})))), (Floats{3, 3}));
    }
  }
}

TEST_P(Scenarios, s2_any_number_of_calls_behaves_the_same) {
  for (int n = 1; n <= 5; ++n) {
    start_with(OutputPolicy::trap);
    const FunctionId f = plus_one();
    const FunctionId g = twice();
    Tensor y;
    for (int i = 0; i < n; ++i) y = call(g, tensor({1, 2, 3, 4, 5}));
    EXPECT_EQ(values(call(f, y)), (Floats{3, 5, 7, 9, 11})) << n;
  }
}

TEST_P(Scenarios, s3_a_cache_grows) {
  Function appends;
  appends.body = [](Work& work) -> std::vector<Value> {
    const Tensor cache = work.take(0);
    return {cat(work, cache, mul(work, work.take(1), 2))};
  };
  const FunctionId f = add_function(std::move(appends));
  Tensor cache = tensor(Floats{});
  Floats expected;
  for (int i = 0; i < 10; ++i) {
    context().mark_step();
    cache = call_all(f, {cache, tensor({static_cast<float>(i)})}).at(0);
    expected.push_back(static_cast<float>(2 * i));
    EXPECT_EQ(values(cache), expected);
  }
}

TEST_P(Scenarios, s4_state_is_fed_back_and_written) {
  for (const bool marks : {false, true}) {
    start({});
    Function first;
    first.body = [](Work& work) -> std::vector<Value> {
      Tensor state = work.empty(DType::f32, {2});
      work.fill(state, 0);
      add_to(work, state, work.take(0));
      return {add(work, state, 0), state};
    };
    Function next;
    next.inputs = {{.name = "state", .source = "", .is_mutated = true, .mutated_by = "add_"}};
    next.body = [](Work& work) -> std::vector<Value> {
      const Tensor state = work.take(0);
      add_to(work, state, work.take(1));
      return {add(work, state, 0), state};
    };
    const FunctionId f = add_function(std::move(first));
    const FunctionId g = add_function(std::move(next));
    Tensor state = call_all(f, {tensor({1, 2})}).at(1);
    for (int i = 2; i <= 6; ++i) {
      if (marks) context().mark_step();
      auto outputs = call_all(g, {state, tensor({1, 2})});
      const auto number = static_cast<float>(i);
      EXPECT_EQ(values(outputs[0]), (Floats{number, 2 * number}));
      EXPECT_EQ(values(state), (Floats{number, 2 * number})) << "written in place";
      state = outputs[1];
    }
  }
}

TEST_P(Scenarios, s7_a_result_may_be_the_input) {
  const FunctionId a = plus_one();
  Function both;
  both.body = [](Work& work) -> std::vector<Value> {
    const Tensor y = work.take(0);
    return {y, mul(work, y, 2)};
  };
  const FunctionId b = add_function(std::move(both));
  for (int i = 0; i < 4; ++i) {
    const Context::Entry entry(context());
    const Tensor y = call(a, tensor({1}));
    const auto outputs = call_all(b, {y});
    EXPECT_EQ(outputs[0].storage(), y.storage());
    EXPECT_EQ(values(outputs[0]), (Floats{2}));
    EXPECT_EQ(values(outputs[1]), (Floats{4}));
  }
}

TEST_P(Scenarios, s10_streams_alternate) {
  if (!GetParam().is_simulated) return;
  const FunctionId f = plus_one();
  const StreamId streams[] = {device_->make_stream(), device_->make_stream()};
  std::vector<Tensor> copies;
  for (int i = 0; i < 10; ++i) {
    const StreamId stream = streams[i % 2];
    const Tensor x = copied(Tensor::of<float>(DType::f32, {2}, {static_cast<float>(i), 1}), {},
                            {*device_, stream});
    const Tensor y = std::get<Tensor>(context().call(f, {x}, stream).at(0));
    copies.push_back(copied(y, {}, {*device_, stream}));
  }
  for (const StreamId stream : streams) device_->synchronize(stream);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(values(copies[static_cast<size_t>(i)]), (Floats{static_cast<float>(i + 1), 2}));
  }
}

TEST_P(Scenarios, s13_inputs_overlap) {
  Function sums;
  sums.body = [](Work& work) -> std::vector<Value> {
    return {add(work, work.take(0), work.take(1))};
  };
  const FunctionId f = add_function(std::move(sums));
  Function writes;
  writes.inputs = {{.name = "a", .source = "", .is_mutated = true, .mutated_by = "add_"}};
  writes.body = [](Work& work) -> std::vector<Value> {
    const Tensor a = work.take(0);
    const Tensor b = work.take(1);
    add_to(work, a, 1);
    return {add(work, a, b)};
  };
  const FunctionId g = add_function(std::move(writes));
  for (int i = 0; i < 4; ++i) {
    const Tensor p = tensor({0, 1, 2, 3, 4, 5});
    const Tensor low = p.view({2}, {1}, 0);
    EXPECT_EQ(values(call_all(f, {low, p.view({2}, {1}, 4)}).at(0)), (Floats{4, 6}));
    EXPECT_EQ(values(call_all(f, {low, p.view({2}, {1}, 1)}).at(0)), (Floats{1, 3}));
    EXPECT_EQ(values(call_all(g, {low, p.view({2}, {1}, 1)}).at(0)), (Floats{3, 4}));
    EXPECT_EQ(values(p), (Floats{1, 2, 2, 3, 4, 5}));
  }
}

TEST_P(Scenarios, s14_storages_are_replaced) {
  const FunctionId f = plus_one();
  const FunctionId g = twice();
  for (int i = 0; i < 10; ++i) {
    const Tensor y = call(f, tensor({1, 2}));
    Floats larger = values(y);
    larger.resize(4);
    EXPECT_EQ(values(call(g, tensor(larger))), (Floats{4, 6, 0, 0}));
  }
}

TEST_P(Scenarios, s16_many_sizes_keep_the_budget) {
  ContextOptions options;
  options.most_recordings = 8;
  start(options);
  const FunctionId f = plus_one();
  for (int round = 0; round < 2; ++round) {
    for (size_t n = 1; n <= 100; ++n) {
      for (int i = 0; i < 2; ++i) EXPECT_EQ(values(call(f, tensor(Floats(n, 1)))), Floats(n, 2));
      EXPECT_LE(recordings(), 8);
    }
  }
  EXPECT_GE(counts().evictions, 92);
  EXPECT_EQ(messages("distinct sizes"), 1);
  EXPECT_LE(context().report().committed_bytes, size_t{2} << 20);
}

TEST_P(Scenarios, s17_managed_inputs_rotate) {
  Function three;
  three.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {add(work, x, 1), add(work, x, 2), add(work, x, 3)};
  };
  const FunctionId parent = add_function(std::move(three));
  const FunctionId child = twice();
  for (int i = 0; i < 30; ++i) {
    context().mark_step();
    const auto outputs = call_all(parent, {tensor({0})});
    EXPECT_EQ(values(call(child, outputs[static_cast<size_t>(i % 3)])),
              (Floats{static_cast<float>(2 * (i % 3 + 1))}));
  }
  EXPECT_LE(recordings(), 4);
}

TEST_P(Scenarios, s17_changing_managed_inputs_are_copied) {
  ContextOptions options;
  options.most_managed_changes = 3;
  start(options);
  const FunctionId parent = plus_one();
  const FunctionId child = twice();
  std::vector<Tensor> held;  // So that outputs of the parent are elsewhere each time.
  const Context::StepScope same_step(context());
  for (int i = 0; i < 30; ++i) {
    const Tensor y = call(parent, tensor({static_cast<float>(i)}));
    held.push_back(y);
    EXPECT_EQ(values(call(child, y)), (Floats{static_cast<float>(2 * i + 2)}));
  }
}

TEST_P(Scenarios, s18_a_parameter_alternates) {
  Function more;
  more.inputs = {{.name = "w", .source = "", .is_static = true, .mutated_by = ""}};
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, x, 1); }, more);
  std::vector<Tensor> weights;
  for (int i = 0; i < 4; ++i) weights.push_back(tensor({static_cast<float>(i)}));
  for (int i = 0; i < 40; ++i) {
    EXPECT_EQ(values(call(f, weights[static_cast<size_t>(i % 4)])),
              (Floats{static_cast<float>(i % 4 + 1)}));
  }
  EXPECT_EQ(recordings(), is_fixed() ? 4 : 1);
  EXPECT_EQ(counts().copies, 0);
}

TEST_P(Scenarios, s19_constants_of_a_recording_stay) {
  FunctionId f;
  {
    const Tensor staging = tensor({1, 2});
    Function reads;
    // The body forgets the tensor after it was recorded.
    auto given = std::make_shared<Tensor>(staging);
    reads.body = [given](Work& work) -> std::vector<Value> {
      return {add(work, work.take(0), *given)};
    };
    f = add_function(std::move(reads));
    for (int i = 0; i < 2; ++i) call(f, tensor({0, 0}));
    *given = {};
  }
  const Tensor other = tensor({8, 9});
  EXPECT_EQ(values(call(f, tensor({0, 0}))), (Floats{1, 2}));
}

TEST_P(Scenarios, s6_liveness_differs_between_calls) {
  // As recomputation does: sometimes the values of the first call are still held.
  const FunctionId f = plus_one();
  const FunctionId g = twice();
  for (int i = 0; i < 6; ++i) {
    const Context::StepScope scope(context());
    Tensor y = call(f, tensor({static_cast<float>(i)}));
    const Tensor kept = i % 2 == 0 ? y : Tensor();
    const Tensor z = call(g, std::exchange(y, {}));
    EXPECT_EQ(values(z), (Floats{static_cast<float>(2 * i + 2)}));
    if (kept.defined()) {
      EXPECT_EQ(values(kept), (Floats{static_cast<float>(i + 1)}));
    }
  }
}

TEST_P(Scenarios, s22_numbers_do_not_depend_on_the_branch) {
  Function branches;
  branches.body = [](Work& work) -> std::vector<Value> {
    const Tensor flag = work.take(1);
    const Tensor y = random(work, 0, 2);
    const std::array<Work::Part, 2> parts{[&](Work& part) { add_to(part, y, 1); },
                                          [&](Work& part) { add_to(part, y, 2); }};
    work.branch(flag, parts);
    return {add(work, y, random(work, 0, 2))};
  };
  const FunctionId f = add_function(std::move(branches));
  const auto generator = std::make_shared<Generator>();
  std::vector<Floats> first;
  for (int round = 0; round < 2; ++round) {
    *generator = {.seed = 7, .drawn = 0};
    for (int i = 0; i < 20; ++i) {
      const Tensor flag = copied(Tensor::of<uint8_t>(DType::u8, {1}, {static_cast<uint8_t>(i % 2)}),
                                 {}, {*device_, {}});
      const Floats drawn = values(call_all(f, {generator, flag}).at(0));
      EXPECT_EQ(generator->drawn, static_cast<uint64_t>(4 * (i + 1)));
      if (round == 0) {
        first.push_back(drawn);
      } else {
        EXPECT_EQ(drawn, first[static_cast<size_t>(i)]);
      }
    }
  }
}

TEST_P(Scenarios, s23_seeds_repeat) {
  Function draws;
  draws.body = [](Work& work) -> std::vector<Value> {
    const Tensor a = random(work, 0, 2);
    return {add(work, a, random(work, 0, 2))};
  };
  const FunctionId f = add_function(std::move(draws));
  const auto generator = std::make_shared<Generator>();
  const auto drawn = [&](uint64_t seed) {
    *generator = {.seed = seed, .drawn = 0};
    return values(call_all(f, {generator}).at(0));
  };
  const Floats first = drawn(1);
  const Floats second = drawn(2);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(drawn(1), first);
    EXPECT_EQ(drawn(2), second);
  }
  EXPECT_NE(first, second);
}

TEST_P(Scenarios, s24_another_thread_calls) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) call(f, tensor({1}));
  for (int i = 0; i < 4; ++i) {
    std::thread([&] { EXPECT_EQ(values(call(f, tensor({1}))), (Floats{2})); }).join();
    EXPECT_EQ(values(call(f, tensor({2}))), (Floats{3}));
  }
}

TEST_P(Scenarios, s25_earlier_results_stay_readable) {
  const FunctionId f = plus_one();
  std::vector<Tensor> results;
  for (int i = 0; i < 20; ++i) results.push_back(call(f, tensor({static_cast<float>(i)})));
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(values(results[static_cast<size_t>(i)]), (Floats{static_cast<float>(i + 1)}));
  }
}

TEST_P(Scenarios, s26_a_recording_that_fails_runs_at_once) {
  int executions = 0;
  const int failing = is_fixed() ? 2 : 1;  // The recording.
  const FunctionId f = function("fails", [&](Work& work, const Tensor& x) {
    Tensor y = add(work, x, 1);
    if (++executions == failing) fail(ErrorCode::unsupported, "the second time it fails");
    return y;
  });
  const FunctionId other = twice();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(other, tensor({1}))), (Floats{2}));
  for (int i = 0; i < 4; ++i) {
    const Tensor x = tensor({1});
    EXPECT_EQ(values(call(f, x)), (Floats{2}));
    EXPECT_EQ(values(x), (Floats{1}));
  }
  EXPECT_EQ(messages("recording failed the second time it fails"), 1);
  EXPECT_EQ(recordings(), 1) << "that of the other function";
  EXPECT_EQ(values(call(other, tensor({1}))), (Floats{2}));
  EXPECT_EQ(recordings(), 1);
}

TEST_P(Scenarios, s27_results_outlive_the_context) {
  const FunctionId f = plus_one();
  Tensor y;
  for (int i = 0; i < 4; ++i) y = call(f, tensor({1}));
  context_.reset();
  EXPECT_EQ(values(y), (Floats{2}));
}

TEST_P(Scenarios, s28_one_mark_does_not_end_automatic_steps) {
  start_with(OutputPolicy::trap);
  const FunctionId f = plus_one();
  context().mark_step();
  std::vector<Tensor> held;
  for (int i = 0; i < 6; ++i) {
    held.push_back(call(f, tensor({1})));
    EXPECT_EQ(values(held.back()), (Floats{2}));
    if (i > 0) {
      EXPECT_NE(error_of([&] { values(held[static_cast<size_t>(i - 1)]); }), "") << i;
    }
  }
}

TEST_P(Scenarios, the_nth_device_call_fails) {
  const auto run_all = [&](const FunctionId f, const FunctionId g) {
    Floats seen;
    for (int i = 0; i < 4; ++i) {
      const Context::Entry entry(context());
      const Tensor y = call(f, tensor({static_cast<float>(i)}));
      const Tensor z = call(g, y);
      for (const float value : values(z)) seen.push_back(value);
    }
    return seen;
  };
  const Floats expected{2, 4, 6, 8};
  int failures = 0;
  for (int n = 1; n <= 60; ++n) {
    start_with(OutputPolicy::clone);
    const FunctionId f = plus_one();
    const FunctionId g = twice();
    device_->fail_call(n);
    try {
      EXPECT_EQ(run_all(f, g), expected) << n;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io) << error.what();
      ++failures;
    }
    device_->fail_call(0);
    EXPECT_EQ(run_all(f, g), expected) << "after failure " << n;
    EXPECT_EQ(context().live_storages(), 0) << n;
  }
  EXPECT_GT(failures, 5);
}

}  // namespace
}  // namespace litz::runtime::trees
