#include "loops/instrs.h"

#include <gtest/gtest.h>

namespace litz::loops {
namespace {

constexpr std::string_view kNest = R"(kernel @k(%x: f32[4, 8], out %y: f32[4]) {
  %0 = const f32 2.0
  for i in 0..4 {
    %1 = reduce sum j in 0..8 {
      %2 = load %x[i, j]
      %3 = mul %2, %0
      yield %3
    }
    store %y[i], %1
  }
}
)";

TEST(Instrs, OuterOnesComeFirst) {
  ExprPool pool;
  Kernel kernel = parse_kernel(kNest, pool);
  std::vector<InstrKind> kinds;
  for_each_instr(kernel.body, [&](const Instr& instr) { kinds.push_back(instr.kind); });
  using enum InstrKind;
  EXPECT_EQ(kinds, (std::vector{constant, loop, reduce, load, op, store}));
  std::vector<InstrKind> edited;
  edit_each_instr(kernel.body, [&](Instr& instr) { edited.push_back(instr.kind); });
  EXPECT_EQ(edited, kinds);
  std::vector<InstrKind> inside;
  for_each_inside(kernel.body.instrs[1], [&](const Instr& own) { inside.push_back(own.kind); });
  EXPECT_EQ(inside, (std::vector{reduce, load, op, store}));
}

TEST(Instrs, DefinitionsAreThoseOfTheBlock) {
  ExprPool pool;
  const Kernel kernel = parse_kernel(kNest, pool);
  const Block& loop = *kernel.body.instrs[1].blocks[0];
  const Block& reduce = *loop.instrs[0].blocks[0];
  const Instr* product = find_definition(reduce, reduce.yields[0]);
  EXPECT_TRUE(is_op(product, ScalarOp::mul));
  EXPECT_FALSE(is_op(product, ScalarOp::add));
  EXPECT_EQ(find_definition(reduce, product->operands[1]), nullptr);
  EXPECT_FALSE(is_op(nullptr, ScalarOp::mul));
  const Instr* factor = find_definition(kernel.body, product->operands[1]);
  ASSERT_NE(factor, nullptr);
  EXPECT_TRUE(is_pure(*factor));
  EXPECT_FALSE(is_op(factor, ScalarOp::mul));
  EXPECT_FALSE(is_pure(loop.instrs[1]));
}

}  // namespace
}  // namespace litz::loops
