#include "graph_tools/minimize.h"

#include <string>

#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/tiny_ops.h"
#include "support/check.h"

namespace litz::ir {
namespace {

constexpr const char* kLong =
    "graph @main(%x: f32[2], %y: f32[2]) -> (f32[2], f32[2], f32[2]) {\n"
    "  %a = aten.add.Tensor(%x, %y)\n"
    "  %b = aten.relu(%a)\n"
    "  %c = aten.add.Tensor(%b, %x)\n"
    "  %d = aten.clone(%c)\n"
    "  %e = aten.relu(%d)\n"
    "  %f = aten.add.Tensor(%e, %y)\n"
    "  return %a, %f, %b\n"
    "}\n";

size_t nodes_of(const std::string& text) {
  return read_module(text, tiny_ops())->find_graph("main")->node_count();
}

size_t calls_of(std::string_view text, std::string_view op) {
  const auto module = read_module(text, tiny_ops());
  return module->find_graph("main")->in_order(op).size();
}

TEST(Minimize, LeavesTheNodeThatFails) {
  const std::string small = minimize(
      kLong, tiny_ops(), [](std::string_view text) { return calls_of(text, "aten.clone") == 1; });
  EXPECT_EQ(small,
            "graph @main(%cut: f32[2]) -> (f32[2]) {\n"
            "  %d = aten.clone(%cut) : f32[2]\n"
            "  return %d\n"
            "}\n");
}

TEST(Minimize, KeepsWhatFailsOnlyTogether) {
  // Two nodes of which one reads what the other makes of its operand.
  const auto fails = [](std::string_view text) {
    const auto module = read_module(text, tiny_ops());
    for (const Node* node : module->find_graph("main")->in_order("aten.clone")) {
      const Node* add = node->input(0).producer();
      if (add != nullptr && add->is("aten.add.Tensor")) return true;
    }
    return false;
  };
  const std::string small = minimize(kLong, tiny_ops(), fails);
  EXPECT_TRUE(fails(small));
  EXPECT_EQ(nodes_of(small), 2U) << small;
}

TEST(Minimize, AnExceptionIsNotTheFailure) {
  const std::string small = minimize(kLong, tiny_ops(), [](std::string_view text) {
    if (calls_of(text, "aten.relu") == 0) fail(ErrorCode::unsupported, "another failure");
    return true;
  });
  EXPECT_EQ(nodes_of(small), 1U) << small;
  EXPECT_EQ(calls_of(small, "aten.relu"), 1U) << small;
}

TEST(Minimize, StopsAfterSoManyAttempts) {
  size_t calls = 0;
  minimize(kLong, tiny_ops(),
           [&](std::string_view) {
             ++calls;
             return true;
           },
           {.max_attempts = 2});
  EXPECT_LE(calls, 3U);
}

TEST(Minimize, RefusesWhatDoesNotFail) {
  EXPECT_THROW(minimize(kLong, tiny_ops(), [](std::string_view) { return false; }), InternalError);
}

}  // namespace
}  // namespace litz::ir
