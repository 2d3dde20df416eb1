// Reductions along columns that take blocks of them.

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

TEST(ColumnBlocks, FarRowsAreReadSideBySide) {
  EXPECT_EQ(after(choose_column_blocks, R"(kernel @k(%x: f32[1000, 1000], out %y: f32[1000]) {
  for j in 0..1000 vector 8 {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x at [1000*i + j]
      yield %1
    }
    store %y at [j], %0
  }
}
)"),
            R"(kernel @k(%x: f32[1000, 1000], out %y: f32[1000]) {
  for j in 0..1000 tile vector 8 {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x at [1000*i + j] ahead 1000
      yield %1
    }
    store %y at [j], %0
  }
}
)");
}

// Few rows, near rows, and rows that the loop has stored itself.
TEST(ColumnBlocks, OtherReductionsStay) {
  for (const char* text : {R"(kernel @k(%x: f32[10, 1000], out %y: f32[1000]) {
  for j in 0..1000 vector 8 {
    %0 = reduce sum i in 0..10 {
      %1 = load %x at [1000*i + j]
      yield %1
    }
    store %y at [j], %0
  }
}
)",
                           R"(kernel @k(%x: f32[1000, 16], out %y: f32[16]) {
  for j in 0..16 vector 8 {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x at [16*i + j]
      yield %1
    }
    store %y at [j], %0
  }
}
)",
                           R"(kernel @k(out %x: f32[1000, 1000], out %y: f32[1000]) {
  %0 = const f32 1.0
  for j in 0..1000 vector 8 {
    store %x at [j], %0
    %1 = reduce sum i in 0..1000 {
      %2 = load %x at [1000*i + j]
      yield %2
    }
    store %y at [j], %1
  }
}
)"}) {
    EXPECT_EQ(after(choose_column_blocks, text), text);
  }
}

}  // namespace
}  // namespace litz::schedule
