#include "runtime/program/library_arguments.h"

#include <gtest/gtest.h>

namespace litz::runtime {
namespace {

TEST(LibraryArguments, NumbersHaveTheirDomain) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {0, 100}});
  Bindings symbols;
  symbols.set(n.symbol(), 7);
  EXPECT_EQ(std::get<int64_t>(number(2 * n, symbols)), 14);
  EXPECT_EQ(std::get<double>(number(to_real(n), symbols)), 7.0);
  EXPECT_TRUE(std::get<bool>(number(lt(n, 8), symbols)));
  const std::vector<Expr> integers{n, Expr::boolean(true)};
  EXPECT_EQ(std::get<std::vector<int64_t>>(numbers(integers, symbols)),
            (std::vector<int64_t>{7, 1}));
  const std::vector<Expr> mixed{n, Expr::real(0.5)};
  EXPECT_EQ(std::get<std::vector<double>>(numbers(mixed, symbols)),
            (std::vector<double>{7.0, 0.5}));
}

}  // namespace
}  // namespace litz::runtime
