// One test per rule on the words of schedules: each breaks a good kernel in one place of its text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/kernel.h"
#include "support/check.h"

namespace litz::loops {
namespace {

using testing::HasSubstr;

constexpr const char* kCopy = R"(kernel @good(%x: f32[512, 512], out %y: f32[512, 512]) {
  for i in 0..512 parallel tile, j in 0..512 parallel tile vector 16 {
    %0 = load %x at [i + 512*j] transposed
    store %y at [512*i + j], %0 streamed
  }
}
)";

constexpr const char* kColumns =
    R"(kernel @good(%x: f32[100, 512], out %y: f32[512], out %z: f32[512]) {
  %0 = const f32 100.0
  for j in 0..512 parallel tile vector 8 {
    %1 = reduce sum i in 0..100 {
      %2 = load %x at [512*i + j] ahead 512
      yield %2
    }
    %3 = div %1, %0
    %4 = reduce sum mean_of %1 k in 0..100 {
      %5 = load %x at [j + 512*k]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %y at [j], %4
    store %z at [j], %3
  }
}
)";

constexpr const char* kScatter =
    R"(kernel @good(%n: i64[64, 8], out %y: f32[64, 16], out %z: f32[64]) {
  %0 = const f32 1.0
  for i in 0..64 parallel, j in 0..8 vector 8 {
    %1 = load %n at [8*i + j]
    %2 = bound_index "index" %1, 16
    store %y at [16*i, %2 * 1], %0
  }
  for k in 0..64 parallel {
    %3 = reduce max l in 0..8 vector 4 {
      %4 = load %y at [16*k + l]
      yield %4
    }
    store %z at [k], %3
  }
}
)";

constexpr const char* kScan = R"(kernel @good(%x: f32[64, 500], out %y: f32[64, 500]) {
  %0 = const f32 0.0
  for r in 0..64 parallel vector 8 {
    %1 = for i in 0..500 carry (%2 = %0) {
      %3 = load %x at [i + 500*r] transposed
      store %y at [i + 500*r], %3 transposed
      yield %3
    }
  }
}
)";

constexpr const char* kTotals = R"(kernel @good(%x: f32[64], out %y: f32[128]) {
  for k in 0..64 vector 8 {
    %0 = load %x at [k]
    store add %y at [k], %0
  }
}
)";

struct Break {
  const char* rule;
  const char* text;
  const char* from;
  const char* to;
};

void PrintTo(const Break& b, std::ostream* out) { *out << b.rule << ": " << b.to; }

class MarkRules : public testing::TestWithParam<Break> {};

TEST_P(MarkRules, AreEnforced) {
  ExprPool pool;
  std::string text = GetParam().text;
  ASSERT_NO_THROW(parse_kernel(text, pool));
  const size_t at = text.find(GetParam().from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string_view(GetParam().from).size(), GetParam().to);
  try {
    parse_kernel(text, pool);
    FAIL() << "must throw: " << text;
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(GetParam().rule));
    EXPECT_THAT(error.what(), HasSubstr("good"));
  }
}

const Break kBreaks[] = {
    {"only the last variable", kScatter, "i in 0..64 parallel", "i in 0..64 parallel vector 4"},
    {"a power of two", kScatter, "vector 8", "vector 6"},
    {"vector loops must not nest", kScatter, "k in 0..64 parallel", "k in 0..64 parallel vector 8"},
    {"loops that carry values must have no lanes", kScan, "vector 8 {\n    %1 = for i in 0..500",
     "{\n    %1 = for i in 0..500 vector 4"},
    {"accesses in vector loops must be flat", kScan, "%y at [i + 500*r], %3 transposed",
     "%y[r, i], %3"},
    {"lanes must not store to one element", kScatter, "%y at [16*i, %2 * 1]", "%y at [16*i]"},
    {"lanes that combine must be neighbours", kTotals, "%y at [k]", "%y at [2*k]"},
    {"parallel loops must be at the top", kScatter, "l in 0..8", "l in 0..8 parallel"},
    {"parallel loops must not combine", kScatter, "store %z", "store max %z"},
    {"must follow each other", kCopy, "512 parallel tile, j in 0..512",
     "8 parallel, h in 0..64, j in 0..512"},
    {"parallel iterations must not store", kScatter, "%y at [16*i, %2 * 1]", "%y at [0, %2 * 1]"},
    {"parallel loops only", kScatter, "k in 0..64 parallel", "k in 0..64"},
    {"alone or in tiles", kScatter, "j in 0..8 vector", "j in 0..8 parallel vector"},
    {"divide both variables of tiles", kCopy, "i in 0..512 parallel", "i in 0..512"},
    {"tiled loops must be at the top", kScatter, "l in 0..8", "l in 0..8 tile"},
    {"tiled loops must have lanes", kColumns, " vector 8", ""},
    {"only loops may be tiled", kTotals, "for k in 0..64 vector 8 {\n    %0 = load %x at [k]\n",
     "%9 = reduce max j in 0..64 tile vector 8 {\n    %8 = load %x at [j]\n    yield %8\n  }\n"
     "  for k in 0..64 vector 8 {\n    %0 = load %x at [k]\n"},
    {"a transposed access must be in squares", kScan,
     "load %x at [i + 500*r] transposed\n      store %y at [i + 500*r], %3 transposed",
     "load %y at [i + 500*r] transposed\n      store %y[r, i], %3"},
    {"tiles must be of the last", kCopy, "j in 0..512 parallel tile vector 16",
     "j in 0..512 vector 16"},
    {"a transposed access must be in squares", kCopy, "i + 512*j", "2*i + 512*j"},
    {"a transposed access must be in squares", kScan, "load %x at [i + 500*r]",
     "load %x at [i + r]"},
    {"a transposed access must be in squares", kColumns, "ahead 512", "transposed"},
    {"a streamed store must write all", kCopy, "[512*i + j]", "[512*i + 2*j]"},
    {"only loads may fetch ahead", kCopy, "%0 streamed", "%0 ahead 64"},
    {"deviations must be from the mean", kColumns, "div %1, %0", "div %1, %1"},
    {"must be in column blocks", kColumns, "tile vector", "vector"},
    {"must not read what they store", kColumns, "    %3 = div",
     "    store %z at [j], %1\n    %8 = load %z at [j]\n    %3 = div"},
    {"no loops but reductions", kColumns, "    store %z",
     "    for u in 0..2 {\n    }\n    store %z"},
    {"must hold no loop", kCopy, "    store", "    for u in 0..2 {\n    }\n    store"},
    {"must not scatter", kCopy, "store %y at [512*i + j], %0 streamed",
     "%1 = const i64 0\n    store %y at [512*i + j, %1 * 1], %0"},
};

INSTANTIATE_TEST_SUITE_P(All, MarkRules, testing::ValuesIn(kBreaks));

}  // namespace
}  // namespace litz::loops
