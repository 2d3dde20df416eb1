#include "lowering/stages.h"

#include <array>

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "lowering/lower.h"
#include "ops/op_table.h"

namespace litz::lowering {
namespace {

TEST(Stages, AreMarksInLabels) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %a = aten.sin(%x)\n"
      "  %b = aten.sin(%x) #{backward = \"recomputed\"}\n"
      "  %c = aten.mul.Tensor(%b, 2.0) #{backward = \"gradient\"}\n"
      "  return %a, %c\n"
      "}\n",
      ops::standard_ops());
  const ir::ValueLabels labels(*module->find_graph("main"));
  std::vector<std::string> texts;
  for (const ir::Node* node : module->find_graph("main")->in_order()) {
    texts.push_back(describe(*node, labels));
  }
  const auto flags = [](const Stages& stages) {
    return std::array{stages.forward, stages.recomputed, stages.gradient};
  };
  EXPECT_EQ(flags(stages_of(texts[0])), (std::array{true, false, false}));
  EXPECT_EQ(flags(stages_of(texts[1])), (std::array{false, true, false}));
  EXPECT_EQ(flags(stages_of(texts[2])), (std::array{false, false, true}));
  EXPECT_EQ(flags(stages_of(texts)), (std::array{true, true, true}));
  EXPECT_EQ(flags(stages_of(texts[1] + " + " + texts[2] + ", call 1 of 2 of @block")),
            (std::array{false, true, true}));
}

}  // namespace
}  // namespace litz::lowering
