#include "schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

TEST(Schema, ReadsArgumentsDefaultsAndResults) {
  const Schema schema =
      parse_schema("aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor");
  EXPECT_EQ(schema.name, "aten.add.Tensor");
  ASSERT_EQ(schema.arguments.size(), 3u);
  EXPECT_EQ(schema.arguments[1].name, "other");
  EXPECT_FALSE(schema.arguments[1].keyword_only);
  EXPECT_TRUE(schema.arguments[2].keyword_only);
  EXPECT_EQ(schema.arguments[2].default_value, Attribute(Expr(1)));
  EXPECT_EQ(schema.find("alpha"), 2);
  EXPECT_EQ(schema.find("beta"), -1);
  EXPECT_FALSE(schema.mutates());
}

TEST(Schema, ReadsAliasesListsAndOptionals) {
  const Schema schema = parse_schema(
      "a.b(Tensor(a!) x, Tensor(b -> *)[] y, Tensor?[] z, SymInt[2]? w=None, bool[3] m=True, "
      "float[] f=[1, 2.5], int[2] p=0, str s=\"none\", ScalarType? d=int64) -> (Tensor(a!) out, "
      "Tensor[])");
  EXPECT_TRUE(schema.mutates());
  EXPECT_EQ(schema.arguments[0].alias, 'a');
  EXPECT_EQ(schema.arguments[1].kind, ArgKind::tensor_list);
  EXPECT_EQ(schema.arguments[2].kind, ArgKind::optional_tensor_list);
  EXPECT_TRUE(schema.arguments[3].optional);
  EXPECT_EQ(schema.arguments[3].length, 2);
  EXPECT_EQ(std::get<Scalars>(schema.arguments[4].default_value), Scalars(3, Expr::boolean(true)));
  EXPECT_EQ(std::get<Scalars>(schema.arguments[5].default_value),
            (Scalars{Expr::real(1), Expr::real(2.5)}));
  EXPECT_EQ(std::get<Scalars>(schema.arguments[6].default_value), (Scalars{0, 0}));
  EXPECT_EQ(std::get<std::string>(schema.arguments[7].default_value), "none");
  EXPECT_EQ(std::get<DType>(schema.arguments[8].default_value), DType::i64);
  ASSERT_EQ(schema.returns.size(), 2u);
  EXPECT_EQ(schema.returns[0].name, "out");
  EXPECT_EQ(schema.returns[1].kind, ArgKind::tensor_list);
}

TEST(Schema, PrintsWhatItReads) {
  for (const char* text : {
           "aten.relu(Tensor self) -> Tensor",
           "aten.add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
           "a.b(int[2] p=[0, 0], str s='x', bool b=False, float f=1e-05) -> (Tensor, int n)",
           "a.b(Tensor(a!)[] x, Tensor?[] y, float[]? z=None) -> ()",
       }) {
    EXPECT_EQ(to_string(parse_schema(text)), text);
  }
}

TEST(Schema, RefusesMalformedTextWithAColumn) {
  const struct {
    const char* text;
    const char* message;
  } cases[] = {
      {"relu(Tensor self) -> Tensor", "namespace"},
      {"aten.relu(Tensr self) -> Tensor", "a type such as"},
      {"aten.relu(Tensor) -> Tensor", "argument name"},
      {"aten.relu(Tensor self -> Tensor", "',' or ')'"},
      {"aten.relu(Tensor self)", "'->'"},
      {"aten.relu(Tensor self=1) -> Tensor", "default does not fit"},
      {"aten.relu(int x=None) -> Tensor", "default does not fit"},
      {"aten.relu(int x=1.5) -> Tensor", "default does not fit"},
      {"aten.relu(int x) -> Tensor x y", "nothing may follow"},
      {"aten.relu(int x, int x) -> Tensor", "must differ"},
      {"aten.relu(*, int x, *, int y) -> Tensor", "once"},
  };

  for (const auto& [text, message] : cases) {
    try {
      parse_schema(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_THAT(error.message(), HasSubstr(message)) << text;
    }
  }
}

// The same scanner runs while compiling; these would not compile if it disagreed.
static_assert(detail::schema_mistake("aten.relu(Tensor self) -> Tensor") == nullptr);
static_assert(detail::schema_mistake("aten.relu(Tensor self=1) -> Tensor") != nullptr);

}  // namespace
}  // namespace litz::ir
