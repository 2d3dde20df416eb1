// Loops that carry values along rows, a row in each lane.

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

TEST(Scans, DenseRowsAreTransposed) {
  EXPECT_EQ(after(choose_scans, R"(kernel @k(%x: f32[64, 500], out %y: f32[64, 500]) {
  %0 = const f32 0.0
  for r in 0..64 vector 8 {
    %1 = for i in 0..500 carry (%2 = %0) {
      %3 = load %x at [i + 500*r]
      %4 = add %2, %3
      store %y at [i + 500*r], %4
      yield %4
    }
  }
}
)"),
            R"(kernel @k(%x: f32[64, 500], out %y: f32[64, 500]) {
  %0 = const f32 0.0
  for r in 0..64 vector 8 {
    %1 = for i in 0..500 carry (%2 = %0) {
      %3 = load %x at [i + 500*r] transposed
      %4 = add %2, %3
      store %y at [i + 500*r], %4 transposed
      yield %4
    }
  }
}
)");
}

// Elements that another iteration reads are not written in squares.
TEST(Scans, ShiftedRowsStay) {
  const std::string text = R"(kernel @k(out %y: f32[64, 500]) {
  %0 = const f32 0.0
  for r in 0..64 vector 8 {
    %1 = for i in 0..499 carry (%2 = %0) {
      %3 = load %y at [i + 500*r]
      %4 = add %2, %3
      store %y at [i + 500*r + 1], %4
      yield %4
    }
  }
}
)";
  EXPECT_EQ(after(choose_scans, text), text);
}

}  // namespace
}  // namespace litz::schedule
