#include "machine/measured_times.h"

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::machine {
namespace {

const MeasuredKind kGather{"all_gather", "bf16", 8};

TEST(MeasuredTimes, AreInterpolated) {
  const MeasuredTimes times = MeasuredTimes::parse(R"(
{"what": "all_gather", "dtype": "bf16", "ranks": 8, "bytes": 1000, "us": 10}
{"what": "all_gather", "dtype": "bf16", "ranks": 8, "bytes": 3000, "us": 20}
{"what": "aten.mm", "dtype": "f32", "work": 100, "us": 5}
)",
                                                   "samples");
  EXPECT_EQ(times.us(kGather, 2000), 15);
  EXPECT_EQ(times.us({"aten.mm", "f32", 0}, 100), 5);
}

// Latency stays below the smallest sample, and the largest one's bandwidth holds above it.
TEST(MeasuredTimes, BelowSmallestAndAboveLargest) {
  MeasuredTimes times;
  times.add(kGather, 1000, 10);
  times.add(kGather, 3000, 20);
  EXPECT_EQ(times.us(kGather, 1), 10);
  EXPECT_EQ(times.us(kGather, 6000), 40);
}

TEST(MeasuredTimes, TheMedianOfRepeatedSamplesCounts) {
  MeasuredTimes times;
  for (const double us : {11.0, 10.0, 90.0}) times.add(kGather, 1000, us);
  EXPECT_EQ(times.us(kGather, 1000), 11);
  times.add(kGather, 1000, 13);
  EXPECT_EQ(times.us(kGather, 1000), 12);
}

TEST(MeasuredTimes, KindsDtypesAndGroupsAreNotMixed) {
  MeasuredTimes times;
  times.add(kGather, 1000, 10);
  EXPECT_FALSE(times.us({"reduce_scatter", "bf16", 8}, 1000).has_value());
  EXPECT_FALSE(times.us({"all_gather", "f32", 8}, 1000).has_value());
  EXPECT_FALSE(times.us({"all_gather", "bf16", 4}, 1000).has_value());
}

TEST(MeasuredTimes, LinesThatAreNoSamplesAreRefused) {
  for (const char* line :
       {R"({"what": "aten.mm", "us": 5})", R"({"what": "aten.mm", "dtype": "f32", "us": 5})",
        R"({"what": "aten.mm", "dtype": "f32", "work": 0, "us": 5})",
        R"({"what": "aten.mm", "dtype": "f32", "work": 10, "us": -5})", "no JSON"}) {
    EXPECT_THROW(MeasuredTimes::parse(line, "samples"), Error) << line;
  }
}

}  // namespace
}  // namespace litz::machine
