#include "compiler/build_list.h"

#include <gtest/gtest.h>

#include "lowering/lower.h"
#include "one_list.h"
#include "text_program.h"

namespace litz::compiler {
namespace {

TEST(BuildList, SaysWhatLaunchesTouch) {
  ir::Program program = text_program(
      "sym s0 in [2, 16]\n"
      "graph @main(%x: f32[s0, 4], %w: f32[4, 4]) -> (f32[s0, 4]) {\n"
      "  %a = aten.sin(%x) : f32[s0, 4]\n"
      "  %b = aten.mm(%a, %w) : f32[s0, 4]\n"
      "  return %b\n}\n");
  const PlanRunner runner(lowering::lower(program), program.module->exprs(), {});
  const OneList one(runner);
  const artifact::LaunchList& list = one.list();
  ASSERT_EQ(list.launches.size(), 2U);
  ASSERT_EQ(list.storages.size(), 4U);
  EXPECT_EQ(list.storages[2].kind, artifact::StorageKind::arena);
  EXPECT_EQ(list.storages[3].kind, artifact::StorageKind::output);
  ASSERT_EQ(list.launches[1].accesses.size(), 3U);
  EXPECT_TRUE(list.launches[1].accesses[2].is_write);
  EXPECT_EQ(list.symbols.size(), 1U);
  EXPECT_EQ(list.blocks.size(), 1U);
  EXPECT_TRUE(list.inputs[0].has_value());
}

std::string reason(const char* text) {
  ir::Program program = text_program(text);
  const lowering::LoweredProgram lowered = lowering::lower(program);
  for (const lowering::Step& step : lowered.plans[0].steps) {
    if (const auto why = reason_not_listed(step, std::nullopt)) return *why;
  }
  return "";
}

TEST(BuildList, WhatDependsOnDataIsLeftOut) {
  EXPECT_EQ(reason("graph @main(%x: f32[4]) -> (f32[4]) {\n"
                   "  %a = aten.sin(%x) : f32[4]\n  return %a\n}\n"),
            "");
  EXPECT_EQ(reason("sym u0 in [0, 4]\ngraph @main(%x: f32[4]) -> (i64[u0, 1]) {\n"
                   "  %a = aten.nonzero(%x) : i64[u0, 1]\n  return %a\n}\n"),
            "sizes that depend on data");
}

}  // namespace
}  // namespace litz::compiler
