#include "common/inputs.h"

#include <vector>

#include <gtest/gtest.h>

namespace litz::tools {
namespace {

artifact::Signature with_input(artifact::ValueType type) {
  artifact::Signature signature;
  signature.inputs.push_back({.label = "x", .name = "x", .type = std::move(type)});
  return signature;
}

TEST(Inputs, AreMadeUpByType) {
  const auto made = [](artifact::ValueType type) {
    return make_inputs(with_input(std::move(type)), {}, 1).at(0);
  };
  const TensorType floats = contiguous_type(DType::f32, {Expr(2), Expr(3)});
  EXPECT_EQ(std::get<Tensor>(made(floats)).sizes(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::get<double>(made(artifact::HostScalar{ExprDomain::real, Expr::real(2)})), 1);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(made(std::monostate())));
}

TEST(Inputs, OfSizesThatACallRefusesAreNotFilled) {
  const TensorType floats = contiguous_type(DType::f32, {Expr(2), Expr(3)});
  const std::vector<std::string> large{"1000000x100:f32:rand"};
  const std::vector<runtime::Value> made = make_inputs(with_input(floats), large, 1);
  EXPECT_EQ(std::get<Tensor>(made.at(0)).sizes().at(0), 1000000);
}

}  // namespace
}  // namespace litz::tools
