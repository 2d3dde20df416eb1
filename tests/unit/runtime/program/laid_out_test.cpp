#include "runtime/program/laid_out.h"

#include <gtest/gtest.h>

#include "host_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

TEST(LaidOut, CopiesOnlyWhatLiesOtherwise) {
  HostStream host;
  const Tensor rows = Tensor::of<float>(DType::f32, {2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(laid_out(rows, {3, 1}, host.where).storage(), rows.storage());
  const Tensor columns = laid_out(rows, {1, 2}, host.where);
  EXPECT_NE(columns.storage(), rows.storage());
  EXPECT_EQ(columns.at({1, 2}), 6);
  const Tensor one = Tensor::zeros(DType::f32, {1, 3});
  EXPECT_EQ(laid_out(one, {9, 1}, host.where).storage(),
            one.storage());                                 // A stride that addresses nothing.
  EXPECT_THROW(laid_out(rows, {0, 1}, host.where), Error);  // Rows that differ.
}

TEST(LaidOut, SymbolsTakeValuesOfTheirKindAndRange) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {2, 8}});
  Bindings bindings;
  bind_symbol(pool, n.symbol(), int64_t{3}, "a test", bindings);
  EXPECT_EQ(std::get<int64_t>(host_value(n + 1, bindings)), 4);
  EXPECT_THROW(bind_symbol(pool, n.symbol(), int64_t{9}, "a test", bindings), Error);
  EXPECT_THROW(bind_symbol(pool, n.symbol(), 2.5, "a test", bindings), Error);
  EXPECT_TRUE(same_number(int64_t{1}, true));
  EXPECT_FALSE(same_number(int64_t{1}, std::monostate()));
}

TEST(LaidOut, ElementsAreReadByDomain) {
  HostStream host;
  const Tensor number = Tensor::scalar(DType::f32, 2.5);
  EXPECT_EQ(std::get<double>(element_value(number, ExprDomain::real, host.where)), 2.5);
  EXPECT_TRUE(std::get<bool>(element_value(number, ExprDomain::boolean, host.where)));
  EXPECT_THROW(element_value(Tensor::zeros(DType::f32, {2}), ExprDomain::real, host.where), Error);
}

}  // namespace
}  // namespace litz::runtime
