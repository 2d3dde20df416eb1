// Upstream's tests of the tree itself (docs/graph_trees.md), by their names. Counts are exact for fixed
// functions and upper bounds for patched ones.

#include <array>
#include <thread>

#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class CoreRows : public TreeTest {
 protected:
  void expect_descendants(const std::vector<int64_t>& expected) {
    if (is_fixed()) {
      EXPECT_EQ(context().descendants(), expected);
    } else {
      int64_t most = static_cast<int64_t>(expected.size());
      for (const int64_t count : expected) most += count;
      EXPECT_LE(recordings(), most);
    }
  }

  void expect_recordings(int64_t expected) {
    if (is_fixed()) {
      EXPECT_EQ(recordings(), expected);
    } else {
      EXPECT_LE(recordings(), expected);
    }
  }

  FunctionId cube() {
    return function("cube",
                    [](Work& work, const Tensor& x) { return mul(work, mul(work, x, x), x); });
  }

  FunctionId plus_one(const std::string& name = "plus_one") {
    return function(name, [](Work& work, const Tensor& x) { return add(work, x, 1); });
  }

  FunctionId twice(const std::string& name = "twice") {
    return function(name, [](Work& work, const Tensor& x) { return mul(work, x, 2); });
  }

  /// x in place, and its new contents plus one.
  FunctionId mutating(bool is_static) {
    Function more;
    more.inputs = {{.name = "x",
                    .source = "",
                    .is_static = is_static,
                    .is_mutated = true,
                    .mutated_by = "aten.add_ (model.py:4)"}};
    return function(
        "mutating",
        [](Work& work, const Tensor& x) {
          add_to(work, x, 10);
          return add(work, x, 1);
        },
        more);
  }
};

INSTANTIATE_TEST_SUITE_P(All, CoreRows, testing::ValuesIn(all_setups()), setup_name);

TEST_P(CoreRows, test_run_simple) {
  const FunctionId f = cube();
  for (int i = 0; i < 2; ++i) EXPECT_EQ(values(call(f, tensor({1, 2}))), (Floats{1, 8}));
  for (int i = 0; i < 2; ++i) EXPECT_EQ(values(call(f, tensor({1, 2, 3}))), (Floats{1, 8, 27}));
  expect_descendants({0, 0});
}

TEST_P(CoreRows, test_separate_recordings) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) call(f, tensor({1, 2}));
  for (int i = 0; i < 3; ++i) call(f, tensor({1, 2, 3}));
  expect_descendants({0, 0});
}

TEST_P(CoreRows, test_multithreaded_cudagraph_trees) {
  const FunctionId f = plus_one();
  const auto use = [&] {
    for (int i = 0; i < 20; ++i) {
      const auto number = static_cast<float>(i);
      Tensor x;
      {
        const Context::Entry entry(context());  // The device's modes allow one caller at a time.
        x = tensor({number});
      }
      const Tensor y = call(f, x);
      EXPECT_EQ(values(y), (Floats{number + 1}));
    }
  };
  std::thread(use).join();
  // A copy from a card is finished by the thread that first awaits its stream, and here all share one.
  if (GetParam().is_card) return;
  // Test modes of devices are for one thread.
  device_->set_modes({});
  std::array<std::thread, 3> threads;
  for (std::thread& thread : threads) thread = std::thread(use);
  for (std::thread& thread : threads) thread.join();
}

TEST_P(CoreRows, test_rng_trees) {
  Function draws;
  draws.body = [](Work& work) -> std::vector<Value> { return {random(work, 0, 3)}; };
  const FunctionId f = add_function(std::move(draws));
  const auto generator = std::make_shared<Generator>();
  std::vector<Floats> drawn;
  for (int round = 0; round < 2; ++round) {
    *generator = {.seed = 5, .drawn = 0};
    for (int i = 0; i < 3; ++i) {
      context().mark_step();
      drawn.push_back(values(call_all(f, {generator}).at(0)));
    }
    EXPECT_EQ(generator->drawn, 9U);
  }
  EXPECT_NE(drawn[0], drawn[1]);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(drawn[i], drawn[i + 3]) << i;
}

