// Upstream's tests of forward and backward pairs, by their names, on pairs of functions: forward
// returns x*w with x and w saved; backward returns the gradient of w.

#include <thread>

#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class BackwardRows : public TreeTest {
 protected:
  struct Pair {
    FunctionId forward;
    FunctionId backward;
  };

  struct Forward {
    Tensor y;
    std::vector<Tensor> saved;
  };

  Pair pair() {
    Function forward;
    forward.name = "forward";
    forward.mode = Mode::forward;
    forward.inputs = {{.name = "w", .source = "", .is_static = true, .mutated_by = ""}};
    forward.outputs = {{.source = ""},
                       {.source = "", .is_visible = false, .is_saved = true},
                       {.source = "", .is_visible = false, .is_saved = true}};
    forward.body = [](Work& work) -> std::vector<Value> {
      const Tensor w = work.take(0);
      const Tensor x = work.take(1);
      const Tensor scaled = mul(work, x, 2);
      return {mul(work, scaled, w), scaled, add(work, x, 0)};
    };
    Function backward;
    backward.name = "backward";
    backward.mode = Mode::backward;
    backward.outputs = {{.source = "mul_backward (model.py:5)", .is_gradient = true}};
    backward.body = [](Work& work) -> std::vector<Value> {
      const Tensor gradient = [&] {
        const Tensor scaled = work.take(0);
        const Tensor x = work.take(1);
        const Tensor both = add(work, scaled, x);
        return add(work, both, mul(work, x, -1));
      }();
      return {mul(work, gradient, work.take(2))};
    };
    return {add_function(std::move(forward)), add_function(std::move(backward))};
  }

  Forward run_forward(const Pair& pair, const Tensor& w, const Tensor& x) {
    auto outputs = call_all(pair.forward, {w, x});
    return {outputs[0], {outputs[1], outputs[2]}};
  }

  Tensor run_backward(const Pair& pair, Forward forward, const Tensor& cotangent) {
    std::vector<Argument> inputs(std::make_move_iterator(forward.saved.begin()),
                                 std::make_move_iterator(forward.saved.end()));
    inputs.emplace_back(cotangent);
    forward = {};
    return call_all(pair.backward, std::move(inputs)).at(0);
  }
};

INSTANTIATE_TEST_SUITE_P(All, BackwardRows, testing::ValuesIn(all_setups()), setup_name);

TEST_P(BackwardRows, test_forward_backward) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 4; ++i) {
    Forward forward = run_forward(f, w, tensor({5}));
    EXPECT_EQ(values(forward.y), (Floats{30}));
    EXPECT_TRUE(context().pending_backward());
    const Tensor gradient = run_backward(f, std::move(forward), tensor({1}));
    EXPECT_EQ(values(gradient), (Floats{10}));
    EXPECT_FALSE(context().pending_backward());
  }
  if (!is_fixed()) return;
  EXPECT_EQ(context().descendants(), (std::vector<int64_t>{1}));
  const std::vector<const Node*> nodes = context().nodes();
  EXPECT_TRUE(nodes[0]->consumed.empty());
  EXPECT_EQ(nodes[1]->consumed, (std::vector<size_t>{0, 1})) << "the saved values die";
}

TEST_P(BackwardRows, test_forward_generation) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 2; ++i) {
    Forward first = run_forward(f, w, tensor({5}));
    Forward second = run_forward(f, w, first.y);
    EXPECT_TRUE(context().pending_backward());
    EXPECT_EQ(values(second.y), (Floats{180}));
    const Tensor gradient = run_backward(f, std::move(second), tensor({1}));
    EXPECT_EQ(values(gradient), (Floats{60}));
    run_backward(f, std::move(first), tensor({1}));
    EXPECT_FALSE(context().pending_backward());
  }
  const FunctionId g = function("g", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  EXPECT_EQ(values(call(g, tensor({1}))), (Floats{2}));
  EXPECT_FALSE(context().pending_backward());
}

