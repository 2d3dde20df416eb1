#include "types/tensor_type.h"

#include <sstream>

#include <gtest/gtest.h>

#include "support/check.h"

namespace litz {
namespace {

TensorType strided(Sizes sizes, Sizes strides) {
  return {DType::f32, {}, std::move(sizes), std::move(strides), 0};
}

MemoryFormat suggested(Sizes sizes, Sizes strides) {
  return suggest_memory_format(strided(std::move(sizes), std::move(strides)));
}

bool is_dense(Sizes sizes, Sizes strides) {
  return is_non_overlapping_and_dense(strided(std::move(sizes), std::move(strides)));
}

class SymbolicTensorType : public testing::Test {
 protected:
  Expr size(std::string symbol_name, int64_t lo = 2) {
    SymbolInfo info;
    info.name = std::move(symbol_name);
    info.range = {lo, Interval::kMax};
    return pool_.add_symbol(std::move(info));
  }

  ExprPool pool_;
};

TEST(Device, SpellingsRoundTrip) {
  for (const char* text : {"cpu", "cuda", "cuda:0", "cuda:17", "meta"}) {
    auto device = parse_device(text);
    ASSERT_TRUE(device) << text;
    EXPECT_EQ(to_string(*device), text);
  }
  for (const char* text : {"", "tpu", "cuda:", "cuda:x", "cuda:-1", "cuda:99999999999"}) {
    EXPECT_FALSE(parse_device(text)) << text;
  }
}

TEST(MemoryFormatNames, RoundTrip) {
  for (auto format : {MemoryFormat::contiguous, MemoryFormat::channels_last,
                      MemoryFormat::channels_last_3d, MemoryFormat::preserve}) {
    EXPECT_EQ(parse_memory_format(name(format)), format);
  }
  EXPECT_FALSE(parse_memory_format("nhwc"));
}

TEST(TensorType, StridesOfFormats) {
  EXPECT_EQ(contiguous_strides(Sizes{2, 3, 4}), (Sizes{12, 4, 1}));
  EXPECT_EQ(contiguous_strides(Sizes{2, 0, 4}), (Sizes{4, 4, 1}));
  EXPECT_EQ(contiguous_strides(Sizes{}), Sizes{});
  EXPECT_EQ(strides_for(MemoryFormat::channels_last, Sizes{2, 3, 4, 5}), (Sizes{60, 1, 15, 3}));
  EXPECT_EQ(strides_for(MemoryFormat::channels_last_3d, Sizes{2, 3, 4, 5, 6}),
            (Sizes{360, 1, 90, 18, 3}));
  EXPECT_THROW(strides_for(MemoryFormat::channels_last, Sizes{2, 3, 4}), Error);
  EXPECT_THROW(strides_for(MemoryFormat::preserve, Sizes{2, 3, 4}), Error);
  std::vector<int64_t> order = {2, 0, 1};
  EXPECT_EQ(strides_in_order(Sizes{2, 3, 4}, order), (Sizes{3, 1, 6}));
}

TEST(TensorType, ContiguityIgnoresDimensionsOfOneElement) {
  EXPECT_TRUE(is_contiguous(strided({2, 1, 4}, {4, 99, 1})));
  EXPECT_FALSE(is_contiguous(strided({2, 3}, {1, 2})));
  EXPECT_TRUE(is_contiguous(strided({2, 0}, {1, 2})));
  EXPECT_TRUE(is_contiguous(strided({}, {})));
  EXPECT_TRUE(is_contiguous(strided({2, 3, 4, 5}, {60, 1, 15, 3}), MemoryFormat::channels_last));
  EXPECT_FALSE(is_contiguous(strided({2, 3, 4, 5}, {60, 20, 5, 1}), MemoryFormat::channels_last));
  EXPECT_FALSE(is_contiguous(strided({3, 4, 5}, {1, 15, 3}), MemoryFormat::channels_last));
}

TEST(TensorType, DenseInSomeOrder) {
  EXPECT_TRUE(is_dense({2, 3}, {3, 1}));
  EXPECT_TRUE(is_dense({2, 3}, {1, 2}));
  EXPECT_TRUE(is_dense({2, 3, 4}, {3, 1, 6}));
  EXPECT_TRUE(is_dense({2, 1, 3}, {3, 50, 1}));
  EXPECT_TRUE(is_dense({}, {}));
  EXPECT_TRUE(is_dense({0, 3}, {7, 9}));
  EXPECT_FALSE(is_dense({2, 3}, {4, 1}));
  EXPECT_FALSE(is_dense({2, 3}, {0, 1}));
  EXPECT_FALSE(is_dense({3}, {2}));
}

TEST(SuggestMemoryFormat, PlainCases) {
  EXPECT_EQ(suggested({2, 3, 4, 5}, {60, 20, 5, 1}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({2, 3, 4, 5}, {60, 1, 15, 3}), MemoryFormat::channels_last);
  EXPECT_EQ(suggested({2, 3, 4, 5, 6}, {360, 1, 90, 18, 3}), MemoryFormat::channels_last_3d);
  EXPECT_EQ(suggested({2, 3, 4}, {12, 1, 3}), MemoryFormat::contiguous);
  // Gaps do not matter, only the order does.
  EXPECT_EQ(suggested({2, 3, 4, 5}, {240, 2, 60, 6}), MemoryFormat::channels_last);
}

TEST(SuggestMemoryFormat, AmbiguousSizesOfOne) {
  // [n, 1, 1, 1] reads both ways: the default wins, for a slice of it as well.
  EXPECT_EQ(suggested({5, 1, 1, 1}, {1, 1, 1, 1}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({5, 1, 1, 1}, {7, 7, 7, 7}), MemoryFormat::contiguous);
  // One channel: the batch stride tells.
  EXPECT_EQ(suggested({2, 1, 4, 4}, {16, 16, 4, 1}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({2, 1, 4, 4}, {16, 1, 4, 1}), MemoryFormat::channels_last);
  // One pixel: channels_last strides of [2, 3, 1, 1] are [3, 1, 3, 3]; contiguous [3, 1, 1, 1].
  EXPECT_EQ(suggested({2, 3, 1, 1}, {3, 1, 3, 3}), MemoryFormat::channels_last);
  EXPECT_EQ(suggested({2, 3, 1, 1}, {3, 1, 1, 1}), MemoryFormat::contiguous);
  // n1h1: contiguous [h, h, 1, 1] against channels_last [h, 1, 1, 1].
  EXPECT_EQ(suggested({2, 1, 4, 1}, {4, 4, 1, 1}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({2, 1, 4, 1}, {4, 1, 1, 1}), MemoryFormat::channels_last);
  // A transpose of [1, c, 1, w] over dimensions 1 and 3 stays the default.
  EXPECT_EQ(suggested({1, 6, 1, 5}, {30, 1, 6, 6}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({1, 6, 1, 5}, {30, 1, 30, 6}), MemoryFormat::channels_last);
  EXPECT_EQ(suggested({1, 5, 1, 6}, {30, 1, 5, 30}), MemoryFormat::contiguous);
}

TEST(SuggestMemoryFormat, ExpandedAndEmptyDimensions) {
  EXPECT_EQ(suggested({2, 3, 4, 5}, {20, 0, 5, 1}), MemoryFormat::contiguous);
  EXPECT_EQ(suggested({0, 3, 4, 5}, {60, 1, 15, 3}), MemoryFormat::contiguous);
}

TEST_F(SymbolicTensorType, SizesThatMayBeZeroCountAsOneInStrides) {
  const Expr rows = size("s0", 0);
  const Expr columns = size("s1", 0);
  const Sizes sizes{rows, columns, Expr(3)};
  EXPECT_TRUE(is_contiguous(strided(sizes, contiguous_strides(sizes))));
  EXPECT_TRUE(is_contiguous(strided(sizes, {3 * columns, Expr(3), Expr(1)})));
  EXPECT_FALSE(is_contiguous(strided(sizes, {3 * columns + 3, Expr(3), Expr(1)})));
}

TEST_F(SymbolicTensorType, StridesMultiplySymbols) {
  Expr s0 = size("s0");
  Expr s1 = size("s1");
  EXPECT_EQ(contiguous_strides(Sizes{s0, 3, s1}), (Sizes{3 * s1, s1, 1}));
  EXPECT_TRUE(is_contiguous(strided({s0, 3, s1}, {3 * s1, s1, 1})));
  EXPECT_FALSE(is_contiguous(strided({s0, 3, s1}, {3 * s1 + 1, s1, 1})));
  Expr maybe_empty = size("u0", 0);
  EXPECT_EQ(contiguous_strides(Sizes{4, maybe_empty}), (Sizes{max(maybe_empty, 1), 1}));
}

TEST_F(SymbolicTensorType, DenseAndSuggested) {
  Expr n = size("s0");
  Expr h = size("s1");
  Expr w = size("s2");
  Sizes sizes = {n, 64, h, w};
  Sizes last = strides_for(MemoryFormat::channels_last, sizes);
  EXPECT_EQ(last, (Sizes{64 * h * w, 1, 64 * w, 64}));
  EXPECT_TRUE(is_dense(sizes, last));
  EXPECT_TRUE(is_contiguous(strided(sizes, last), MemoryFormat::channels_last));
  EXPECT_EQ(suggested(sizes, last), MemoryFormat::channels_last);
  EXPECT_EQ(suggested(sizes, contiguous_strides(sizes)), MemoryFormat::contiguous);
  EXPECT_TRUE(is_dense(sizes, contiguous_strides(sizes)));
  EXPECT_FALSE(is_dense(sizes, {64 * h * w, h, 64 * w, 64}));
}

TEST_F(SymbolicTensorType, Prints) {
  Expr s0 = size("s0");
  EXPECT_EQ(to_string(contiguous_type(DType::f32, {4, s0})), "f32[4, s0]");
  EXPECT_EQ(to_string(contiguous_type(DType::bool_, {})), "bool[]");
  TensorType type{DType::bf16, {DeviceKind::cuda, 1}, {4, s0}, {1, 4}, 8};
  EXPECT_EQ(to_string(type), "bf16[4, s0]{1, 4}+8@cuda:1");
  std::ostringstream out;
  out << type;
  EXPECT_EQ(out.str(), to_string(type));
  EXPECT_EQ(type.numel(), 4 * s0);
}

}  // namespace
}  // namespace litz
