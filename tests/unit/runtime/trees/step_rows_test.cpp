// Upstream's tests of steps, of outputs that are held over them, and of sizes, by their names.

#include <array>

#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class StepRows : public TreeTest {
 protected:
  void start_with(OutputPolicy policy) {
    ContextOptions options;
    options.policy = policy;
    start(options);
  }

  Function named_source() {
    Function more;
    more.outputs = {{.source = "%y = aten.add (model.py:12)"}};
    return more;
  }

  FunctionId plus_one() {
    return function(
        "plus_one", [](Work& work, const Tensor& x) { return add(work, x, 1); }, named_source());
  }

  FunctionId with_view(bool shows_view) {
    Function f;
    f.outputs = {{.source = ""}, {.source = "", .is_visible = shows_view}};
    f.body = [](Work& work) -> std::vector<Value> {
      const Tensor y = mul(work, work.take(0), 2);
      return {y, first_half(y)};
    };
    return add_function(std::move(f));
  }
};

INSTANTIATE_TEST_SUITE_P(All, StepRows, testing::ValuesIn(all_setups()), setup_name);

TEST_P(StepRows, test_error_on_dealloc_use) {
  start_with(OutputPolicy::trap);
  const FunctionId f = plus_one();
  const Tensor out1 = call(f, tensor({1}));
  const Tensor out2 = call(f, tensor({2}));
  EXPECT_NE(error_of([&] { values(out1); }).find("overwritten by a subsequent run"),
            std::string::npos);
  const Tensor out3 = call(f, tensor({3}));
  EXPECT_NE(error_of([&] { values(out2); }).find("overwritten by a subsequent run"),
            std::string::npos);
  // The same rule in every state: upstream overwrites from here on.
  const Tensor out4 = call(f, tensor({4}));
  EXPECT_NE(error_of([&] { values(out3); }), "");
  EXPECT_EQ(values(out4), (Floats{5}));
  EXPECT_EQ(counts().traps, 3);
}

TEST_P(StepRows, test_error_on_dealloc_use2) {
  start_with(OutputPolicy::trap);
  const FunctionId f = plus_one();
  const Tensor out = call(f, tensor({1, 2}));
  const Tensor copy = out;
  const Tensor view = first_half(out);
  call(f, tensor({1, 2}));
  for (const Tensor& held : {copy, view}) {
    const std::string text = error_of([&] { values(held); });
    EXPECT_NE(text.find("aten.add (model.py:12)"), std::string::npos);
    EXPECT_NE(text.find("mark_step"), std::string::npos);
    EXPECT_NE(text.find("Clone the tensor"), std::string::npos);
    EXPECT_NE(text.find("policy clone"), std::string::npos);
  }
  EXPECT_EQ(out.sizes(), (std::vector<int64_t>{2}));
  EXPECT_NE(error_of([&] { call(f, out); }).find("overwritten"), std::string::npos)
      << "it is no input either";
}

TEST_P(StepRows, test_output_node_has_stack_traces_inference) {
  start_with(OutputPolicy::trap);
  const FunctionId f = plus_one();
  const Tensor out = call(f, tensor({1}));
  call(f, tensor({1}));
  EXPECT_NE(error_of([&] { values(out); }).find("model.py:12"), std::string::npos);
}

TEST_P(StepRows, test_storage_access_error) {
  const FunctionId f = plus_one();
  Tensor out = call(f, tensor({1}));
  std::array<std::byte, 8> bytes{};
  const Tensor own = Tensor(DType::u8, {8}, {1}, 0, Storage::lend(bytes));
  own.storage()->end("the text");
  EXPECT_EQ(error_of([&] { own.address(); }), "the text");
  out = {};
}

TEST_P(StepRows, test_dealloc_handles_tensor_weakrefs_stack_traces_mismatch) {
  start_with(OutputPolicy::trap);
  Function f = named_source();  // It states one output and has two.
  f.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {add(work, x, 1), add(work, x, 2)};
  };
  const FunctionId id = add_function(std::move(f));
  const auto outputs = call_all(id, {tensor({1})});
  call_all(id, {tensor({1})});
  EXPECT_NE(error_of([&] { values(outputs[1]); }).find("an operation that is not known"),
            std::string::npos);
}

