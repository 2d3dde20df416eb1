// Bags of rows: modes, empty bags, padding rows.

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ::testing::ElementsAre;

std::vector<Tensor> bags(int64_t mode, const Tensor& offsets, bool include_last = false,
                         int64_t padding = -1) {
  return run_all("aten._embedding_bag",
                 {f32({3, 1}, {1, 10, 100}), i64({4}, {0, 1, 2, 0}), offsets, boolean(false),
                  integer(mode), boolean(false), none(), boolean(include_last), integer(padding)});
}

TEST(EmbeddingBag, EmptyBagsAreZero) {
  const Tensor offsets = i64({3}, {0, 2, 2});
  EXPECT_THAT(values(bags(0, offsets)[0]), ElementsAre(11, 0, 101));
  EXPECT_THAT(values(bags(1, offsets)[0]), ElementsAre(5.5, 0, 50.5));
  EXPECT_THAT(values(bags(2, offsets)[0]), ElementsAre(10, 0, 100));
}

TEST(EmbeddingBag, PassesOverNanThatDoesNotComeFirst) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto largest = [&](std::initializer_list<int64_t> rows) {
    return run_all("aten._embedding_bag", {f32({3, 1}, {1, nan, 100}), i64({2}, rows),
                                           i64({1}, {0}), boolean(false), integer(2)});
  };
  EXPECT_THAT(values(largest({0, 1})[0]), ElementsAre(1));
  EXPECT_TRUE(std::isnan(values(largest({1, 0})[0])[0]));
  EXPECT_THAT(values(largest({1, 0})[3]), ElementsAre(1));
}

TEST(EmbeddingBag, TellsBagsSizesAndOrigins) {
  const auto results = bags(2, i64({2}, {0, 1}));
  EXPECT_THAT(values(results[1]), ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(values(results[2]), ElementsAre(1, 3));
  EXPECT_THAT(values(results[3]), ElementsAre(0, 2));
}

TEST(EmbeddingBag, WithoutBagsRowsBelongToNone) {
  const auto results = bags(1, i64({0}, {}));
  EXPECT_THAT(values(results[0]), ElementsAre());
  EXPECT_THAT(values(results[1]), ElementsAre(-1, -1, -1, -1));
}

TEST(EmbeddingBag, LeavesThePaddingRowOut) {
  EXPECT_THAT(values(bags(1, i64({2}, {0, 2}), false, 0)[0]), ElementsAre(10, 100));
}

TEST(EmbeddingBag, TheLastOffsetIsTheEnd) {
  EXPECT_THAT(values(bags(0, i64({3}, {0, 2, 4}), true)[0]), ElementsAre(11, 101));
}

TEST(EmbeddingBag, RowsBehindTheLastOffset) {
  const Tensor offsets = i64({3}, {0, 2, 2});
  EXPECT_THAT(values(bags(0, offsets, true)[0]), ElementsAre(11, 0));
  EXPECT_THAT(values(bags(2, offsets, true)[0]), ElementsAre(10, 100));
  EXPECT_THAT(values(bags(0, offsets, true, 1)[0]), ElementsAre(1, 101));
}

TEST(EmbeddingBag, IndicesBehindTheLastOffsetAreNotRead) {
  const auto sums = [](const Tensor& matrix, int64_t last) {
    return run_all("aten._embedding_bag",
                   {matrix, i64({2}, {0, 9}), i64({2}, {0, last}), boolean(false), integer(0),
                    boolean(false), none(), boolean(true), integer(-1)})[0];
  };
  EXPECT_THAT(values(sums(f32({2, 1}, {7, 8}), 1)), ElementsAre(7));
  EXPECT_THROW(sums(f32({2, 1}, {7, 8}), 2), Error);
  EXPECT_THAT(values(sums(f32({0, 1}, {}), 0)), ElementsAre(0));
  EXPECT_THROW(sums(f32({0, 1}, {}), 1), Error);
}

TEST(EmbeddingBag, CountsHaveTheCommonDtype) {
  const Tensor offsets = Tensor::of<int32_t>(DType::i32, {2}, {0, 1});
  EXPECT_EQ(bags(2, offsets)[1].dtype(), DType::i64);
}

TEST(EmbeddingBag, SumsDoNotCountTheirRows) {
  EXPECT_THAT(values(bags(0, i64({3}, {0, 2, 4}), true)[2]), ElementsAre(0, 0));
  EXPECT_THAT(values(bags(1, i64({3}, {0, 2, 4}), true)[2]), ElementsAre(2, 2));
}

TEST(EmbeddingBackward, AddsToRowsButThePadding) {
  EXPECT_THAT(
      values(run("aten.embedding_dense_backward", {f32({3, 1}, {1, 2, 4}), i64({3}, {2, 0, 2}),
                                                   integer(3), integer(0), boolean(false)})),
      ElementsAre(0, 0, 5));
}

TEST(EmbeddingBackward, SharesRowsByTheirFrequency) {
  EXPECT_THAT(values(run("aten.embedding_dense_backward",
                         {f32({4, 1}, {1, 2, 4, 8}), i64({4}, {2, 0, 2, 1}), integer(3), integer(1),
                          boolean(true)})),
              ElementsAre(2, 0, 2.5));
}

TEST(EmbeddingRenorm, ShortensOnlyNamedRows) {
  const Tensor rows = run("aten.embedding_renorm", {f32({3, 2}, {3, 4, 3, 4, 0.5f, 0}),
                                                    i64({2}, {1, 2}), number(1), number(2)});
  const std::vector<double> got = values(rows);
  EXPECT_EQ(got[0], 3);
  EXPECT_NEAR(got[2], 0.6, 1e-6);
  EXPECT_NEAR(got[3], 0.8, 1e-6);
  EXPECT_EQ(got[4], 0.5);
}

}  // namespace
}  // namespace litz::ops
