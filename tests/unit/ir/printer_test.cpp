#include "ir/printer.h"

#include <gtest/gtest.h>

#include "schema/attribute.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

TEST(Printer, PrintsOnePageInFull) {
  Module module(tiny_ops());
  const Expr s0 = module.exprs().add_symbol({"s0", SymbolKind::size, {2, 4096}, 128});
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({4, s0}));
  const Value w = graph.add_input("w", f32({s0, 8}));
  Node* mm = graph.create("aten.mm", {x, w});
  graph.set_name(mm->output(), "m");
  graph.set_location(mm, {"f.py", 12, "net.fc", ""});
  graph.set_annotations(mm, {{"region", "1"}});
  Node* stats = graph.create("aten.std_mean", {mm->output(), Expr::boolean(false)});
  Node* item = graph.create("aten.item", {stats->output(1)});
  Node* guard = graph.create("aten._assert_scalar", {item->output(), std::string("why \"not\"")});
  Node* add = graph.create("aten.add.Tensor", {stats->output(1), 1, Expr::real(2)});
  graph.add_order_edge(guard, add);
  graph.set_outputs({add->output(), s0 + 1, Attribute()});
  EXPECT_EQ(to_string(module), R"(sym s0 in [2, 4096] hint 128
sym u0

graph @main(%x: f32[4, s0], %w: f32[s0, 8]) -> (f32[], _, _) {
  %m = aten.mm(%x, %w) : f32[4, 8] #{region = "1"} loc("f.py":12, "net.fc")
  %0:2 = aten.std_mean(%m, unbiased=false) : (f32[], f32[])
  %1 = aten.item(%0#1) : int(u0)
  %2:0 = aten._assert_scalar(%1, assert_msg="why \"not\"")
  %3 = aten.add.Tensor(%0#1, other=1, alpha=2.0) : f32[] after(%2)
  return %3, s0 + 1, none
}
)");
  EXPECT_EQ(to_string(*mm), "%m = aten.mm(%x, %w) : f32[4, 8]");
  EXPECT_EQ(node_context(*mm), "%m = aten.mm(%x, %w) : f32[4, 8] (f.py:12)");
  EXPECT_EQ(to_string(*graph.return_node()), "return %3, s0 + 1, none");
}

TEST(Printer, OptionsLeaveThingsOut) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  Node* relu = graph.create("aten.relu", {graph.add_input("x", f32({2}))});
  graph.set_location(relu, {"f.py", 1, "", ""});
  graph.set_annotations(relu, {{"k", "v"}});
  const PrintOptions bare{.locations = false, .annotations = false, .types = false};
  EXPECT_EQ(to_string(graph, bare),
            "graph @main(%x: f32[2]) -> () {\n  %0 = aten.relu(%x)\n  return\n}\n");
}

TEST(Printer, ResultsPrintAsGroupsUnlessNamedApart) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({2}));
  Node* node = graph.create("aten.std_mean", {x});
  EXPECT_EQ(to_string(*node), "%0:2 = aten.std_mean(%x) : (f32[], f32[])");
  graph.set_name(node->output(0), "q");
  EXPECT_EQ(to_string(*node), "%q:2 = aten.std_mean(%x) : (f32[], f32[])");
  graph.set_name(node->output(1), "mean");
  EXPECT_EQ(to_string(*node), "%q, %mean = aten.std_mean(%x) : (f32[], f32[])");
  graph.set_name(node->output(0), "");
  EXPECT_EQ(to_string(*node), "%0, %mean = aten.std_mean(%x) : (f32[], f32[])");
}

TEST(Attributes, HaveOneSpelling) {
  EXPECT_EQ(to_string(Attribute()), "none");
  EXPECT_EQ(to_string(Attribute(Expr(INT64_MIN))), "-9223372036854775808");
  EXPECT_EQ(to_string(Attribute(Expr::real(1))), "1.0");
  EXPECT_EQ(to_string(Attribute(Expr::real(0.1))), "0.1");
  EXPECT_EQ(to_string(Attribute(Expr::real(-INFINITY))), "-inf");
  EXPECT_EQ(to_string(Attribute(Expr::boolean(true))), "true");
  EXPECT_EQ(to_string(Attribute(std::complex<double>(1, -2.5))), "complex(1.0, -2.5)");
  EXPECT_EQ(to_string(Attribute(Scalars{1, Expr::real(2)})), "[1, 2.0]");
  EXPECT_EQ(to_string(Attribute(Strings{"a", "b\\"})), R"(["a", "b\\"])");
  EXPECT_EQ(to_string(Attribute(std::string("\x01\n"))), R"("\x01\n")");
  EXPECT_EQ(to_string(Attribute(DType::bf16)), "bf16");
  EXPECT_EQ(to_string(Attribute(Device{DeviceKind::cuda, 1})), "cuda:1");
  EXPECT_EQ(to_string(Attribute(MemoryFormat::channels_last)), "channels_last");
  EXPECT_EQ(to_string(Attribute(OpRef{"aten.relu"})), "op(aten.relu)");
}

}  // namespace
}  // namespace litz::ir
