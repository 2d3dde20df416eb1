#include "loops/same_values.h"

#include <string>

#include <gtest/gtest.h>

namespace litz::loops {
namespace {

// Two reductions over a row of x; each body yields %v.
class TwoReductions {
 public:
  TwoReductions(const std::string& first, const std::string& second,
                const std::string& second_extent = "6")
      : kernel_(parse_kernel(R"(kernel @two(%x: f32[8, 6], %n: i64[8, 6], out %o: f32[8, 2]) {
  for i0 in 0..8 {
    %c = const f32 2.0
    %r = reduce sum i1 in 0..6 {
)" + first + R"(
      yield %v
    }
    %s = reduce sum i2 in 0..)" + second_extent +
                                 R"( {
)" + second + R"(
      yield %w
    }
    store %o[i0, 0], %r
    store %o[i0, 1], %s
  }
})",
                             pool_)) {}

  SameValues compare() const { return {kernel_, loop(0), loop(1)}; }

  bool yields_the_same() const {
    SameValues same = compare();
    return same.values(loop(0).block.yields[0], loop(1).block.yields[0]) && same.checks();
  }

  SameValues::Loop loop(int which) const {
    for (const Instr& instr : kernel_.body.instrs[0].blocks[0]->instrs) {
      if (instr.kind == InstrKind::reduce && which-- == 0) return {instr.vars, *instr.blocks[0]};
    }
    throw std::logic_error("there are two reductions");
  }

 private:
  ExprPool pool_;
  Kernel kernel_;
};

TEST(SameValues, UnderOtherNames) {
  EXPECT_TRUE(TwoReductions("%a = load %x[i0, i1]\n %v = mul %a, %a",
                            "%b = load %x[i0, i2]\n %w = mul %b, %b")
                  .yields_the_same());
}

TEST(SameValues, InAnotherOrder) {
  EXPECT_TRUE(
      TwoReductions("%a = load %x[i0, i1]\n %b = const f32 1.0\n %d = exp %a\n %v = add %d, %b",
                    "%e = const f32 1.0\n %f = load %x[i0, i2]\n %g = exp %f\n %w = add %g, %e")
          .yields_the_same());
}

TEST(SameValues, OfWhatStandsAroundThem) {
  EXPECT_TRUE(TwoReductions("%a = load %x[i0, i1]\n %v = mul %a, %c",
                            "%b = load %x[i0, i2]\n %w = mul %b, %c")
                  .yields_the_same());
  EXPECT_FALSE(TwoReductions("%a = load %x[i0, i1]\n %v = mul %a, %c",
                             "%b = load %x[i0, i2]\n %w = mul %b, %r")
                   .yields_the_same());
}

TEST(SameValues, NotWithOtherOperations) {
  EXPECT_FALSE(
      TwoReductions("%a = load %x[i0, i1]\n %v = exp %a", "%b = load %x[i0, i2]\n %w = log %b")
          .yields_the_same());
}

TEST(SameValues, NotWithOtherElements) {
  EXPECT_FALSE(TwoReductions("%v = load %x[i0, i1]", "%w = load %x[i0, 5 - i2]").yields_the_same());
  EXPECT_FALSE(TwoReductions("%v = load %x[i0, i1]",
                             "%p = index bool i2 < 3\n %w = load %x[i0, i2] if %p else %c")
                   .yields_the_same());
}

TEST(SameValues, NotWithOtherConstants) {
  const auto scaled = [](const std::string& factor) {
    return TwoReductions("%a = load %x[i0, i1]\n %b = const f32 0.0\n %v = mul %a, %b",
                         "%d = load %x[i0, i2]\n %e = const f32 " + factor + "\n %w = mul %d, %e");
  };
  EXPECT_TRUE(scaled("0.0").yields_the_same());
  EXPECT_FALSE(scaled("-0.0").yields_the_same());
}

TEST(SameValues, NotWithOperandsExchanged) {
  EXPECT_FALSE(TwoReductions("%a = load %x[i0, i1]\n %v = sub %a, %c",
                             "%b = load %x[i0, i2]\n %w = sub %c, %b")
                   .yields_the_same());
}

TEST(SameValues, ExtentsAreCompared) {
  EXPECT_TRUE(TwoReductions("%v = load %x[i0, i1]", "%w = load %x[i0, i2]").compare().extents());
  EXPECT_FALSE(
      TwoReductions("%v = load %x[i0, i1]", "%w = load %x[i0, i2]", "5").compare().extents());
}

TEST(SameValues, ComputedIndicesAndTheirChecks) {
  const std::string first =
      "%k = load %n[i0, i1]\n %l = bound_index \"index\" %k, 6\n %v = load %x[i0, %l]";
  EXPECT_TRUE(TwoReductions(first,
                            "%p = load %n[i0, i2]\n %q = bound_index \"index\" %p, 6\n"
                            " %w = load %x[i0, %q]")
                  .yields_the_same());
  EXPECT_FALSE(TwoReductions(first,
                             "%p = load %n[i0, i2]\n %q = bound_index \"index\" %p, 5\n"
                             " %w = load %x[i0, %q]")
                   .yields_the_same());
  // What it yields is the same, but it also fails where the first one does not.
  EXPECT_FALSE(TwoReductions(first,
                             "%p = load %n[i0, i2]\n %q = bound_index \"index\" %p, 6\n"
                             " %u = bound_index \"other\" %p, 3\n %w = load %x[i0, %q]")
                   .yields_the_same());
}

TEST(SameValues, FlatAccessesAndTheirStrides) {
  const auto same = [](const char* first, const char* second) {
    const std::string computed = "%k = load %n[i0, 0]\n ";
    const std::string again = "%p = load %n[i0, 0]\n ";
    return TwoReductions(computed + first, again + second).yields_the_same();
  };
  EXPECT_TRUE(same("%v = load %x at [i1 + 6*i0, %k * 6]", "%w = load %x at [i2 + 6*i0, %p * 6]"));
  EXPECT_FALSE(same("%v = load %x at [i1 + 6*i0, %k * 6]", "%w = load %x at [i2 + 6*i0, %p * 5]"));
  EXPECT_FALSE(same("%v = load %x at [i1 + 6*i0]", "%w = load %x at [i2 + 5*i0]"));
}

}  // namespace
}  // namespace litz::loops
