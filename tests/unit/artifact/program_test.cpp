#include "artifact/program.h"

#include <functional>

#include <gtest/gtest.h>

#include "small_program.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

TEST(CheckProgram, SoundProgramsPass) { EXPECT_NO_THROW(check_program(small_program())); }

TEST(CheckProgram, EachMistakeIsFound) {
  const auto fails = [](const std::function<void(Program&)>& change) {
    Program program = small_program();
    change(program);
    try {
      check_program(program);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  const auto control = [](Program& p) -> ControlStep& {
    return std::get<ControlStep>(p.routines[0].steps[2].work);
  };
  EXPECT_FALSE(fails([](Program&) {}));
  EXPECT_TRUE(fails([](Program& p) { p.updated = {3}; }));
  EXPECT_TRUE(fails([](Program& p) { p.signature.outputs[0].kind = OutputKind::input_mutation; }));
  EXPECT_TRUE(fails([](Program& p) { p.lists[0].inputs.pop_back(); }));
  EXPECT_TRUE(fails([](Program& p) { std::get<ListStep>(p.routines[0].steps[0].work).list = 1; }));
  EXPECT_TRUE(fails([](Program& p) { p.routines[0].steps[0].results[0].value = 4; }));
  EXPECT_TRUE(fails([](Program& p) { p.routines[0].steps[0].results[0].type = {}; }));
  EXPECT_TRUE(fails([](Program& p) { p.routines[0].steps[2].dead = {kNoValue}; }));
  EXPECT_TRUE(fails([](Program& p) { p.routines[0].outputs[0] = ValueRef{9}; }));
  EXPECT_TRUE(fails([](Program& p) { p.routines[0].input_values.pop_back(); }));
  EXPECT_TRUE(fails([&](Program& p) { control(p).routines = {1}; }));
  EXPECT_TRUE(fails([&](Program& p) { control(p).routines = {1, 2}; }));
  EXPECT_TRUE(fails([&](Program& p) { control(p).routines = {1, 0}; }));  // A circle.
  EXPECT_TRUE(fails([](Program& p) { p.routines.clear(); }));  // The list has another signature.
}

}  // namespace
}  // namespace litz::artifact
