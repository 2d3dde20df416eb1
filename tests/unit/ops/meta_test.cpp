// Promotion, broadcasting and strides against PyTorch's documented rules.

#include "ops/meta.h"

#include <gtest/gtest.h>

#include "op_runner.h"
#include "support/check.h"

namespace litz::ops {
namespace {

TensorType strided(Sizes sizes, Sizes strides, DType dtype = DType::f32) {
  TensorType type = contiguous_type(dtype, std::move(sizes));
  type.strides = std::move(strides);
  return type;
}

Sizes elementwise_strides(std::vector<TensorType> operands) {
  return elementwise_type(DType::f32, operands).strides;
}

DType promoted(std::string_view op, const std::vector<TestArgument>& arguments) {
  return std::get<TensorType>(infer(op, arguments).at(0)).dtype;
}

Tensor ones(DType dtype, std::vector<int64_t> sizes) {
  return Tensor::zeros(dtype, std::move(sizes));
}

TEST(Promotion, LiteralsOnlyRaiseTheCategory) {
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::i64, {2}), number(0.5)}), DType::f32);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::bf16, {2}), number(0.5)}), DType::bf16);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::i64, {2}), boolean(true)}), DType::i64);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::u8, {2}), integer(300)}), DType::u8);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::bool_, {2}), integer(1)}), DType::i64);
  EXPECT_EQ(promoted("aten.mul.Tensor", {ones(DType::f16, {}), number(0.5)}), DType::f16);
  const TestArgument imaginary = ir::Attribute(std::complex<double>(0, 1));
  EXPECT_EQ(promoted("aten.mul.Tensor", {ones(DType::f64, {2}), imaginary}), DType::c128);
  EXPECT_EQ(promoted("aten.mul.Tensor", {ones(DType::i64, {2}), imaginary}), DType::c64);
}

TEST(Promotion, RankZeroTensorsAreWeakWithinACategory) {
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::f32, {2}), ones(DType::f64, {})}), DType::f32);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::i32, {2}), ones(DType::i64, {})}), DType::i32);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::i32, {2}), ones(DType::f64, {})}), DType::f64);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::bool_, {2}), ones(DType::u8, {})}), DType::u8);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::f32, {}), ones(DType::f64, {})}), DType::f64);
}

TEST(Promotion, TensorsPromoteByPairs) {
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::u8, {2}), ones(DType::i8, {2})}), DType::i16);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::f16, {2}), ones(DType::bf16, {2})}),
            DType::f32);
  EXPECT_EQ(promoted("aten.add.Tensor", {ones(DType::i64, {2}), ones(DType::f16, {2})}),
            DType::f16);
}

TEST(Promotion, DivisionAndFunctionsOfIntegersAreF32) {
  EXPECT_EQ(promoted("aten.div.Tensor", {ones(DType::i64, {2}), integer(2)}), DType::f32);
  EXPECT_EQ(promoted("aten.exp", {ones(DType::bool_, {2})}), DType::f32);
  EXPECT_EQ(promoted("aten.exp", {ones(DType::f64, {2})}), DType::f64);
  EXPECT_EQ(promoted("aten.eq.Scalar", {ones(DType::i64, {2}), number(0.5)}), DType::bool_);
  EXPECT_EQ(promoted("aten.clamp", {ones(DType::i64, {2}), number(0.5)}), DType::f32);
  EXPECT_EQ(promoted("aten.floor_divide", {ones(DType::i64, {2}), integer(2)}), DType::i64);
  EXPECT_EQ(promoted("aten.leaky_relu", {ones(DType::bf16, {2}), number(0.5)}), DType::bf16);
}

TEST(Strides, EqualDenseLayoutsAreKept) {
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {1, 2}), strided({2, 3}, {1, 2})}), (Sizes{1, 2}));
  EXPECT_EQ(elementwise_strides({strided({2, 3, 4}, {1, 8, 2})}), (Sizes{1, 8, 2}));
  const Sizes channels_last = strides_for(MemoryFormat::channels_last, Sizes{2, 3, 4, 5});
  EXPECT_EQ(elementwise_strides({strided({2, 3, 4, 5}, channels_last)}), channels_last);
}

TEST(Strides, TheFirstOperandThatSaysSomethingDecides) {
  // Transposed meets row-major: the order of the first.
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {1, 2}), strided({2, 3}, {3, 1})}), (Sizes{1, 2}));
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {3, 1}), strided({2, 3}, {1, 2})}), (Sizes{3, 1}));
  // A broadcast operand says nothing about the dimensions it repeats.
  EXPECT_EQ(elementwise_strides({strided({3}, {1}), strided({2, 3}, {1, 2})}), (Sizes{1, 2}));
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {0, 0}), strided({2, 3}, {1, 2})}), (Sizes{1, 2}));
}

TEST(Strides, GapsAreClosed) {
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {10, 2})}), (Sizes{3, 1}));
  EXPECT_EQ(elementwise_strides({strided({2, 3}, {2, 10})}), (Sizes{1, 2}));
}

