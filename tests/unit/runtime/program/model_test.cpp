#include "runtime/program/model.h"

#include <atomic>
#include <optional>
#include <thread>

#include <gtest/gtest.h>

#include "products_program.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

Tensor diagonal(float value) {
  return Tensor::of<float>(DType::f32, {3, 3}, {value, 0, 0, 0, value, 0, 0, 0, value});
}

double corner(Model& model) {
  const std::vector<Value> inputs{diagonal(1)};
  return std::get<Tensor>(model.calls().run(inputs)[0]).at({2, 2});
}

TEST(Model, WeightsAreReplaced) {
  Model model(product_program(), {.threads = 1});
  EXPECT_EQ(corner(model), 2);
  const std::vector<std::pair<std::string, Tensor>> weights{{"w", diagonal(5)}};
  model.set_weights(weights);
  EXPECT_EQ(corner(model), 5);
}

// What was packed of the old ones is not used for the new ones.
TEST(Model, WeightsOfPackedConstantsAreReplaced) {
  artifact::Program program = product_program();
  program.signature.inputs[0].kind = InputKind::parameter;
  ProgramRunner runner(program, {});
  runner.pack_constants();
  program.packed = runner.packed_constants();
  Model model(program, {.threads = 1});
  EXPECT_EQ(corner(model), 2);
  const std::vector<std::pair<std::string, Tensor>> weights{{"w", diagonal(5)}};
  model.set_weights(weights);
  EXPECT_EQ(corner(model), 5);
}

TEST(Model, WhatDoesNotFitChangesNothing) {
  Model model(product_program(), {.threads = 1});
  const auto refuses = [&](const std::string& name, const Tensor& tensor) {
    const std::vector<std::pair<std::string, Tensor>> weights{{"w", diagonal(5)}, {name, tensor}};
    EXPECT_THROW(model.set_weights(weights), Error);
    EXPECT_EQ(corner(model), 2);
  };
  refuses("absent", diagonal(1));
  refuses("x", diagonal(1));  // An input.
  refuses("w", Tensor::zeros(DType::f32, {3, 4}));
  refuses("w", Tensor::zeros(DType::f64, {3, 3}));
  EXPECT_THROW(Model(product_program(), {.threads = -1}), Error);
}

double corner(ModelCalls& calls) {
  const std::vector<Value> inputs{diagonal(1)};
  return std::get<Tensor>(calls.run(inputs)[0]).at({2, 2});
}

TEST(Model, SessionsHaveBuffersOfTheirOwn) {
  const std::vector<std::pair<std::string, Tensor>> weights{{"w", diagonal(100)}};
  std::optional<ModelCalls> outlives;
  {
    Model model(updating_program(), {.threads = 2});
    ModelCalls first = model.session();
    ModelCalls second = model.session();
    const std::vector<Value> doubled{diagonal(2)};
    first.run(doubled);
    EXPECT_EQ(corner(first), 4);
    EXPECT_EQ(corner(second), 2);
    EXPECT_EQ(corner(model), 2);
    second.write_buffer("w", diagonal(9));
    EXPECT_EQ(first.read_buffer("w").at({2, 2}), 4);
    EXPECT_EQ(corner(second), 9);
    EXPECT_THROW(second.read_buffer("x"), Error);
    second.reset_buffers();
    EXPECT_EQ(corner(second), 2);
    model.set_weights(weights);
    EXPECT_EQ(corner(model), 100);
    EXPECT_EQ(corner(first), 4) << "a session keeps its weights";
    outlives = std::move(first);
  }
  EXPECT_EQ(corner(*outlives), 4);
}

TEST(Model, CallsWriteToTensorsOfTheCaller) {
  Model model(product_program(), {.threads = 1});
  ModelCalls calls = model.calls();
  const std::vector<Value> inputs{diagonal(3)};
  const Tensor to = Tensor::zeros(DType::f32, {3, 3});
  std::vector<Value> into{to};
  calls.run_into(inputs, into);
  EXPECT_EQ(to.at({1, 1}), 6);
  into[0] = Tensor::zeros(DType::f32, {2, 3});
  EXPECT_THROW(calls.run_into(inputs, into), Error);
}

TEST(Model, CallsSeeOldOrNewWeightsWhole) {
  Model model(product_program(), {.threads = 1});
  std::atomic<bool> is_done{false};
  std::atomic<int> torn{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) {
    callers.emplace_back([&] {
      const std::vector<Value> inputs{diagonal(1)};
      while (!is_done) {
        const auto result = std::get<Tensor>(model.calls().run(inputs)[0]);
        if (result.at({0, 0}) != result.at({2, 2})) ++torn;
      }
    });
  }
  for (int i = 0; i < 50; ++i) {
    const std::vector<std::pair<std::string, Tensor>> weights{
        {"w", diagonal(static_cast<float>(i))}};
    model.set_weights(weights);
    EXPECT_EQ(corner(model), i);
  }
  is_done = true;
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace litz::runtime
