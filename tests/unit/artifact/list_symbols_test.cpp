#include <gtest/gtest.h>

#include "artifact/launch_list.h"
#include "small_list.h"

namespace litz::artifact {
namespace {

TEST(ListSymbols, AreFoundWhereverTheyStand) {
  ExprPool pool;
  const Expr n = pool.add_symbol({.name = "s0", .range = {1, 64}});
  const Expr m = pool.add_symbol({.name = "s1", .range = {1, 64}});
  const Expr k = pool.add_symbol({.name = "s2", .range = {1, 64}});
  EXPECT_TRUE(symbols_of(small_list(16), small_kernels(16)).empty());
  EXPECT_EQ(symbols_of(small_list(n), small_kernels(n)), (std::vector<SymbolId>{n.symbol()}));
  LaunchList list = small_list(n);
  list.assertions.push_back({lt(m, 9), "m is small"});
  // The phases of its kernel depend on it.
  EXPECT_EQ(symbols_of(list, small_kernels(k)),
            (std::vector<SymbolId>{n.symbol(), m.symbol(), k.symbol()}));
}

}  // namespace
}  // namespace litz::artifact
