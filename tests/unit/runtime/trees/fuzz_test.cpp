// Random sequences of calls against an interpreter of the same functions: hold, drop, view, write,
// state steps, nest entries, change sizes, other threads, backward calls, failing device calls, with
// poison and other orders of work.
//
// More sequences: test_trees --gtest_filter='*Fuzz*' --gtest_shuffle --gtest_repeat=1000

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <random>
#include <sstream>
#include <thread>

#include "support/check.h"
#include "tree_fixture.h"

namespace litz::runtime::trees {
namespace {

using Floats = std::vector<float>;

/// A tensor of the test and what it must contain.
struct Held {
  Tensor tensor;
  Floats expected;
  bool may_end = false;  ///< Under the policy `trap`, or a saved value.
};

class Fuzz : public TreeTest {
 protected:
  void prepare(uint64_t seed, OutputPolicy policy) {
    random_.seed(seed);
    ContextOptions options;
    options.policy = policy;
    options.warms_up = chance(0.8);
    options.most_recordings = chance(0.3) ? 3 : 1000;
    options.most_managed_changes = pick(1, 9);
    options.most_rerecordings = chance(0.3) ? 2 : 128;
    policy_ = policy;
    start(options);
    add_ = function("add", [](Work& work, const Tensor& x) { return add(work, x, 1); });
    chain_ = function("chain", [](Work& work, const Tensor& x) {
      Tensor y = mul(work, x, 2);
      for (int i = 0; i < 3; ++i) y = add(work, y, 1);
      return y;
    });
    // Drops its input before it makes memory for the result.
    Function consumes;
    consumes.name = "consume";
    consumes.body = [](Work& work) -> std::vector<Value> {
      Tensor y;
      {
        Tensor x = work.take(0);
        y = mul(work, x, 3);
      }
      const Tensor z = add(work, y, 1);
      y = {};
      return {add(work, z, 1), z};
    };
    consume_ = add_function(std::move(consumes));
    Function pairs;
    pairs.name = "pair";
    pairs.body = [](Work& work) -> std::vector<Value> {
      const Tensor x = work.take(0);
      const Tensor y = work.take(1);
      const Tensor sum = add(work, x, y);
      return {sum, first_half(sum), mul(work, x, y)};
    };
    pair_ = add_function(std::move(pairs));
    Function updates;
    updates.name = "update";
    updates.inputs = {{.name = "state",
                       .source = "",
                       .is_static = true,
                       .is_mutated = true,
                       .mutated_by = "add_"}};
    updates.body = [](Work& work) -> std::vector<Value> {
      const Tensor state = work.take(0);
      const Tensor x = work.take(1);
      add_to(work, state, x);
      return {mul(work, state, 2)};
    };
    update_ = add_function(std::move(updates));
    Function forward;
    forward.name = "forward";
    forward.mode = Mode::forward;
    forward.outputs = {{.source = ""}, {.source = "", .is_visible = false, .is_saved = true}};
    forward.body = [](Work& work) -> std::vector<Value> {
      const Tensor x = work.take(0);
      return {mul(work, x, x), mul(work, x, 2)};
    };
    forward_ = add_function(std::move(forward));
    Function backward;
    backward.name = "backward";
    backward.mode = Mode::backward;
    backward.outputs = {{.source = "", .is_gradient = true}};
    backward.body = [](Work& work) -> std::vector<Value> {
      const Tensor saved = work.take(0);
      return {mul(work, saved, work.take(1))};
    };
    backward_ = add_function(std::move(backward));
    states_.clear();
    for (int i = 0; i < 2; ++i) states_.push_back(fresh(4));
  }

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  bool chance(double p) { return std::bernoulli_distribution(p)(random_); }

  Floats numbers(size_t count) {
    Floats numbers(count);
    for (float& number : numbers) number = static_cast<float>(pick(-9, 9));
    return numbers;
  }

  Held fresh(size_t count) {
    const Floats expected = numbers(count);
    return {tensor(expected), expected};
  }

  /// A tensor of the size: one that is held, or a new one.
  Held input(size_t count) {
    std::vector<size_t> fitting;
    for (size_t i = 0; i < held_.size(); ++i) {
      if (held_[i].expected.size() == count && !held_[i].tensor.storage()->is_ended()) {
        fitting.push_back(i);
      }
    }
    if (fitting.empty() || chance(0.3)) return fresh(count);
    const size_t chosen =
        fitting[static_cast<size_t>(pick(0, static_cast<int>(fitting.size()) - 1))];
    Held result = held_[chosen];
    // Sometimes the call gets the last handle.
    if (chance(0.4)) held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(chosen));
    return result;
  }

