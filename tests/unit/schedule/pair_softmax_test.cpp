// Which maxima and sums of exponentials become one reduction, as texts of schedules.

#include <gmock/gmock.h>

#include "loops/softmax_kernel.h"
#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

std::string with_length(std::string text, const std::string& length) {
  for (size_t at = 0; (at = text.find("LENGTH", at)) != std::string::npos;) {
    text.replace(at, 6, length);
  }
  return text;
}

MATCHER(IsPaired, "is paired") {
  return testing::Matches(AllOf(HasSubstr("reduce softmax"), Not(HasSubstr("reduce max")),
                                Not(HasSubstr("reduce sum"))))(arg);
}

MATCHER(IsNotPaired, "is not paired") {
  return testing::Matches(AllOf(Not(HasSubstr("reduce softmax")), HasSubstr("reduce max"),
                                HasSubstr("reduce sum")))(arg);
}

constexpr const char* kSums =
    R"(kernel @sums(%x: f32[64, LENGTH], out %m: f32[64], out %s: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..LENGTH {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..LENGTH {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %m[i], %0
    store %s[i], %2
  }
}
)";

TEST(PairSoftmax, OneReductionTakesThePlaceOfTwo) {
  const std::string text = scheduled(with_length(kSums, "4096"));
  EXPECT_THAT(text, HasSubstr(R"(  for i in 0..64 parallel {
    %0, %1 = reduce softmax j in 0..4096 vector 16 {
      %2 = load %x at [4096*i + j]
      yield %2
    }
    store %m at [i], %0
    store %s at [i], %1
  }
)")) << text;
  EXPECT_THAT(scheduled(with_length(kSums, "s0")), IsPaired());
}

TEST(PairSoftmax, OfWhatMayBeEmpty) {
  std::string text = kSums;
  text.replace(text.find("max j"), 3, "max may_be_empty");
  EXPECT_THAT(scheduled(with_length(text, "s0")),
              HasSubstr("reduce softmax may_be_empty j in 0..s0"));
}

TEST(PairSoftmax, KeptExponentialsAreNotComputedTwice) {
  EXPECT_THAT(scheduled(loops::softmax_kernel("64", "4096")), IsNotPaired());
}

TEST(PairSoftmax, RowsThatCannotBeKept) {
  EXPECT_THAT(scheduled(loops::softmax_kernel("64", "100000")), IsPaired());
  EXPECT_THAT(scheduled(loops::softmax_kernel("64", "s0")), IsPaired());
}

// What fusion makes of a scaled and masked input.
std::string scores(const std::string& scale, const std::string& other_scale,
                   const std::string& mask) {
  return R"(kernel @f(%x: bf16[64, s0], %mask: f32[s0], %n: f32[s0], out %s: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      %2 = cast f32 %1
      %3 = const f32 )" +
         scale + R"(
      %4 = mul %2, %3
      %5 = load %mask[j]
      %6 = add %4, %5
      yield %6
    }
    %7 = reduce sum k in 0..s0 {
      %8 = load %x[i, k]
      %9 = cast f32 %8
      %10 = const f32 )" +
         other_scale + R"(
      %11 = mul %9, %10
      %12 = load %)" +
         mask + R"([k]
      %13 = add %11, %12
      %14 = sub %13, %0
      %15 = exp %14
      yield %15
    }
    store %s[i], %7
  }
}
)";
}

TEST(PairSoftmax, WholeComputationsAreCompared) {
  EXPECT_THAT(scheduled(scores("0.125", "0.125", "mask")), IsPaired());
  EXPECT_THAT(scheduled(scores("0.125", "0.25", "mask")), IsNotPaired());
  EXPECT_THAT(scheduled(scores("0.0", "-0.0", "mask")), IsNotPaired());
  EXPECT_THAT(scheduled(scores("0.125", "0.125", "n")), IsNotPaired());
}

