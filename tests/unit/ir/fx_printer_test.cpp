#include "ir/fx_printer.h"

#include <gtest/gtest.h>

#include "tiny_ops.h"

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
    return (%add_1, %getitem)
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
    getitem: "f32[]" = std_mean[1]
    add_2: "f32[2, 3]" = torch.ops.aten.add_.Tensor(x, 1);  add_2 = x = None
    return (add_1, getitem)
)");
}

TEST(FxPrinter, PrintsTables) {
  const auto module =
      module_of("graph @main(%x: f32[2]) {\n  %y = aten.relu(%x)\n  return %y\n}\n");
  EXPECT_EQ(table_text(graph_of(*module)),
            "opcode         name    target                       args    kwargs\n"
            "placeholder    x       x                            ()      {}\n"
            "call_function  y       torch.ops.aten.relu.default  (x,)    {}\n"
            "output         output  output                       ((y),)  {}\n");
}

}  // namespace
}  // namespace litz::ir
