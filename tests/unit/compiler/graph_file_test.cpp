// Programs that are stored before they are compiled are the same programs once they are read.

#include "compiler/graph_file.h"

#include <cstdio>
#include <fstream>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/stored_program.h"
#include "compiler/text_program.h"
#include "ir/printer.h"
#include "passes/partition/program_partitions.h"
#include "support/check.h"
#include "support/whole_file.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr const char* kModels[] = {
    "v2_15_mlp_dynamic.raw.pt2", "v2_6_buffers.raw.pt2",      "v2_6_cond.core.pt2",
    "views_and_writes.raw.pt2",  "unbacked_nonzero.raw.pt2",  "v2_10_nested.raw.pt2",
    "input_mutation.raw.pt2",    "while_loop_power.core.pt2", "region_transformer.raw.pt2",
};

ir::Program model(const std::string& name) { return open_program("tests/data/pt2/" + name); }

class GraphFile : public ::testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  ir::Program read(std::span<const std::byte> bytes) const {
    write_whole_file(path_, bytes);
    return open_program(path_);
  }

  std::string refusal(std::span<const std::byte> bytes) const {
    try {
      read(bytes);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
      return error.what();
    }
    return "none";
  }

  std::string path_ = ::testing::TempDir() + "graph_file_" + std::to_string(::getpid()) + ".litz";
};

TEST_F(GraphFile, ProgramsComeBackAsTheyWere) {
  for (const char* name : kModels) {
    SCOPED_TRACE(name);
    const ir::Program program = model(name);
    const std::vector<std::byte> bytes = store_graph(program);
    ASSERT_TRUE(is_graph_file(bytes));
    ASSERT_FALSE(is_stored_program(bytes));
    const ir::Program again = read(bytes);
    EXPECT_EQ(ir::to_string(*again.module), ir::to_string(*program.module));
    EXPECT_EQ(again.functional, program.functional);
    EXPECT_EQ(again.torch_version, program.torch_version);
    ASSERT_EQ(again.inputs.size(), program.inputs.size());
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      EXPECT_EQ(again.inputs[i].kind, program.inputs[i].kind);
      EXPECT_EQ(again.inputs[i].label, program.inputs[i].label);
      EXPECT_EQ(again.inputs[i].data.defined(), program.inputs[i].data.defined());
    }
    EXPECT_EQ(store_graph(again), bytes);
  }
}

TEST_F(GraphFile, FusedSetsRunLikeTheProgram) {
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {4, 8}, 1, 1, 0)};
  const char* name = "v2_15_mlp_dynamic.raw.pt2";
  const std::string expected = bytes_of(Executable(model(name), {}).run(inputs));
  ir::Program program = model(name);
  const auto proposals = passes::propose_in_program(
      program.graph(), {.operators = {"aten.linear"}, .options = {.single_nodes = true}});
  ASSERT_EQ(proposals.front().proposal.partitions.size(), 2u);
  passes::fuse_in_program(proposals);
  ir::Program fused = read(store_graph(program));
  EXPECT_NE(fused.module->find_graph("main.fused_1"), nullptr);
  EXPECT_EQ(bytes_of(Executable(std::move(fused), {}).run(inputs)), expected);
}

TEST_F(GraphFile, DamageIsRefused) {
  const std::vector<std::byte> good = store_graph(model("v2_6_buffers.raw.pt2"));
  for (size_t at = 0; at < good.size(); at += 7) {
    std::vector<std::byte> bad = good;
    bad[at] ^= std::byte{0x20};
    EXPECT_NE(refusal(bad), "none") << "byte " << at;
  }
  EXPECT_THAT(refusal(std::span(good).first(good.size() / 2)),
              ::testing::HasSubstr("must not be truncated"));
}

TEST_F(GraphFile, TextIsWrittenForPeople) {
  const ir::Program program = model("v2_15_mlp_dynamic.raw.pt2");
  const std::string path =
      ::testing::TempDir() + "graph_file_" + std::to_string(::getpid()) + ".ir";
  const size_t size = write_program(path, program);
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  std::remove(path.c_str());
  EXPECT_EQ(text, ir::to_string(*program.module));
  EXPECT_EQ(text.size(), size);
}

TEST_F(GraphFile, ArgumentsOfTextAreGivenByCallers) {
  const std::string path =
      ::testing::TempDir() + "graph_file_" + std::to_string(::getpid()) + ".ir";
  std::ofstream(path) << R"(
graph @main(%x: f32[4], %w: f32[4]) -> (f32[4]) {
  %a = aten.add_.Tensor(%x, 1)
  %b = aten.mul.Tensor(%a, %w)
  return %b
})";
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {4}, 1, 1, 0),
                                 fill_floats(DType::f32, {4}, 2, 1, 0)};
  ir::Program program = open_program(path);
  std::remove(path.c_str());
  EXPECT_EQ(program.inputs[1].label, "w");
  const std::vector<Leaf> want = Executable(copy_program(program), {}).run(inputs);
  ASSERT_EQ(want.size(), 1u);
  std::ofstream(path) << "graph @other(%x: f32[4]) {\n  return %x\n}\n";
  EXPECT_THROW(open_program(path), Error);
  std::ofstream(path) << "graph @main(%x: f32[4]) {\n  return %y\n}\n";
  EXPECT_THROW(open_program(path), Error);
  std::remove(path.c_str());
}

TEST_F(GraphFile, OnlyArchivesHaveNamedModels) {
  write_program(path_, model("v2_15_mlp_dynamic.raw.pt2"));
  EXPECT_THROW(open_program(path_, {.model = "other"}), Error);
}

}  // namespace
}  // namespace litz::compiler
