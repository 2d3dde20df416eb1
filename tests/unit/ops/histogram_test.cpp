// Histograms with edges: values of PyTorch.

#include <gtest/gtest.h>

#include "recorded_rows.h"

namespace litz::ops {
namespace {

TEST(Histograms, CountAsPyTorchDoes) {
  expect_recorded({
      {"aten.histogram.bin_ct",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), integer(4)},
       {{3, 2, 0, 1}, {1, 3, 5, 7, 9}}},
      {"aten.histogram.bin_ct",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), integer(2), numbers({1.0, 5.0}), none(), boolean(true)},
       {{0.3, 0.2}, {1, 3, 5}}},
      {"aten.histogram.bins_tensor",
       {f32({6}, {3, 1, 4, 1.5f, 9, 2.5f}), f32({4}, {1, 2, 4, 8}), f32({6}, {1, 2, 3, 4, 5, 6})},
       {{6, 7, 3}, {1, 2, 4, 8}}},
      {"aten.histogramdd",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}), integers({2, 3})},
       {{1, 1, 1, 1, 1, 0}, {0, 1, 2}, {1, 1.666667, 2.333333, 3}}},
      {"aten.histogramdd.int_bins",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}), integer(2)},
       {{1, 2, 1, 1}, {0, 1, 2}, {1, 2, 3}}},
      {"aten.histogramdd.TensorList_bins",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}),
        std::vector<Tensor>{f32({3}, {0, 0.5f, 1}), f32({2}, {1, 2})}},
       {{1, 2}, {0, 0.5, 1}, {1, 2}}},
      {"aten._histogramdd_bin_edges",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}), integers({2, 3})},
       {{0, 1, 2}, {1, 1.666667, 2.333333, 3}}},
      {"aten._histogramdd_from_bin_cts",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}), integers({2, 3})},
       {{1, 1, 1, 1, 1, 0}}},
      {"aten._histogramdd_from_bin_tensors",
       {f32({5, 2}, {0, 1, 0.5f, 2, 1, 1, 0.25f, 3, 2, 2}),
        std::vector<Tensor>{f32({3}, {0, 0.5f, 1}), f32({2}, {1, 2})}},
       {{1, 2}}},
  });
}

}  // namespace
}  // namespace litz::ops
