#include "ir/operator_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/declared_ops.h"
#include "schema/spelled_names.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using testing::HasSubstr;

TEST(OperatorNames, NameOneOverloadOrAll) {
  const OpInfo& add = *tiny_ops()->find("aten.add.Tensor");
  const OpInfo& relu = *tiny_ops()->find("aten.relu");
  for (const char* name :
       {"aten.add", "aten.add.Tensor", "aten::add", "torch.ops.aten.add.Tensor"}) {
    EXPECT_TRUE(names_operator(name, add)) << name;
  }
  for (const char* name : {"aten.ad", "aten.add.default", "aten.add.Scalar", "add", ""}) {
    EXPECT_FALSE(names_operator(name, add)) << name;
  }
  EXPECT_TRUE(names_operator("aten.relu.default", relu));
  EXPECT_TRUE(names_operator("torch.ops.aten.relu", relu));
}

std::string resolution(const OpSet& ops, std::string_view name) {
  try {
    return resolve_operator(ops, name);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(OperatorNames, AreResolvedWithOrWithoutNamespace) {
  DeclaredOps ops(tiny_ops());
  ops.declare(parse_spelled_schema("mine::blend(Tensor x) -> Tensor"), Trait::none);
  ops.declare(parse_spelled_schema("mine::relu(Tensor x) -> Tensor"), Trait::none);
  EXPECT_EQ(resolution(ops, "blend"), "mine.blend");
  EXPECT_EQ(resolution(ops, " add "), "aten.add");
  EXPECT_EQ(resolution(ops, "add.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(resolution(ops, "torch.ops.aten.relu.default"), "aten.relu.default");
  EXPECT_THAT(resolution(ops, "relu"), HasSubstr("relu is one of aten, mine"));
  EXPECT_THAT(resolution(ops, "aten.add.default"), HasSubstr("must exist"));
  EXPECT_THAT(resolution(ops, "aten.rel"), HasSubstr("did you mean"));
  EXPECT_THAT(resolution(ops, ""), HasSubstr("must not be empty"));
}

}  // namespace
}  // namespace litz::ir
