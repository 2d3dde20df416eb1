// Archives that PyTorch wrote, one or more for each layout and schema.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive_text.h"
#include "import/archive.h"
#include "import/archive_info.h"
#include "import/sample_inputs.h"
#include "ir/verifier.h"
#include "ops/op_table.h"

namespace litz::import_ {
namespace {

std::string path_of(const std::string& name) { return "tests/data/pt2/" + name + ".pt2"; }

ir::Program import_file(const std::string& name) {
  static const std::shared_ptr<const ops::OpTable> kOps = ops::standard_ops();
  return import_program(path_of(name), kOps);
}

TEST(Recorded, PlainZipOf26) {
  const ir::Program program = import_file("v2_6_mlp_dynamic.raw");
  EXPECT_EQ(program.schema_version, "8.2");
  EXPECT_FALSE(program.weights_missing);
  for (const ir::InputSpec& spec : program.inputs) {
    EXPECT_TRUE(spec.data.defined() || spec.kind != ir::InputKind::parameter) << spec.target;
  }
  EXPECT_EQ(Archive::open_file(path_of("v2_6_mlp_dynamic.raw")).layout(), ArchiveLayout::plain_zip);
}

TEST(Recorded, PickledWeightsOf28) {
  const ir::Program program = import_file("v2_8_mlp_dynamic.raw");
  EXPECT_EQ(program.schema_version, "8.8");
  EXPECT_FALSE(program.weights_missing);
  EXPECT_EQ(Archive::open_file(path_of("v2_8_mlp_dynamic.raw")).layout(),
            ArchiveLayout::pickled_weights);
}

TEST(Recorded, ConfigFilesOf215) {
  const ir::Program program = import_file("v2_15_mlp_dynamic.raw");
  EXPECT_EQ(program.schema_version, "8.20");
  EXPECT_FALSE(program.weights_missing);
  EXPECT_EQ(Archive::open_file(path_of("v2_15_mlp_dynamic.raw")).layout(),
            ArchiveLayout::config_files);
}

TEST(Recorded, AllReleasesAgree) {
  const ir::Program a = import_file("v2_6_mlp_dynamic.raw");
  const ir::Program b = import_file("v2_8_mlp_dynamic.raw");
  const ir::Program c = import_file("v2_15_mlp_dynamic.raw");
  EXPECT_EQ(a.graph().node_count(), b.graph().node_count());
  EXPECT_EQ(b.graph().node_count(), c.graph().node_count());
  ASSERT_EQ(a.inputs.size(), c.inputs.size());
  for (size_t i = 0; i < a.inputs.size(); ++i) {
    EXPECT_EQ(a.inputs[i].target, c.inputs[i].target);
    EXPECT_EQ(a.inputs[i].label, c.inputs[i].label);
  }
}

TEST(Recorded, BuffersPersistentOrNot) {
  for (const char* name : {"v2_6_buffers.raw", "v2_8_buffers.core"}) {
    const ir::Program program = import_file(name);
    for (const ir::InputSpec& spec : program.inputs) {
      EXPECT_TRUE(spec.data.defined() || spec.kind == ir::InputKind::user) << spec.target;
    }
  }
}

TEST(Recorded, SharedStoragesStayShared) {
  const ir::Program program = import_file("v2_8_dtypes.raw");
  EXPECT_FALSE(program.inputs.empty());
}

TEST(Recorded, NestedContainersHaveNames) {
  const ir::Program program = import_file("v2_10_nested.raw");
  std::vector<std::string> labels;
  for (const ir::InputSpec& spec : program.inputs) {
    if (spec.kind == ir::InputKind::user) labels.push_back(spec.label);
  }
  EXPECT_THAT(labels, testing::ElementsAre("d['a']", "d['b'][0]", "d['b'][1]", "scale"));
}

TEST(Recorded, ControlFlowBecomesChildGraphs) {
  EXPECT_EQ(import_file("v2_6_cond.core").module->graphs().size(), 3U);
  EXPECT_EQ(import_file("while_loop_power.core").module->graphs().size(), 3U);
  EXPECT_EQ(import_file("scan_cumulative.core").module->graphs().size(), 2U);
}

TEST(Recorded, RegionsAreAnnotated) {
  const ir::Program program = import_file("region_one.raw");
  size_t annotated = 0;
  for (const ir::Node* node : program.graph().in_order()) {
    annotated += node->annotations().contains("compile_with_inductor") ? 1 : 0;
  }
  EXPECT_EQ(annotated, 3U);
}

TEST(Recorded, ExampleInputsCanBeRead) {
  for (const char* name : {"v2_6_mlp_dynamic.raw", "v2_8_mlp_dynamic.raw", "v2_10_nested.raw",
                           "v2_15_mlp_dynamic.raw"}) {
    std::string why;
    const auto inputs = read_sample_inputs(Archive::open_file(path_of(name)), &why);
    ASSERT_TRUE(inputs.has_value()) << name << ": " << why;
    EXPECT_TRUE(inputs->front().tensor.defined()) << name;
  }
}

TEST(Recorded, InfoAgreesWithImport) {
  for (const char* name :
       {"v2_6_mlp_dynamic.raw", "v2_8_mlp_dynamic.raw", "views_and_writes.raw"}) {
    const ArchiveInfo info = read_archive_info(path_of(name));
    const ir::Program program = import_file(name);
    size_t parameters = 0;
    size_t users = 0;
    for (const ir::InputSpec& spec : program.inputs) {
      parameters += spec.kind == ir::InputKind::parameter ? 1 : 0;
      users += spec.kind == ir::InputKind::user ? 1 : 0;
    }
    EXPECT_EQ(info.parameters.count, parameters) << name;
    EXPECT_EQ(info.inputs.size(), users) << name;
  }
}

}  // namespace
}  // namespace litz::import_
