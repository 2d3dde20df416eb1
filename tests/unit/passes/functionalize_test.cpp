// Functionalisation of whole programs: what callers observe. Rewrites of single graphs are in
// tests/ir/passes/functionalize.ir.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../import/archive_text.h"
#include "ir/verifier.h"
#include "passes/pass_driver.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using import_::entry;
using import_::node;
using import_::ProgramText;
using import_::tensor_argument;
using import_::tensor_meta;
using import_::tensor_output;
using testing::HasSubstr;

constexpr const char* kRelu = "torch.ops.aten.relu_.default";

void run_all(ir::Program& program) {
  PassContext context{&program};
  run_pipeline(import_pipeline(), *program.module, context, {.verify_each = true});
}

ProgramText writing(const std::string& target) {
  ProgramText text;
  text.nodes = node(kRelu, tensor_argument("self", target), tensor_output("y"));
  return text;
}

TEST(Functionalize, ReturnsWrittenUserInputs) {
  ir::Program program = import_text(writing("x"));
  run_all(program);
  EXPECT_TRUE(program.functional);
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.outputs[0].kind, ir::OutputKind::input_mutation);
  EXPECT_EQ(program.outputs[0].input, 1);
  EXPECT_EQ(program.outputs[1].kind, ir::OutputKind::user);
  EXPECT_EQ(program.graph().outputs()[0], program.graph().outputs()[1]);
  EXPECT_TRUE(program.graph().first()->is("aten.relu"));
}

TEST(Functionalize, ReturnsWrittenParameters) {
  ir::Program program = import_text(writing("w"));
  run_all(program);
  ASSERT_EQ(program.outputs.size(), 2U);
  EXPECT_EQ(program.outputs[0].kind, ir::OutputKind::parameter_mutation);
  EXPECT_EQ(program.outputs[0].input, 0);
}

TEST(Functionalize, LeavesFunctionalProgramsAlone) {
  ir::Program program = import_text(ProgramText());
  run_all(program);
  EXPECT_EQ(program.outputs.size(), 1U);
  EXPECT_EQ(program.graph().node_count(), 2U);
}

TEST(Functionalize, KeepsNames) {
  ir::Program program = import_text(writing("x"));
  run_all(program);
  EXPECT_EQ(program.graph().first()->output().name(), "y");
}

std::string record(const std::string& fqn, const std::string& meta) {
  return "\"" + fqn +
         R"(": {"path_name": "weight_0", "is_param": true, "use_pickle": false, "tensor_meta": )" +
         meta + "}";
}

// Two names of one payload: `v` is all of it, or its last row.
ir::Program tied(const std::string& meta_of_v) {
  ProgramText text;
  text.inputs = R"({"as_tensor": {"name": "w"}}, {"as_tensor": {"name": "v"}})";
  text.input_specs = R"({"parameter": {"arg": {"name": "w"}, "parameter_name": "lin.w"}},)"
                     R"({"parameter": {"arg": {"name": "v"}, "parameter_name": "tied"}})";
  text.in_spec = "[]";
  text.tensor_values = entry("w", tensor_meta({2, 3})) + "," + entry("v", meta_of_v) + "," +
                       entry("r", tensor_meta({2, 3})) + "," + entry("y", meta_of_v);
  text.nodes = node(kRelu, tensor_argument("self", "w"), tensor_output("r")) + "," +
               node("torch.ops.aten.exp.default", tensor_argument("self", "v"), tensor_output("y"));
  import_::Entries entries = import_::archive_entries(text);
  entries["data/weights/model_weights_config.json"] = R"({"config": {)" +
                                                      record("lin.w", tensor_meta({2, 3})) + "," +
                                                      record("tied", meta_of_v) + "}}";
  // The bytes must outlive the program, which reads weights in place.
  static std::vector<std::vector<std::byte>> archives;
  archives.push_back(import_::zip_bytes(entries));
  return import_::import_bytes(archives.back());
}

TEST(Functionalize, TiedParametersSeeEachOthersWrites) {
  ir::Program program = tied(tensor_meta({2, 3}));
  run_all(program);
  const ir::Node* exp = program.graph().last();
  ASSERT_TRUE(exp->is("aten.exp"));
  ASSERT_NE(exp->input(0).producer(), nullptr);
  EXPECT_TRUE(exp->input(0).producer()->is("aten.relu"));
  // Both names get the new contents, since they have become one.
  EXPECT_EQ(program.inputs.size(), 1U);
  EXPECT_EQ(program.outputs.size(), 2U);
}

TEST(Functionalize, RefusesWritesToPartlySharedMemory) {
  ir::Program program = tied(tensor_meta({3}));
  try {
    run_all(program);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("share"));
  }
}

TEST(Functionalize, BatchNormUpdatesItsBuffers) {
  static const auto kOps = import_::import_text(ProgramText()).module->shared_ops();
  ir::Program program =
      import_::import_program("tests/data/pt2/v2_15_batch_norm_train.raw.pt2", kOps);
  run_all(program);
  size_t mutations = 0;
  for (const ir::OutputSpec& spec : program.outputs) {
    mutations += spec.kind == ir::OutputKind::buffer_mutation ? 1 : 0;
  }
  EXPECT_EQ(mutations, 3U);  // Mean, variance, number of batches.
}

TEST(Functionalize, WrittenViewsOfRecordedPrograms) {
  static const auto kOps = import_::import_text(ProgramText()).module->shared_ops();
  for (const char* name : {"views_and_writes.raw", "input_mutation.raw"}) {
    ir::Program program =
        import_::import_program("tests/data/pt2/" + std::string(name) + ".pt2", kOps);
    run_all(program);
    for (const ir::Node* each : program.graph().in_order()) {
      EXPECT_FALSE(each->op().schema.mutates()) << name << ": " << each->op().name();
    }
  }
}

}  // namespace
}  // namespace litz::passes
