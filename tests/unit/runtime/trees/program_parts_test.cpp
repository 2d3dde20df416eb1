#include "runtime/trees/program_parts.h"

#include <gtest/gtest.h>

#include "runtime/trees/report.h"

namespace litz::runtime::trees {
namespace {

TEST(ProgramParts, a_program_of_one_list_is_one_part) {
  artifact::Program program;
  program.lists.emplace_back().name = "main";
  program.lists[0].launches.resize(3);
  const std::vector<ProgramPart> parts = parts_of(program);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].label, "main");
  EXPECT_EQ(parts[0].launches, 3);
  EXPECT_EQ(parts[0].reason, "");
}

TEST(ProgramParts, steps_of_the_host_have_a_reason) {
  artifact::Program program;
  program.lists.emplace_back().name = "first";
  artifact::Routine& routine = program.routines.emplace_back();
  routine.steps.push_back({.work = artifact::ListStep{}, .label = ""});
  routine.steps.push_back({.work = artifact::ItemStep{}, .label = "%n = aten.item"});
  routine.steps.push_back({.work = artifact::LibraryStep{}, .label = "%y = aten.nonzero"});
  routine.steps.push_back({.work = artifact::ControlStep{}, .label = "%z = cond"});
  const std::vector<ProgramPart> parts = parts_of(program);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].label, "first");
  EXPECT_EQ(parts[1].label, "%n = aten.item");
  for (size_t i = 1; i < 4; ++i) EXPECT_NE(parts[i].reason, "");
  ContextReport report;
  report.functions.push_back({.name = "p", .parts = parts});
  const std::string text = to_string(report);
  EXPECT_NE(text.find("1 of 4 parts recorded"), std::string::npos);
  EXPECT_NE(text.find("%n = aten.item: not recorded: the host reads a number"), std::string::npos);
}

}  // namespace
}  // namespace litz::runtime::trees
