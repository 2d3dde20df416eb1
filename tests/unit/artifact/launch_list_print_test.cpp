#include <gtest/gtest.h>

#include "artifact/launch_list.h"
#include "small_list.h"

namespace litz::artifact {
namespace {

TEST(LaunchListPrint, ShowsEverything) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 64}});
  EXPECT_EQ(to_string(small_list(n)), R"(list @small {
  storage 0 %x: input 0, 4*s0 bytes
  storage 1 %w: weight 3, 64 bytes
  storage 2 %h: arena 0, 4*s0 bytes, launches 0 to 1
  storage 3 %g: arena 4*s0, 4*s0 bytes, launches 1 to 2
  storage 4 %k: arena 0, 4*s0 bytes, launches 2 to 3
  storage 5 %y: output 0, 4*s0 bytes
  arena 8*s0 bytes
  assert s0 <= 32, "n is small"
  launch 0 kernel 0(%x, %w + 16, %h; s0) reads [%x for 4*s0, %w + 16 for 4] writes [%h for 4*s0]  // %3 = aten.add
  launch 1 library aten.sort(%h : f32[s0], none, -1, true, [1, 2], [%w : f32[s0], none], "linear", i64) -> (%g : f32[s0], none) reads [%h for 4*s0] writes [%g for 4*s0]
  launch 2 call 7(%g : f32[s0], %k : f32[s0]) reads [%g for 4*s0] writes [%k for 4*s0]
  launch 3 copy %y from %k, 4*s0 bytes reads [%k for 4*s0] writes [%y for 4*s0]
  return %y : f32[s0], s0 + 1, none, "done"
}
)");
}

}  // namespace
}  // namespace litz::artifact