TEST_P(StepRows, test_clone_live_output_on_new_generation) {
  start_with(OutputPolicy::clone);
  const FunctionId f = plus_one();
  std::vector<Tensor> held;
  std::vector<std::byte*> addresses;
  for (int i = 0; i < 4; ++i) {
    held.push_back(step(f, tensor({static_cast<float>(i)})));
    addresses.push_back(held.back().address());
  }
  step(f, tensor({9}));
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(values(held[static_cast<size_t>(i)]), (Floats{static_cast<float>(i + 1)})) << i;
    EXPECT_NE(held[static_cast<size_t>(i)].address(), addresses[static_cast<size_t>(i)]) << i;
  }
  EXPECT_EQ(counts().clones, 4);
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(StepRows, test_clone_live_output_keeps_cache_when_output_dead) {
  start_with(OutputPolicy::clone);
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) step(f, tensor({1}));
  const Tensor first = step(f, tensor({1}));
  const Storage* const storage = first.storage().get();
  std::byte* const address = first.address();
  const_cast<Tensor&>(first) = {};
  for (int i = 0; i < 3; ++i) {
    const Tensor y = step(f, tensor({1}));
    EXPECT_EQ(y.storage().get(), storage);
    EXPECT_EQ(y.address(), address);
  }
  EXPECT_EQ(counts().clones, 0);
}

TEST_P(StepRows, test_clone_live_aliased_output_storage_on_new_generation) {
  start_with(OutputPolicy::clone);
  const FunctionId f = with_view(true);
  for (int i = 0; i < 4; ++i) {
    context().mark_step();
    const auto outputs = call_all(f, {tensor({1, 2})});
    step(f, tensor({5, 6}));
    EXPECT_EQ(outputs[0].storage(), outputs[1].storage());
    EXPECT_EQ(values(outputs[0]), (Floats{2, 4}));
    EXPECT_EQ(values(outputs[1]), (Floats{2}));
    EXPECT_EQ(outputs[1].strides(), (std::vector<int64_t>{1}));
  }
}

TEST_P(StepRows, test_clone_live_retargets_non_user_visible_output_alias) {
  start_with(OutputPolicy::clone);
  const FunctionId f = with_view(false);
  for (int i = 0; i < 4; ++i) {
    context().mark_step();
    const auto outputs = call_all(f, {tensor({1, 2})});
    step(f, tensor({5, 6}));
    EXPECT_EQ(values(outputs[1]), (Floats{2}));
    EXPECT_EQ(outputs[0].storage(), outputs[1].storage());
  }
}

TEST_P(StepRows, test_clone_live_prior_graph_output_alias) {
  start_with(OutputPolicy::clone);
  Function hidden;
  hidden.outputs = {{.source = "", .is_visible = false}};
  const FunctionId f = function(
      "hidden", [](Work& work, const Tensor& x) { return add(work, x, 1); }, hidden);
  const FunctionId view = function("view", [](Work&, const Tensor& x) { return first_half(x); });
  for (int i = 0; i < 4; ++i) {
    context().mark_step();
    const Tensor base = call(f, tensor({1, 2}));
    const Tensor shown = call(view, base);
    step(f, tensor({5, 6}));
    EXPECT_EQ(values(shown), (Floats{2})) << i;
    EXPECT_EQ(values(base), (Floats{2, 3})) << i;
    EXPECT_EQ(base.storage(), shown.storage());
  }
}

TEST_P(StepRows, test_clone_live_output_storage_with_only_user_view_live) {
  start_with(OutputPolicy::clone);
  const FunctionId f = plus_one();
  for (int i = 0; i < 4; ++i) {
    const Tensor view = first_half(step(f, tensor({1, 2})));
    std::byte* const was = view.address();
    step(f, tensor({5, 6}));
    EXPECT_EQ(values(view), (Floats{2}));
    EXPECT_NE(view.address(), was);
  }
}

