#include "loops/squares.h"

#include <gtest/gtest.h>

namespace litz::loops {
namespace {

/// The accesses of a nest over i and j whose lanes are along j, by whether they are squares.
std::vector<bool> squares(const std::string& body) {
  ExprPool pool;
  const Kernel kernel = parse_kernel(
      "kernel @k(%x: f32[64, 64], %c: c128[64, 64], %n: i64[64], out %y: f32[64, 64]) {\n"
      "  %t = const bool 1\n  %z = const f32 0.0\n  for i in 0..64, j in 0..64 {\n" +
          body + "\n  }\n}\n",
      pool);
  const Instr& loop = kernel.body.instrs[2];
  std::vector<bool> found;
  for (const Instr& instr : loop.blocks[0]->instrs) {
    if (instr.indices.empty()) continue;
    found.push_back(
        is_square(kernel, instr, loop.vars[1].symbol.symbol(), loop.vars[0].symbol.symbol()));
  }
  return found;
}

TEST(Squares, AreDenseAlongRowsAndFurtherAlongLanes) {
  EXPECT_EQ(squares("%0 = load %x at [64*j + i]\n store %y at [64*i + j], %0"),
            (std::vector{true, false}));
  EXPECT_EQ(squares("%0 = load %x at [64*j + 2*i]\n store %y at [i + 64*j], %0"),
            (std::vector{false, true}));
  EXPECT_EQ(squares("%0 = load %x at [i]"), std::vector{false});
  EXPECT_EQ(squares("%0 = load %x at [i + 64*(j//2)]"), std::vector{false});
}

TEST(Squares, HaveNoPredicateNoComputedIndexAndNoWideElements) {
  EXPECT_EQ(squares("%0 = load %x at [i + 64*j] if %t else %z"), std::vector{false});
  EXPECT_EQ(squares("%0 = load %n at [i]\n %1 = load %x at [i + 64*j, %0 * 1]"),
            (std::vector{false, false}));
  EXPECT_EQ(squares("%0 = load %c at [i + 64*j]"), std::vector{false});
}

bool is_store_of_scan_square(const std::string& loaded) {
  ExprPool pool;
  const Kernel kernel = parse_kernel(R"(kernel @k(out %y: f32[64, 65]) {
  %0 = const f32 0.0
  for r in 0..64 {
    %1 = for i in 0..64 carry (%2 = %0) {
      %3 = load %y at [)" + loaded + R"(]
      store %y at [i + 65*r], %3
      yield %3
    }
  }
}
)",
                                     pool);
  const Instr& rows = kernel.body.instrs[1];
  const Instr& scan = rows.blocks[0]->instrs[0];
  return is_square_of_scan(kernel, scan.blocks[0]->instrs[1], rows.vars[0].symbol.symbol(), scan);
}

TEST(Squares, OfScansAreReadAndWrittenAtTheSamePlace) {
  EXPECT_TRUE(is_store_of_scan_square("i + 65*r"));
  EXPECT_FALSE(is_store_of_scan_square("i + 65*r + 1"));
}

}  // namespace
}  // namespace litz::loops