TEST_P(CoreRows, test_mutation_reinplaced) {
  const FunctionId f = mutating(false);
  const Tensor x = tensor({1});
  EXPECT_EQ(values(call(f, x)), (Floats{12}));
  EXPECT_EQ(values(x), (Floats{11}));
  EXPECT_EQ(counts().skips, is_fixed() ? 1 : 0);
  EXPECT_EQ(messages("mutated inputs (1 instances): aten.add_ (model.py:4)"), is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_mutation_on_inp) {
  const FunctionId f = mutating(false);
  for (int i = 0; i < 3; ++i) {
    const Tensor x = tensor({1});
    EXPECT_EQ(values(call(f, x)), (Floats{12}));
  }
  expect_recordings(is_fixed() ? 0 : 1);
  const FunctionId with_buffer = mutating(true);
  const Tensor buffer = tensor({0});
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(values(call(with_buffer, buffer)), (Floats{static_cast<float>(10 * i + 1)}));
    EXPECT_EQ(values(buffer), (Floats{static_cast<float>(10 * i)}));
  }
  EXPECT_EQ(counts().skips, is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_mutation_cudagraph_managed_tensors_config) {
  ContextOptions options;
  options.supports_mutation = false;
  start(options);
  const FunctionId foo = plus_one();
  const FunctionId mut = mutating(false);
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    EXPECT_EQ(values(call(mut, call(foo, tensor({1})))), (Floats{13}));
  }
  EXPECT_EQ(messages("mutated inputs"), is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_mutation_cudagraph_managed_tensors) {
  const FunctionId foo = plus_one();
  const FunctionId mut = mutating(false);
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    EXPECT_EQ(values(call(mut, call(foo, tensor({1})))), (Floats{13}));
  }
  EXPECT_EQ(counts().skips, 0);
  context().mark_step();
  const Tensor copy = tensor(values(call(foo, tensor({1}))));
  EXPECT_EQ(values(call(mut, copy)), (Floats{13}));
  EXPECT_EQ(values(copy), (Floats{12}));
  EXPECT_EQ(counts().skips, is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_mutation_cudagraph_managed_tensor_warn) {
  const FunctionId foo = mutating(false);
  const FunctionId fee = plus_one();
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    EXPECT_EQ(values(call(fee, call(foo, tensor({1})))), (Floats{13}));
  }
  EXPECT_EQ(counts().skips, is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_mutation_cudagraph_managed_tensor_warn_only_once) {
  const FunctionId foo = plus_one();
  const FunctionId mut = mutating(false);
  EXPECT_EQ(values(call(mut, tensor({1}))), (Floats{12}));
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    EXPECT_EQ(values(call(mut, call(foo, tensor({1})))), (Floats{13}));
  }
  context().mark_step();
  EXPECT_EQ(values(call(mut, tensor({1}))), (Floats{12}));
  EXPECT_EQ(counts().skips, is_fixed() ? 1 : 0);
}

TEST_P(CoreRows, test_function_compiled_multiple_times) {
  const FunctionId helper = plus_one();
  for (int i = 0; i < 3; ++i) {
    const Context::Entry entry(context());
    EXPECT_EQ(values(call(helper, call(helper, tensor({1})))), (Floats{3}));
  }
  expect_descendants({1});
}

TEST_P(CoreRows, test_end_recording_early) {
  const FunctionId first = plus_one("foo_before_break");
  const FunctionId second = twice("foo_after_break");
  const FunctionId foo2 =
      function("foo2", [](Work& work, const Tensor& x) { return mul(work, x, 3); });
  const Context::Entry same_step(context());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(call(second, call(first, tensor({1})))), (Floats{4}));
    EXPECT_EQ(values(call(foo2, tensor({1}))), (Floats{3}));
  }
  expect_descendants({1, 0});
}

