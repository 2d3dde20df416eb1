// Every program that must be refused, by the number of its rule.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"

namespace litz::import_ {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::string kRelu =
    node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("y"));

ProgramText with_nodes(const std::string& nodes) {
  ProgramText text;
  text.nodes = nodes;
  return text;
}

/// y = relu(x) with this description of x and y.
ProgramText with_type(const std::string& meta) {
  ProgramText text = with_nodes(kRelu);
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," + entry("x", meta) + "," + entry("y", meta);
  return text;
}

ProgramText with_size(const std::string& expression) {
  return with_type(tensor_meta(symbolic(expression), R"({"as_int": 1})"));
}

// Every part may be right for itself.
TEST(Refuse, PartsThatDoNotFitEachOther) {
  ProgramText text = with_nodes(
      node("torch.ops.aten.detach.default", tensor_argument("self", "x"), tensor_output("y")));
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," +
      entry("x", tensor_meta(R"({"as_int": 2}, {"as_int": 3})", R"({"as_int": 3}, {"as_int": 1})",
                             7, R"({"as_int": 0})", 7, "cuda")) +
      "," + entry("y", tensor_meta({2, 3}));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("parts of a program must fit each other"),
                                   HasSubstr("a view must lie on the device of what it views")));
}

TEST(Refuse, G1UseBeforeDefinition) {
  EXPECT_THAT(refusal(with_nodes(node("torch.ops.aten.relu.default", tensor_argument("self", "q"),
                                      tensor_output("y")))),
              AllOf(HasSubstr("G1"), HasSubstr("\"q\"")));
}

TEST(Refuse, G1TwoDefinitions) {
  EXPECT_THAT(refusal(with_nodes(kRelu + "," + kRelu)),
              HasSubstr("G1: a name must be defined once"));
}

TEST(Refuse, G1UndefinedOutput) {
  ProgramText text;
  text.outputs = tensor_output("nowhere");
  EXPECT_THAT(refusal(text), HasSubstr("G1"));
}

TEST(Refuse, G2TensorWithoutDescription) {
  ProgramText text;
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3}));
  EXPECT_THAT(refusal(text), HasSubstr("G2"));
}

TEST(Refuse, G2TensorAsHostScalar) {
  EXPECT_THAT(
      refusal(with_nodes(node("torch.ops.aten.view.default",
                              tensor_argument("self", "x") + "," +
                                  argument("size", R"({"as_sym_ints": [{"as_name": "x"}]})"),
                              tensor_output("y")))),
      HasSubstr("G2"));
}

TEST(Refuse, G3OperatorsThatCannotBeNodesAreListed) {
  const std::string object = argument("o", R"({"as_custom_obj": {"name": "o"}})");
  const std::string text =
      refusal(with_nodes(node("torch.ops.mine.blend.default", object, tensor_output("r")) + "," +
                         node("torch.ops.mine.blend.default", object, tensor_output("s")) + "," +
                         node("torch.ops.aten.rellu.default", object, tensor_output("y"))));
  EXPECT_THAT(text, AllOf(HasSubstr("unknown operator mine.blend used by node r (and 1 more)"),
                          HasSubstr("unknown operator aten.rellu"), HasSubstr("aten.relu")));
}

TEST(Refuse, G3BlobsSayWhatTheyAre) {
  EXPECT_THAT(refusal(with_nodes(
                  node("torch.ops.higher_order.executorch_call_delegate", "", tensor_output("y")))),
              HasSubstr("calls a compiled blob"));
}

TEST(Refuse, G4UnknownArgument) {
  EXPECT_THAT(refusal(with_nodes(node("torch.ops.aten.relu.default", tensor_argument("input", "x"),
                                      tensor_output("y")))),
              AllOf(HasSubstr("G4"), HasSubstr("input")));
}

TEST(Refuse, G4ArgumentTwice) {
  EXPECT_THAT(
      refusal(with_nodes(node("torch.ops.aten.relu.default",
                              tensor_argument("self", "x") + "," + tensor_argument("self", "x"),
                              tensor_output("y")))),
      HasSubstr("G4: an argument must be given once"));
}

TEST(Refuse, G4MissingArgument) {
  EXPECT_THAT(refusal(with_nodes(node("torch.ops.aten.relu.default", "", tensor_output("y")))),
              HasSubstr("G4"));
}

TEST(Refuse, G4ArgumentOfAnotherKind) {
  EXPECT_THAT(refusal(with_nodes(node(
                  "torch.ops.aten.view.default",
                  tensor_argument("self", "x") + "," + argument("size", R"({"as_string": "big"})"),
                  tensor_output("y")))),
              HasSubstr("G4"));
}

TEST(Refuse, G5NumberOfResults) {
  ProgramText text = with_nodes(node("torch.ops.aten.relu.default", tensor_argument("self", "x"),
                                     tensor_output("y") + "," + tensor_output("r")));
  EXPECT_THAT(refusal(text), HasSubstr("G5"));
}