TEST_P(BackwardRows, test_forward_backward_not_called) {
  const Pair f = pair();
  const Pair g = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 3; ++i) {
    const Context::Entry entry(context());
    Forward first = run_forward(f, w, tensor({5}));
    const Forward second = run_forward(g, w, tensor({5}));
    run_backward(f, std::move(first), tensor({1}));
    EXPECT_EQ(values(second.y), (Floats{30}));
  }
  EXPECT_FALSE(context().pending_backward());
  if (is_fixed()) {
    EXPECT_EQ(recordings(), 3);
  } else {
    EXPECT_LE(recordings(), 3);
  }
}

TEST_P(BackwardRows, test_forward_with_skipped_cudagraphed_backward) {
  Pair f = pair();
  Function skipped;
  skipped.name = "skipped";
  skipped.mode = Mode::backward;
  skipped.skip_reason = "it is turned off";
  skipped.body = [](Work& work) -> std::vector<Value> {
    return {mul(work, work.take(0), work.take(2))};
  };
  f.backward = add_function(std::move(skipped));
  const Tensor w = tensor({3});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(run_backward(f, run_forward(f, w, tensor({5})), tensor({1}))), (Floats{10}));
  }
  EXPECT_EQ(recordings(), 1);
  EXPECT_FALSE(context().pending_backward());
}

TEST_P(BackwardRows, test_warn_on_pending_backward) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  std::vector<Forward> held;
  for (int i = 0; i < 3; ++i) held.push_back(run_forward(f, w, tensor({5})));
  EXPECT_EQ(messages("saved for a backward call are held"), 1);
  if (is_fixed()) {
    EXPECT_EQ(recordings(), 0);
  }
  for (Forward& forward : held) {
    EXPECT_EQ(values(run_backward(f, std::move(forward), tensor({1}))), (Floats{10}));
  }
}

TEST_P(BackwardRows, test_accumulate_grad) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 3; ++i) {
    const Forward forward = run_forward(f, w, tensor({5}));
    const Tensor first = run_backward(f, forward, tensor({1}));
    const Tensor second = run_backward(f, forward, tensor({1}));
    EXPECT_EQ(values(first), (Floats{10}));
    EXPECT_EQ(values(second), (Floats{10})) << "saved values that are kept are not consumed";
  }
}

TEST_P(BackwardRows, test_grad_accumulation_dealloc_error_message) {
  ContextOptions options;
  options.policy = OutputPolicy::trap;
  start(options);
  const Pair f = pair();
  const Tensor w = tensor({3});
  const auto iterate = [&] {
    context().mark_step();
    return run_backward(f, run_forward(f, w, tensor({5})), tensor({1}));
  };
  const Tensor gradient = iterate();
  iterate();
  const std::string text = error_of([&] { values(gradient); });
  EXPECT_NE(text.find("gradient output 0 of backward"), std::string::npos);
  EXPECT_NE(text.find("accumulated over steps"), std::string::npos);
  EXPECT_NE(text.find(".grad"), std::string::npos);
}

TEST_P(BackwardRows, gradients_leave_the_pool) {  // H13
  ContextOptions options;
  options.policy = OutputPolicy::clone;
  start(options);
  const Pair f = pair();
  const Tensor w = tensor({3});
  std::vector<Tensor> gradients;
  for (int i = 1; i <= 5; ++i) {
    context().mark_step();
    gradients.push_back(
        run_backward(f, run_forward(f, w, tensor({static_cast<float>(i)})), tensor({1})));
  }
  for (int i = 1; i <= 5; ++i) {
    EXPECT_EQ(values(gradients[static_cast<size_t>(i - 1)]), (Floats{static_cast<float>(2 * i)}));
  }
}

