// Derivatives over places: values of PyTorch.

#include <gtest/gtest.h>

#include "recorded_rows.h"

namespace litz::ops {
namespace {

TEST(Gradients, AreSlopesOfParabolas) {
  expect_recorded({
      {"aten.gradient.tensorarray",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), std::vector<Tensor>{f32({6}, {0, 1, 3, 3.5f, 6, 7})},
        integers({0})},
       {{-2, -0.8333333, -3.7, -3.666667, -3.785714, -6.5}}},
      {"aten.gradient.tensorarray",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), std::vector<Tensor>{f32({6}, {0, 1, 3, 3.5f, 6, 7})},
        integers({0}), integer(2)},
       {{-3.166667, -0.8333333, -3.7, -3.666667, -3.785714, -9.214285}}},
      {"aten.gradient.tensorarray",  // Steps of u8 wrap, but twice the first is a real number.
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}),
        std::vector<Tensor>{Tensor::of(DType::u8, {6}, {9, 8, 7, 3, 2, 1})}, integers({0}),
        integer(2)},
       {{-891.5, 511.5, 272.925, 454.925, 319.5, 525.5}}},
      {"aten.gradient.tensorarrayint",
       {f32({2, 3}, {0.5f, -1.25f, 2, 3, 0.25f, -0.75f}),
        std::vector<Tensor>{f32({2}, {0, 2}), i64({3}, {0, 1, 3})}},
       {{1.25, 0.75, -1.375, 1.25, 0.75, -1.375}, {-1.75, -0.625, 1.625, -2.75, -2, -0.5}}},
  });
}

}  // namespace
}  // namespace litz::ops