TEST_P(CoreRows, test_execution_into_recording) {
  const FunctionId before = plus_one();
  const FunctionId left = twice("left");
  const FunctionId right =
      function("right", [](Work& work, const Tensor& x) { return mul(work, x, 5); });
  const auto run = [&](FunctionId branch) {
    const Context::Entry entry(context());
    return call(branch, call(before, tensor({1})));
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(run(left)), (Floats{4}));
  Tensor warm = run(right);
  EXPECT_EQ(values(warm), (Floats{10}));
  EXPECT_EQ(context().live_storages(), 1);
  Tensor recorded = run(right);
  warm = {};
  EXPECT_EQ(values(recorded), (Floats{10}));
  EXPECT_EQ(context().live_storages(), 1);
  recorded = {};
  EXPECT_EQ(context().live_storages(), 0);
  EXPECT_EQ(values(run(right)), (Floats{10}));
  expect_descendants({2});
}

TEST_P(CoreRows, test_accumulate_multiple_recordings) {
  const FunctionId before = plus_one();
  const FunctionId left = twice("left");
  const FunctionId right =
      function("right", [](Work& work, const Tensor& x) { return mul(work, x, 5); });
  const auto run = [&](FunctionId branch, const Floats& x) {
    const Context::Entry entry(context());
    return call(branch, call(before, tensor(x)));
  };
  Tensor held;
  for (const Floats& x : {Floats(5, 1), Floats(6, 1)}) {
    for (int i = 0; i < 3; ++i) held = run(left, x);
    EXPECT_EQ(values(held), Floats(x.size(), 4));
    for (int i = 0; i < 3; ++i) held = run(right, x);
    EXPECT_EQ(values(held), Floats(x.size(), 10));
  }
  EXPECT_EQ(context().live_storages(), 1);
  held = {};
  EXPECT_EQ(context().live_storages(), 0);
  expect_recordings(6);
}

TEST_P(CoreRows, test_live_outputs_multiple_graphs) {
  const FunctionId before = plus_one();
  const FunctionId left = twice("left");
  const FunctionId right =
      function("right", [](Work& work, const Tensor& x) { return mul(work, x, 5); });
  const auto run = [&](FunctionId branch) {
    const Context::Entry entry(context());
    const Tensor y = call(before, tensor({1}));
    return values(y).at(0) + values(call(branch, y)).at(0);
  };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(left), 6);
  EXPECT_EQ(counts().restores, 0);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(run(right), 12);
  EXPECT_EQ(counts().restores, is_fixed() ? 2 : 0) << "one for warming up, one for recording";
  expect_descendants({2});
}

TEST_P(CoreRows, test_expanded_inputs) {
  const FunctionId f = function("f", [](Work& work, const Tensor& x) {
    Tensor y = work.empty(DType::f32, {4, 2});
    work.call("rows", std::array{x}, std::array{y}, [](std::span<std::byte* const> operands) {
      const auto* const from = reinterpret_cast<const float*>(operands[0]);
      auto* const to = reinterpret_cast<float*>(operands[1]);
      for (int i = 0; i < 8; ++i) to[i] = 2 * from[i % 2];
    });
    return y;
  });
  for (int i = 0; i < 3; ++i) {
    const Tensor row = tensor({1, 2});
    EXPECT_EQ(values(call(f, row.view({4, 2}, {0, 1}, 0))), (Floats{2, 4, 2, 4, 2, 4, 2, 4}));
  }
  EXPECT_EQ(recordings(), 1);
}