TEST(PairSoftmax, GuardedAndComputedLoads) {
  EXPECT_THAT(
      scheduled(R"(kernel @f(%x: f32[64, 100], %p: bool[s0], %at: i64[s0], out %s: f32[64]) {
  %20 = const f32 -inf
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %p[j]
      %2 = load %at[j]
      %3 = bound_index "index" %2, 100
      %4 = load %x[i, %3] if %1 else %20
      yield %4
    }
    %5 = reduce sum k in 0..s0 {
      %6 = load %p[k]
      %7 = load %at[k]
      %8 = bound_index "index" %7, 100
      %9 = load %x[i, %8] if %6 else %20
      %10 = sub %9, %0
      %11 = exp %10
      yield %11
    }
    store %s[i], %5
  }
}
)"),
      IsPaired());
}

// The logarithm of a sum: relative to zero where the maximum is infinite.
TEST(PairSoftmax, FiniteShift) {
  const std::string text = scheduled(R"(kernel @f(%x: f32[64, s0], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = is_inf %0
    %3 = const f32 0.0
    %4 = select %2, %3, %0
    %5 = reduce sum k in 0..s0 {
      %6 = load %x[i, k]
      %7 = sub %6, %4
      %8 = exp %7
      yield %8
    }
    %9 = log %5
    %10 = add %9, %4
    store %y[i], %10
  }
}
)");
  EXPECT_THAT(text, IsPaired());
  EXPECT_THAT(text, HasSubstr(R"(    %6 = exp %0
    %7 = select %3, %6, %1
    %8 = log %7
)")) << text;
}

TEST(PairSoftmax, OtherSumsStay) {
  // Of the maximum of another row.
  EXPECT_THAT(scheduled(R"(kernel @f(%x: f32[64, s0], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..s0 {
      %3 = load %x[0, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)"),
              IsNotPaired());
  // Of the differences turned around.
  EXPECT_THAT(scheduled(R"(kernel @f(%x: f32[64, s0], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..s0 {
      %3 = load %x[i, k]
      %4 = sub %0, %3
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)"),
              IsNotPaired());
  // Over fewer elements.
  EXPECT_THAT(scheduled(R"(kernel @f(%x: f32[64, 2000], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..2000 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce sum k in 0..1000 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)"),
              IsNotPaired());
}

// What lies between may change what the sum reads.
TEST(PairSoftmax, StoresBetween) {
  EXPECT_THAT(scheduled(R"(kernel @f(out %x: f32[64, s0], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    store %x[i, 0], %0
    %2 = reduce sum k in 0..s0 {
      %3 = load %x[i, k]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)"),
              IsNotPaired());
}

TEST(PairSoftmax, TwoPairsOfOneRow) {
  const std::string text =
      scheduled(R"(kernel @f(%x: f32[64, s0], %z: f32[64, s0], out %y: f32[64]) {
  for i in 0..64 {
    %0 = reduce max j in 0..s0 {
      %1 = load %x[i, j]
      yield %1
    }
    %2 = reduce max k in 0..s0 {
      %3 = load %z[i, k]
      yield %3
    }
    %4 = reduce sum l in 0..s0 {
      %5 = load %x[i, l]
      %6 = sub %5, %0
      %7 = exp %6
      yield %7
    }
    %8 = reduce sum n in 0..s0 {
      %9 = load %z[i, n]
      %10 = sub %9, %2
      %11 = exp %10
      yield %11
    }
    %12 = div %4, %8
    store %y[i], %12
  }
}
)");
  EXPECT_THAT(text, IsPaired());
  EXPECT_THAT(text, HasSubstr("%3, %4 = reduce softmax")) << text;
}

// Blocks of columns read rows of memory, twice but fast.
TEST(PairSoftmax, ColumnsStayInBlocks) {
  const std::string text = scheduled(R"(kernel @f(%x: f32[1000, 1000], out %y: f32[1000]) {
  for i in 0..1000 {
    %0 = reduce max j in 0..1000 {
      %1 = load %x[j, i]
      yield %1
    }
    %2 = reduce sum k in 0..1000 {
      %3 = load %x[k, i]
      %4 = sub %3, %0
      %5 = exp %4
      yield %5
    }
    store %y[i], %2
  }
}
)");
  EXPECT_THAT(text, AllOf(IsNotPaired(), HasSubstr("i in 0..1000 parallel tile vector")));
}

}  // namespace
}  // namespace litz::schedule
