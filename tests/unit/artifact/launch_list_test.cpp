#include "artifact/launch_list.h"

#include <functional>

#include <gtest/gtest.h>

#include "small_list.h"
#include "support/check.h"

namespace litz::artifact {
namespace {

TEST(CheckList, SoundListsPass) {
  EXPECT_NO_THROW(check_list(small_list(16), small_kernels(16)));
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 64}});
  EXPECT_NO_THROW(check_list(small_list(n), small_kernels(n)));
}

TEST(CheckList, EachMistakeIsFound) {
  const auto fails = [](const std::function<void(LaunchList&)>& change) {
    LaunchList list = small_list(16);
    change(list);
    try {
      check_list(list, small_kernels(16));
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  const auto kernel = [](LaunchList& p) -> KernelLaunch& {
    return std::get<KernelLaunch>(p.launches[0].work);
  };
  EXPECT_FALSE(fails([](LaunchList&) {}));
  EXPECT_TRUE(fails([&](LaunchList& p) { kernel(p).kernel = 1; }));
  EXPECT_TRUE(fails([&](LaunchList& p) { kernel(p).scalars.clear(); }));
  EXPECT_TRUE(fails([&](LaunchList& p) { kernel(p).buffers[0].storage = 6; }));
  EXPECT_TRUE(fails([&](LaunchList& p) { kernel(p).buffers[0].storage = kNoStorage; }));
  EXPECT_TRUE(fails([](LaunchList& p) { p.launches[0].accesses[0].bytes = 65; }));
  EXPECT_TRUE(fails([](LaunchList& p) { p.launches[0].accesses[0].begin.offset = -4; }));
  EXPECT_TRUE(fails([](LaunchList& p) { p.arena_bytes = 127; }));
  EXPECT_TRUE(fails([](LaunchList& p) { p.storages[2].last = 0; }));     // Read by launch 1.
  EXPECT_TRUE(fails([](LaunchList& p) { p.storages[2].last = 2; }));     // Overlaps %k.
  EXPECT_TRUE(fails([](LaunchList& p) { p.storages[3].offset = 60; }));  // Overlaps %h.
  EXPECT_TRUE(fails([](LaunchList& p) { p.storages[0].index = -1; }));
  EXPECT_TRUE(fails([](LaunchList& p) { std::get<CallLaunch>(p.launches[2].work).call = -1; }));
  EXPECT_TRUE(fails([](LaunchList& p) { p.outputs[0] = TensorSlot{{17, 0}, {}}; }));
}

}  // namespace
}  // namespace litz::artifact
