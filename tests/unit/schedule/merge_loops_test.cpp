// Loops that walk memory as one become one, and every index says so.

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

void flatten_and_merge(loops::Kernel& kernel) {
  flatten_accesses(kernel);
  merge_loops(kernel);
}

TEST(MergeLoops, DenseElementsAreOneLoop) {
  EXPECT_EQ(
      after(flatten_and_merge, R"(kernel @k(%x: f32[32, s0]{s0, 1}, out %y: f32[32, s0]{s0, 1}) {
  for i in 0..32, j in 0..s0 {
    %0 = load %x[i, j]
    %1 = index f32 j + i*s0
    %2 = add %0, %1
    store %y[i, j], %2
  }
}
)"),
      R"(kernel @k(%x: f32[32, s0]{s0, 1}, out %y: f32[32, s0]{s0, 1}) {
  for i in 0..32*s0 {
    %0 = load %x at [i]
    %1 = index f32 i
    %2 = add %0, %1
    store %y at [i], %2
  }
}
)");
}

TEST(MergeLoops, LargeStepsGoOutside) {
  EXPECT_EQ(after(flatten_and_merge,
                  R"(kernel @k(%x: f32[8, 16, 32]{1, 8, 256}, out %y: f32[8, 16, 32]{1, 8, 256}) {
  for i in 0..8, j in 0..16, k in 0..32 {
    %0 = load %x[i, j, k]
    store %y[i, j, k], %0
  }
}
)"),
            R"(kernel @k(%x: f32[8, 16, 32]{1, 8, 256}, out %y: f32[8, 16, 32]{1, 8, 256}) {
  for k in 0..32, j in 0..128 {
    %0 = load %x at [j + 256*k]
    store %y at [j + 256*k], %0
  }
}
)");
}

TEST(MergeLoops, RowsThatLieApartStayLoops) {
  EXPECT_EQ(after(flatten_and_merge,
                  R"(kernel @k(%x: f32[32, 64]{80, 1}, %b: f32[64], out %y: f32[32, 64]) {
  for i in 0..32, j in 0..64 {
    %0 = load %x[i, j]
    %1 = load %b[j]
    %2 = add %0, %1
    store %y[i, j], %2
  }
}
)"),
            R"(kernel @k(%x: f32[32, 64]{80, 1}, %b: f32[64], out %y: f32[32, 64]) {
  for i in 0..32, j in 0..64 {
    %0 = load %x at [80*i + j]
    %1 = load %b at [j]
    %2 = add %0, %1
    store %y at [64*i + j], %2
  }
}
)");
}

TEST(MergeLoops, ReductionsMergeAndPositionsKeepTheirOrder) {
  EXPECT_EQ(after(flatten_and_merge, R"(kernel @k(%x: f32[8, 16], out %y: f32[], out %z: i64[]) {
  %0 = reduce sum i in 0..8, j in 0..16 {
    %1 = load %x[i, j]
    yield %1
  }
  %2 = reduce argmax k in 0..16, l in 0..8 {
    %3 = load %x[l, k]
    yield %3
  }
  store %y[], %0
  store %z[], %2
}
)"),
            R"(kernel @k(%x: f32[8, 16], out %y: f32[], out %z: i64[]) {
  %0 = reduce sum i in 0..128 {
    %1 = load %x at [i]
    yield %1
  }
  %2 = reduce argmax k in 0..16, l in 0..8 {
    %3 = load %x at [k + 16*l]
    yield %3
  }
  store %y at [0], %0
  store %z at [0], %2
}
)");
}

}  // namespace
}  // namespace litz::schedule