TEST_P(BackwardRows, test_clone_live_output_saved_for_backward_on_mark_step) {
  ContextOptions options;
  options.policy = OutputPolicy::clone;
  start(options);
  Function visible;
  visible.mode = Mode::forward;
  visible.outputs = {{.source = "", .is_visible = true, .is_saved = true}};
  const FunctionId forward = function(
      "sigmoid", [](Work& work, const Tensor& x) { return mul(work, x, 2); }, visible);
  Function back;
  back.mode = Mode::backward;
  const FunctionId backward = function(
      "sigmoid_backward", [](Work& work, const Tensor& y) { return mul(work, y, y); }, back);
  const Tensor y = step(forward, tensor({3}));
  for (int i = 0; i < 3; ++i) step(forward, tensor({7}));
  EXPECT_EQ(values(y), (Floats{6}));
  EXPECT_EQ(values(call(backward, y)), (Floats{36}));
}

TEST_P(BackwardRows, test_backward_in_another_thread) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 4; ++i) {
    Forward forward = run_forward(f, w, tensor({5}));
    std::thread([&] {
      EXPECT_EQ(values(run_backward(f, std::move(forward), tensor({1}))), (Floats{10}));
    }).join();
    EXPECT_FALSE(context().pending_backward());
  }
  if (is_fixed()) {
    EXPECT_EQ(context().descendants(), (std::vector<int64_t>{1}));
  }
}

TEST_P(BackwardRows, test_multi_dispatch_single_compile_param_inputs) {
  const Pair f = pair();
  const Tensor p1 = tensor({3});
  const Tensor p2 = tensor({4});
  for (const Tensor& p : {p1, p2, p1}) {
    for (int i = 0; i < 5; ++i) {
      Forward forward = run_forward(f, p, tensor({5}));
      EXPECT_EQ(values(forward.y), (Floats{10 * values(p)[0]}));
      run_backward(f, std::move(forward), tensor({1}));
    }
  }
  if (is_fixed()) {
    EXPECT_EQ(recordings(), 4);
  } else {
    EXPECT_LE(recordings(), 2) << "one address more is a patch";
  }
  EXPECT_EQ(counts().skips, 0);
}

TEST_P(BackwardRows, test_not_fallback_to_eager_if_have_not_recompiling_too_many_times) {
  ContextOptions options;
  options.most_rerecordings = 1;
  start(options);
  const Pair f = pair();
  const Tensor p1 = tensor({3});
  const Tensor p2 = tensor({4});
  for (const Tensor& p : {p1, p2, p1}) {
    for (int i = 0; i < 5; ++i) run_backward(f, run_forward(f, p, tensor({5})), tensor({1}));
  }
  EXPECT_LE(recordings(), 4);
  EXPECT_EQ(counts().skips, 0);
}

TEST_P(BackwardRows, test_no_rerecord_with_mark_static_address) {
  const Pair f = pair();
  const Tensor w = tensor({3});
  for (int i = 0; i < 5; ++i) {
    const auto number = static_cast<float>(i);
    EXPECT_EQ(values(run_backward(f, run_forward(f, w, tensor({number})), tensor({1}))),
              (Floats{2 * number}));
  }
  EXPECT_EQ(recordings(), 2);
}

