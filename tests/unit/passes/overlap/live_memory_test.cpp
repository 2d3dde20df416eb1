#include "passes/overlap/live_memory.h"

#include <gtest/gtest.h>

#include "simple_times.h"

namespace litz::passes {
namespace {

TEST(LiveMemory, OperandsLiveUntilTheWait) {
  const char* const parts[] = {"  %w = _c10d_functional.wait_tensor(%s)\n",
                               "  %b = aten.exp(%x)\n  %c = aten.sum(%b)\n"};
  const auto peak = [&](bool waits_first) {
    const std::string text = std::string(
                                 "graph @main(%x: f32[256]) -> (f32[256], f32[]) {\n"
                                 "  %a = aten.relu(%x)\n"
                                 "  %s = _c10d_functional.all_reduce(%a, \"sum\", \"0\")\n") +
                             parts[waits_first ? 0 : 1] + parts[waits_first ? 1 : 0] +
                             "  return %w, %c\n}";
    const auto module = read(text);
    return peak_bytes(*module->find_graph("main"));
  };
  // The result, %b and %c; %a as well while the collective reads it.
  EXPECT_EQ(peak(true), 2 * 1024 + 4);
  EXPECT_EQ(peak(false), 3 * 1024 + 4);
}

}  // namespace
}  // namespace litz::passes
