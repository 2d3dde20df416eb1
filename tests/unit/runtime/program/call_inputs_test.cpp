#include "runtime/program/call_inputs.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(CallInputs, WhatWasFixedAtExportIsAValue) {
  EXPECT_EQ(std::get<int64_t>(literal_value(Expr(3))), 3);
  EXPECT_EQ(std::get<double>(literal_value(Expr::real(0.5))), 0.5);
  EXPECT_TRUE(std::get<bool>(literal_value(Expr::boolean(true))));
  EXPECT_EQ(std::get<std::string>(literal_value(std::string("mean"))), "mean");
  EXPECT_TRUE(std::holds_alternative<std::monostate>(literal_value(std::monostate())));
}

class CallInputsTest : public testing::Test {
 protected:
  CallInputsTest() : size_(pool_.add_symbol({.name = "s0", .range = {2, 8}})) {
    artifact::ProgramInput weight;
    weight.kind = InputKind::parameter;
    weight.label = "w";
    weight.type = contiguous_type(DType::f32, {3});
    weight.data = Tensor::zeros(DType::f32, {3});
    artifact::ProgramInput fixed;
    fixed.kind = InputKind::constant_value;
    fixed.label = "mode";
    fixed.literal = std::string("mean");
    artifact::ProgramInput given;
    given.label = "x";
    given.type = contiguous_type(DType::f32, {size_, 3});
    signature_.inputs = {weight, fixed, given};
  }

  ExprPool pool_;
  Expr size_;
  artifact::Signature signature_;
};

TEST_F(CallInputsTest, SizesAreFound) {
  HostStream host;
  const Weights weights(signature_, host.where);
  const CallInputs inputs(signature_, weights, pool_);
  const std::vector<Value> given{std::string("mean"), Tensor::zeros(DType::f32, {5, 3})};
  EXPECT_EQ(inputs.bind(given).find(size_.symbol()), 5);
  const std::vector<Value> all = inputs.all(given);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(std::get<Tensor>(all[0]).storage(), weights.at(0).storage());
  EXPECT_EQ(inputs.position(2), 1U);
}

TEST_F(CallInputsTest, WhatDoesNotFitIsRefused) {
  HostStream host;
  const Weights weights(signature_, host.where);
  const CallInputs inputs(signature_, weights, pool_);
  const auto refuses = [&](const std::vector<Value>& given) {
    EXPECT_THROW(inputs.bind(given), Error);
  };
  refuses({});
  refuses({std::string("sum"), Tensor::zeros(DType::f32, {5, 3})});
  refuses({std::string("mean"), Tensor::zeros(DType::f32, {5, 4})});
  refuses({std::string("mean"), Tensor::zeros(DType::f32, {9, 3})});
  refuses({std::string("mean"), Tensor::zeros(DType::i32, {5, 3})});
}

}  // namespace
}  // namespace litz::runtime
