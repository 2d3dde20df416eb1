// Upstream's tests of outputs that share memory, of liveness and of static inputs, by their names.

#include <array>

#include "runtime/sim/sim_device.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

class AliasRows : public TreeTest {
 protected:
  ContextOptions without_warm_up() {
    ContextOptions options;
    options.warms_up = false;
    return options;
  }

  /// (2x, first half of 2x, 3x)
  FunctionId with_view() {
    Function f;
    f.name = "with_view";
    f.body = [](Work& work) -> std::vector<Value> {
      const Tensor x = work.take(0);
      const Tensor y = mul(work, x, 2);
      return {y, first_half(y), mul(work, x, 3)};
    };
    return add_function(std::move(f));
  }

  FunctionId plus_one() {
    return function("plus_one", [](Work& work, const Tensor& x) { return add(work, x, 1); });
  }

  static Function static_input() {
    Function more;
    more.inputs = {{.name = "weight", .source = "model.py:3", .is_static = true, .mutated_by = ""}};
    return more;
  }

  std::byte* address_of(const Tensor& x) { return x.address(); }
};

INSTANTIATE_TEST_SUITE_P(All, AliasRows, testing::ValuesIn(all_setups()), setup_name);

TEST_P(AliasRows, test_aliased_storage_single_weakref) {
  const FunctionId f = with_view();
  const FunctionId g = with_view();
  for (int i = 0; i < 4; ++i) {
    const Context::Entry entry(context());
    const auto a = call_all(f, {tensor({1, 2})});
    const auto b = call_all(g, {a[0]});
    EXPECT_EQ(a[0].storage(), a[1].storage());
    EXPECT_EQ(b[0].storage(), b[1].storage());
    EXPECT_NE(address_of(a[0]), address_of(b[0]));
    EXPECT_EQ(values(b[1]), (Floats{4}));
    EXPECT_EQ(values(b[2]), (Floats{6, 12}));
  }
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(AliasRows, test_output_alias) {
  Function f;
  f.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {x, first_half(x)};
  };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) {
    const auto number = static_cast<float>(i);
    const auto outputs = call_all(id, {tensor({number, 2})});
    EXPECT_EQ(outputs[0].storage(), outputs[1].storage());
    EXPECT_EQ(values(outputs[0]), (Floats{number, 2}));
    EXPECT_EQ(values(outputs[1]), (Floats{number}));
  }
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(AliasRows, test_aliased_static_parameter) {
  const FunctionId f = function(
      "f", [](Work&, const Tensor& x) { return first_half(x); }, static_input());
  const Tensor weight = tensor({1, 2});
  for (int i = 0; i < 3; ++i) {
    const Tensor y = call(f, weight);
    EXPECT_EQ(y.storage(), weight.storage());
    EXPECT_EQ(values(y), (Floats{1}));
    EXPECT_EQ(context().live_storages(), 0);
  }
  for (const Node* const node : context().nodes()) {
    EXPECT_EQ(node->outputs[0].kind, OutputClass::input);
  }
}

TEST_P(AliasRows, test_alias_of_parameter) {
  Function f = static_input();
  f.body = [](Work& work) -> std::vector<Value> {
    const Tensor weight = work.take(0);
    const Tensor x = work.take(1);
    return {first_half(weight), weight, add(work, x, weight)};
  };
  const FunctionId id = add_function(std::move(f));
  const Tensor weight = tensor({1, 2});
  for (int i = 0; i < 3; ++i) {
    const auto outputs = call_all(id, {weight, tensor({10, 20})});
    EXPECT_EQ(values(outputs[0]), (Floats{1}));
    EXPECT_EQ(values(outputs[1]), (Floats{1, 2}));
    EXPECT_EQ(values(outputs[2]), (Floats{11, 22}));
    EXPECT_EQ(context().live_storages(), 1);
  }
}

TEST_P(AliasRows, test_constant_output) {
  const Tensor frozen = tensor({1, 2});
  Function f;
  f.body = [frozen](Work& work) -> std::vector<Value> {
    return {frozen, first_half(frozen), add(work, work.take(0), frozen)};
  };
  const FunctionId id = add_function(std::move(f));
  for (int i = 0; i < 3; ++i) {
    const auto outputs = call_all(id, {tensor({10, 20})});
    EXPECT_EQ(outputs[0].storage(), frozen.storage());
    EXPECT_EQ(outputs[1].storage(), frozen.storage());
    EXPECT_EQ(values(outputs[2]), (Floats{11, 22}));
    EXPECT_EQ(context().live_storages(), 1);
  }
}

TEST_P(AliasRows, test_aliasing_static_ref) {
  Function f = static_input();
  f.body = [](Work& work) -> std::vector<Value> {
    const Tensor weight = work.take(0);
    return {mul(work, work.take(1), weight), weight.view({2}, {1}, 0), first_half(weight)};
  };
  const FunctionId first = add_function(std::move(f));
  const FunctionId second = function("view", [](Work&, const Tensor& x) { return first_half(x); });
  const Tensor weight = tensor({3, 4});
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    const auto outputs = call_all(first, {weight, tensor({1, 2})});
    EXPECT_EQ(outputs[1].storage(), weight.storage());
    EXPECT_EQ(outputs[2].storage(), weight.storage());
    const Tensor view = call(second, outputs[0]);
    EXPECT_EQ(view.storage(), outputs[0].storage());
    EXPECT_EQ(values(view), (Floats{3}));
  }
}