TEST(Refuse, G5HostScalarForATensor) {
  ProgramText text = with_nodes(node("torch.ops.aten.relu.default", tensor_argument("self", "x"),
                                     R"({"as_sym_int": {"as_name": "n"}})") +
                                "," + kRelu);
  text.sym_int_values = entry("n", symbolic("Symbol('u0', integer=True)"));
  EXPECT_THAT(refusal(text), HasSubstr("G5"));
}

std::string child(const std::string& input_meta) {
  return R"({"as_graph": {"name": "body", "graph": {"inputs": [{"as_tensor": {"name": "v"}}], )"
         R"("outputs": [{"as_tensor": {"name": "z"}}], "nodes": [)" +
         node("torch.ops.aten.sin.default", tensor_argument("self", "v"), tensor_output("z")) +
         R"(], "tensor_values": {)" + entry("v", input_meta) + "," + entry("z", input_meta) +
         R"(}, "sym_int_values": {}, "sym_bool_values": {}}}})";
}

TEST(Refuse, G6OperandsOfAnotherShape) {
  EXPECT_THAT(refusal(with_nodes(
                  node("torch.ops.higher_order.wrap",
                       argument("", child(tensor_meta({5}))) + "," + tensor_argument("", "x"),
                       tensor_output("y")))),
              HasSubstr("operands must match"));
}

TEST(Refuse, G6NamesOfTheOuterGraph) {
  const std::string body =
      R"({"as_graph": {"name": "body", "graph": {"inputs": [], "outputs": [], "nodes": [)" +
      node("torch.ops.aten.sin.default", tensor_argument("self", "x"), tensor_output("z")) +
      R"(], "tensor_values": {)" + entry("z", tensor_meta({2, 3})) +
      R"(}, "sym_int_values": {}, "sym_bool_values": {}}}})";
  EXPECT_THAT(refusal(with_nodes(
                  node("torch.ops.higher_order.wrap", argument("", body), tensor_output("y")))),
              HasSubstr("G1"));
}

TEST(Refuse, G7NegativeSizesAndRanks) {
  EXPECT_THAT(refusal(with_type(tensor_meta(R"({"as_int": -2})", R"({"as_int": 1})"))),
              HasSubstr("G7"));
  EXPECT_THAT(refusal(with_type(tensor_meta(R"({"as_int": 2})", R"({"as_int": -1})"))),
              HasSubstr("G7"));
  EXPECT_THAT(refusal(with_type(
                  tensor_meta(R"({"as_int": 2})", R"({"as_int": 1})", 7, R"({"as_int": -1})"))),
              HasSubstr("G7"));
  EXPECT_THAT(refusal(with_type(tensor_meta(R"({"as_int": 2})", ""))), HasSubstr("G7"));
  EXPECT_THAT(refusal(with_type(tensor_meta(std::vector<int>(65, 1)))), HasSubstr("G7"));
}

TEST(Refuse, G8Overflow) {
  const std::string huge = R"({"as_int": 9000000000000000000})";
  EXPECT_THAT(refusal(with_type(tensor_meta(huge + "," + huge, huge + R"(, {"as_int": 1})"))),
              HasSubstr("G8"));
  EXPECT_THAT(
      refusal(with_type(tensor_meta(R"({"as_int": 4611686018427387904})", R"({"as_int": 1})"))),
      HasSubstr("G8"));
}

TEST(Refuse, G9LayoutAndDevice) {
  EXPECT_THAT(refusal(with_type(tensor_meta("", "", 7, R"({"as_int": 0})", 2))), HasSubstr("G9"));
  EXPECT_THAT(refusal(with_type(tensor_meta("", "", 7, R"({"as_int": 0})", 7, "toaster"))),
              HasSubstr("G9"));
}

TEST(Refuse, G10WrongMetadata) {
  ProgramText text = with_nodes(kRelu);
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) +
                       "," + entry("y", tensor_meta({2, 4}));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("G10"), HasSubstr("aten.relu")));
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) +
                       "," + entry("y", tensor_meta({2, 3}, 8));
  EXPECT_THAT(refusal(text), HasSubstr("G10"));
}

TEST(Refuse, G10WrongAssertion) {
  EXPECT_THAT(refusal(with_nodes(node("torch.ops.aten._assert_tensor_metadata.default",
                                      tensor_argument("a", "x") + "," +
                                          argument("dtype", R"({"as_scalar_type": 5})"),
                                      "") +
                                 "," + kRelu)),
              HasSubstr("G10"));
}

TEST(Refuse, G11Expressions) {
  EXPECT_THAT(refusal(with_size("Add(Integer(1)")), HasSubstr("G11"));
  EXPECT_THAT(refusal(with_size("Frobnicate(Integer(1))")), HasSubstr("G11"));
  EXPECT_THAT(refusal(with_size("FloorDiv(Integer(1), Integer(0))")), HasSubstr("G11"));
  EXPECT_THAT(refusal(with_size("Float('1.5', precision=53)")), HasSubstr("G11"));
  std::string deep = "Integer(1)";
  for (int i = 0; i < 400; ++i) deep = "Identity(" + deep + ")";
  EXPECT_THAT(refusal(with_size(deep)), HasSubstr("G11"));
}

