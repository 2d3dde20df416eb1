#include "import/import.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"
#include "import/archive.h"
#include "ir/placement.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::import_ {
namespace {

using testing::HasSubstr;

const std::string kS0 = "Symbol('s0', positive=True, integer=True)";

TEST(Import, ReadsASmallProgram) {
  const ir::Program program = import_text(ProgramText());
  ASSERT_EQ(program.inputs.size(), 2U);
  EXPECT_EQ(program.inputs[0].kind, ir::InputKind::parameter);
  EXPECT_EQ(program.inputs[0].target, "lin.w");
  ASSERT_TRUE(program.inputs[0].data.defined());
  EXPECT_EQ(program.inputs[0].data.sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(program.inputs[1].label, "x");
  EXPECT_EQ(program.dialect, "TRAINING");
  EXPECT_FALSE(program.functional);
  EXPECT_FALSE(program.weights_missing);
  EXPECT_EQ(program.schema_version, "8.17");
  EXPECT_EQ(program.graph().node_count(), 2U);
  EXPECT_TRUE(program.graph().first()->is("aten.relu"));
}

TEST(Import, FillsDefaults) {
  const ir::Program program = import_text(ProgramText());
  EXPECT_TRUE(program.graph().last()->scalar("alpha").is(1));
}

TEST(Import, KeepsWeightsInPlace) {
  const std::vector<std::byte> bytes = zip_bytes(archive_entries(ProgramText()));
  const ir::Program program = import_bytes(bytes);
  const std::byte* data = program.inputs[0].data.data();
  EXPECT_TRUE(data >= bytes.data() && data < bytes.data() + bytes.size());
}

TEST(Import, StrippedArchivesHaveNoWeights) {
  Entries entries = archive_entries(ProgramText());
  entries.erase("data/weights/weight_0");
  const ir::Program program = import_bytes(zip_bytes(entries));
  EXPECT_TRUE(program.weights_missing);
  EXPECT_FALSE(program.inputs[0].data.defined());
}

TEST(Import, AsksTheCallerForMissingWeights) {
  Entries entries = archive_entries(ProgramText());
  entries.erase("data/weights/weight_0");
  ImportOptions options;
  std::string asked;
  options.weights = [&](const std::string& entry_name, size_t bytes) {
    asked = entry_name;
    return Storage::allocate(bytes);
  };
  const ir::Program program = import_bytes(zip_bytes(entries), options);
  EXPECT_EQ(asked, "m/data/weights/weight_0");
  EXPECT_FALSE(program.weights_missing);
}

TEST(Import, ReadsLocationAndAnnotations) {
  ProgramText text;
  text.nodes = node(
      "torch.ops.aten.add.Tensor",
      tensor_argument("self", "x") + "," + tensor_argument("other", "w"), tensor_output("y"),
      R"("stack_trace": "File \"a/net.py\", line 7, in forward\n    x\n)"
      R"(  File \"<eval_with_key>.1\", line 3, in forward", )"
      R"("nn_module_stack": "L__self__,,__main__.N;L__self___b,b.0,torch.nn.Linear", )"
      R"("custom": "{\"region\": \"one\", \"n\": {\"k\": [1, true]}, \"_torchdynamo_x\": 1}")");
  const ir::Program program = import_text(text);
  const ir::Node* add = program.graph().first();
  EXPECT_EQ(add->location().file, "a/net.py");
  EXPECT_EQ(add->location().line, 7);
  EXPECT_EQ(add->location().module_path, "b.0");
  EXPECT_EQ(add->annotations().size(), 2U);
  EXPECT_EQ(add->annotations().at("region"), "one");
  EXPECT_THAT(add->annotations().at("n"), HasSubstr("true"));
}

// As the file says it, the asserted one and that of a copy included.
TEST(Import, KeepsDevices) {
  ProgramText text;
  const std::string cuda = R"({"as_device": {"type": "cuda", "index": null}})";
  text.nodes = node("torch.ops.aten._assert_tensor_metadata.default",
                    tensor_argument("a", "x") + "," + argument("device", cuda), "") +
               "," +
               node("torch.ops.aten.to.dtype_layout",
                    tensor_argument("self", "x") + "," +
                        argument("device", R"({"as_device": {"type": "cpu", "index": null}})"),
                    tensor_output("y"));
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," +
      entry("x", tensor_meta(R"({"as_int": 2}, {"as_int": 3})", R"({"as_int": 3}, {"as_int": 1})",
                             7, R"({"as_int": 0})", 7, "cuda")) +
      "," + entry("y", tensor_meta({2, 3}));
  const ir::Program program = import_text(text);
  const std::vector<ir::Node*> nodes = program.graph().in_order();
  ASSERT_EQ(nodes.size(), 2U);
  EXPECT_EQ(program.graph().input(1).tensor().device, Device{DeviceKind::cuda});
  EXPECT_EQ(nodes[1]->output().tensor().device, Device{});
  EXPECT_EQ(std::get<Device>(nodes[1]->argument("device").attribute()), Device{});
  EXPECT_EQ(ir::devices_of(*program.module), (std::vector<Device>{{}, {DeviceKind::cuda}}));
}

TEST(Import, LiteralsAreWeakScalars) {
  ProgramText text;
  text.nodes = node("torch.ops.aten.add.Tensor",
                    tensor_argument("self", "x") + "," + argument("other", R"({"as_float": 0.5})"),
                    tensor_output("y"));
  const ir::Program program = import_text(text);
  const ir::Argument& other = program.graph().first()->argument("other");
  ASSERT_TRUE(other.is_attribute());
  EXPECT_EQ(std::get<Expr>(other.attribute()), Expr::real(0.5));
}

// Exporters record rolled images as contiguous; kernels keep channels last.
TEST(Import, RolledImagesLieAsKernelsMakeThem) {
  const auto ints = [](std::initializer_list<int> values) {
    std::string text;
    for (const int value : values) {
      text += (text.empty() ? "" : ", ") + (R"({"as_int": )" + std::to_string(value) + "}");
    }
    return text;
  };
  const std::string image = tensor_meta(ints({1, 3, 2, 2}), ints({12, 1, 6, 3}));
  const std::string recorded = tensor_meta({1, 3, 2, 2});
  ProgramText text;
  text.nodes =
      node("torch.ops.aten.roll.default",
           tensor_argument("self", "x") + "," + argument("shifts", R"({"as_ints": [1]})") + "," +
               argument("dims", R"({"as_ints": [2]})"),
           tensor_output("r")) +
      "," + node("torch.ops.aten.relu.default", tensor_argument("self", "r"), tensor_output("y"));
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", image) + "," +
                       entry("r", recorded) + "," + entry("y", recorded);
  const ir::Program program = import_text(text);
  for (const ir::Node* each : program.graph().in_order()) {
    EXPECT_EQ(each->output().tensor().strides, (Sizes{12, 1, 6, 3}));
  }
}

TEST(Import, CastsToFloat8OverflowAsTheyDidWhenWritten) {
  ProgramText text;
  text.nodes =
      node("torch.ops.aten.to.dtype",
           tensor_argument("self", "x") + "," + argument("dtype", R"({"as_scalar_type": 29})"),
           tensor_output("y"));
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) +
                       "," + entry("y", tensor_meta({2, 3}, 29));
  const auto nodes = [&](const std::string& version) {
    text.torch_version = version;
    return import_text(text).graph().node_count();
  };
  EXPECT_EQ(nodes("2.13.0+cpu"), 1U);
  EXPECT_EQ(nodes("2.15.0.dev20261001"), 1U);
  text.torch_version = "2.12.1";
  const ir::Program program = import_text(text);
  const ir::Value cast = program.graph().last()->output();
  EXPECT_EQ(cast.tensor().dtype, DType::f8e4m3fn);
  EXPECT_TRUE(program.graph().last()->input(0).producer()->is("aten.where.self"));
}

TEST(Import, LiteralOutputsAreAttributes) {
  ProgramText text;
  text.outputs += R"(, {"as_int": 4}, {"as_none": true}, {"as_string": "fast"})";
  text.output_specs += R"(, {"user_output": {"arg": {"as_int": 4}}},)"
                       R"({"user_output": {"arg": {"as_none": true}}},)"
                       R"({"user_output": {"arg": {"as_string": "fast"}}})";
  const ir::Program program = import_text(text);
  ASSERT_EQ(program.outputs.size(), 4U);
  EXPECT_EQ(std::get<Expr>(program.graph().outputs()[1].attribute()), Expr(4));
  EXPECT_TRUE(program.graph().outputs()[2].is_none());
  EXPECT_EQ(std::get<std::string>(program.graph().outputs()[3].attribute()), "fast");
}

TEST(Import, HostScalarsBecomeExpressions) {
  const std::string s0 = symbolic(kS0, R"({"as_int": 3})");
  const std::string twice = symbolic("Mul(Integer(2), " + kS0 + ")");
  ProgramText text;
  const std::string x = tensor_meta(s0 + R"(, {"as_int": 4})", R"({"as_int": 4}, {"as_int": 1})");
  const std::string y =
      tensor_meta(twice + R"(, {"as_int": 2})", R"({"as_int": 2}, {"as_int": 1})");
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", x) + "," + entry("y", y);
  text.sym_int_values = entry("n", s0) + "," + entry("m", twice);
  text.range_constraints = R"("s0": {"min_val": 2, "max_val": 9})";
  text.guards = R"("L['x'].size()[0] != 5")";
  text.nodes = node("torch.ops.aten.sym_size.int",
                    tensor_argument("self", "x") + "," + argument("dim", R"({"as_int": 0})"),
                    R"({"as_sym_int": {"as_name": "n"}})") +
               "," +
               node("_operator.mul",
                    argument("a", R"({"as_sym_int": {"as_name": "n"}})") + "," +
                        argument("b", R"({"as_int": 2})"),
                    R"({"as_sym_int": {"as_name": "m"}})") +
               "," +
               node("torch.ops.aten.view.default",
                    tensor_argument("self", "x") + "," +
                        argument("size", R"({"as_sym_ints": [{"as_name": "m"}, {"as_int": 2}]})"),
                    tensor_output("y"));
  const ir::Program program = import_text(text);
  ASSERT_EQ(program.graph().node_count(), 1U);
  const TensorType& type = program.graph().first()->output().tensor();
  EXPECT_EQ(to_string(type.sizes[0]), "2*s0");
  const SymbolInfo& symbol =
      program.module->exprs().symbol(program.module->exprs().find_symbol("s0")->symbol());
  EXPECT_EQ(symbol.range, (Interval{1, 9}));  // The traced minimum of 2 is no fact.
  EXPECT_EQ(symbol.hint, 3);
  ASSERT_EQ(program.guards.size(), 1U);
  EXPECT_EQ(program.guards[0].text, to_string(program.guards[0].condition)) << "which is shorter";
}

TEST(Import, DataDependentSizesKeepTheirSymbol) {
  const std::string u0 = symbolic("Symbol('u0', integer=True)");
  ProgramText text;
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) + "," +
      entry("y", tensor_meta(u0 + R"(, {"as_int": 2})", R"({"as_int": 1}, )" + u0, 5));
  text.range_constraints = R"("u0": {"min_val": 0, "max_val": 6})";
  text.nodes =
      node("torch.ops.aten.nonzero.default", tensor_argument("self", "x"), tensor_output("y"));
  const ir::Program program = import_text(text);
  EXPECT_EQ(to_string(program.graph().first()->output().tensor().sizes[0]), "u0");
}

