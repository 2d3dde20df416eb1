// Pixels, channels and patches in other places.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

TEST(Pixels, ShuffleAndBack) {
  const Tensor x = i64({4, 1, 1}, {1, 2, 3, 4});
  const Tensor square = run("aten.pixel_shuffle", {x, integer(2)});
  EXPECT_THAT(square.sizes(), ElementsAre(1, 2, 2));
  EXPECT_THAT(values(square), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(values(run("aten.pixel_unshuffle", {square, integer(2)})), ElementsAre(1, 2, 3, 4));
  EXPECT_THROW(run("aten.pixel_shuffle", {x, integer(3)}), Error);
}

TEST(Channels, Interleave) {
  EXPECT_THAT(values(run("aten.channel_shuffle", {i64({1, 4, 1}, {1, 2, 3, 4}), integer(2)})),
              ElementsAre(1, 3, 2, 4));
}

TEST(Patches, ColumnsAndTheirSum) {
  const Tensor image = f32({1, 2, 2}, {1, 2, 3, 4});
  const auto pair = [](int64_t v) { return integers({v, v}); };
  const Tensor columns =
      run("aten.im2col", {image, integers({1, 2}), pair(1), integers({0, 1}), pair(1)});
  EXPECT_THAT(columns.sizes(), ElementsAre(2, 6));
  EXPECT_THAT(values(columns), ElementsAre(0, 1, 2, 0, 3, 4, 1, 2, 0, 3, 4, 0));
  EXPECT_THAT(values(run("aten.col2im", {columns, integers({2, 2}), integers({1, 2}), pair(1),
                                         integers({0, 1}), pair(1)})),
              ElementsAre(2, 4, 6, 8));
  const Tensor flags = run("aten.col2im", {columns.to(DType::bool_), integers({2, 2}),
                                           integers({1, 2}), pair(1), integers({0, 1}), pair(1)});
  EXPECT_THAT(values(flags), ElementsAre(1, 1, 1, 1));
}

}  // namespace
}  // namespace litz::ops
