#include "compiler/api/program_cache.h"

#include <gtest/gtest.h>

#include "ops/op_table.h"
#include "trace/tracer.h"

namespace litz::compiler {
namespace {

ir::Program sum_with(double number) {
  trace::Tracer tracer(ops::standard_ops());
  const ir::Value x = tracer.add_argument(trace::type_of(Tensor::zeros(DType::f32, {2})), "x");
  return tracer.finish({tracer.call("aten.add.Scalar", {x, Expr::real(number), Expr(1)})[0]});
}

TEST(ProgramCache, CompilesEqualProgramsOnce) {
  ProgramCache cache(2);
  Options options;
  options.executor = ExecutorKind::interpreter;
  const auto one = cache.compiled(sum_with(1), options);
  EXPECT_EQ(cache.compiled(sum_with(1), options), one);
  EXPECT_NE(cache.compiled(sum_with(2), options), one);
  EXPECT_EQ(cache.made(), 2U);
  cache.compiled(sum_with(3), options);
  EXPECT_NE(cache.compiled(sum_with(1), options), one);  // It was used longest ago.
  EXPECT_EQ(cache.made(), 4U);
}

}  // namespace
}  // namespace litz::compiler
