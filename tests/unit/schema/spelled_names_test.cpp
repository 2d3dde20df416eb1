#include "schema/spelled_names.h"

#include <gtest/gtest.h>

namespace litz::ir {
namespace {

TEST(SpelledNames, AreUnderstoodAsPyTorchSpellsThem) {
  EXPECT_EQ(operator_name("torch.ops.aten.add.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(operator_name("torch.ops.aten.relu.default"), "aten.relu");
  EXPECT_EQ(operator_name("aten::add.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(operator_name("aten::relu"), "aten.relu");
  EXPECT_EQ(operator_name("aten.relu.default"), "aten.relu");
  EXPECT_EQ(operator_name("aten.relu"), "aten.relu");
  for (const char* other : {"_operator.add", "math.trunc", "torch.sym_max"}) {
    EXPECT_EQ(operator_name(other), other);
  }
}

TEST(SpelledNames, StartSchemas) {
  EXPECT_EQ(parse_spelled_schema(" mine::blend.out(Tensor x) -> Tensor").name, "mine.blend.out");
  EXPECT_EQ(parse_spelled_schema("mine::blend.default(Tensor x) -> Tensor").name, "mine.blend");
}

}  // namespace
}  // namespace litz::ir
