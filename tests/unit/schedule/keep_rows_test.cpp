// Rows of values that one loop keeps for the next; rows and streams that are fetched ahead.

#include <gmock/gmock.h>

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr machine::Machine kMachine{.vector_bytes = 32};

void keep(loops::Kernel& kernel) { keep_rows(kernel, kMachine); }

void fetch_rows(loops::Kernel& kernel) { fetch_rows_ahead(kernel, kMachine); }

void fetch_streams(loops::Kernel& kernel) { fetch_streams_ahead(kernel, kMachine); }

constexpr std::string_view kExponentials =
    R"(kernel @k(%x: f32[64, 4096], out %s: f32[64], out %y: f32[64, 4096]) {
  for i in 0..64 {
    %0 = reduce sum j in 0..4096 vector 16 {
      %1 = load %x at [4096*i + j]
      %2 = exp %1
      yield %2
    }
    for k in 0..4096 vector 16 {
      %3 = load %x at [4096*i + k]
      %4 = exp %3
      %5 = div %4, %0
      store %y at [4096*i + k], %5
    }
  }
}
)";

TEST(KeepRows, WhatIsCostlyIsStoredOnce) {
  EXPECT_EQ(
      after(keep, kExponentials),
      R"(kernel @k(%x: f32[64, 4096], out %s: f32[64], out %y: f32[64, 4096], scratch %row3: f32[4096]) {
  for i in 0..64 {
    %0 = reduce sum j in 0..4096 vector 16 {
      %1 = load %x at [4096*i + j]
      %2 = exp %1
      store %row3 at [j], %2
      yield %2
    }
    for k in 0..4096 vector 32 {
      %3 = load %row3 at [k]
      %4 = div %3, %0
      store %y at [4096*i + k], %4
    }
  }
}
)");
}

TEST(KeepRows, WhatIsCheapIsComputedAgain) {
  std::string text(kExponentials);
  for (size_t at = 0; (at = text.find("exp", at)) != std::string::npos;) text.replace(at, 3, "neg");
  EXPECT_EQ(after(keep, text), text);
}

TEST(KeepRows, LongRowsAreComputedAgain) {
  std::string text(kExponentials);
  for (size_t at = 0; (at = text.find("4096", at)) != std::string::npos;) {
    text.replace(at, 4, "65536");
  }
  EXPECT_EQ(after(keep, text), text);
}

TEST(FetchRowsAhead, TheCostliestReaderAsksForTheNextRow) {
  EXPECT_EQ(after(fetch_rows, kExponentials),
            R"(kernel @k(%x: f32[64, 4096], out %s: f32[64], out %y: f32[64, 4096]) {
  for i in 0..64 {
    %0 = reduce sum j in 0..4096 vector 16 {
      %1 = load %x at [4096*i + j]
      %2 = exp %1
      yield %2
    }
    for k in 0..4096 vector 16 {
      %3 = load %x at [4096*i + k] ahead 4096
      %4 = exp %3
      %5 = div %4, %0
      store %y at [4096*i + k], %5
    }
  }
}
)");
}

TEST(FetchStreamsAhead, OnlyWhatOneLoopReadsFromMemory) {
  const auto copied = [](const char* size) {
    const std::string n(size);
    return after(fetch_streams,
                 "kernel @k(%x: f32[" + n + "], out %y: f32[" + n + "]) {\n  for i in 0.." + n +
                     " vector 32 {\n    %0 = load %x at [i]\n    store %y at [i], %0\n  }\n}\n");
  };
  EXPECT_THAT(copied("16777216"), HasSubstr("%0 = load %x at [i] ahead 512\n"));
  EXPECT_THAT(copied("65536"), Not(HasSubstr("ahead")));
}

}  // namespace
}  // namespace litz::schedule
