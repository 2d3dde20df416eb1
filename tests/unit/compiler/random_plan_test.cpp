// Random plans, fused and compiled, against the same plans interpreted as they were written.

#include "fusion/random_plan.h"

#include <cmath>
#include <cstring>

#include <gtest/gtest.h>

#include "compiler/backend.h"
#include "compiler/execution/plan_runner.h"
#include "one_list.h"
#include "support/check.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

using fusion::RandomPlan;

constexpr int kPlans = 60;
// Sums are in another order, and later values are differences of them.
constexpr double kTolerance = 1e-4;

std::vector<Leaf> inputs_of(const RandomPlan& random) {
  std::vector<Leaf> inputs;
  int64_t salt = 1;
  for (const ir::ValueType& declared : random.p.program.plans[0].input_types) {
    const auto& type = std::get<TensorType>(declared);
    Tensor tensor = Tensor::empty(type.dtype, evaluate(type.sizes, random.p.bindings));
    std::vector<double> values(static_cast<size_t>(tensor.numel()));
    for (size_t i = 0; i < values.size(); ++i) {
      const auto mixed = (static_cast<int64_t>(i) * 7919 + salt * 104729 + 13) % 1009;
      values[i] = is_floating(type.dtype) ? static_cast<double>(mixed) / 97.0 - 5.0
                                          : static_cast<double>(mixed % 4);
    }
    tensor.copy_from(
        Tensor::of<double>(DType::f64, tensor.sizes(), std::span<const double>(values)));
    inputs.emplace_back(std::move(tensor));
    ++salt;
  }
  return inputs;
}

std::vector<Tensor> tensors(std::vector<Leaf> leaves) {
  std::vector<Tensor> result;
  for (Leaf& leaf : leaves) result.push_back(std::get<Tensor>(leaf).contiguous());
  return result;
}

bool same_bits(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (size_t i = 0; i < a.size(); ++i) {
    const auto bytes = static_cast<size_t>(a[i].numel() * item_size(a[i].dtype()));
    if (std::memcmp(a[i].data(), b[i].data(), bytes) != 0) return false;
  }
  return a.size() == b.size();
}

void expect_close(const std::vector<Tensor>& have, const std::vector<Tensor>& want) {
  ASSERT_EQ(have.size(), want.size());
  for (size_t k = 0; k < have.size(); ++k) {
    ASSERT_EQ(have[k].sizes(), want[k].sizes());
    const auto* h = reinterpret_cast<const float*>(have[k].data());
    const auto* w = reinterpret_cast<const float*>(want[k].data());
    double magnitude = 1;
    for (int64_t i = 0; i < want[k].numel(); ++i) {
      magnitude = std::max(magnitude, static_cast<double>(std::abs(w[i])));
    }
    for (int64_t i = 0; i < want[k].numel(); ++i) {
      ASSERT_NEAR(h[i], w[i], kTolerance * magnitude) << "output " << k << " element " << i;
    }
  }
}

std::vector<Tensor> interpreted(uint32_t seed, int64_t columns) {
  RandomPlan random(seed, columns);
  const PlanRunner runner(std::move(random.p.program), random.p.pool, {.compile = false});
  RandomPlan same(seed, columns);
  return tensors(runner.run(inputs_of(same), random.p.bindings));
}

struct Compiled {
  std::vector<Tensor> stepped;
  std::vector<Tensor> planned;
  std::vector<Tensor> again;
  std::vector<Tensor> tested;
};

// Every other plan with reductions in parts, however short.
fusion::FusionOptions options_of(uint32_t seed) {
  fusion::FusionOptions options = fusion_options(backend_for("host").get(), true);
  if (seed % 4 >= 2) options.split_from = 16;
  return options;
}

Compiled compiled(uint32_t seed, int64_t columns, ThreadPool* pool) {
  RandomPlan random(seed, columns);
  const std::vector<Leaf> inputs = inputs_of(random);
  fusion::FusionReport report;
  fusion::fuse(random.p.program, options_of(seed), report);
  const PlanRunner runner(std::move(random.p.program), random.p.pool, {.pool = pool});
  const OneList list(runner, pool);
  Compiled result;
  result.stepped = tensors(runner.run(inputs, random.p.bindings));
  const auto input_of = [&](size_t i) { return std::get_if<Tensor>(&inputs[i]); };
  result.planned = tensors(list.runner().run(input_of, random.p.bindings, {}));
  result.again = tensors(list.runner().run(input_of, random.p.bindings, {}));
  const OneList tested(runner, pool, {.poison = true, .access = true, .order_seed = seed});
  result.tested = tensors(tested.runner().run(input_of, random.p.bindings, {}));
  return result;
}

TEST(RandomPlans, CompiledAsInterpreted) {
  ThreadPool threads(3);
  const int first = count_from_environment("LITZ_RANDOM_FIRST", 0);
  const int count = count_from_environment("LITZ_RANDOM_PLANS", kPlans);
  for (int i = first; i < first + count; ++i) {
    const auto seed = static_cast<uint32_t>(i);
    const int64_t columns = i % 3 == 0 ? 6 : i % 3 == 1 ? 37 : 128;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", columns " + std::to_string(columns));
    try {
      const Compiled one = compiled(seed, columns, nullptr);
      const Compiled three = compiled(seed, columns, &threads);
      ASSERT_TRUE(same_bits(one.stepped, one.planned)) << "planned and stepped differ";
      ASSERT_TRUE(same_bits(one.planned, one.again)) << "two runs differ";
      ASSERT_TRUE(same_bits(one.planned, one.tested)) << "test modes change bits";
      ASSERT_TRUE(same_bits(three.planned, three.tested)) << "test modes change bits";
      ASSERT_TRUE(same_bits(one.planned, three.planned)) << "thread counts differ";
      expect_close(one.planned, interpreted(seed, columns));
    } catch (const Error& error) {
      FAIL() << error.what();
    }
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace litz::compiler
