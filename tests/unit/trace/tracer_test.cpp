#include "trace/tracer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::trace {
namespace {

TEST(Tracer, StatesAProgram) {
  Tracer tracer(ops::standard_ops());
  const ir::Value x = tracer.add_argument(contiguous_type(DType::f32, {2, 3}), "x");
  const Tensor weight = Tensor::zeros(DType::f32, {3});
  const ir::Value w = tracer.capture(weight);
  EXPECT_EQ(tracer.capture(weight), w);
  EXPECT_FALSE(tracer.capture(weight.view({1, 3}, {3, 1}, 0)) == w);
  const ir::Value sum = tracer.call("aten.add.Tensor", {x, w})[0];
  const ir::Program program = tracer.finish({sum});
  EXPECT_TRUE(tracer.is_finished());
  EXPECT_EQ(program.inputs.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(tracer.origins()[0]));
  EXPECT_EQ(std::get<Tensor>(tracer.origins()[1]).storage(), weight.storage());
  EXPECT_THAT(ir::to_string(program.graph()),
              testing::HasSubstr("aten.add.Tensor(%x, %captured0) : f32[2, 3]"));
  EXPECT_THROW(tracer.call("aten.relu", {x}), Error);
}

TEST(Tracer, CapturesValuesOfTheProgramAround) {
  Tracer outer(ops::standard_ops());
  const ir::Value x = outer.add_argument(contiguous_type(DType::f32, {2}), "x");
  Tracer inner(ops::standard_ops());
  const ir::Value captured = inner.capture(x);
  EXPECT_EQ(inner.capture(x), captured);
  EXPECT_EQ(std::get<ir::Value>(inner.origins()[0]), x);
}

}  // namespace
}  // namespace litz::trace
