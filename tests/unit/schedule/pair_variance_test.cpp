// Sums of squared deviations that take the pass of their mean.

#include "schedule/step_text.h"

namespace litz::schedule {
namespace {

std::string variance(const std::string& words, const std::string& count) {
  return R"(kernel @k(%x: f32[1000, 1000], out %y: f32[1000]) {
  for j in 0..1000 )" +
         words + R"( {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x at [1000*i + j]
      yield %1
    }
    %2 = const f32 )" +
         count + R"(
    %3 = div %0, %2
    %4 = reduce sum k in 0..1000 {
      %5 = load %x at [j + 1000*k]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %y at [j], %4
  }
}
)";
}

TEST(PairVariance, DeviationsFromTheMeanOfColumns) {
  EXPECT_EQ(after(pair_variance, variance("tile vector 8", "1000.0")),
            R"(kernel @k(%x: f32[1000, 1000], out %y: f32[1000]) {
  for j in 0..1000 tile vector 8 {
    %0 = reduce sum i in 0..1000 {
      %1 = load %x at [1000*i + j]
      yield %1
    }
    %2 = const f32 1000.0
    %3 = div %0, %2
    %4 = reduce sum mean_of %0 k in 0..1000 {
      %5 = load %x at [j + 1000*k]
      %6 = sub %5, %3
      %7 = mul %6, %6
      yield %7
    }
    store %y at [j], %4
  }
}
)");
}

TEST(PairVariance, OtherDeviationsStay) {
  const std::string of_another_mean = variance("tile vector 8", "999.0");
  EXPECT_EQ(after(pair_variance, of_another_mean), of_another_mean);
  const std::string of_single_columns = variance("vector 8", "1000.0");
  EXPECT_EQ(after(pair_variance, of_single_columns), of_single_columns);
}

}  // namespace
}  // namespace litz::schedule
