#include "compiler/program_passes.h"

#include <gtest/gtest.h>

#include "compiler/text_program.h"

namespace litz::compiler {
namespace {

/// How many of two equal nodes are left after the passes.
size_t left_after(const Options& options) {
  ir::Program program = text_program(R"(graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x) : f32[2]
  %b = aten.relu(%x) : f32[2]
  %y = aten.mul.Tensor(%a, %b) : f32[2]
  return %y
}
)");
  run_passes(program, options, nullptr, {.compile = false});
  return program.graph().in_order("aten.relu").size();
}

TEST(ProgramPasses, OptimiseUnlessOptionsForbidIt) {
  EXPECT_EQ(left_after({}), 1U);
  EXPECT_EQ(left_after({.optimize = false}), 2U);
}

TEST(ProgramPasses, LeaveProgramsWithRegionsAsTheyAre) {
  for (const Options& options : {Options{.regional = true}, Options{.cuda_graphs = true}}) {
    EXPECT_TRUE(outlines_regions(options));
    EXPECT_EQ(left_after(options), 2U);
  }
  EXPECT_FALSE(outlines_regions({}));
}

TEST(ProgramPasses, TellTheirNames) {
  std::vector<std::string> names;
  Options options;
  options.on_phase = [&](std::string_view name) { names.emplace_back(name); };
  ir::Program program = text_program(
      "graph @main(%x: f32[2]) -> (f32[2]) {\n  %y = aten.relu(%x) : f32[2]\n  return %y\n}\n");
  const std::vector<passes::PassStatistics> done = run_passes(program, options, nullptr, {});
  ASSERT_EQ(names.size(), done.size());
  for (size_t i = 0; i < done.size(); ++i) EXPECT_EQ(names[i], done[i].name);
}

}  // namespace
}  // namespace litz::compiler
