// The variables that threads divide, as texts of schedules. Of stores to one computed place the last
// one must win, so iterations that may meet follow each other on every thread.

#include <gmock/gmock.h>

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(DivideLoops, PlacesThatDependOnTheInnerLoopLeaveTheOuterOneDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[4], %x: f32[900, 4, 16], out %y: f32[900, 3, 16]) {
  for i in 0..900, j in 0..4, k in 0..16 {
    %0 = load %n[j]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j, k]
    store %y[i, %1, k], %2
  }
}
)"),
              HasSubstr("for i in 0..900 parallel, j in 0..4, k in 0..16 vector 16 {"));
}

TEST(DivideLoops, PlacesThatDependOnTheOuterLoopLeaveTheInnerOneDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900], %x: f32[900, 8], out %y: f32[3, 8]) {
  for i in 0..900, j in 0..8 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j]
    store %y[%1, j], %2
  }
}
)"),
              HasSubstr("for i in 0..900, j in 0..8 parallel vector 8 {"));
}

TEST(DivideLoops, TransposedRowsOfOnePlaceAreNotReadInSquares) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[512], %x: f32[512, 512], out %y: f32[3, 512]) {
  for i in 0..512, j in 0..512 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[j, i]
    store %y[%1, j], %2
  }
}
)"),
              HasSubstr("for i in 0..512, j in 0..512 parallel vector 32 {"));
}

TEST(DivideLoops, PlacesOfOneLineAreStoredByOneThread) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900], %x: f32[900], out %y: f32[3]) {
  for i in 0..900 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i]
    store %y[%1], %2
  }
}
)"),
              Not(HasSubstr("parallel")));
}

TEST(DivideLoops, PlacesInALineOfEachIterationAreDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900, 8], %x: f32[900, 8], out %y: f32[900, 3]) {
  for i in 0..900, j in 0..8 {
    %0 = load %n[i, j]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j]
    store %y[i, %1], %2
  }
}
)"),
              HasSubstr("for i in 0..900 parallel, j in 0..8 vector 8 {"));
}

}  // namespace
}  // namespace litz::schedule
