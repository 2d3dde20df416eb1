#include <gtest/gtest.h>

#include "artifact/program.h"
#include "small_program.h"

namespace litz::artifact {
namespace {

TEST(ProgramPrint, ShowsEverything) {
  EXPECT_EQ(to_string(small_program()), R"(program @small {
  parameter 0 "layer.weight" : f32[3, 3]
  input 1 "x" : f32[s0, s0]
  fixed input 2 "mode" : none
  output 0 "y"
  output 1
  guard s0 != 5
  kernel 0 @add: 100 bytes of code, phases [add_0 over s0, grain 8, 2*s0 ps], checks ["index of aten.gather"]
  packed 0 of input 0 from byte 12: 4 bytes
  packed 1 of packed 0 from byte 0: 4 bytes
}
routine @main(none : f32[3, 3], v0 : f32[s0, s0], none : none) {
  v1 : f32[s0, s0] = list 0 @product(v0, weight 0)  // %1 = aten.mm
  v2 : i64[u0, 2] = library nonzero(v1)  // %2 = aten.nonzero
  v3 : f32[s0, s0] = cond [@same, @same] if 1 <= u0 (v1)  // %3 = cond
  return v3, u0
}
routine @same(v0 : f32[s0, s0]) {
  return v0
}
list @product {
  storage 0 %x: input 0, 4*s0**2 bytes
  storage 1 %w: weight 1, 4*s0**2 bytes
  storage 2 %y: output 0, 4*s0**2 bytes
  arena 0 bytes
  launch 0 library matmul(%x : f32[s0, s0], %w : f32[s0, s0]) -> (%y : f32[s0, s0]) reads [%x for 4*s0**2, %w for 4*s0**2] writes [%y for 4*s0**2]  // %1 = aten.mm
  return %y : f32[s0, s0]
}
)");
}

}  // namespace
}  // namespace litz::artifact
