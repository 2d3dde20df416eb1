#include "artifact/program.h"

#include <functional>

#include <gtest/gtest.h>

#include "small_program.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

TEST(CheckProgram, SoundProgramsPass) {
  EXPECT_NO_THROW(check_program(small_program(16)));
  ExprPool pool;
  EXPECT_NO_THROW(check_program(small_program(pool.add_symbol({.name = "s0", .range = {1, 64}}))));
}

TEST(CheckProgram, EachMistakeIsFound) {
  const auto fails = [](const std::function<void(Program&)>& change) {
    Program program = small_program(16);
    change(program);
    try {
      check_program(program);
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  const auto kernel = [](Program& p) -> KernelLaunch& {
    return std::get<KernelLaunch>(p.launches[0].work);
  };
  EXPECT_FALSE(fails([](Program&) {}));
  EXPECT_TRUE(fails([&](Program& p) { kernel(p).kernel = 1; }));
  EXPECT_TRUE(fails([&](Program& p) { kernel(p).scalars.clear(); }));
  EXPECT_TRUE(fails([&](Program& p) { kernel(p).buffers[0].storage = 6; }));
  EXPECT_TRUE(fails([&](Program& p) { kernel(p).buffers[0].storage = kNoStorage; }));
  EXPECT_TRUE(fails([](Program& p) { p.launches[0].accesses[0].bytes = 65; }));
  EXPECT_TRUE(fails([](Program& p) { p.launches[0].accesses[0].begin.offset = -4; }));
  EXPECT_TRUE(fails([](Program& p) { p.arena_bytes = 127; }));
  EXPECT_TRUE(fails([](Program& p) { p.storages[2].last = 0; }));     // Read by launch 1.
  EXPECT_TRUE(fails([](Program& p) { p.storages[2].last = 2; }));     // Overlaps %k.
  EXPECT_TRUE(fails([](Program& p) { p.storages[3].offset = 60; }));  // Overlaps %h.
  EXPECT_TRUE(fails([](Program& p) { p.storages[0].index = -1; }));
  EXPECT_TRUE(fails([](Program& p) { std::get<CallLaunch>(p.launches[2].work).call = -1; }));
  EXPECT_TRUE(fails([](Program& p) { p.outputs[0] = TensorSlot{{17, 0}, {}}; }));
}

}  // namespace
}  // namespace litz::artifact
