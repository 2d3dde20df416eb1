// How long each optimising pass takes on large graphs, and how that grows: linear work gives ratios
// near 4, square near 16.
//
//   build/release/bin/bench_pass_scaling

#include <cstdio>
#include <memory>

#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "types/fill.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Value;

TensorType f32(Sizes sizes) { return contiguous_type(DType::f32, std::move(sizes)); }

// Repeats one layer that has something for every pass.
ir::Program program_of(size_t nodes) {
  ir::Program program;
  program.module = std::make_unique<ir::Module>(ops::standard_ops());
  ir::Graph& graph = program.module->add_graph("main");
  program.main = {graph.id()};
  program.functional = true;
  const Value weight = graph.add_input("p_w", f32({8, 8}));
  const Value bias = graph.add_input("p_b", f32({8}));
  const Value x = graph.add_input("x", f32({2, 4, 8}));
  program.inputs.resize(3);
  program.inputs[0].kind = program.inputs[1].kind = ir::InputKind::parameter;
  program.inputs[0].data = fill_floats(DType::f32, {8, 8}, 1, 0.1F, 0);
  program.inputs[1].data = fill_floats(DType::f32, {8}, 2, 0.1F, 0);
  const auto make = [&](std::string_view op, std::vector<Argument> arguments) {
    return graph.create(op, std::move(arguments))->output();
  };
  const auto ints = [](std::initializer_list<int64_t> list) {
    return Argument(ir::Scalars(list.begin(), list.end()));
  };
  Value last = x;
  while (graph.node_count() < nodes) {
    const Value flat = make("aten.view", {last, ints({-1, 8})});
    const Value turned = make("aten.t", {weight});
    const Value sum = make("aten.addmm", {bias, flat, turned});
    const Value split = make("aten.view", {sum, ints({2, 4, 8})});
    const Value same = make("aten.expand", {split, ints({2, 4, 8})});
    const Value keys = make("aten.transpose.int", {same, Expr(1), Expr(2)});
    const Value scores = make("aten.matmul", {make("aten.mul.Tensor", {same, Expr(1)}), keys});
    const Value weights = make("aten._softmax", {scores, Expr(-1), Expr::boolean(false)});
    const Value mixed = make("aten.matmul", {weights, same});
    const ir::Node* parts = graph.create("aten.split.Tensor", {mixed, Expr(4), Expr(2)});
    const Value joined = make(
        "aten.cat", {Argument(std::vector<Value>{parts->output(0), parts->output(1)}), Expr(2)});
    const Value wide = make("aten._to_copy", {joined, Argument(DType::f64)});
    const Value narrow = make("aten._to_copy", {wide, Argument(DType::f32)});
    const Value scale = make("aten.sin", {bias});
    last = make("aten.add.Tensor", {make("aten.mul.Tensor", {narrow, scale}), last});
    make("aten.exp", {last});
  }
  graph.set_outputs({last});
  program.outputs.resize(1);
  return program;
}

std::vector<PassStatistics> run(size_t nodes) {
  ir::Program program = program_of(nodes);
  PassContext context{
      .program = &program, .evaluate = [](ir::Graph& graph, std::span<const Tensor>) {
        return std::vector<Tensor>(graph.outputs().size(), fill_floats(DType::f32, {8}, 3, 1, 0));
      }};
  return run_pipeline(inference_pipeline(), *program.module, context);
}

void report() {
  const std::vector<PassStatistics> small = run(25'000);
  const std::vector<PassStatistics> large = run(100'000);
  std::printf("%-26s %12s %12s %6s %9s\n", "", "25k nodes", "100k nodes", "ratio", "rewrites");
  for (size_t i = 0; i < large.size(); ++i) {
    std::printf("%-26s %9.2f ms %9.2f ms %6.2f %9llu\n", std::string(large[i].name).c_str(),
                small[i].seconds * 1e3, large[i].seconds * 1e3, large[i].seconds / small[i].seconds,
                static_cast<unsigned long long>(large[i].rewrites));
  }
}

}  // namespace
}  // namespace litz::passes

int main() { litz::passes::report(); }
