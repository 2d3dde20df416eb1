// Every operator of the table, by its samples: types are inferred, kernels build and verify,
// decompositions give results of the inferred types, and small calls run.

#include "ops/op_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/library.h"
#include "loops/kernel.h"
#include "op_runner.h"
#include "ops/bodies.h"
#include "ops/samples.h"
#include "schema/schema.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::ops {
namespace {

std::string test_name(const ::testing::TestParamInfo<const ir::OpInfo*>& info) {
  std::string name(info.param->name());
  for (char& c : name) {
    if (c == '.') c = '_';
  }
  return name;
}

// Library calls want shapes and values of their own, so they have no samples by default.
bool has_samples(const OpDef& op) {
  return !std::holds_alternative<Structural>(op.impl) &&
         !(std::holds_alternative<Library>(op.impl) && op.samples.calls.empty());
}

class EveryOp : public ::testing::TestWithParam<const ir::OpInfo*> {};

TEST_P(EveryOp, HasDocumentation) {
  const OpDef& op = definition(*GetParam());
  EXPECT_FALSE(op.doc.empty());
  EXPECT_TRUE(op.doc.ends_with('.')) << op.doc;
}

TEST_P(EveryOp, SchemaReadsBack) {
  const ir::Schema& schema = GetParam()->schema;
  EXPECT_EQ(ir::to_string(ir::parse_schema(ir::to_string(schema))), ir::to_string(schema));
}

TEST_P(EveryOp, SamplesInferBuildAndRun) {
  const ir::OpInfo& op = *GetParam();
  if (!has_samples(definition(op)) || op.functional != nullptr) return;
  for (const std::string& text : sample_texts(op)) {
    SCOPED_TRACE(std::string(op.name()) + text);
    try {
      GraphRunner runner;
      const ir::Node& node = runner.add_sample(op, text);
      for (const ir::Value& output : node.outputs()) {
        if (!output.is_tensor()) continue;
        const Tensor result = runner.evaluate(output);
        EXPECT_EQ(result.dtype(), output.tensor().dtype);
        EXPECT_EQ(result.sizes(), evaluate(output.tensor().sizes, runner.bindings()));
      }
    } catch (const Error& error) {
      // Structural operators inside a decomposition are not for this test.
      if (error.code() != ErrorCode::unsupported) ADD_FAILURE() << error.what();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, EveryOp,
                         ::testing::ValuesIn(test_ops()->all().begin(), test_ops()->all().end()),
                         test_name);

TEST(OpTable, FindsByNameAndSuggests) {
  EXPECT_NE(test_ops()->find("aten.relu"), nullptr);
  EXPECT_EQ(test_ops()->find("aten.relux"), nullptr);
  EXPECT_THAT(test_ops()->suggestions("aten.relux"), ::testing::Contains("aten.relu"));
  EXPECT_THAT(test_ops()->suggestions("aten.add"), ::testing::Contains("aten.add.Tensor"));
  EXPECT_THAT(test_ops()->suggestions("aten.foo"), ::testing::IsEmpty());
}

TEST(OpTable, InPlaceFormsWriteTheirFirstArgument) {
  const ir::OpInfo* add = test_ops()->find("aten.add_.Tensor");
  ASSERT_NE(add, nullptr);
  EXPECT_TRUE(add->schema.arguments[0].mutated);
  EXPECT_TRUE(add->schema.returns[0].mutated);
  ASSERT_NE(add->functional, nullptr);
  EXPECT_EQ(add->functional->name(), "aten.add.Tensor");
  EXPECT_EQ(add->functional->functional, nullptr);
  EXPECT_NE(test_ops()->find("aten.pow_.Scalar"), nullptr);
}

TEST(OpTable, LibraryCallsNameFunctionsOfTheLibrary) {
  for (const ir::OpInfo* op : test_ops()->all()) {
    const auto* call = std::get_if<Library>(&definition(*op).impl);
    if (call == nullptr) continue;
    EXPECT_NE(kernels::find_library_entry(call->function), nullptr) << op->name();
  }
}

TEST(OpTable, FillsSayWithWhat) {
  int fills = 0;
  for (const ir::OpInfo* op : test_ops()->all()) {
    const std::string_view filled = definition(*op).fills_with;
    if (filled.empty()) continue;
    ++fills;
    EXPECT_TRUE(parse_int(filled) || op->schema.find(filled) >= 0) << op->name();
  }
  EXPECT_GT(fills, 10);
  EXPECT_EQ(definition(*test_ops()->find("aten.zeros_like")).fills_with, "0");
  EXPECT_TRUE(definition(*test_ops()->find("aten.empty_like")).fills_with.empty());
}

TEST(OpTable, CopiesAndReshapesHaveTraits) {
  const auto has = [](std::string_view name, ir::Trait trait) {
    return ir::has(test_ops()->find(name)->traits, trait);
  };
  EXPECT_TRUE(has("aten.clone", ir::Trait::copy));
  EXPECT_FALSE(has("aten.copy", ir::Trait::copy)) << "its first operand gives the layout";
  EXPECT_TRUE(has("aten.unsqueeze", ir::Trait::reshape));
  EXPECT_FALSE(has("aten.permute", ir::Trait::reshape));
}

TEST(OpTable, TraitsFollowTheImplementation) {
  EXPECT_TRUE(ir::has(test_ops()->find("aten.add.Tensor")->traits, ir::Trait::pointwise));
  EXPECT_TRUE(ir::has(test_ops()->find("aten.alias")->traits, ir::Trait::view));
}

TEST(OpTable, OperandsMustCoverWhatIsReadOfThem) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  const Tensor three = f32({3}, {1, 2, 3});
  EXPECT_THROW(infer("aten.layer_norm", {x, integers({2}), three}), Error);
  EXPECT_THROW(infer("aten.group_norm", {x, integer(1), three}), Error);
  const Tensor index = i64({2, 2}, {0, 1, 1, 0});
  EXPECT_THROW(infer("aten.scatter.src", {x, integer(0), index, f32({1, 2}, {1, 2})}), Error);
  EXPECT_THROW(infer("aten.scatter.value", {f32({2, 1}, {1, 2}), integer(0), index, number(1)}),
               Error);
}

TEST(OpTable, InPlaceResultsKeepTheTypeOfSelf) {
  EXPECT_THROW(infer("aten.add_.Tensor", {i64({2}, {1, 2}), number(0.5)}), Error);
  EXPECT_THROW(infer("aten.add_.Tensor", {f32({1}, {1}), f32({2}, {1, 2})}), Error);
  const auto types = infer("aten.add_.Tensor", {f32({2}, {1, 2}), i64({2}, {1, 2})});
  EXPECT_EQ(std::get<TensorType>(types[0]).dtype, DType::f32);
}

}  // namespace
}  // namespace litz::ops
