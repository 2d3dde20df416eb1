// Devices, tensors and small functions for tests of contexts.

#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/trees/context.h"
#include "runtime/trees/work.h"

namespace litz::runtime::trees {

/// A device for tests, and the tier of their functions.
struct Setup {
  std::string name;
  bool is_simulated = false;
  Tier tier = Tier::fixed;
  bool is_card = false;

  friend void PrintTo(const Setup& setup, std::ostream* out) { *out << setup.name; }
};

/// The host and the simulated device; and the card, which $LITZ_CUDA_DRIVER may emulate, if that is set.
std::vector<Setup> all_setups();
std::string setup_name(const testing::TestParamInfo<Setup>& info);

/// A device in the modes that find errors: poison, checked accesses, other orders.
std::shared_ptr<GraphDevice> make_tested_device(bool is_simulated, int index = 0);
std::shared_ptr<GraphDevice> make_tested_device(const Setup& setup);

// --- Operations on f32

Tensor add(Work& work, const Tensor& x, float number);
Tensor mul(Work& work, const Tensor& x, float number);
Tensor add(Work& work, const Tensor& x, const Tensor& y);
Tensor mul(Work& work, const Tensor& x, const Tensor& y);
/// Adds to x itself.
void add_to(Work& work, const Tensor& x, float number);
void add_to(Work& work, const Tensor& x, const Tensor& y);
Tensor cat(Work& work, const Tensor& x, const Tensor& y);
/// `count` numbers that a generator's seed and position decide.
Tensor random(Work& work, size_t generator, int64_t count);
/// Half of a row-major tensor of rank 1.
Tensor first_half(const Tensor& x);

/// A test with one context. At the end nothing of the pool may be left but what tensors hold.
class TreeTest : public testing::TestWithParam<Setup> {
 protected:
  void SetUp() override { start({}); }

  void TearDown() override;

  /// Makes the context anew; it records messages.
  void start(ContextOptions options);

  Context& context() { return *context_; }

  bool is_fixed() const { return GetParam().tier == Tier::fixed; }

  /// Tensors of the device.
  Tensor tensor(std::initializer_list<float> values) { return tensor(std::vector<float>(values)); }

  Tensor tensor(const std::vector<float>& values);
  std::vector<float> values(const Tensor& tensor);

  using OneBody = std::function<Tensor(Work& work, const Tensor& x)>;

  /// A function of one tensor with one result.
  FunctionId function(std::string name, OneBody body, Function more = {});
  /// Any function; its tier is the test's.
  FunctionId add_function(Function function);

  Tensor call(FunctionId function, Tensor x);
  std::vector<Tensor> call_all(FunctionId function, std::vector<Argument> inputs);

  /// In a step of its own.
  Tensor step(FunctionId function, Tensor x) {
    context_->mark_step();
    return call(function, std::move(x));
  }

  int64_t recordings() { return context_->recordings(); }

  Counts counts() { return context_->counts(); }

  int64_t messages(const std::string& text) const;

  std::shared_ptr<GraphDevice> device_;
  std::unique_ptr<Context> context_;
  std::vector<std::string> messages_;
};

/// The message of the Error that reading the tensor throws; empty: none.
std::string error_of(const std::function<void()>& action);

}  // namespace litz::runtime::trees
