#include "memory/alias_verifier.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::memory {
namespace {

using testing::HasSubstr;

// What the verifier says; empty when it is content. Kernels may name sizes n and m, which may be 0.
std::string complaint(std::string_view text) {
  ExprPool pool;
  for (const char* name : {"n", "m"}) {
    SymbolInfo info;
    info.name = name;
    info.range = {0, 1 << 20};
    pool.add_symbol(info);
  }
  const loops::Kernel kernel = loops::parse_kernel(text, pool);
  loops::verify(kernel);
  try {
    verify_accesses(kernel);
  } catch (const InternalError& error) {
    return error.what();
  }
  return "";
}

TEST(VerifyAccesses, AcceptsRowsThatAreReadInTheirIteration) {
  EXPECT_EQ(complaint(R"(kernel @k(%x: f32[4, 6], out %t: f32[4, 6], out %o: f32[4]) {
  for i0 in 0..4 {
    for i1 in 0..6 {
      %0 = load %x[i0, i1]
      store %t[i0, i1], %0
    }
    %1 = reduce sum i2 in 0..6 {
      %2 = load %t[i0, i2]
      yield %2
    }
    store %o[i0], %1
  }
})"),
            "");
}

TEST(VerifyAccesses, RejectsReadingAnotherRow) {
  EXPECT_THAT(complaint(R"(kernel @k(%x: f32[4, 6], out %t: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4 {
    for i1 in 0..6 {
      %0 = load %x[i0, i1]
      store %t[i0, i1], %0
    }
    for i2 in 0..6 {
      %1 = load %t[3 - i0, i2]
      store %o[i0, i2], %1
    }
  }
})"),
              HasSubstr("must not read what another one stores: buffer %t"));
}

TEST(VerifyAccesses, RejectsReadingBeforeStoring) {
  EXPECT_THAT(complaint(R"(kernel @k(%x: f32[4], out %t: f32[4], out %o: f32[4]) {
  for i0 in 0..4 {
    %0 = load %t[i0]
    store %o[i0], %0
    %1 = load %x[i0]
    store %t[i0], %1
  }
})"),
              HasSubstr("must have been stored before"));
}

TEST(VerifyAccesses, RejectsReadingWhatWasNotStored) {
  EXPECT_THAT(complaint(R"(kernel @k(%x: f32[4, 6], out %t: f32[4, 6], out %o: f32[4, 6]) {
  for i0 in 0..4 {
    for i1 in 0..5 {
      %0 = load %x[i0, i1]
      store %t[i0, i1], %0
    }
    for i2 in 0..6 {
      %1 = load %t[i0, i2]
      store %o[i0, i2], %1
    }
  }
})"),
              HasSubstr("every element that is loaded must have been stored before"));
}

TEST(VerifyAccesses, AcceptsPiecesThatCoverTheWhole) {
  EXPECT_EQ(complaint(R"(kernel @k(%x: f32[4, 6], out %t: f32[4, 8], out %o: f32[4, 8]) {
  for i0 in 0..4 {
    for i1 in 0..6 {
      %0 = load %x[i0, i1]
      store %t[i0, i1], %0
    }
    for i2 in 0..2 {
      %1 = load %x[i0, i2]
      store %t[i0, i2 + 6], %1
    }
    for i3 in 0..8 {
      %2 = load %t[i0, i3]
      store %o[i0, i3], %2
    }
  }
})"),
            "");
}

// A join of `second` rows behind n others, of which all n + m are read.
std::string joined(std::string_view second) {
  return R"(kernel @k(%x: f32[n, 4], %y: f32[m, 4], out %t: f32[n + m, 4], out %o: f32[4]) {
  for i0 in 0..n, i1 in 0..4 {
    %0 = load %x[i0, i1]
    store %t[i0, i1], %0
  }
  for i2 in 0..m, i3 in 0..4 {
    %1 = load %y[i2, i3]
    store %t[)" +
         std::string(second) + R"(, i3], %1
  }
  for i4 in 0..4 {
    %2 = reduce sum i5 in 0..n + m {
      %3 = load %t[i5, i4]
      yield %3
    }
    store %o[i4], %2
  }
})";
}

TEST(VerifyAccesses, PiecesMayBeEmpty) {
  EXPECT_EQ(complaint(joined("i2 + n")), "");
  EXPECT_THAT(complaint(joined("i2")), HasSubstr("must have been stored before: buffer %t"));
}

// Two rows and n - 2 others at `second`, of which all n are read.
std::string joined_to_all(std::string_view second) {
  return R"(kernel @k(%x: f32[2, 4], %y: f32[n - 2, 4], out %t: f32[n, 4], out %o: f32[4]) {
  for i0 in 0..2, i1 in 0..4 {
    %0 = load %x[i0, i1]
    store %t[i0, i1], %0
  }
  for i2 in 0..n - 2, i3 in 0..4 {
    %1 = load %y[i2, i3]
    store %t[)" +
         std::string(second) + R"(, i3], %1
  }
  for i4 in 0..4 {
    %2 = reduce sum i5 in 0..n {
      %3 = load %t[i5, i4]
      yield %3
    }
    store %o[i4], %2
  }
})";
}

TEST(VerifyAccesses, PiecesMayHaveDifferencesOfSizes) {
  EXPECT_EQ(complaint(joined_to_all("i2 + 2")), "");
  EXPECT_THAT(complaint(joined_to_all("i2 + 1")),
              HasSubstr("must have been stored before: buffer %t"));
}

