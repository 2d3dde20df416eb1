// Fake quantization by running extremes: values of PyTorch.

#include <limits>

#include <gtest/gtest.h>

#include "recorded_rows.h"
#include "support/check.h"

namespace litz::ops {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr const char* kFunctional = "aten._fused_moving_avg_obs_fq_helper_functional";

Tensor data() { return f32({2, 3}, {-1, 2, 3, 0.5f, 0.25f, -4}); }

Tensor i32(std::vector<int64_t> sizes, std::initializer_list<int64_t> values) {
  return i64(std::move(sizes), values).to(DType::i32);
}

Tensor on() { return i64({1}, {1}); }

Tensor off() { return i64({1}, {0}); }

TEST(ObservedQuantize, StatisticsFollowTheData) {
  expect_recorded({
      {kFunctional,
       {data(), on(), on(), f32({1}, {-1}), f32({1}, {1}), f32({1}, {1}), i32({1}, {0}),
        number(0.01), integer(0), integer(255), integer(0), boolean(false), boolean(false)},
       {{-0.9968627, 1.02098, 1.02098, 0.4984314, 0.2492157, -1.02902},
        {1, 0, 0, 1, 1, 0},
        {-1.03},
        {1.02},
        {0.008039216},
        {128}}},
      {kFunctional,
       {data(), on(), on(), f32({2}, {kInf, kInf}), f32({2}, {-kInf, -kInf}), f32({2}, {1, 1}),
        i32({2}, {0, 0}), number(0.01), integer(-128), integer(127), integer(0), boolean(true),
        boolean(true)},
       {{-0.992126, 2.007874, 3, 0.5, 0.25, -4},
        {1, 1, 1, 1, 1, 1},
        {-1, -4},
        {3, 0.5},
        {0.02362205, 0.03125},
        {0, 0}}},
      {kFunctional,
       {data(), on(), off(), f32({1}, {-1}), f32({1}, {1}), f32({1}, {0.1f}), i32({1}, {3}),
        number(0.01), integer(0), integer(255), integer(0), boolean(false), boolean(false)},
       {{-1, 2, 3, 0.5, 0.25, -4}, {1, 1, 1, 1, 1, 1}, {-1.03}, {1.02}, {0.1}, {3}}},
      {kFunctional,
       {data(), off(), on(), f32({1}, {-1}), f32({1}, {1}), f32({1}, {0.1f}), i32({1}, {3}),
        number(0.01), integer(0), integer(15), integer(0), boolean(false), boolean(false)},
       {{-0.9333334, 1.066667, 1.066667, 0.5333334, 0.2666667, -0.9333334},
        {1, 0, 0, 1, 1, 0},
        {-1},
        {1},
        {0.1333333},
        {7}}},
      // Extremes of one sign are not made even, and the zero point lies at an end.
      {kFunctional,
       {f32({1, 1}, {3}), on(), on(), f32({1}, {1.9f}), f32({1}, {2.4f}), f32({1}, {0.1f}),
        i32({1}, {2}), number(0.1), integer(-127), integer(128), integer(0), boolean(true),
        boolean(true)},
       {{2.46}, {0}, {2.01}, {2.46}, {0.009647059}, {-127}}},
  });
}

TEST(ObservedQuantize, InfiniteExtremesHaveNoZeroPoint) {
  EXPECT_THROW(
      run_all(kFunctional, {f32({1, 1}, {kInf}), on(), on(), f32({1}, {-1.9f}), f32({1}, {1.4f}),
                            f32({1}, {0.1f}), i32({1}, {2}), number(0.1), integer(-127),
                            integer(128), integer(0), boolean(true), boolean(true)}),
      Error);
}

TEST(ObservedQuantize, RefusesWhatPyTorchRefuses) {
  const auto refused = [](const Tensor& self, int64_t axis, bool by_row) {
    EXPECT_THROW(run_all(kFunctional, {self, on(), on(), f32({1}, {-1}), f32({1}, {1}),
                                       f32({1}, {1}), i32({1}, {0}), number(0.01), integer(0),
                                       integer(255), integer(axis), boolean(by_row)}),
                 Error);
  };
  refused(data(), 2, false);
  refused(data(), 0, true);  // One number for two rows.
  refused(data(), 1, true);
  refused(data().to(DType::f64), 0, false);
  refused(Tensor::zeros(DType::f32, {0, 3}), 0, false);
}

TEST(LearnedQuantize, NothingKeepsItsDtypes) {
  const Tensor nothing = f32({0}, {}).to(DType::bf16);
  const auto results = run_all("aten._fake_quantize_learnable_per_tensor_affine_backward",
                               {nothing, nothing, f32({2}, {0.5f, 2}).to(DType::bf16),
                                f32({2}, {1, 3}), integer(-20), integer(20), number(1)});
  EXPECT_EQ(results[0].dtype(), DType::bf16);
  EXPECT_EQ(results[1].dtype(), DType::bf16);
  EXPECT_EQ(results[2].dtype(), DType::f32);
  EXPECT_EQ(values(results[1]), (std::vector<double>{0.5, 2}));
}

}  // namespace
}  // namespace litz::ops
