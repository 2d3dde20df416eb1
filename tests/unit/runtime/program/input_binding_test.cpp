// Symbols from sizes, and the errors for inputs that do not fit.

#include "runtime/program/input_binding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::runtime {
namespace {

using ::testing::HasSubstr;

class InputBinding : public ::testing::Test {
 protected:
  void declare(std::string label, Sizes sizes) {
    declared_.push_back({std::move(label), contiguous_type(DType::f32, std::move(sizes))});
  }

  void bind(const std::vector<std::vector<int64_t>>& sizes) {
    std::vector<Value> leaves;
    for (const auto& shape : sizes) leaves.emplace_back(Tensor::zeros(DType::f32, shape));
    bind_inputs(declared_, leaves, pool_, bindings_);
  }

  std::string error(const std::vector<std::vector<int64_t>>& sizes) {
    try {
      bind(sizes);
    } catch (const Error& failure) {
      return failure.what();
    }
    return "";
  }

  ExprPool pool_;
  Expr s0_ = pool_.add_symbol({"s0", SymbolKind::size, {2, 64}, {}});
  Expr s1_ = pool_.add_symbol({"s1", SymbolKind::size, {0, Interval::kMax}, {}});
  std::vector<DeclaredInput> declared_;
  Bindings bindings_;
};

TEST_F(InputBinding, BareSymbolsBindAtTheirFirstUse) {
  declare("x", {s0_, 3});
  declare("y", {s0_, s1_});
  bind({{4, 3}, {4, 7}});
  EXPECT_EQ(bindings_.find(s0_.symbol()), 4);
  EXPECT_EQ(bindings_.find(s1_.symbol()), 7);
}

TEST_F(InputBinding, LinearSizesAreSolvedWhateverTheOrder) {
  declare("x", {2 * s0_ + s1_});
  declare("y", {3 * s1_ + 1});
  bind({{12}, {7}});
  EXPECT_EQ(bindings_.find(s1_.symbol()), 2);
  EXPECT_EQ(bindings_.find(s0_.symbol()), 5);
}

TEST_F(InputBinding, AResidueIsAnError) {
  declare("x", {2 * s0_ + 1});
  EXPECT_THAT(error({{8}}), HasSubstr("input \"x\" must have a size of the form"));
}

TEST_F(InputBinding, ErrorsNameInputDimensionAndBothSizes) {
  declare("x", {s0_, 3});
  declare("y", {s0_});
  EXPECT_THAT(error({{4, 5}, {4}}),
              HasSubstr("input \"x\" must have size 3 in dimension 1, but has 5"));
  bindings_.clear();
  EXPECT_THAT(error({{4, 3}, {6}}),
              HasSubstr("input \"y\" must have size 4 in dimension 0 (s0), but has 6"));
  bindings_.clear();
  EXPECT_THAT(error({{4}, {4}}), HasSubstr("input \"x\" must have 2 dimensions"));
}

TEST_F(InputBinding, RangesHold) {
  declare("x", {s0_});
  EXPECT_THAT(error({{1}}), HasSubstr("the size of input \"x\" in dimension 0"));
}

TEST_F(InputBinding, OtherKindsAreRefused) {
  declare("x", {3});
  const std::vector<Value> number{int64_t{3}};
  EXPECT_THROW(bind_inputs(declared_, number, pool_, bindings_), Error);
  const std::vector<Value> other{Tensor::zeros(DType::f64, {3})};
  EXPECT_THROW(bind_inputs(declared_, other, pool_, bindings_), Error);
}

TEST_F(InputBinding, ScalarsBindTheirSymbol) {
  declared_.push_back({"n", artifact::HostScalar{ExprDomain::integer, s1_}});
  declare("x", {s1_});
  const std::vector<Value> leaves{int64_t{5}, Tensor::zeros(DType::f32, {5})};
  bind_inputs(declared_, leaves, pool_, bindings_);
  EXPECT_EQ(bindings_.find(s1_.symbol()), 5);
}

}  // namespace
}  // namespace litz::runtime
