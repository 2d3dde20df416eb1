#include "ops/reduced_dims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

TEST(ReducedDims, AnEmptyListMeansAllButForAllAndAny) {
  const Tensor x = f32({2, 2}, {0, 1, 2, 3});
  EXPECT_THAT(values(run("aten.sum.dim_IntList", {x, integers({})})), ElementsAre(6));
  for (const char* op : {"aten.all.dims", "aten.any.dims"}) {
    const Tensor kept = run(op, {x, integers({})});
    EXPECT_EQ(kept.sizes(), x.sizes());
    EXPECT_THAT(values(kept), ElementsAre(0, 1, 1, 1));
    EXPECT_EQ(run(op, {x, none()}).rank(), 0);
  }
}

}  // namespace
}  // namespace litz::ops