/// Two functions in a row and the backward call of the second.
TEST_P(BackwardRows, test_multi_dispatch_child_node) {
  const Pair f = pair();
  const FunctionId before =
      function("before", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  const Tensor p1 = tensor({3});
  const Tensor p2 = tensor({4});
  for (const Tensor& p : {p1, p2, p1}) {
    for (int i = 0; i < 5; ++i) {
      const Context::Entry entry(context());
      Forward forward = run_forward(f, p, call(before, tensor({4})));
      EXPECT_EQ(values(forward.y), (Floats{10 * values(p)[0]}));
      EXPECT_EQ(values(run_backward(f, std::move(forward), tensor({1}))), (Floats{10}));
    }
  }
  if (is_fixed()) {
    EXPECT_EQ(recordings(), 5) << "a shared parent, two children, their backward calls";
  }
}

TEST_P(BackwardRows, test_multi_dispatch_parent_node) {
  const Pair f = pair();
  const FunctionId after =
      function("after", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  const Tensor p1 = tensor({3});
  const Tensor p2 = tensor({4});
  for (const Tensor& p : {p1, p2, p1}) {
    for (int i = 0; i < 5; ++i) {
      const Context::Entry entry(context());
      Forward forward = run_forward(f, p, tensor({5}));
      EXPECT_EQ(values(call(after, forward.y)), (Floats{10 * values(p)[0] + 1}));
      EXPECT_EQ(values(run_backward(f, std::move(forward), tensor({1}))), (Floats{10}));
    }
  }
  if (is_fixed()) {
    EXPECT_EQ(recordings(), 6) << "the child is recorded under each parent";
  }
}

// Recomputed random numbers: the backward call draws from where its forward call began.

class RecomputedRows : public BackwardRows {
 protected:
  void SetUp() override {
    BackwardRows::SetUp();
    Function forward;
    forward.body = [](Work& work) -> std::vector<Value> { return {random(work, 0, 3)}; };
    forward_ = add_function(std::move(forward));
    Function backward;
    backward.mode = Mode::backward;
    backward.body = [](Work& work) -> std::vector<Value> { return {random(work, 0, 3)}; };
    backward_ = add_function(std::move(backward));
  }

  Floats draw(FunctionId function, const std::shared_ptr<Generator>& generator) {
    return values(call_all(function, {generator}).at(0));
  }

  FunctionId forward_, backward_;
  std::shared_ptr<Generator> generator_ = std::make_shared<Generator>();
};

INSTANTIATE_TEST_SUITE_P(All, RecomputedRows, testing::ValuesIn(all_setups()), setup_name);

TEST_P(RecomputedRows, test_simple) {
  Floats before;
  for (int i = 0; i < 4; ++i) {
    const auto state = std::make_shared<Generator>(*generator_);
    const Floats drawn = draw(forward_, generator_);
    EXPECT_EQ(draw(backward_, state), drawn);
    EXPECT_NE(drawn, before);
    before = drawn;
  }
}

TEST_P(RecomputedRows, test_uneven_forward_backward) {
  const std::vector<std::vector<size_t>> orders{{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (const std::vector<size_t>& order : orders) {
    std::vector<Floats> drawn;
    std::vector<std::shared_ptr<Generator>> states;
    for (int i = 0; i < 3; ++i) {
      states.push_back(std::make_shared<Generator>(*generator_));
      drawn.push_back(draw(forward_, generator_));
    }
    EXPECT_NE(drawn[0], drawn[1]);
    for (const size_t i : order) EXPECT_EQ(draw(backward_, states[i]), drawn[i]);
  }
}

TEST_P(RecomputedRows, test_retain_graph) {
  for (int i = 0; i < 3; ++i) {
    const Generator state = *generator_;
    const Floats drawn = draw(forward_, generator_);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(draw(backward_, std::make_shared<Generator>(state)), drawn);
    }
  }
}

TEST_P(BackwardRows, a_dropped_forward_awaits_nothing) {  // H14, S8
  const Pair f = pair();
  run_forward(f, tensor({3}), tensor({5}));
  EXPECT_FALSE(context().pending_backward());
  const FunctionId g = function("g", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  const Tensor first = call(g, tensor({1}));
  const Tensor second = call(g, tensor({2}));
  EXPECT_GE(counts().recordings, is_fixed() ? 1 : 2);
  EXPECT_EQ(values(first), (Floats{2}));
  EXPECT_EQ(values(second), (Floats{3}));
}

TEST_P(BackwardRows, many_forwards_and_one_backward_stay_linear) {  // S21
  const Pair f = pair();
  const Tensor w = tensor({3});
  std::vector<Forward> held;
  for (int i = 0; i < 200; ++i) held.push_back(run_forward(f, w, tensor({5})));
  EXPECT_EQ(messages("saved for a backward call are held"), 1);
  EXPECT_EQ(values(run_backward(f, std::move(held.back()), tensor({1}))), (Floats{10}));
  const size_t bytes = context().report().live_bytes;
  EXPECT_LE(bytes, 200U * 3 * 4);
}

}  // namespace
}  // namespace litz::runtime::trees
