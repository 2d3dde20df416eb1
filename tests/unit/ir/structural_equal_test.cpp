#include "ir/structural_equal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/child_graphs.h"
#include "random_graph.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

std::string difference(const std::string& a, const std::string& b) {
  const auto module = module_of("sym s0\nsym u0\nsym u1\n" + a + b);
  return structural_difference(graph_of(*module, "a"), graph_of(*module, "b"));
}

TEST(StructuralEqual, IgnoresNamesAndLocations) {
  EXPECT_EQ(
      difference("graph @a(%x: f32[2]) {\n  %p = aten.relu(%x) loc(\"f\":1)\n  return %p\n}\n",
                 "graph @b(%y: f32[2]) {\n  %q = aten.relu(%y)\n  return %q\n}\n"),
      "");
}

TEST(StructuralEqual, SeesEveryOtherDifference) {
  const char* base = "graph @a(%x: f32[2]) {\n  %p = aten.add.Tensor(%x, %x)\n  return %p\n}\n";
  const auto against = [&](const std::string& arguments, const std::string& body) {
    return difference(base, "graph @b(" + arguments + ") {\n" + body + "}\n");
  };
  EXPECT_THAT(against("%x: f32[3]", "  %p = aten.add.Tensor(%x, %x)\n  return %p\n"),
              HasSubstr("argument 0"));
  EXPECT_THAT(against("%x: f32[2], %y: f32[2]", "  return %x\n"), HasSubstr("different numbers"));
  EXPECT_THAT(against("%x: f32[2]", "  %p = aten.add.Tensor(%x, %x, alpha=2)\n  return %p\n"),
              HasSubstr("alpha=2"));
  EXPECT_THAT(against("%x: f32[2]", "  %p = aten.add.Tensor(%x, %x)\n  return %x\n"),
              HasSubstr("return"));
  EXPECT_THAT(against("%x: f32[2]", "  return %x\n"), HasSubstr("only @a has"));
  EXPECT_THAT(against("%x: f32[2]", "  %p = aten.add.Tensor(%x, %x) #{k = \"v\"}\n  return %p\n"),
              HasSubstr("differ"));
}

TEST(StructuralEqual, DataDependentSymbolsCorrespond) {
  const auto graph = [](const std::string& name, const std::string& symbol) {
    return "graph @" + name + "(%x: f32[s0]) {\n  %n = aten.nonzero(%x) : i64[" + symbol +
           ", 1]\n  %a = aten.rand([" + symbol + "])\n  return %a, " + symbol + "\n}\n";
  };
  EXPECT_EQ(difference(graph("a", "u0"), graph("b", "u1")), "");
  EXPECT_NE(difference(graph("a", "u0"), graph("b", "s0")), "");
}

TEST(StructuralEqual, ComparesChildGraphsByContent) {
  const auto child = [](const std::string& name, const std::string& op) {
    return "graph @" + name + "(%x: f32[2]) -> (f32[2]) {\n  %y = " + op + "(%x)\n  return %y\n}\n";
  };
  const auto caller = [](const std::string& name, const std::string& callee) {
    return "graph @" + name + "(%x: f32[2]) {\n  %y = higher_order.call(@" + callee +
           ", [%x])\n  return %y\n}\n";
  };
  EXPECT_EQ(difference(child("c", "aten.relu") + caller("a", "c"),
                       child("d", "aten.relu") + caller("b", "d")),
            "");
  EXPECT_THAT(difference(child("c", "aten.relu") + caller("a", "c"),
                         child("d", "aten.gelu") + caller("b", "d")),
              HasSubstr("aten.gelu"));
}

TEST(StructuralEqual, ClonesAreEqualAndEditsAreNot) {
  for (uint32_t seed = 0; seed < 30; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 30);
    Graph& copy = clone_graph(graph, "copy");
    ASSERT_EQ(structural_difference(graph, copy), "");
    EXPECT_EQ(structural_hash(graph), structural_hash(copy));
    copy.create("aten.relu", {copy.input(0)});
    EXPECT_NE(structural_difference(graph, copy), "");
    EXPECT_NE(structural_hash(graph), structural_hash(copy));
  }
}

}  // namespace
}  // namespace litz::ir
