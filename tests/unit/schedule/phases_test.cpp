// What threads divide of stores to computed places, as texts of schedules: of equal places the last
// one must win, so iterations that may meet follow each other on every thread.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "schedule/schedule.h"

namespace litz::schedule {
namespace {

using testing::HasSubstr;

std::string scheduled(const char* text) {
  ExprPool pool;
  return to_string(make_schedule(loops::parse_kernel(text, pool), {.vector_bytes = 32}));
}

TEST(Phases, PlacesThatDependOnTheInnerLoopLeaveTheOuterOneDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[4], %x: f32[900, 4, 16], out %y: f32[900, 3, 16]) {
  for i in 0..900, j in 0..4, k in 0..16 {
    %0 = load %n[j]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j, k]
    store %y[i, %1, k], %2
  }
}
)"),
              HasSubstr("// phase i j k divided i\n"));
}

TEST(Phases, PlacesThatDependOnTheOuterLoopLeaveTheInnerOneDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900], %x: f32[900, 8], out %y: f32[3, 8]) {
  for i in 0..900, j in 0..8 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j]
    store %y[%1, j], %2
  }
}
)"),
              HasSubstr("// phase i j divided j\n"));
}

TEST(Phases, TransposedRowsOfOnePlaceAreNotReadInSquares) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[512], %x: f32[512, 512], out %y: f32[3, 512]) {
  for i in 0..512, j in 0..512 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[j, i]
    store %y[%1, j], %2
  }
}
)"),
              HasSubstr("// phase i j divided j\n"));
}

TEST(Phases, PlacesOfOneLineAreStoredByOneThread) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900], %x: f32[900], out %y: f32[3]) {
  for i in 0..900 {
    %0 = load %n[i]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i]
    store %y[%1], %2
  }
}
)"),
              HasSubstr("// phase whole"));
}

TEST(Phases, PlacesInALineOfEachIterationAreDivided) {
  EXPECT_THAT(scheduled(R"(kernel @k(%n: i64[900, 8], %x: f32[900, 8], out %y: f32[900, 3]) {
  for i in 0..900, j in 0..8 {
    %0 = load %n[i, j]
    %1 = bound_index "index" %0, 3
    %2 = load %x[i, j]
    store %y[i, %1], %2
  }
}
)"),
              HasSubstr("// phase i j divided i\n"));
}

}  // namespace
}  // namespace litz::schedule
