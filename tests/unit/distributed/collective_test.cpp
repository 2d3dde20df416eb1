#include "distributed/collective.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::distributed {
namespace {

TEST(Collective, SignatureNamesWhatRanksShare) {
  Collective collective;
  collective.reduction = Reduction::max;
  collective.operands = {Tensor::zeros(DType::f32, {2, 3}), Tensor::zeros(DType::i64, {})};
  EXPECT_EQ(signature(collective), "all_reduce max of f32[2, 3], i64[]");
  collective.kind = CollectiveKind::broadcast;
  collective.peer = 2;
  collective.operands.pop_back();
  EXPECT_EQ(signature(collective), "broadcast rank 2 of f32[2, 3]");
}

TEST(Collective, NumbersOfExchangedRowsMayDiffer) {
  Collective collective;
  collective.kind = CollectiveKind::all_to_all;
  collective.operands = {Tensor::zeros(DType::f32, {5, 3})};
  EXPECT_EQ(signature(collective), "all_to_all of f32[_, 3]");
}

TEST(Collective, ReductionsHaveTheNamesOfPyTorch) {
  for (const char* text : {"sum", "avg", "product", "min", "max", "band", "bor", "bxor"}) {
    EXPECT_EQ(name(parse_reduction(text)), text);
  }
  EXPECT_THROW(parse_reduction("premul_sum"), Error);
}

}  // namespace
}  // namespace litz::distributed