TEST(Strides, EqualStridesPutTheSmallerSizeInside) {
  EXPECT_EQ(elementwise_strides({strided({2, 1, 3}, {3, 1, 1}), contiguous_type(DType::f32, {})}),
            (Sizes{3, 1, 1}));
}

TEST(Strides, SymbolicLayoutsAreKept) {
  ExprPool pool;
  const Expr n = pool.add_symbol({"s0", SymbolKind::size, {2, Interval::kMax}, 5});
  EXPECT_EQ(elementwise_strides({strided({n, 4}, {1, n})}), (Sizes{1, n}));
  EXPECT_EQ(elementwise_strides({strided({n, 4}, {1, n}), strided({4}, {1})}), (Sizes{1, n}));
  EXPECT_EQ(elementwise_strides({strided({n, 4}, {8, 1})}), (Sizes{4, 1}));
}

TEST(Broadcast, FollowsNumpyAndNamesBothShapes) {
  EXPECT_EQ(broadcast_sizes(Sizes{2, 1}, Sizes{3}), (Sizes{2, 3}));
  EXPECT_EQ(broadcast_sizes(Sizes{}, Sizes{3}), (Sizes{3}));
  EXPECT_EQ(broadcast_sizes(Sizes{0}, Sizes{1}), (Sizes{0}));
  try {
    broadcast_sizes(Sizes{2, 4}, Sizes{3});
    FAIL() << "must be refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.message(), "shapes cannot be broadcast: [2, 4] [3]");
  }
}

TEST(Preserve, CopiesKeepDenseLayoutsOnly) {
  EXPECT_EQ(preserved_type(DType::f32, strided({2, 3}, {1, 2}), {}).strides, (Sizes{1, 2}));
  EXPECT_EQ(preserved_type(DType::f32, strided({2, 3}, {1, 4}), {}).strides, (Sizes{1, 2}));
  EXPECT_EQ(preserved_type(DType::f32, strided({2, 3}, {0, 1}), {}).strides, (Sizes{3, 1}));
  EXPECT_EQ(preserved_type(DType::f32, strided({2, 3}, {1, 2}), MemoryFormat::contiguous).strides,
            (Sizes{3, 1}));
}

TEST(Reductions, GiveRowMajorResults) {
  EXPECT_EQ(reduced_sizes(Sizes{2, 3, 4}, std::vector<int64_t>{0, 2}, false), (Sizes{3}));
  EXPECT_EQ(reduced_sizes(Sizes{2, 3, 4}, std::vector<int64_t>{0, 2}, true), (Sizes{1, 3, 1}));
}

// What torch.ops.aten._fused_sdp_choice says on the CPU.
TEST(FusedAttention, IsChosenWhereAKernelCanDoIt) {
  using Shape = std::vector<int64_t>;

  struct Row {
    Shape query, key, value, mask;
    bool shares_heads;
    int64_t expected;
  };

  const Shape q{2, 4, 3, 8};
  const Shape k{2, 4, 5, 8};
  const std::vector<Row> rows{
      {q, k, k, {}, false, 1},
      {q, k, {2, 4, 5, 9}, {}, false, 0},
      {{4, 3, 8}, {4, 5, 8}, {4, 5, 8}, {}, false, 1},
      {{3, 8}, {5, 8}, {5, 8}, {}, false, 0},
      {q, {1, 4, 5, 8}, {1, 4, 5, 8}, {}, false, 0},
      {q, {2, 1, 5, 8}, {2, 1, 5, 8}, {}, false, 1},
      {q, {2, 2, 5, 8}, {2, 2, 5, 8}, {}, false, 0},
      {q, {2, 2, 5, 8}, {2, 2, 5, 8}, {}, true, 1},
      {q, {2, 3, 5, 8}, {2, 3, 5, 8}, {}, true, 0},
      {{2, 4, 0, 8}, k, k, {}, false, 0},
      {q, k, k, {3, 5}, false, 1},
      {q, k, k, {1, 1, 1, 5}, false, 1},
      {q, k, k, {4, 3, 5}, false, 0},
      {q, k, k, {4, 5}, false, 0},
      {{4, 3, 8}, {4, 5, 8}, {4, 5, 8}, {4, 3, 5}, false, 1},
  };
  const auto chosen = [](const Row& row, DType dtype, double dropout) {
    const std::vector<ir::ValueType> types =
        infer("aten._fused_sdp_choice",
              {ones(dtype, row.query), ones(dtype, row.key), ones(dtype, row.value),
               row.mask.empty() ? none() : TestArgument(ones(DType::f32, row.mask)),
               number(dropout), boolean(false), none(), boolean(row.shares_heads)});
    return std::get<ir::ScalarType>(types.at(0)).value;
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(chosen(rows[i], DType::f32, 0), Expr(rows[i].expected)) << "row " << i;
  }
  EXPECT_EQ(chosen(rows[0], DType::f16, 0), Expr(1));
  EXPECT_EQ(chosen(rows[0], DType::i32, 0), Expr(0));
  EXPECT_EQ(chosen(rows[0], DType::f32, 0.1), Expr(0));
  EXPECT_THROW(chosen({q, k, k, {5}, false, 0}, DType::f32, 0), Error);
}

}  // namespace
}  // namespace litz::ops