// Rows that are sorted; the first `kept` of each become scratch, of which 80 are read.
std::string sorted(std::string_view kept) {
  return R"(kernel @k(%x: f32[8, 80], out %o: f32[8, 80], scratch %t: f32[80]) {
  for i0 in 0..8 {
    sort i1 in 0..80 {
      %0 = load %x[i0, i1]
      yield %0
    } emit i2 in 0..)" +
         std::string(kept) + R"( (%1, %2) {
      store %t[i2], %1
    }
    for i3 in 0..80 {
      %3 = load %t[i3]
      store %o[i0, i3], %3
    }
  }
})";
}

TEST(VerifyAccesses, SortsStoreWhatTheyEmit) {
  EXPECT_EQ(complaint(sorted("80")), "");
  EXPECT_THAT(complaint(sorted("79")), HasSubstr("must have been stored before: buffer %t"));
}

// A median, stored where a sort comes to its position, and what is computed of it.
std::string picked(std::string_view picks) {
  return R"(kernel @k(%x: f32[8, 3], out %o: f32[8], scratch %t: f32[1]) {
  for i0 in 0..8 {
    %0 = const i64 1
    sort i1 in 0..3 {
      %1 = load %x[i0, i1]
      yield %1
    } emit i2 in 0..3 (%2, %3) {
      %4 = index i64 i2
      %5 = )" +
         std::string(picks) + R"(
      store %t[0], %2 if %5
    }
    %6 = load %t[0]
    store %o[i0], %6
  }
})";
}

TEST(VerifyAccesses, OnePositionOfASortIsPicked) {
  EXPECT_EQ(complaint(picked("eq %4, %0")), "");
  EXPECT_THAT(complaint(picked("lt %4, %0")), HasSubstr("must have been stored before: buffer %t"));
  EXPECT_THAT(complaint(picked("eq %3, %0")), HasSubstr("must have been stored before: buffer %t"));
}

TEST(VerifyAccesses, RejectsIterationsThatStoreToOnePlace) {
  EXPECT_THAT(complaint(R"(kernel @k(%x: f32[4, 6], out %o: f32[4]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    store %o[i0], %0
  }
})"),
              HasSubstr("must store to different elements"));
  EXPECT_THAT(complaint(R"(kernel @k(%x: f32[4, 6], out %o: f32[24]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    store %o[5*i0 + i1], %0
  }
})"),
              HasSubstr("must store to different elements"));
}

TEST(VerifyAccesses, AcceptsMixedRadixNumbers) {
  EXPECT_EQ(complaint(R"(kernel @k(%x: f32[4, 6], out %o: f32[24]) {
  for i0 in 0..4, i1 in 0..6 {
    %0 = load %x[i0, i1]
    store %o[6*i0 + i1], %0
  }
})"),
            "");
}

TEST(VerifyAccesses, NumbersMayHaveUnknownDigits) {
  const auto stored = [](std::string_view place) {
    return "kernel @k(%x: f32[37], out %o: f32[37*n]) {\n  for i in 0..37, j in 0..n {\n"
           "    %0 = load %x[i]\n    store %o[" +
           std::string(place) + "], %0\n  }\n}";
  };
  EXPECT_EQ(complaint(stored("i*n + j")), "");
  EXPECT_EQ(complaint(stored("i + 37*j")), "");
  EXPECT_THAT(complaint(stored("i + j")), HasSubstr("must store to different elements"));
}

TEST(VerifyAccesses, ScratchIsUsedAnewByEachIteration) {
  EXPECT_EQ(complaint(R"(kernel @k(%x: f32[4, 6], scratch %t: f32[6], out %o: f32[4]) {
  for i0 in 0..4 {
    for i1 in 0..6 {
      %0 = load %x[i0, i1]
      store %t[i1], %0
    }
    %1 = reduce sum i2 in 0..6 {
      %2 = load %t[i2]
      yield %2
    }
    store %o[i0], %1
  }
})"),
            "");
}

lowering::Step step_between(std::vector<lowering::Slot> reads, lowering::Slot result) {
  lowering::LibraryStep work;
  for (const lowering::Slot slot : reads) work.arguments.push_back({{slot}, false, {}});
  lowering::Step step;
  step.work = std::move(work);
  step.results.push_back({result, contiguous_type(DType::f32, {4}), true});
  step.label = "step";
  return step;
}

TEST(VerifySlots, RejectsUseAfterFree) {
  lowering::Plan plan;
  plan.slot_count = 3;
  plan.input_slots = {0};
  plan.input_types = {contiguous_type(DType::f32, {4})};
  plan.steps.push_back(step_between({0}, 1));
  plan.steps.push_back(step_between({0, 1}, 2));
  EXPECT_NO_THROW(verify_slots(plan));
  plan.steps[0].dead = {0};
  EXPECT_THROW(verify_slots(plan), InternalError);
}

TEST(VerifySlots, RejectsReadsAfterAnUpdateOfTheMemory) {
  lowering::Plan plan;
  plan.slot_count = 4;
  plan.input_slots = {0};
  plan.input_types = {contiguous_type(DType::f32, {4})};
  plan.steps.push_back(step_between({0}, 1));
  plan.steps.push_back(step_between({1}, 2));
  plan.steps.push_back(step_between({2}, 3));
  plan.steps[1].results[0].over = 0;
  EXPECT_NO_THROW(verify_slots(plan));
  plan.steps[2] = step_between({0}, 3);
  EXPECT_THROW(verify_slots(plan), InternalError);
}

TEST(VerifySlots, RejectsReadsBeforeTheSlotIsMade) {
  lowering::Plan plan;
  plan.slot_count = 3;
  plan.input_slots = {0};
  plan.input_types = {contiguous_type(DType::f32, {4})};
  plan.steps.push_back(step_between({2}, 1));
  plan.steps.push_back(step_between({0}, 2));
  EXPECT_THROW(verify_slots(plan), InternalError);
}

}  // namespace
}  // namespace litz::memory
