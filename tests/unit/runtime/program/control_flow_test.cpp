#include "runtime/program/control_flow.h"

#include <set>

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

Tensor numbers(std::vector<float> values) {
  const auto count = static_cast<int64_t>(values.size());
  return Tensor::of<float>(DType::f32, {count}, std::span<const float>(values));
}

TEST(ControlFlow, ConditionsAreNumbersOrTensors) {
  HostStream host;
  EXPECT_TRUE(truth(true, host.where));
  EXPECT_TRUE(truth(int64_t{2}, host.where));
  EXPECT_FALSE(truth(Tensor::scalar(DType::f32, 0), host.where));
  EXPECT_THROW(truth(std::monostate(), host.where), Error);
}

TEST(ControlFlow, LoopsEndAndDrawAnewInEveryTurn) {
  HostStream host;
  Bindings bindings;
  bindings.set(0, 77);
  std::set<int64_t> keys;
  const auto call = [&](size_t child, std::vector<Value> inputs) -> std::vector<Value> {
    const auto count = std::get<int64_t>(inputs[0]);
    if (child == 0) return {count < 4};
    keys.insert(*bindings.find(0));
    return {count + std::get<int64_t>(inputs[1])};
  };
  const std::vector<Value> result =
      run_while({int64_t{0}}, {int64_t{1}}, {0, bindings}, host.where, call);
  EXPECT_EQ(std::get<int64_t>(result[0]), 4);
  EXPECT_EQ(keys.size(), 4U);
  EXPECT_EQ(bindings.find(0), 77);
}

TEST(ControlFlow, ScansCarryAndStack) {
  HostStream host;
  Bindings bindings;
  const TensorType one = contiguous_type(DType::f32, {});
  const TensorType all = contiguous_type(DType::f32, {3});
  const auto sum = [](size_t, std::vector<Value> inputs) -> std::vector<Value> {
    const double total = std::get<Tensor>(inputs[0]).at({}) + std::get<Tensor>(inputs[1]).at({});
    return {Tensor::scalar(DType::f32, total), Tensor::scalar(DType::f32, total)};
  };
  const Scan scan{{Tensor::scalar(DType::f32, 10)}, {numbers({1, 2, 3})}, {}, false, &one, {&all}};
  const std::vector<Value> result =
      run_over_entries(scan, {std::nullopt, bindings}, host.where, "a scan", sum);
  ASSERT_EQ(result.size(), 2U);
  EXPECT_EQ(std::get<Tensor>(result[0]).at({}), 16);
  EXPECT_EQ(std::get<Tensor>(result[1]).at({1}), 13);
}

TEST(ControlFlow, AssociativeScansBeginWithTheFirstEntry) {
  HostStream host;
  Bindings bindings;
  const TensorType one = contiguous_type(DType::f32, {});
  const TensorType all = contiguous_type(DType::f32, {3});
  const auto product = [](size_t, std::vector<Value> inputs) -> std::vector<Value> {
    return {Tensor::scalar(
        DType::f32, std::get<Tensor>(inputs[0]).at({}) * std::get<Tensor>(inputs[1]).at({}))};
  };
  const Scan scan{{}, {numbers({5, 2, 3})}, {}, true, &one, {&all}};
  const std::vector<Value> result =
      run_over_entries(scan, {std::nullopt, bindings}, host.where, "a scan", product);
  ASSERT_EQ(result.size(), 1U);
  EXPECT_EQ(std::get<Tensor>(result[0]).at({0}), 5);
  EXPECT_EQ(std::get<Tensor>(result[0]).at({2}), 30);
  EXPECT_THROW(run_over_entries(Scan{}, {std::nullopt, bindings}, host.where, "a scan", product),
               Error);
}

}  // namespace
}  // namespace litz::runtime
