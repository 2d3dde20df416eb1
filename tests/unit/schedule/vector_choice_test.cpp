// The variables that get the lanes, and how accesses reach memory then.

#include <gmock/gmock.h>

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string chosen(std::string_view before, int bytes = 32) {
  return after(
      [&](loops::Kernel& kernel) {
        flatten_accesses(kernel);
        choose_vectors(kernel, {.vector_bytes = bytes});
      },
      before);
}

TEST(VectorChoice, LanesGoAlongMemoryAndInnermost) {
  EXPECT_EQ(chosen(R"(kernel @k(%x: f32[64, 128]{1, 64}, out %y: f32[64, 128]{1, 64}) {
  for i in 0..64, j in 0..128 {
    %0 = load %x[i, j]
    store %y[i, j], %0
  }
}
)"),
            R"(kernel @k(%x: f32[64, 128]{1, 64}, out %y: f32[64, 128]{1, 64}) {
  for j in 0..128, i in 0..64 vector 32 {
    %0 = load %x at [i + 64*j]
    store %y at [i + 64*j], %0
  }
}
)");
}

TEST(VectorChoice, WidthsComeFromOptions) {
  constexpr std::string_view kExponentials = R"(kernel @k(%x: f32[4096], out %y: f32[4096]) {
  for i in 0..4096 {
    %0 = load %x[i]
    %1 = exp %0
    %2 = log %1
    store %y[i], %2
  }
}
)";
  EXPECT_THAT(chosen(kExponentials, 16), HasSubstr("for i in 0..4096 vector 4 {"));
  EXPECT_THAT(chosen(kExponentials, 32), HasSubstr("for i in 0..4096 vector 8 {"));
  EXPECT_THAT(chosen(kExponentials, 64), HasSubstr("for i in 0..4096 vector 16 {"));
}

// Both orders of lanes have one access that is apart; only that of a load can be transposed.
TEST(VectorChoice, CopiesThatTransposeStoreNeighbours) {
  EXPECT_EQ(chosen(R"(kernel @k(%x: f32[512, 512], out %y: f32[512, 512]) {
  for i in 0..512, j in 0..512 {
    %0 = load %x[j, i]
    store %y[i, j], %0
  }
}
)"),
            R"(kernel @k(%x: f32[512, 512], out %y: f32[512, 512]) {
  for i in 0..512 tile, j in 0..512 tile vector 16 {
    %0 = load %x at [i + 512*j] transposed
    store %y at [512*i + j], %0
  }
}
)");
}

TEST(VectorChoice, RowsAreReducedInLanes) {
  EXPECT_EQ(chosen(R"(kernel @k(%x: f32[64, 128], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..128 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[i], %0
  }
}
)"),
            R"(kernel @k(%x: f32[64, 128], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..128 vector 32 {
      %1 = load %x at [128*i + j]
      yield %1
    }
    store %y at [i], %0
  }
}
)");
}

TEST(VectorChoice, ColumnsAreReducedInLockstep) {
  EXPECT_EQ(chosen(R"(kernel @k(%x: f32[128, 64], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..128 {
      %1 = load %x[j, i]
      yield %1
    }
    store %y[i], %0
  }
}
)"),
            R"(kernel @k(%x: f32[128, 64], out %y: f32[64]) {
  for i in 0..64 vector 32 {
    %0 = reduce max j in 0..128 {
      %1 = load %x at [i + 64*j]
      yield %1
    }
    store %y at [i], %0
  }
}
)");
}

TEST(VectorChoice, LargeResultsPassTheCaches) {
  const auto filled = [](const char* size) {
    const std::string n(size);
    return chosen("kernel @k(out %y: f32[" + n + "]) {\n  %0 = const f32 1.0\n  for i in 0.." + n +
                  " {\n    store %y[i], %0\n  }\n}\n");
  };
  EXPECT_THAT(filled("16777216"), HasSubstr("store %y at [i], %0 streamed\n"));
  EXPECT_THAT(filled("65536"), Not(HasSubstr("streamed")));
  EXPECT_THAT(filled("s0"), AllOf(HasSubstr("vector"), Not(HasSubstr("streamed"))));
}

TEST(VectorChoice, LanesThatWouldMeetStayScalar) {
  EXPECT_THAT(chosen(R"(kernel @k(%n: i64[64], out %y: f32[8]) {
  %0 = const f32 1.0
  for i in 0..64 {
    %1 = load %n[i]
    %2 = bound_index "index" %1, 8
    store add %y[%2], %0
  }
}
)"),
              Not(HasSubstr("vector")));
}

}  // namespace
}  // namespace litz::schedule
