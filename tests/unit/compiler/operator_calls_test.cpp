#include "compiler/api/operator_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/check.h"

namespace litz::compiler {
namespace {

CallArgument tensor(const Tensor& value) {
  return {.tensors = {value}, .kind = CallArgument::Kind::tensor};
}

CallArgument list(std::vector<Tensor> values) {
  return {.tensors = std::move(values), .kind = CallArgument::Kind::list};
}

std::vector<Tensor> call(std::string_view name, const std::vector<CallArgument>& arguments) {
  return call_operator(*program_ops()->find(name), arguments);
}

Tensor numbers(std::initializer_list<float> values) {
  return Tensor::of<float>(DType::f32, {static_cast<int64_t>(values.size())}, values);
}

TEST(OperatorCalls, WrittenOperandIsTheResult) {
  const Tensor x = numbers({1, 2});
  const Tensor result = call("aten.add_.Tensor", {tensor(x), tensor(x), {Expr(1)}})[0];
  EXPECT_EQ(result.storage(), x.storage());
  EXPECT_EQ(x.at({1}), 4);
}

TEST(OperatorCalls, OneTensorTwiceAndTwoTensorsAreOtherPrograms) {
  const Tensor a = numbers({1, 2});
  const Tensor b = numbers({10, 20});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(call("aten.cat", {list({a, a}), {Expr(0)}})[0].at({2}), 1);
    EXPECT_EQ(call("aten.cat", {list({a, b}), {Expr(0)}})[0].at({2}), 10);
  }
}

TEST(OperatorCalls, ViewsOfViewsCountFromTheStorage) {
  const Tensor x = numbers({0, 1, 2, 3, 4, 5});
  const Tensor tail =
      call("aten.slice.Tensor", {tensor(x), {Expr(0)}, {Expr(2)}, {}, {Expr(1)}})[0];
  EXPECT_EQ(tail.offset(), 2);
  const Tensor last = call("aten.select.int", {tensor(tail), {Expr(0)}, {Expr(-1)}})[0];
  EXPECT_EQ(last.offset(), 5);
  const Tensor from_start =
      call("aten.as_strided", {tensor(tail), {ir::Scalars{2}}, {ir::Scalars{1}}, {Expr(1)}})[0];
  EXPECT_EQ(from_start.offset(), 1);
  const Tensor turned = call("aten.reshape", {tensor(tail), {ir::Scalars{2, 2}}})[0];
  EXPECT_EQ(turned.storage(), x.storage());
  EXPECT_EQ(turned.at({1, 1}), 5);
}

}  // namespace
}  // namespace litz::compiler