TEST_P(StepRows, test_clone_live_output_used_as_next_generation_input) {
  start_with(OutputPolicy::clone);
  const FunctionId f = plus_one();
  Tensor y = tensor({0});
  for (int i = 1; i <= 5; ++i) {
    y = step(f, y);
    EXPECT_EQ(values(y), (Floats{static_cast<float>(i)}));
  }
  const FunctionId g = function("g", [](Work& work, const Tensor& x) { return mul(work, x, 2); });
  for (int i = 0; i < 4; ++i) {
    context().mark_step();
    const Tensor made = call(f, tensor({1}));
    std::byte* const address = made.address();
    EXPECT_EQ(values(call(g, made)), (Floats{4}));
    EXPECT_EQ(made.address(), address) << "nothing moves in a step";
  }
}

TEST_P(StepRows, test_mark_step) {
  Function forward;
  forward.mode = Mode::forward;
  forward.outputs = {{.source = ""}, {.source = "", .is_visible = false, .is_saved = true}};
  forward.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {add(work, x, 1), mul(work, x, 2)};
  };
  const FunctionId f = add_function(std::move(forward));
  std::vector<std::vector<Tensor>> held;
  for (int i = 0; i < 2; ++i) {
    context().mark_step();
    held.push_back(call_all(f, {tensor({1})}));
  }
  EXPECT_EQ(recordings(), 1);
}

TEST_P(StepRows, test_warn_once_if_dynamic_shape_limit_reached) {
  const FunctionId f = plus_one();
  for (int n = 1; n < 20; ++n) call(f, tensor(Floats(static_cast<size_t>(n), 1)));
  EXPECT_EQ(messages("distinct sizes"), 1);
  EXPECT_EQ(messages("called with 9 distinct sizes"), 1);
  EXPECT_EQ(messages("pad inputs to a few sizes"), 1);
  EXPECT_EQ(messages("most_quiet_sizes = 0"), 1);
}

TEST_P(StepRows, test_cudagraph_capture_sizes) {
  Function f;
  f.capture_sizes = {{2}, {5}, {7}};
  f.body = [](Work& work) -> std::vector<Value> {
    work.integer(0);
    return {add(work, work.take(1), 1)};
  };
  const FunctionId id = add_function(std::move(f));
  for (int64_t n = 1; n < 10; ++n) {
    for (int i = 0; i < 3; ++i) {
      const auto y = call_all(id, {n, tensor(Floats(static_cast<size_t>(n), 1))}).at(0);
      EXPECT_EQ(values(y), Floats(static_cast<size_t>(n), 2));
    }
  }
  EXPECT_EQ(recordings(), 3);
}

TEST_P(StepRows, test_cudagraph_capture_sizes1) {
  Function f;
  f.capture_sizes = {{2, 4}, {5, 6}, {7, 2}, {1, 1}};
  f.body = [](Work& work) -> std::vector<Value> { return {add(work, work.take(2), 1)}; };
  const FunctionId id = add_function(std::move(f));
  for (int64_t a = 1; a < 9; ++a) {
    for (int64_t b = 1; b < 9; ++b) {
      for (int i = 0; i < 2; ++i) {
        call_all(id, {a, b, tensor(Floats(static_cast<size_t>(a * b), 1))});
      }
    }
  }
  EXPECT_EQ(recordings(), 4);
}

TEST_P(StepRows, test_cudagraph_capture_sizes2) {
  Function f;
  f.capture_sizes = {{2, 4, 6}, {5, 6, 7}, {5, 4, 7}, {2, 6, 7}};
  f.body = [](Work& work) -> std::vector<Value> { return {add(work, work.take(3), 1)}; };
  const FunctionId id = add_function(std::move(f));
  for (const int64_t a : {1, 2, 5}) {
    for (const int64_t b : {3, 4, 6}) {
      for (const int64_t c : {5, 6, 7}) {
        for (int i = 0; i < 2; ++i) {
          call_all(id, {a, b, c, tensor(Floats(static_cast<size_t>(a * b * c), 1))});
        }
      }
    }
  }
  EXPECT_EQ(recordings(), 4);
}

TEST_P(StepRows, test_cudagraph_min_partition_size_skip_small) {
  ContextOptions options;
  options.least_nodes = 10;
  start(options);
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, tensor({1}))), (Floats{2}));
  EXPECT_EQ(recordings(), 0);
  EXPECT_EQ(messages("it has too few nodes"), 1);
}