TEST_P(AliasRows, test_tensor_dies_between_checkpoint) {
  start(without_warm_up());
  Function two;
  two.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {add(work, x, 1), add(work, x, 2)};
  };
  const FunctionId foo = add_function(std::move(two));
  const FunctionId foo2 = plus_one();
  for (int i = 0; i < 2; ++i) {
    context().mark_step();
    call_all(foo, {tensor({1})});
  }
  EXPECT_EQ(counts().restores, 0);
  context().mark_step();
  auto outputs = call_all(foo, {tensor({1})});
  outputs[0] = {};
  Tensor result = call(foo2, std::exchange(outputs[1], {}));
  EXPECT_EQ(counts().restores, is_fixed() ? 1 : 0);
  EXPECT_EQ(values(result), (Floats{4}));
  EXPECT_EQ(context().live_storages(), 1);
  result = {};
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(AliasRows, test_aliased_output_checkpoint) {
  start(without_warm_up());
  const FunctionId foo = with_view();
  const FunctionId foo2 = plus_one();
  for (int i = 0; i < 2; ++i) {
    context().mark_step();
    call_all(foo, {tensor({1, 2})});
  }
  context().mark_step();
  auto outputs = call_all(foo, {tensor({1, 2})});
  outputs[0] = {};
  outputs[1] = {};
  Tensor result = call(foo2, std::exchange(outputs[2], {}));
  EXPECT_EQ(counts().restores, is_fixed() ? 1 : 0);
  EXPECT_EQ(values(result), (Floats{4, 7}));
  EXPECT_EQ(context().live_storages(), 1);
  result = {};
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(AliasRows, test_checkpoint_shared_output_storage_deallocation) {
  start(without_warm_up());
  const FunctionId foo = with_view();
  const FunctionId foo2 = with_view();
  for (int i = 0; i < 2; ++i) {
    context().mark_step();
    call_all(foo, {tensor({1, 2})});
  }
  context().mark_step();
  const auto first = call_all(foo, {tensor({1, 2})});
  auto outputs = call_all(foo2, {first[0]});
  EXPECT_EQ(counts().restores, is_fixed() ? 1 : 0);
  outputs[2] = {};
  EXPECT_EQ(address_of(outputs[0]), address_of(outputs[1]));
  const int64_t others = 2;  // Those of `first`.
  EXPECT_EQ(context().live_storages(), others + 1);
  outputs[0] = {};
  EXPECT_EQ(context().live_storages(), others + 1);
  outputs[1] = {};
  EXPECT_EQ(context().live_storages(), others);
}

TEST_P(AliasRows, test_peristed_output_livenes) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) step(f, tensor({1, 2}));
  EXPECT_EQ(context().live_storages(), 0);
  Tensor y = step(f, tensor({1, 2}));
  EXPECT_EQ(context().live_storages(), 1);
  Tensor view = first_half(y);
  y = {};
  EXPECT_EQ(context().live_storages(), 1);
  view = {};
  EXPECT_EQ(context().live_storages(), 0);
}

TEST_P(AliasRows, test_checkpointing_resets_persistent_refs) {
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) step(f, tensor({1, 2}));
  const Storage* const cached = step(f, tensor({1, 2})).storage().get();
  EXPECT_EQ(step(f, tensor({1, 2})).storage().get(), cached) << "nothing is made anew";
  Function alias;
  alias.body = [](Work& work) -> std::vector<Value> {
    const Tensor x = work.take(0);
    return {first_half(x), mul(work, x, x)};
  };
  const FunctionId g = add_function(std::move(alias));
  for (int i = 0; i < 2; ++i) {
    Tensor y = step(f, tensor({1, 2}));
    auto outputs = call_all(g, {y});
    EXPECT_EQ(outputs[0].storage(), y.storage());
    EXPECT_EQ(context().live_storages(), 2);
    y = {};
    EXPECT_EQ(context().live_storages(), 2);
    outputs[0] = {};
    EXPECT_EQ(context().live_storages(), 1);
    outputs[1] = {};
    EXPECT_EQ(context().live_storages(), 0);
  }
}

TEST_P(AliasRows, test_tensor_no_longer_in_pool) {
  start(without_warm_up());
  const FunctionId foo = plus_one();
  const FunctionId foo2 = plus_one();
  for (int i = 0; i < 2; ++i) {
    context().mark_step();
    const Tensor y = call(foo, tensor({1}));
    EXPECT_EQ(values(call(foo2, y)), (Floats{3}));
  }
  context().mark_step();
  const Tensor y = call(foo, tensor({1}));
  EXPECT_EQ(values(call(foo2, tensor({7}))), (Floats{8}));
  if (is_fixed()) {
    EXPECT_EQ(counts().restores, 1);
    EXPECT_EQ(context().descendants(), (std::vector<int64_t>{2}));
    EXPECT_EQ(messages("re-recording"), 1);  // test_rerecording_logs_reason
    EXPECT_EQ(messages("managed pointer changed; input 0"), 1);
  }
}