  void hold(Tensor tensor, Floats expected) {
    // Larger numbers would be rounded.
    if (std::ranges::any_of(expected, [](float v) { return std::abs(v) > 1000; })) return;
    held_.push_back({std::move(tensor), std::move(expected), policy_ == OutputPolicy::trap});
    while (held_.size() > 12) held_.pop_front();
  }

  /// Calls a function; nothing if a device call failed.
  std::optional<std::vector<Tensor>> attempt(FunctionId function, std::vector<Argument> inputs) {
    const bool fails = chance(0.05);
    if (fails) device_->fail_call(pick(1, 6));
    std::optional<std::vector<Tensor>> outputs;
    try {
      if (chance(0.1)) {
        std::exception_ptr failure;
        std::thread([&] {
          try {
            outputs = call_all(function, std::move(inputs));
          } catch (...) {
            failure = std::current_exception();
          }
        }).join();
        if (failure) std::rethrow_exception(failure);
      } else {
        outputs = call_all(function, std::move(inputs));
      }
    } catch (const Error& error) {
      EXPECT_TRUE(fails && error.code() == ErrorCode::io) << error.what();
      outputs.reset();
    }
    device_->fail_call(0);
    return outputs;
  }

  static Floats mapped(Floats x, const std::function<float(float)>& change) {
    for (float& value : x) value = change(value);
    return x;
  }

  static Floats zipped(const Floats& x, const Floats& y, float (*combine)(float, float)) {
    Floats result;
    for (size_t i = 0; i < x.size(); ++i) result.push_back(combine(x[i], y[i]));
    return result;
  }

  void call_one(FunctionId function, const std::function<float(float)>& change) {
    Held x = input(static_cast<size_t>(2 * pick(1, 3)));
    Floats expected = mapped(x.expected, change);
    const auto outputs = attempt(function, {std::exchange(x.tensor, {})});
    if (outputs) hold(outputs->at(0), std::move(expected));
  }

  void call_consume() {
    Held x = input(4);
    const Floats z = mapped(x.expected, [](float v) { return 3 * v + 1; });
    const auto outputs = attempt(consume_, {std::exchange(x.tensor, {})});
    if (!outputs) return;
    hold(outputs->at(0), mapped(z, [](float v) { return v + 1; }));
    if (chance(0.5)) hold(outputs->at(1), z);
  }

  void call_pair() {
    const auto count = static_cast<size_t>(2 * pick(1, 2));
    Held x = input(count);
    Held y = chance(0.2) ? x : input(count);
    const Floats sum = zipped(x.expected, y.expected, [](float a, float b) { return a + b; });
    const Floats product = zipped(x.expected, y.expected, [](float a, float b) { return a * b; });
    const auto outputs = attempt(pair_, {std::exchange(x.tensor, {}), std::exchange(y.tensor, {})});
    if (!outputs) return;
    if (chance(0.7)) hold(outputs->at(0), sum);
    if (chance(0.5))
      hold(outputs->at(1),
           Floats(sum.begin(), sum.begin() + static_cast<std::ptrdiff_t>(count / 2)));
    if (chance(0.5)) hold(outputs->at(2), product);
  }

  void call_update() {
    Held& state = states_[static_cast<size_t>(pick(0, 1))];
    Held x = input(4);
    const Floats next = zipped(state.expected, x.expected, [](float a, float b) { return a + b; });
    const auto outputs = attempt(update_, {state.tensor, std::exchange(x.tensor, {})});
    if (!outputs) {  // A call that failed may have written what it writes in place.
      const Floats now = values(state.tensor);
      EXPECT_TRUE(now == state.expected || now == next);
      state.expected = now;
      return;
    }
    state.expected = next;
    if (std::ranges::any_of(next, [](float v) { return std::abs(v) > 1000; })) state = fresh(4);
    hold(outputs->at(0), mapped(next, [](float v) { return 2 * v; }));
  }

  void call_forward() {
    Held x = input(4);
    const Floats doubled = mapped(x.expected, [](float v) { return 2 * v; });
    const Floats squared = mapped(x.expected, [](float v) { return v * v; });
    const auto outputs = attempt(forward_, {std::exchange(x.tensor, {})});
    if (!outputs) return;
    hold(outputs->at(0), squared);
    Held saved{outputs->at(1), doubled, true};
    if (chance(0.3)) return;  // Its backward call never comes.
    saved_.push_back(std::move(saved));
    while (saved_.size() > 3) saved_.pop_front();
  }

