// Coordinates of accesses become offsets.

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

TEST(FlattenAccesses, StridesAndOffsetsOfBuffersGoIntoTheExpression) {
  EXPECT_EQ(after(flatten_accesses,
                  R"(kernel @k(%x: f32[32, s0]{1, 32}+5, out %y: f32[32, s0], out %z: f32[]) {
  for i in 0..32, j in 0..s0 {
    %0 = load %x[i, j]
    store %y[31 - i, j], %0
    store add %z[], %0
  }
}
)"),
            R"(kernel @k(%x: f32[32, s0]{1, 32}+5, out %y: f32[32, s0], out %z: f32[]) {
  for i in 0..32, j in 0..s0 {
    %0 = load %x at [i + 32*j + 5]
    store %y at [-i*max(1, s0) + j + 31*max(1, s0)], %0
    store add %z at [0], %0
  }
}
)");
}

TEST(FlattenAccesses, ComputedIndicesKeepTheirStrides) {
  EXPECT_EQ(after(flatten_accesses, R"(kernel @k(%n: i64[8], %x: f32[9, 4, 7], out %y: f32[8, 4]) {
  %0 = const bool 1
  %1 = const f32 0.0
  for i in 0..8, j in 0..4 {
    %2 = load %n[i]
    %3 = bound_index "index" %2, 7
    %4 = load %x[%3, j, %3] if %0 else %1
    store %y[i, j], %4
  }
}
)"),
            R"(kernel @k(%n: i64[8], %x: f32[9, 4, 7], out %y: f32[8, 4]) {
  %0 = const bool 1
  %1 = const f32 0.0
  for i in 0..8, j in 0..4 {
    %2 = load %n at [i]
    %3 = bound_index "index" %2, 7
    %4 = load %x at [7*j, %3 * 28, %3 * 1] if %0 else %1
    store %y at [4*i + j], %4
  }
}
)");
}

}  // namespace
}  // namespace litz::schedule
