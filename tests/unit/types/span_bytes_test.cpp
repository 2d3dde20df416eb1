#include "types/span_bytes.h"

#include <gtest/gtest.h>

#include "types/tensor.h"

namespace litz {
namespace {

class SpanBytes : public ::testing::Test {
 protected:
  int64_t at(const TensorType& type, int64_t value) const {
    Bindings bindings;
    bindings.set(s0.symbol(), value);
    return evaluate(span_bytes(type), bindings);
  }

  void expect_as_tensor(const TensorType& type) const {
    for (const int64_t value : {0, 1, 2, 7, 64}) {
      Bindings bindings;
      bindings.set(s0.symbol(), value);
      const int64_t elements =
          storage_span(evaluate(type.sizes, bindings), evaluate(type.strides, bindings), 0);
      EXPECT_EQ(at(type, value), elements * item_size(type.dtype)) << to_string(type) << value;
    }
  }

  ExprPool pool;
  Expr s0 = pool.add_symbol({"s0", SymbolKind::size, {0, 64}, std::nullopt});
};

TEST_F(SpanBytes, OfDenseTypesIsTheirProduct) {
  EXPECT_EQ(span_bytes(contiguous_type(DType::f32, {4, 6})), Expr(96));
  EXPECT_EQ(span_bytes(contiguous_type(DType::f32, {s0, 6})), 24 * s0);
  EXPECT_EQ(span_bytes(contiguous_type(DType::f16, {6, s0, s0})), 12 * s0 * s0);
  EXPECT_EQ(span_bytes(contiguous_type(DType::f64, {})), Expr(8));
}

TEST_F(SpanBytes, AgreesWithTensors) {
  expect_as_tensor(contiguous_type(DType::f32, {s0, 6}));
  expect_as_tensor(contiguous_type(DType::f32, {6, s0, 2}));
  expect_as_tensor({DType::f32, {}, {s0, 6}, {8, 1}, 0});
  expect_as_tensor({DType::i64, {}, {6, s0}, {1, 6}, 0});
  expect_as_tensor({DType::f32, {}, {6, s0}, {0, 1}, 0});
  expect_as_tensor({DType::i8, {}, {s0, 3}, {2 * s0, 5}, 0});
  expect_as_tensor({DType::i8, {}, {s0, 0}, {1, 1}, 0});
}

}  // namespace
}  // namespace litz