  void call_backward() {
    if (saved_.empty()) return;
    const bool keeps = chance(0.3);
    Held saved = saved_.back();
    if (!keeps) saved_.pop_back();
    if (saved.tensor.storage()->is_ended()) return;
    Held cotangent = input(4);
    const Floats expected =
        zipped(saved.expected, cotangent.expected, [](float a, float b) { return a * b; });
    const auto outputs =
        attempt(backward_, {std::exchange(saved.tensor, {}), std::exchange(cotangent.tensor, {})});
    if (outputs) hold(outputs->at(0), expected);
  }

  void write_held() {
    if (held_.empty()) return;
    Held& chosen = held_[static_cast<size_t>(pick(0, static_cast<int>(held_.size()) - 1))];
    if (chosen.tensor.storage()->is_ended()) return;
    // Other tensors of the storage would change too.
    const auto sharing = std::ranges::count_if(held_, [&](const Held& other) {
      return other.tensor.storage() == chosen.tensor.storage();
    });
    if (sharing != 1) return;
    chosen.expected = numbers(chosen.expected.size());
    device_->copy({}, chosen.tensor,
                  Tensor::of<float>(DType::f32, chosen.tensor.sizes(), chosen.expected));
  }

  void view_held() {
    if (held_.empty()) return;
    const Held chosen = held_[static_cast<size_t>(pick(0, static_cast<int>(held_.size()) - 1))];
    const size_t half = chosen.expected.size() / 2;
    if (half == 0) return;
    hold(first_half(chosen.tensor),
         Floats(chosen.expected.begin(),
                chosen.expected.begin() + static_cast<std::ptrdiff_t>(half)));
  }

  void act() {
    switch (pick(0, 15)) {
      case 0:
      case 1:
        return call_one(add_, [](float v) { return v + 1; });
      case 2:
      case 3:
        return call_one(chain_, [](float v) { return 2 * v + 3; });
      case 4:
        return call_consume();
      case 5:
      case 6:
        return call_pair();
      case 7:
        return call_update();
      case 8:
        return call_forward();
      case 9:
        return call_backward();
      case 10:
        if (!held_.empty())
          held_.erase(held_.begin() + pick(0, static_cast<int>(held_.size()) - 1));
        return;
      case 11:
        return view_held();
      case 12:
        return write_held();
      case 13:
        return context().mark_step();
      case 14:
        if (chance(0.5)) return call_one(add_, [](float v) { return v + 1; });
        if (chance(0.2)) context().forget_recordings(chain_);
        return;
      default:
        return change_scopes();
    }
  }

  void change_scopes() {
    if (scope_ != nullptr) {
      scope_.reset();
    } else if (entry_ != nullptr) {
      entry_.reset();
    } else if (chance(0.5)) {
      scope_ = std::make_unique<Context::StepScope>(context());
    } else {
      entry_ = std::make_unique<Context::Entry>(context());
    }
  }

  void check_all() {
    for (const std::deque<Held>* const list : {&held_, &states_}) {
      for (const Held& held : *list) {
        if (held.tensor.storage()->is_ended()) {
          EXPECT_TRUE(held.may_end);
          EXPECT_NE(error_of([&] { values(held.tensor); }).find("overwritten"), std::string::npos);
        } else {
          EXPECT_EQ(values(held.tensor), held.expected);
        }
      }
    }
  }

  void run(uint64_t seed, OutputPolicy policy) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    prepare(seed, policy);
    for (int i = 0; i < 60 && !HasFailure(); ++i) {
      act();
      check_all();
    }
    scope_.reset();
    entry_.reset();
    held_.clear();
    saved_.clear();
    states_.clear();
    EXPECT_EQ(context().live_storages(), 0);
    EXPECT_EQ(context().report().live_bytes, 0U);
  }

  std::mt19937_64 random_;
  OutputPolicy policy_ = OutputPolicy::fresh;
  FunctionId add_, chain_, consume_, pair_, update_, forward_, backward_;
  std::deque<Held> held_;
  std::deque<Held> saved_;
  std::deque<Held> states_;
  std::unique_ptr<Context::StepScope> scope_;
  std::unique_ptr<Context::Entry> entry_;
};

INSTANTIATE_TEST_SUITE_P(All, Fuzz, testing::ValuesIn(all_setups()), setup_name);

TEST_P(Fuzz, calls_agree_with_the_interpreter) {
  const auto base = static_cast<uint64_t>(testing::UnitTest::GetInstance()->random_seed()) * 1000;
  const uint64_t sequences = GetParam().is_card ? 2 : 120;  // An emulated card is slow.
  for (uint64_t i = 0; i < sequences && !HasFailure(); ++i) {
    for (const auto policy : {OutputPolicy::fresh, OutputPolicy::clone, OutputPolicy::trap}) {
      run(base + i, policy);
      if (HasFailure()) break;
    }
  }
}

}  // namespace
}  // namespace litz::runtime::trees