TEST(Import, UnreadableGuardsAcceptOnlyTheExample) {
  const std::string s0 = symbolic(kS0, R"({"as_int": 3})");
  ProgramText text;
  const std::string x = tensor_meta(s0, R"({"as_int": 1})");
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", x) + "," + entry("y", x);
  text.nodes =
      node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("y"));
  text.guards = R"("strange(L['x']) is odd")";
  const ir::Program program = import_text(text);
  ASSERT_EQ(program.guards.size(), 1U);
  EXPECT_EQ(to_string(program.guards[0].condition), "s0 == 3");
  EXPECT_FALSE(program.warnings.empty());
}

// y = relu(x) with x of s0 elements, 2 <= s0 <= 9.
ProgramText varying() {
  ProgramText text;
  const std::string x = tensor_meta(symbolic(kS0, R"({"as_int": 3})"), R"({"as_int": 1})");
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", x) + "," + entry("y", x);
  text.nodes =
      node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("y"));
  text.range_constraints = R"("s0": {"min_val": 2, "max_val": 9})";
  return text;
}

TEST(Import, FixesSizes) {
  const std::vector<std::byte> bytes = zip_bytes(archive_entries(varying()));
  ImportOptions options;
  options.fixed_sizes = {{"s0", 1}};
  const ir::Program program = import_bytes(bytes, options);
  EXPECT_TRUE(program.graph().input(1).tensor().sizes[0].is(1));
  EXPECT_TRUE(program.graph().first()->output().tensor().sizes[0].is(1));
  options.fixed_sizes = {{"s0", 10}};
  EXPECT_THROW(import_bytes(bytes, options), Error);
}