TEST_P(StepRows, test_cudagraph_min_partition_size_allow_large) {
  ContextOptions options;
  options.least_nodes = 2;
  start(options);
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, mul(work, add(work, x, 1), 2), 3); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, tensor({1}))), (Floats{7}));
  EXPECT_EQ(recordings(), 1);
}

TEST_P(StepRows, test_tensor_constant_mutation) {
  const Tensor constant = tensor({0});
  const FunctionId f = function("f", [constant](Work& work, const Tensor& x) {
    add_to(work, constant, 1);
    return add(work, x, constant);
  });
  for (int i = 1; i <= 3; ++i) {
    EXPECT_EQ(values(call(f, tensor({10}))), (Floats{static_cast<float>(10 + i)}));
  }
}

TEST_P(StepRows, test_policy_declines) {  // test_should_wrap_false_skips_cudagraph
  Function f;
  f.skip_reason = "the policy declines";
  f.body = [](Work& work) -> std::vector<Value> { return {add(work, work.take(0), 1)}; };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(id, tensor({1}))), (Floats{2}));
  EXPECT_EQ(counts().skips, 1);
  EXPECT_EQ(recordings(), 0);
}

TEST_P(StepRows, test_cudagraph_or_error) {
  ContextOptions options;
  options.requires_recordings = true;
  start(options);
  Function f;
  f.skip_reason = "it reads a clock";
  f.body = [](Work& work) -> std::vector<Value> { return {add(work, work.take(0), 1)}; };
  const FunctionId id = add_function(std::move(f));
  EXPECT_NE(error_of([&] { call(id, tensor({1})); }).find("it reads a clock"), std::string::npos);
}

TEST_P(StepRows, test_incompatible_cudagraph_ops_item) {
  Function f;
  f.body = [](Work& work) -> std::vector<Value> {
    const Tensor host = work.on_host(work.take(0));
    return {static_cast<double>(host.at({0}))};
  };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) {
    const auto outputs = context().call(id, {tensor({4})});
    EXPECT_EQ(std::get<double>(outputs.at(0)), 4);
  }
  EXPECT_EQ(counts().skips, 1);
  EXPECT_EQ(messages("a recording must not wait for values on the host"), 1);
}

TEST_P(StepRows, test_view_only_cuda_graph_suppresses_empty_warning) {
  const FunctionId f = function("view", [](Work&, const Tensor& x) { return first_half(x); });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, tensor({1, 2}))), (Floats{1}));
  EXPECT_EQ(counts().copied_inputs, is_fixed() ? 1 : 0);
  EXPECT_EQ(messages("empty"), 0);
}

TEST_P(StepRows, test_kernel_free_allocation_uses_cudagraph_pool) {
  const FunctionId f =
      function("empty", [](Work& work, const Tensor&) { return work.empty(DType::f32, {3}); });
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(call(f, tensor({1})).sizes(), (std::vector<int64_t>{3}));
  }
}

TEST_P(StepRows, test_side_stream_memory_allocation) {
  Function f;
  f.body = [](Work& work) -> std::vector<Value> {
    Tensor a = work.empty(DType::f32, {2});
    Tensor b = work.empty(DType::f32, {2});
    work.fill(a, 0);
    work.fill(b, 0);
    return {add(work, a, 1), add(work, b, 2)};
  };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    const auto outputs = call_all(id, {});
    EXPECT_EQ(values(outputs[0]), (Floats{1, 1}));
    EXPECT_EQ(values(outputs[1]), (Floats{2, 2}));
  }
  EXPECT_EQ(recordings(), 1);
}

TEST_P(StepRows, test_warmup_stream_sync) {
  const FunctionId f = function("chain", [](Work& work, const Tensor& x) {
    Tensor y = add(work, x, 1);
    for (int i = 0; i < 99; ++i) y = add(work, y, 1);
    return y;
  });
  const StreamId own = GetParam().is_simulated ? device_->make_stream() : StreamId{};
  for (int i = 0; i < 4; ++i) {
    const Tensor x = tensor({1});
    device_->wait(own, device_->record({}));
    const Tensor y = std::get<Tensor>(context().call(f, {x}, own).at(0));
    device_->wait({}, device_->record(own));
    EXPECT_EQ(values(y), (Floats{101}));
  }
}

}  // namespace
}  // namespace litz::runtime::trees
