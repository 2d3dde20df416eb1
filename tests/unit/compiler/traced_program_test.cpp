#include "compiler/api/traced_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "trace/tracer.h"

namespace litz::compiler {
namespace {

TEST(TracedProgram, ViewsShareMemoryAndOthersDoNot) {
  trace::Tracer tracer(ops::standard_ops());
  const Tensor x = Tensor::of<float>(DType::f32, {2, 2}, {1, 2, 3, 4});
  const ir::Value input = tracer.capture(x);
  const ir::Value turned = tracer.call("aten.t", {input})[0];
  const ir::Value copy = tracer.call("aten.clone", {turned})[0];
  TracedProgram program(tracer.finish({turned, copy, input}), {});
  const std::vector<Tensor> results = program.run(std::array{x});
  EXPECT_EQ(results[0].storage(), x.storage());
  EXPECT_EQ(results[0].at({0, 1}), 3);
  EXPECT_NE(results[1].storage(), x.storage());
  EXPECT_EQ(results[1].at({0, 1}), 3);
  EXPECT_EQ(results[2].storage(), x.storage());
}

TEST(TracedProgram, OfViewsOnlyCompilesNothing) {
  trace::Tracer tracer(ops::standard_ops());
  const Tensor x = Tensor::zeros(DType::f32, {2, 3});
  const ir::Value turned = tracer.call("aten.t", {tracer.capture(x)})[0];
  EXPECT_EQ(TracedProgram(tracer.finish({turned}), {}).executable(), nullptr);
}

}  // namespace
}  // namespace litz::compiler
