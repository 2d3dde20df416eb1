// Loops that combine tuples as loops that carry them: the text that comes out, and that it computes
// the same.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/clone.h"
#include "loops/interpreter.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

constexpr const char* kSums =
    R"(kernel @sums(%x: f32[2, 3], out %y: f32[2, 3], out %t: f32[2]) {
  for i in 0..2 {
    %0 = const f32 0.0
    %1 = for j in 0..3 scan (%0) {
      %2 = load %x[i, j]
      yield %2
    } combine (%3, %4) {
      %5 = add %3, %4
      yield %5
    } emit (%6) {
      %7 = neg %6
      store %y[i, j], %7
    }
    store %t[i], %1
  }
}
)";

TEST(LowerScans, BlocksFollowEachOther) {
  ExprPool pool;
  loops::Kernel kernel = loops::parse_kernel(kSums, pool);
  lower_scans(kernel);
  loops::verify(kernel);
  EXPECT_EQ(loops::to_string(kernel),
            R"(kernel @sums(%x: f32[2, 3], out %y: f32[2, 3], out %t: f32[2]) {
  for i in 0..2 {
    %0 = const f32 0.0
    %1 = for j in 0..3 carry (%2 = %0) {
      %3 = load %x[i, j]
      %4 = add %2, %3
      %5 = neg %4
      store %y[i, j], %5
      yield %4
    }
    store %t[i], %1
  }
}
)");
}

TEST(LowerScans, FoldsOfWhatFoldsYieldAreRenamedThroughout) {
  ExprPool pool;
  loops::Kernel kernel = loops::parse_kernel(R"(kernel @f(%x: f32[3, 4], out %y: f32[]) {
  %0 = const f32 0.0
  %1 = for i in 0..3 fold (%0) {
    %2 = for j in 0..4 fold (%0) {
      %3 = load %x[i, j]
      yield %3
    } combine (%4, %5) {
      yield %5
    }
    yield %2
  } combine (%6, %7) {
    %8 = max %6, %7
    yield %8
  }
  store %y[], %1
}
)",
                                             pool);
  lower_scans(kernel);
  loops::verify(kernel);
  EXPECT_EQ(loops::to_string(kernel), R"(kernel @f(%x: f32[3, 4], out %y: f32[]) {
  %0 = const f32 0.0
  %1 = for i in 0..3 carry (%2 = %0) {
    %3 = for j in 0..4 carry (%4 = %0) {
      %5 = load %x[i, j]
      yield %5
    }
    %6 = max %2, %3
    yield %6
  }
  store %y[], %1
}
)");
}

TEST(LowerScans, ComputeTheSame) {
  ExprPool pool;
  const loops::Kernel kernel = loops::parse_kernel(kSums, pool);
  loops::Kernel lowered = loops::clone(kernel);
  lower_scans(lowered);
  const std::vector<float> values{3, 1, 4, 1, 5, 9};
  for (const loops::Kernel* run : {&kernel, static_cast<const loops::Kernel*>(&lowered)}) {
    const std::vector<Tensor> buffers{
        Tensor::of<float>(DType::f32, {2, 3}, std::span<const float>(values)),
        Tensor::zeros(DType::f32, {2, 3}), Tensor::zeros(DType::f32, {2})};
    loops::PreparedKernel(*run).run(buffers, {});
    EXPECT_THAT(std::span(reinterpret_cast<const float*>(buffers[1].data()), 6),
                testing::ElementsAre(-3, -4, -8, -1, -6, -15));
    EXPECT_THAT(std::span(reinterpret_cast<const float*>(buffers[2].data()), 2),
                testing::ElementsAre(8, 15));
  }
}

}  // namespace
}  // namespace litz::schedule
