#include "graph_tools/fx_printer.h"

#include <gtest/gtest.h>

#include "ir/tiny_ops.h"

namespace litz::ir {
namespace {

constexpr const char* kText = R"(
graph @main(%x: f32[2, 3], %0: f32[2, 3]) -> (f32[2, 3], f32[]) {
  %add = aten.add.Tensor(%x, %0, alpha=2) loc("f.py":3, "net")
  %1 = aten.add.Tensor(%add, %add) loc("f.py":3, "net") #{region = "0123456789012345678901234567890123456789012"}
  %q:2 = aten.std_mean(%1, unbiased=false)
  %2 = aten.add_.Tensor(%x, 1)
  return %1, %q#1
})";

TEST(FxPrinter, PrintsTheIrForm) {
  const auto module = module_of(kText);
  EXPECT_EQ(fx_text(graph_of(*module)), R"(graph():
    %x : [num_users=2] = placeholder[target=x]
    %arg : [num_users=1] = placeholder[target=arg]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %arg), kwargs = {alpha: 2})
    %add_1 : [num_users=2] = call_function[target=torch.ops.aten.add.Tensor](args = (%add, %add), kwargs = {})
    %std_mean : [num_users=1] = call_function[target=torch.ops.aten.std_mean.default](args = (%add_1, False), kwargs = {})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%std_mean, 1), kwargs = {})
    %add_2 : [num_users=0] = call_function[target=torch.ops.aten.add_.Tensor](args = (%x, 1), kwargs = {})
    return (add_1, getitem)
)");
}

TEST(FxPrinter, PrintsTheProgramFormWithDeaths) {
  const auto module = module_of(kText);
  EXPECT_EQ(program_text(graph_of(*module)), R"(def main(x: "f32[2, 3]", arg: "f32[2, 3]"):
    # File: f.py:3 in net
    add: "f32[2, 3]" = torch.ops.aten.add.Tensor(x, arg, alpha=2);  arg = None
    # Annotation: {region: 0123456789012345678901234567890123456789...}
    add_1: "f32[2, 3]" = torch.ops.aten.add.Tensor(add, add);  add = None
    # No source line
    std_mean = torch.ops.aten.std_mean.default(add_1, False)
    getitem: "f32[]" = std_mean[1];  std_mean = None
    add_2: "f32[2, 3]" = torch.ops.aten.add_.Tensor(x, 1);  x = add_2 = None
    return (add_1, getitem)
)");
}

// What Python prints of such an argument, and what of it in source code.
TEST(FxPrinter, SpellsArgumentsAsPythonDoes) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.gelu(%x, approximate="tanh")
  test.attributes(names=["p", "q"], dtype=f16, device=cuda:1, format=channels_last, f=inf, m=[true, false, true])
  return %a
})");
  EXPECT_EQ(fx_text(graph_of(*module)), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %a : [num_users=1] = call_function[target=torch.ops.aten.gelu.default](args = (%x, tanh), kwargs = {})
    %attributes : [num_users=0] = call_function[target=torch.ops.test.attributes.default](args = (None, None, None, inf, None, [True, False, True], [p, q], torch.float16, cuda:1, None, torch.channels_last), kwargs = {})
    return (a,)
)");
  EXPECT_EQ(program_text(graph_of(*module)), R"(def main(x: "f32[2]"):
    a: "f32[2]" = torch.ops.aten.gelu.default(x, 'tanh');  x = None
    attributes = torch.ops.test.attributes.default(None, None, None, inf, None, [True, False, True], ['p', 'q'], torch.float16, device(type='cuda', index=1), None, torch.channels_last);  attributes = None
    return (a,)
)");
}

TEST(FxPrinter, ChildGraphsAreAttributes) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = higher_order.call(@main.body, [%x]) : f32[2]
  %b = higher_order.call(@main.body, [%a]) : f32[2]
  return %b
}
graph @main.body(%x: f32[2]) -> (f32[2]) {
  %r = aten.relu(%x)
  return %r
})");
  EXPECT_EQ(fx_text(graph_of(*module)), R"(graph():
    %x : [num_users=1] = placeholder[target=x]
    %body : [num_users=2] = get_attr[target=body]
    %a : [num_users=1] = call_function[target=torch.ops.higher_order.call.default](args = (%body, [%x]), kwargs = {})
    %b : [num_users=1] = call_function[target=torch.ops.higher_order.call.default](args = (%body, [%a]), kwargs = {})
    return (b,)
)");
  EXPECT_EQ(program_text(graph_of(*module)), R"(def main(x: "f32[2]"):
    body = self.body
    a: "f32[2]" = torch.ops.higher_order.call.default(body, [x]);  x = None
    b: "f32[2]" = torch.ops.higher_order.call.default(body, [a]);  body = a = None
    return (b,)
)");
}

TEST(FxPrinter, LinesKnowTheirNodes) {
  const auto module = module_of(R"(
sym u0

graph @main(%x: i64[]) -> (f32[u0]) {
  %n = aten.item(%x) : int(u0)
  %r = aten.rand(size=[u0]) : f32[u0]
  return %r
})");
  Graph& graph = graph_of(*module);
  Location location{.file = "net.py", .line = 7};
  location.stack_trace =
      "  File \"net.py\", line 3, in outer\n    return inner(x)\n"
      "  File \"net.py\", line 7, in forward\n    n = x.item()\n";
  graph.set_location(graph.first(), location);
  const ProgramText program = program_lines(graph, {.strides = true, .devices = true});
  EXPECT_EQ(program.text, R"py(def main(x: "i64[][]cpu"):
    # File: net.py:7 in forward, code: n = x.item()
    n: "Sym(u0)" = torch.ops.aten.item.default(x);  x = n = None
    # No source line
    r: "f32[u0][1]cpu" = torch.ops.aten.rand.default([u0])
    return (r,)
)py");
  ASSERT_EQ(program.node_of_line.size(), 6u);
  EXPECT_EQ(program.node_of_line[0], nullptr);
  EXPECT_EQ(program.node_of_line[2], graph.first());
  EXPECT_EQ(program.node_of_line[4], graph.last());
  EXPECT_EQ(program.node_of_line[5], graph.return_node());
}

TEST(FxPrinter, PrintsTables) {
  const auto module =
      module_of("graph @main(%x: f32[2]) {\n  %y = aten.relu(%x)\n  return %y\n}\n");
  EXPECT_EQ(table_text(graph_of(*module)),
            "opcode         name    target                       args     kwargs\n"
            "-------------  ------  ---------------------------  -------  ------\n"
            "placeholder    x       x                            ()       {}\n"
            "call_function  y       torch.ops.aten.relu.default  (x,)     {}\n"
            "output         output  output                       ((y,),)  {}\n");
}

}  // namespace
}  // namespace litz::ir
