// Operators that nobody knows become nodes: with which signature, types and effects.

#include "import/unknown_operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"
#include "import/import_archive.h"
#include "ir/declared_ops.h"
#include "ir/effects.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ops/op_table.h"
#include "schema/spelled_names.h"

namespace litz::import_ {
namespace {

using testing::HasSubstr;

std::string as(const std::string& name, const std::string& tag, const std::string& value) {
  return argument(name, "{\"" + tag + "\": " + value + "}");
}

/// y from x by these nodes; tensors named r, s, t, y are f32[2, 3].
ProgramText with_nodes(const std::string& nodes, const std::string& dialect = "TRAINING") {
  ProgramText text;
  text.nodes = nodes;
  text.dialect = dialect;
  text.tensor_values.clear();
  for (const char* name : {"w", "x", "r", "s", "t", "y"}) {
    if (!text.tensor_values.empty()) text.tensor_values += ",";
    text.tensor_values += entry(name, tensor_meta({2, 3}));
  }
  return text;
}

std::string schema_of(const ir::Program& program, std::string_view name) {
  const ir::OpInfo* op = program.module->ops().find(name);
  return op == nullptr ? "" : ir::to_string(op->schema);
}

const std::string kBlend =
    node("torch.ops.mine.blend.default",
         tensor_argument("a", "x") + "," + as("by", "as_float", "0.5"), tensor_output("y"));

TEST(UnknownOperators, KeepRecordedTypesAndNames) {
  const ir::Program program = import_text(with_nodes(kBlend));
  const ir::Node* blend = program.graph().first();
  EXPECT_EQ(ir::to_string(*blend), "%y = mine.blend(%x, by=0.5) : f32[2, 3]");
  EXPECT_EQ(blend->op().origin, ir::OpOrigin::program);
  EXPECT_EQ(schema_of(program, "mine.blend"), "mine.blend(Tensor a, float by) -> Tensor");
}

TEST(UnknownOperators, HaveOneSignatureForAllCalls) {
  const std::string more =
      node("torch.ops.mine.blend.default",
           tensor_argument("a", "x") + "," + as("by", "as_int", "2") + "," +
               as("bias", "as_none", "true") + "," + as("mode", "as_string", "\"fast\""),
           tensor_output("r")) +
      "," +
      node("torch.ops.mine.blend.default",
           tensor_argument("a", "r") + "," + as("by", "as_float", "1.0") + "," +
               tensor_argument("bias", "x") + "," + as("to", "as_ints", "[1, 2]") + "," +
               as("mode", "as_string", "\"slow\""),
           tensor_output("y"));
  const ir::Program program = import_text(with_nodes(more));
  EXPECT_EQ(schema_of(program, "mine.blend"),
            "mine.blend(Tensor a, Scalar by, Tensor? bias=None, int[]? to=None, str mode) -> "
            "Tensor");
}

TEST(UnknownOperators, MayDoAnythingUnlessTheProgramIsFunctional) {
  const ir::Program raw = import_text(with_nodes(kBlend));
  const std::vector<ir::Effect> effects = ir::effects(*raw.graph().first());
  EXPECT_THAT(effects, testing::Contains(ir::Effect{ir::EffectKind::write, 0}));
  EXPECT_THAT(effects,
              testing::Contains(ir::Effect{ir::EffectKind::order, -1, ir::Resource::unknown}));
  const ir::Program functional = import_text(with_nodes(kBlend, "ATEN"));
  EXPECT_THAT(ir::effects(*functional.graph().first()),
              testing::Not(testing::Contains(ir::Effect{ir::EffectKind::write, 0})));
  EXPECT_TRUE(ir::has_effects(*functional.graph().first()));
}

TEST(UnknownOperators, AreReadBackFromText) {
  const ir::Program program = import_text(with_nodes(kBlend));
  const std::string text = ir::to_string(*program.module);
  EXPECT_THAT(text, HasSubstr("op opaque mine.blend(Tensor a, float by) -> Tensor\n"));
  const auto again = ir::read_module(text, ops::standard_ops());
  EXPECT_EQ(ir::to_string(*again), text);
  EXPECT_TRUE(ir::has(again->ops().find("mine.blend")->traits, ir::Trait::opaque));
}

TEST(UnknownOperators, MadeFunctionalWriteCopies) {
  const std::string bump =
      node("torch.ops.higher_order.auto_functionalized_v2",
           argument("", R"({"as_operator": "torch.ops.mine.bump.default"})") + "," +
               as("by", "as_float", "3.0") + "," + as("_x_base_index", "as_int", "0") + "," +
               as("_all_bases", "as_tensors", R"([{"name": "x"}])"),
           R"({"as_none": true}, {"as_tensor": {"name": "y"}})");
  const ir::Program program = import_text(with_nodes(bump, "ATEN"));
  EXPECT_EQ(schema_of(program, "mine.bump"), "mine.bump(Tensor(a!) x, float by) -> ()");
  EXPECT_EQ(schema_of(program, "litz.functional.mine.bump"),
            "litz.functional.mine.bump(Tensor x, float by) -> Tensor");
  EXPECT_TRUE(program.graph().first()->is("aten.clone"));
  EXPECT_EQ(program.graph().last()->input(0), program.graph().first()->output());
  EXPECT_EQ(program.graph().outputs()[0].value(), program.graph().first()->output());
}

// Entries of a written list may be parts of one base.
TEST(UnknownOperators, MadeFunctionalWritePartsOfOneCopy) {
  const auto part = [](const std::string& entry, const std::string& offset) {
    return as("_xs_" + entry + "_base_index", "as_int", "0") + "," +
           as("_xs_" + entry + "_size", "as_ints", "[3]") + "," +
           as("_xs_" + entry + "_stride", "as_ints", "[1]") + "," +
           as("_xs_" + entry + "_storage_offset", "as_int", offset) + ",";
  };
  const std::string bump =
      node("torch.ops.higher_order.auto_functionalized_v2",
           argument("", R"({"as_operator": "torch.ops.mine.bump.default"})") + "," +
               as("_xs_length", "as_int", "2") + "," + part("0", "0") + part("1", "3") +
               as("_all_bases", "as_tensors", R"([{"name": "x"}])"),
           R"({"as_none": true}, {"as_tensor": {"name": "y"}})");
  const ir::Program program = import_text(with_nodes(bump, "ATEN"));
  EXPECT_EQ(schema_of(program, "mine.bump"), "mine.bump(Tensor(a!)[] xs) -> ()");
  EXPECT_TRUE(program.graph().first()->is("aten.clone"));
  EXPECT_EQ(program.graph().last()->input_count(), 2U);
  EXPECT_EQ(program.graph().last()->input(1).tensor().offset, Expr(3));
}

// The first version returns None for an argument that is None.
TEST(UnknownOperators, MadeFunctionalWriteNothingWhereNoneIsGiven) {
  auto ops = std::make_shared<ir::DeclaredOps>(ops::standard_ops());
  ops->declare(ir::parse_spelled_schema("mine::bump(Tensor(a!)? x, Tensor y) -> Tensor"), {});
  const std::string bump =
      node("torch.ops.higher_order.auto_functionalized",
           argument("", R"({"as_operator": "torch.ops.mine.bump.default"})") + "," +
               as("x", "as_none", "true") + "," + tensor_argument("y", "x"),
           R"({"as_tensor": {"name": "y"}}, {"as_none": true})");
  const auto bytes = zip_bytes(archive_entries(with_nodes(bump, "ATEN")));
  const ir::Program program = import_archive(Archive::open(bytes, "test.pt2", ""), ops, {});
  EXPECT_EQ(ir::to_string(*program.graph().first()), "%y = mine.bump(x=none, y=%x) : f32[2, 3]");
}

TEST(UnknownOperators, MayGiveNothing) {
  const std::string nodes =
      node("torch.ops.mine.log.default", tensor_argument("a", "x"), "") + "," +
      node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("y"));
  const ir::Program program = import_text(with_nodes(nodes));
  EXPECT_EQ(schema_of(program, "mine.log"), "mine.log(Tensor a) -> ()");
  EXPECT_EQ(program.graph().node_count(), 2U);
}

TEST(UnknownOperators, MustHaveReadableArguments) {
  const std::string nodes =
      node("torch.ops.mine.call.default", as("object", "as_custom_obj", R"({"name": "o"})"),
           tensor_output("y"));
  EXPECT_THAT(
      refusal(with_nodes(nodes)),
      testing::AllOf(HasSubstr("G3"), HasSubstr("unknown operator mine.call used by node y"),
                     HasSubstr("takes a value of the kind \"as_custom_obj\"")));
}

}  // namespace
}  // namespace litz::import_
