// Quantiles: values of PyTorch.

#include <limits>

#include <gtest/gtest.h>

#include "recorded_rows.h"

namespace litz::ops {
namespace {

constexpr float kNanF = std::numeric_limits<float>::quiet_NaN();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(Quantiles, InterpolateAsPyTorchDoes) {
  expect_recorded({
      {"aten.quantile.scalar",
       {f32({2, 4}, {1, kNanF, 3, 2, 5, 4, 8, 7}), number(0.4), integer(1)},
       {{kNan, 5.4}}},
      {"aten.quantile",
       {f32({2, 4}, {1, kNanF, 3, 2, 5, 4, 8, 7}), f32({2}, {0.25f, 1}), integer(0), boolean(true)},
       {{2, kNan, 4.25, 3.25, 5, kNan, 8, 7}}},
      {"aten.quantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.6), none(), boolean(false)},
       {{3}}},
      {"aten.nanquantile.scalar",
       {f32({2, 4}, {1, kNanF, 3, 2, 5, 4, 8, 7}), number(0.4), integer(1)},
       {{1.8, 5.4}}},
      {"aten.nanquantile",
       {f32({2, 4}, {1, kNanF, 3, 2, 5, 4, 8, 7}), f32({2}, {0.25f, 1}), integer(0), boolean(true)},
       {{2, 4, 4.25, 3.25, 5, 4, 8, 7}}},
      {"aten.nanquantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.6), none(), boolean(false)},
       {{3}}},
      {"aten.quantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.35), none(), boolean(false), text("lower")},
       {{1.5}}},
      {"aten.quantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.35), none(), boolean(false), text("higher")},
       {{2.5}}},
      {"aten.quantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.35), none(), boolean(false), text("midpoint")},
       {{2}}},
      {"aten.quantile.scalar",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), number(0.35), none(), boolean(false), text("nearest")},
       {{2.5}}},
  });
}

}  // namespace
}  // namespace litz::ops