// A recorded size that may or may not be the inferred one is checked against the inputs of each call.
TEST(Import, GuardsRecordedSizesThatMayDiffer) {
  EXPECT_TRUE(import_text(varying()).guards.empty());
  ProgramText text = varying();
  const std::string one = R"({"as_int": 1})";
  const std::string hint = R"({"as_int": 5})";
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," +
                       entry("x", tensor_meta(symbolic(kS0, hint), one)) + "," +
                       entry("y", tensor_meta(symbolic("Max(5, s0)", hint), one));
  const ir::Program program = import_text(text);
  ASSERT_EQ(program.guards.size(), 1U);
  EXPECT_FALSE(known(program.guards[0].condition).has_value());
}

// Decompositions and readers go by the sizes that the operator gives.
TEST(Import, EmptyResultsTakeTheInferredSizes) {
  ProgramText text;
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({0, 3})) +
                       "," + entry("y", tensor_meta({3, 0}));
  text.nodes =
      node("torch.ops.aten.relu.default", tensor_argument("self", "x"), tensor_output("y"));
  const ir::Program program = import_text(text);
  EXPECT_EQ(program.graph().first()->output().tensor().sizes, (Sizes{0, 3}));
}

// Where the size is 1 PyTorch would drop a dimension that the program was exported with.
TEST(Import, GuardsDimensionsThatASqueezeKeeps) {
  ProgramText text = varying();
  text.nodes =
      node("torch.ops.aten.squeeze.default", tensor_argument("self", "x"), tensor_output("y"));
  const ir::Program program = import_text(text);
  ASSERT_EQ(program.guards.size(), 1U);
  Bindings bindings;
  bindings.set(free_symbols(program.guards[0].condition)[0], 1);
  EXPECT_FALSE(evaluate_boolean(program.guards[0].condition, bindings));
}

TEST(Import, StateWarningsOfNewSchemas) {
  ProgramText text;
  text.schema_version = R"({"major": 8, "minor": 99})";
  EXPECT_FALSE(import_text(text).warnings.empty());
}

TEST(Import, ReportsStrideDifferences) {
  ProgramText text;
  text.tensor_values =
      entry("w", tensor_meta({2, 3})) + "," + entry("x", tensor_meta({2, 3})) + "," +
      entry("r", tensor_meta({2, 3})) + "," +
      entry("y", tensor_meta(R"({"as_int": 2}, {"as_int": 3})", R"({"as_int": 1}, {"as_int": 2})"));
  ImportOptions options;
  std::vector<std::string> differing;
  options.on_type = [&](const ir::Node& reported, size_t, const TensorType& inferred,
                        const TensorType& recorded) {
    if (inferred != recorded) differing.emplace_back(reported.op().name());
  };
  import_bytes(zip_bytes(archive_entries(text)), options);
  EXPECT_THAT(differing, testing::ElementsAre("aten.add.Tensor"));
}

}  // namespace
}  // namespace litz::import_