TEST(Refuse, G11UnboundSymbol) {
  ProgramText text = with_nodes(
      node("torch.ops.aten.view.default",
           tensor_argument("self", "x") + "," + argument("size", R"({"as_ints": [2, 3]})"),
           tensor_output("y")));
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) + "," +
      entry("y", tensor_meta(symbolic("Symbol('s5', integer=True)") + R"(, {"as_int": 3})",
                             R"({"as_int": 3}, {"as_int": 1})"));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("G11"), HasSubstr("s5")));
}

TEST(Refuse, G12Ranges) {
  ProgramText text = with_size("Symbol('s0', positive=True, integer=True)");
  text.range_constraints = R"("s0": {"min_val": 5, "max_val": 4})";
  EXPECT_THAT(refusal(text), HasSubstr("G12"));
  text.range_constraints = R"("s0": {"min_val": -9, "max_val": -4})";
  EXPECT_THAT(refusal(text), HasSubstr("G12"));
}

TEST(Refuse, G12GuardThatNeverHolds) {
  ProgramText text;
  text.guards = R"("L['x'].size()[0] == 7")";
  EXPECT_THAT(refusal(text), HasSubstr("G12"));
}

TEST(Refuse, G14LiteralsOutOfRange) {
  EXPECT_THAT(refusal(with_nodes(
                  node("torch.ops.aten.softmax.int",
                       tensor_argument("self", "x") + "," + argument("dim", R"({"as_int": 5})"),
                       tensor_output("y")))),
              HasSubstr("dimension out of range"));
  EXPECT_THAT(refusal(with_nodes(node(
                  "torch.ops.aten.permute.default",
                  tensor_argument("self", "x") + "," + argument("dims", R"({"as_ints": [0, 0]})"),
                  tensor_output("y")))),
              HasSubstr("while importing"));
}

TEST(Refuse, J5Unions) {
  ProgramText text;
  text.outputs = R"({"as_tensor": {"name": "y"}, "as_none": true})";
  EXPECT_THAT(refusal(text), HasSubstr("outputs"));
  text.outputs = R"({"as_mystery": 1})";
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("J5"), HasSubstr("as_mystery")));
  ProgramText specs;
  specs.input_specs = R"({"mystery": {}}, {"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  EXPECT_THAT(refusal(specs), HasSubstr("J5"));
}

TEST(Refuse, J6Enumerations) {
  EXPECT_THAT(refusal(with_type(tensor_meta({2, 3}, 0))), HasSubstr("J6"));
  EXPECT_THAT(refusal(with_type(tensor_meta({2, 3}, 20))), HasSubstr("J6"));
  EXPECT_THAT(refusal(with_type(tensor_meta("", "", 7, R"({"as_int": 0})", 0))), HasSubstr("J6"));
}

TEST(Refuse, J7Versions) {
  ProgramText text;
  text.schema_version = R"({"major": 9, "minor": 0})";
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("J7"), HasSubstr("newer")));
  text.schema_version = R"({"major": 5, "minor": 3})";
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("J7"), HasSubstr("export it again")));
  text.schema_version = "2";
  EXPECT_THAT(refusal(text), HasSubstr("J7"));
}

TEST(Refuse, J8Signatures) {
  ProgramText fewer;
  fewer.input_specs = R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  EXPECT_THAT(refusal(fewer), HasSubstr("J8"));
  ProgramText other;
  other.input_specs = R"({"parameter": {"arg": {"name": "v"}, "parameter_name": "lin.w"}},)"
                      R"({"user_input": {"arg": {"as_tensor": {"name": "x"}}}})";
  EXPECT_THAT(refusal(other), HasSubstr("J8"));
  ProgramText outputs;
  outputs.output_specs = "";
  EXPECT_THAT(refusal(outputs), HasSubstr("J8"));
  ProgramText mutation;
  mutation.output_specs = R"({"buffer_mutation": {"arg": {"name": "y"}, "buffer_name": "none"}})";
  EXPECT_THAT(refusal(mutation), HasSubstr("J8"));
}

TEST(Refuse, ErrorsNameNodeAndLine) {
  ProgramText text = with_nodes(
      node("torch.ops.aten.relu.default", tensor_argument("self", "q"), tensor_output("y"),
           R"("stack_trace": "File \"/home/me/net.py\", line 12, in forward\n    y")"));
  EXPECT_THAT(refusal(text), AllOf(HasSubstr("nodes[0]"), HasSubstr("torch.ops.aten.relu.default"),
                                   HasSubstr("net.py:12"), HasSubstr("test.pt2")));
}

}  // namespace
}  // namespace litz::import_
