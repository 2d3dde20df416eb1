// Sorts as loops around rows: the text that comes out, and that it computes the same.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/clone.h"
#include "loops/interpreter.h"
#include "schedule/rewriting.h"

namespace litz::schedule {
namespace {

constexpr const char* kSmallest =
    R"(kernel @smallest(%x: f32[2, 5], out %y: f32[2, 3], out %o: i64[2, 3]) {
  for i in 0..2 {
    sort descending j in 0..5 {
      %0 = load %x[i, j]
      yield %0
    } emit p in 0..3 (%1, %2) {
      store %y[i, p], %1
      store %o[i, p], %2
    }
  }
}
)";

TEST(LowerSorts, RowsLieInScratch) {
  ExprPool pool;
  loops::Kernel kernel = loops::parse_kernel(kSmallest, pool);
  lower_sorts(kernel);
  loops::verify(kernel);
  const std::string text = loops::to_string(kernel);
  EXPECT_EQ(
      text,
      R"(kernel @smallest(%x: f32[2, 5], out %y: f32[2, 3], out %o: i64[2, 3], scratch %keys3: f32[5], scratch %origins4: i64[3]) {
  for i in 0..2 {
    for j in 0..5 {
      %0 = load %x[i, j]
      store %keys3[j], %0
    }
    sort_row descending %keys3, %origins4, 5, 3
    for p in 0..3 {
      %1 = load %keys3[p]
      %2 = load %origins4[p]
      store %y[i, p], %1
      store %o[i, p], %2
    }
  }
}
)");
  EXPECT_EQ(loops::to_string(loops::parse_kernel(text, pool)), text);
}

TEST(LowerSorts, ComputeTheSame) {
  ExprPool pool;
  const loops::Kernel kernel = loops::parse_kernel(kSmallest, pool);
  loops::Kernel lowered = loops::clone(kernel);
  lower_sorts(lowered);
  const std::vector<float> values{3, 1, 4, 1, 5, 9, 2, 6, 5, 9};
  std::vector<Tensor> results;
  for (const loops::Kernel* run : {&kernel, static_cast<const loops::Kernel*>(&lowered)}) {
    std::vector<Tensor> buffers{
        Tensor::of<float>(DType::f32, {2, 5}, std::span<const float>(values))};
    for (size_t b = 1; b < run->buffers.size(); ++b) {
      const TensorType& type = run->buffers[b].type;
      buffers.push_back(Tensor::zeros(type.dtype, evaluate(type.sizes, {})));
    }
    loops::PreparedKernel(*run).run(buffers, {});
    results.push_back(buffers[1]);
    results.push_back(buffers[2]);
  }
  EXPECT_THAT(std::span(reinterpret_cast<const float*>(results[2].data()), 6),
              testing::ElementsAre(5, 4, 3, 9, 9, 6));
  EXPECT_THAT(std::span(reinterpret_cast<const int64_t*>(results[3].data()), 6),
              testing::ElementsAre(4, 2, 0, 0, 4, 2));
  for (const size_t i : {size_t{0}, size_t{1}}) {
    const auto bytes = static_cast<size_t>(results[i].numel() * item_size(results[i].dtype()));
    EXPECT_EQ(0, std::memcmp(results[i].data(), results[i + 2].data(), bytes));
  }
}

}  // namespace
}  // namespace litz::schedule
