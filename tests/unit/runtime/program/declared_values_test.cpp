#include "runtime/program/declared_values.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

class DeclaredValues : public testing::Test {
 protected:
  ExprPool pool_;
  Expr n_ = pool_.add_symbol({.name = "u0", .kind = SymbolKind::data_dependent, .range = {0, 8}});
  TensorType type_ = contiguous_type(DType::f32, {n_, 2});
  std::vector<SymbolId> defined_{n_.symbol()};
  Bindings bindings_;
  HostStream host_;
};

TEST_F(DeclaredValues, SizesBindWhatIsDefined) {
  const Tensor tensor = Tensor::zeros(DType::f32, {3, 2});
  bind_sizes(pool_, type_, tensor, {}, "a test", bindings_);
  EXPECT_FALSE(bindings_.find(n_.symbol()).has_value());
  bind_sizes(pool_, type_, tensor, defined_, "a test", bindings_);
  EXPECT_EQ(bindings_.find(n_.symbol()), 3);
  EXPECT_THROW(
      bind_sizes(pool_, type_, Tensor::zeros(DType::f32, {9, 2}), defined_, "a test", bindings_),
      Error);
}

TEST_F(DeclaredValues, ResultsHaveTheirTypeAndLayout) {
  const Tensor columns =
      Tensor::of<float>(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6}).view({3, 2}, {1, 3}, 0);
  const Tensor rows = as_result(pool_, type_, columns, defined_, "a test", bindings_, host_.where);
  EXPECT_EQ(rows.strides(), (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(rows.at({2, 1}), 6);
  const auto refuses = [&](const Value& value) {
    EXPECT_THROW(as_result(pool_, type_, value, defined_, "a test", bindings_, host_.where), Error);
  };
  refuses(Tensor::zeros(DType::f64, {3, 2}));
  refuses(Tensor::zeros(DType::f32, {3, 4}));
  refuses(Tensor::zeros(DType::f32, {3}));
  refuses(int64_t{3});
}

TEST_F(DeclaredValues, OperandsHaveTheirType) {
  bindings_.set(n_.symbol(), 3);
  EXPECT_NO_THROW(
      as_operand(type_, Tensor::zeros(DType::f32, {3, 2}), "a graph", bindings_, host_.where));
  EXPECT_THROW(
      as_operand(type_, Tensor::zeros(DType::f32, {4, 2}), "a graph", bindings_, host_.where),
      Error);
  EXPECT_THROW(
      as_operand(type_, Tensor::zeros(DType::i32, {3, 2}), "a graph", bindings_, host_.where),
      Error);
}

TEST_F(DeclaredValues, NumbersMayBeTensors) {
  bind_number(pool_, ExprDomain::integer, n_, Tensor::scalar_int(DType::i64, 5), defined_, "a test",
              bindings_, host_.where);
  EXPECT_EQ(bindings_.find(n_.symbol()), 5);
  bind_number(pool_, ExprDomain::integer, n_, int64_t{6}, {}, "a test", bindings_, host_.where);
  EXPECT_EQ(bindings_.find(n_.symbol()), 5);
}

}  // namespace
}  // namespace litz::runtime
