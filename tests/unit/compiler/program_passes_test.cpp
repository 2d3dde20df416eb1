#include "compiler/program_passes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/text_program.h"
#include "ir/printer.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The graph after the passes; the product is dead.
std::string after(const Options& options) {
  ir::Program program = text_program(R"(graph @main(%x: f32[2]) -> (f32[2]) {
  %dead = aten.mul.Tensor(%x, %x) : f32[2]
  %y = aten.relu(%x) : f32[2]
  return %y
}
)");
  run_passes(program, options, nullptr, {.compile = false});
  return ir::to_string(*program.module);
}

TEST(ProgramPasses, OptimiseUnlessOptionsForbidIt) {
  EXPECT_THAT(after({}), Not(HasSubstr("aten.mul")));
  EXPECT_THAT(after({.optimize = false}), HasSubstr("aten.mul"));
}

TEST(ProgramPasses, LeaveProgramsWithRegionsAsTheyAre) {
  for (const Options& options : {Options{.regional = true}, Options{.cuda_graphs = true}}) {
    EXPECT_TRUE(outlines_regions(options));
    EXPECT_THAT(after(options), HasSubstr("aten.mul"));
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