TEST_P(CoreRows, test_empty_storage) {
  Function makes;
  makes.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    const Tensor y = add(work, x, 1);
    return {work.empty(DType::f32, {0, 3}), y, work.empty(DType::f32, {0})};
  };
  const FunctionId f = add_function(std::move(makes));
  for (int i = 0; i < 3; ++i) {
    const auto outputs = call_all(f, {tensor({1})});
    EXPECT_EQ(outputs[0].sizes(), (std::vector<int64_t>{0, 3}));
    EXPECT_EQ(values(outputs[1]), (Floats{2}));
    EXPECT_EQ(context().live_storages(), 1);
  }
  const FunctionId g = function("g", [](Work& work, const Tensor&) {
    Tensor y = work.empty(DType::f32, {1});
    work.fill(y, 0);
    return y;
  });
  for (int i = 0; i < 3; ++i) {
    const Tensor y = call(g, tensor(Floats{}));
    EXPECT_EQ(values(y), (Floats{0}));
    EXPECT_EQ(context().live_storages(), 1);
  }
}

TEST_P(CoreRows, test_empty_cpu_tensor) {
  Function makes;
  makes.body = [](Work& work) -> std::vector<Value> {
    return {add(work, work.take(0), 1), Tensor::empty(DType::f32, {0})};
  };
  const FunctionId f = add_function(std::move(makes));
  for (int i = 0; i < 3; ++i) {
    const auto outputs = call_all(f, {tensor({1})});
    EXPECT_EQ(values(outputs[0]), (Floats{2}));
    EXPECT_EQ(outputs[1].numel(), 0);
  }
  EXPECT_EQ(recordings(), 1);
}

TEST_P(CoreRows, test_dynamic_warmup) {
  int calls = 0;
  Function f;
  f.body = [&calls](Work& work) -> std::vector<Value> {
    ++calls;
    const auto factor = static_cast<float>(work.integer(0));
    return {mul(work, work.take(1), factor)};
  };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(call_all(id, {int64_t{2}, tensor({3})})[0]), (Floats{6}));
  }
  EXPECT_EQ(calls, is_fixed() ? 2 : 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(call_all(id, {int64_t{3}, tensor({3})})[0]), (Floats{9}));
  }
  EXPECT_EQ(calls, is_fixed() ? 4 : 3);
}

TEST_P(CoreRows, test_workspace_allocation_error) {
  Tensor workspace;
  const FunctionId f = function("library", [&workspace](Work& work, const Tensor& x) {
    workspace = work.empty(DType::f32, {8});
    return add(work, x, 1);
  });
  const std::string text = error_of([&] {
    for (int i = 0; i < 3; ++i) call(f, tensor({1}));
    // What cannot be recorded runs with memory of its own, and says why.
    const auto skips = context().report().functions.at(0).skips;
    if (!skips.empty()) fail(ErrorCode::unsupported, skips.at(0).detail.c_str());
  });
  EXPECT_NE(text.find("must not keep memory of the pool besides its outputs: library keeps 1"),
            std::string::npos)
      << text;
  workspace = {};
}

TEST_P(CoreRows, test_meta_tensor) {
  Function f;
  f.body = [](Work& work) -> std::vector<Value> { return {add(work, work.take(1), 1)}; };
  const FunctionId id = add_function(std::move(f));
  const Tensor unused = Tensor::zeros(DType::f32, {7});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(values(call_all(id, {unused, tensor({1})})[0]), (Floats{2}));
  }
  EXPECT_EQ(recordings(), 1);
}

TEST_P(CoreRows, test_opaque_value_input_cudagraph) {
  Function f;
  f.body = [](Work& work) -> std::vector<Value> {
    const auto& opaque = std::get<Opaque>(work.argument(0));
    return {add(work, work.take(1), *static_cast<const float*>(opaque.get()))};
  };
  ContextOptions options;
  options.warms_up = false;
  start(options);
  const FunctionId id = add_function(std::move(f));
  const auto number = std::make_shared<const float>(5.0F);
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(values(call_all(id, {Opaque(number), tensor({1})})[0]), (Floats{6}));
  }
  EXPECT_EQ(counts().copied_inputs, is_fixed() ? 1 : 0) << "the opaque one is not copied";
}

}  // namespace
}  // namespace litz::runtime::trees
