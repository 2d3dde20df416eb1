#include "runtime/program/weights.h"

#include <gtest/gtest.h>

#include "host_stream.h"

namespace litz::runtime {
namespace {

/// Two views of one storage and one of another; the second is written.
artifact::Signature signature() {
  const Tensor shared = Tensor::of<float>(DType::f32, {4}, {1, 2, 3, 4});
  artifact::Signature result;
  for (const Tensor& data : {shared.view({2}, {1}, 0), shared.view({2}, {1}, 2),
                             Tensor::of<float>(DType::f32, {2}, {5, 6})}) {
    artifact::ProgramInput& input = result.inputs.emplace_back();
    input.kind = InputKind::buffer;
    input.data = data;
  }
  result.outputs = {{OutputKind::buffer_mutation, 1, ""}};
  return result;
}

TEST(Weights, AreCopiedWhenFirstWritten) {
  const artifact::Signature original = signature();
  HostStream host;
  Weights weights(original, host.where);
  EXPECT_EQ(weights.at(0).storage(), original.inputs[0].data.storage());
  EXPECT_TRUE(weights.hold(original.inputs[2].data.storage().get()));
  weights.write(1, Tensor::of<float>(DType::f32, {2}, {8, 9}), host.where);
  EXPECT_EQ(weights.at(1).at({1}), 9);
  EXPECT_EQ(original.inputs[1].data.at({1}), 4);
  EXPECT_EQ(weights.at(0).storage(), weights.at(1).storage());  // They still share memory.
  EXPECT_EQ(weights.at(0).at({1}), 2);
  EXPECT_FALSE(weights.hold(original.inputs[0].data.storage().get()));
}

TEST(Weights, WhatSharesMemoryIsConstantTogether) {
  EXPECT_EQ(constant_inputs(signature()), (std::vector<bool>{false, false, true}));
}

}  // namespace
}  // namespace litz::runtime