TEST_P(AliasRows, test_unaligned_static_parameter) {
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, x, 1); }, static_input());
  const Tensor weight = tensor({1, 2, 3});
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(values(call(f, weight.view({2}, {1}, 1))), (Floats{3, 4}));
  }
  EXPECT_EQ(counts().copies, 0) << "no alignment is assumed, so nothing is copied";
  EXPECT_EQ(recordings(), 1);
}

TEST_P(AliasRows, test_rerecord_if_static_input_address_changed) {
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, x, 1); }, static_input());
  const Tensor one = tensor({1});
  const Tensor two = tensor({2});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, one)), (Floats{2}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, two)), (Floats{3}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, one)), (Floats{2}));
  EXPECT_EQ(recordings(), is_fixed() ? 2 : 1);
}

TEST_P(AliasRows, test_param_ptr_churn_does_not_count_toward_rerecord_limit) {
  ContextOptions options;
  options.most_rerecordings = 1;
  start(options);
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, x, 1); }, static_input());
  std::vector<Tensor> weights;
  for (int i = 0; i < 5; ++i) weights.push_back(tensor({static_cast<float>(i)}));
  for (int i = 0; i < 15; ++i) call(f, weights[static_cast<size_t>(i % 5)]);
  EXPECT_EQ(counts().skips, 0);
}

TEST_P(AliasRows, test_fallback_to_eager_if_recompiling_too_many_times_warn_only_once) {
  ContextOptions options;
  options.most_rerecordings = 0;
  options.counts_static_changes = true;
  start(options);
  const FunctionId f = function(
      "f", [](Work& work, const Tensor& x) { return add(work, x, 1); }, static_input());
  const Tensor first = tensor({1});
  for (int i = 0; i < 3; ++i) call(f, first);
  std::vector<Tensor> weights;
  for (int i = 0; i < 5; ++i) weights.push_back(tensor({static_cast<float>(i)}));
  for (const Tensor& weight : weights) EXPECT_EQ(values(call(f, weight)).size(), 1U);
  if (!is_fixed()) return;
  EXPECT_EQ(counts().skips, 1);
  EXPECT_EQ(messages("function 0 f was not recorded: exceeding max re-recording limit (0): static "
                     "pointer changed; input 0 weight (model.py:3)"),
            1);
}

TEST_P(AliasRows,
       test_fallback_to_eager_if_recompiling_too_many_times_due_to_cudagraph_managed_tensor) {
  ContextOptions options;
  options.most_rerecordings = 0;
  start(options);
  const FunctionId foo = plus_one();
  const FunctionId goo = plus_one();
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    call(goo, call(foo, tensor({1})));
  }
  for (int i = 0; i < 3; ++i) {
    context().mark_step();
    const Tensor y = call(foo, tensor({1}));
    EXPECT_EQ(values(call(goo, tensor(values(y)))), (Floats{3}));
  }
  if (!is_fixed()) return;
  EXPECT_EQ(counts().skips, 1);
  EXPECT_EQ(messages("function 1 plus_one after recording 0 was not recorded: exceeding max "
                     "re-recording limit (0): managed pointer changed"),
            1);
}

TEST_P(AliasRows, test_cleanup) {
  const FunctionId f = plus_one();
  Tensor y;
  for (int i = 0; i < 3; ++i) y = step(f, tensor({1}));
  const GraphDevice* const device = device_.get();
  EXPECT_NE(device, nullptr);
  context_->shut_down();
  EXPECT_EQ(values(y), (Floats{2})) << "memory that is held stays";
  EXPECT_NE(error_of([&] { call(f, tensor({1})); }).find("shut down"), std::string::npos);
  y = {};
}

TEST_P(AliasRows, test_manager_per_device) {
  const auto other_device = make_tested_device(true, 1);
  Context other(other_device);
  const FunctionId f = plus_one();
  for (int i = 0; i < 3; ++i) call(f, tensor({1}));
  EXPECT_EQ(recordings(), 1);
  EXPECT_EQ(other.recordings(), 0);
}

TEST_P(AliasRows, test_multiple_devices_msg) {
  if (!GetParam().is_simulated) return;  // Needs tensors that are elsewhere.
  const FunctionId f =
      function("f", [](Work& work, const Tensor& x) { return add(work, work.on_device(x), 1); });
  const Tensor host = Tensor::of<float>(DType::f32, {1}, {1});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(values(call(f, host)), (Floats{2}));
  EXPECT_EQ(recordings(), 0);
  EXPECT_EQ(counts().skips, 1);
  EXPECT_EQ(messages("a recording must not read a tensor of another device: input 0"), 1);
}

}  // namespace
}  // namespace litz::runtime::trees
