// How long joining and scheduling collectives takes on large graphs, and how that grows: linear work
// gives ratios near 4, square near 16.
//
//   build/release/bin/bench_overlap_scaling

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>

#include "ops/op_table.h"
#include "passes/bucketing/bucketing.h"
#include "passes/overlap/join_overlapped.h"
#include "passes/overlap/move_collectives.h"
#include "passes/overlap/move_within_memory.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Value;

/// Layers that gather a weight, multiply with it, and scatter a gradient.
std::unique_ptr<ir::Module> module_of(size_t nodes) {
  auto module = std::make_unique<ir::Module>(ops::standard_ops());
  ir::Graph& graph = module->add_graph("main");
  const Value shard = graph.add_input("p", contiguous_type(DType::f32, {128, 512}));
  const Value x = graph.add_input("x", contiguous_type(DType::f32, {512, 512}));
  const auto make = [&](std::string_view op, std::vector<Argument> arguments) {
    return graph.create(op, std::move(arguments))->output();
  };
  const auto text = [](const char* of) { return Argument(std::string(of)); };
  const auto wait = [&](Value started) { return make("_c10d_functional.wait_tensor", {started}); };
  Value last = x;
  std::vector<Argument> outputs;
  while (graph.node_count() < nodes) {
    const Value weight = wait(make("_c10d_functional.all_gather_into_tensor",
                                   {make("aten.neg", {shard}), Expr(4), text("0")}));
    const Value product = make("aten.mm", {last, make("aten.t", {weight})});
    const Value wide = make("aten.mul.Tensor", {make("aten.exp", {product}), last});
    last = make("aten.add.Tensor", {wide, last});
    const Value gradient = make("aten.mm", {make("aten.t", {product}), wide});
    outputs.emplace_back(wait(make("_c10d_functional.reduce_scatter_tensor",
                                   {gradient, text("sum"), Expr(4), text("0")})));
  }
  outputs.emplace_back(last);
  graph.set_outputs(std::move(outputs));
  return module;
}

struct Row {
  const char* name;
  std::function<void(ir::Graph&)> run;
};

double seconds(const Row& row, size_t nodes) {
  const auto module = module_of(nodes);
  const auto begin = std::chrono::steady_clock::now();
  row.run(*module->find_graph("main"));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

BucketOptions buckets() {
  BucketOptions options;
  options.cap_mb = [](size_t /*index*/) { return 25; };
  return options;
}

JoinOptions joins() {
  JoinOptions options;
  options.buckets = buckets();
  options.overlap.extra_bytes = 1e12;
  return options;
}

void report() {
  const Row rows[] = {
      {"bucket_collectives", [](ir::Graph& graph) { bucket_collectives(graph, buckets()); }},
      {"schedule_collectives",
       [](ir::Graph& graph) { schedule_collectives(graph, joins().overlap); }},
      {"overlap_collectives", [](ir::Graph& graph) { overlap_collectives(graph, joins()); }},
      {"raise_starts", raise_starts},
      {"sink_waits", sink_waits},
      {"reorder_compute", [](ir::Graph& graph) { reorder_compute(graph, {}); }},
      {"raise_starts_within", [](ir::Graph& graph) { raise_starts_within(graph, {}); }},
      {"sink_waits_within", [](ir::Graph& graph) { sink_waits_within(graph, {}); }},
  };
  std::printf("%-22s %12s %12s %6s\n", "", "25k nodes", "100k nodes", "ratio");
  for (const Row& row : rows) {
    const double small = seconds(row, 25'000);
    const double large = seconds(row, 100'000);
    std::printf("%-22s %9.3f s  %9.3f s  %6.2f\n", row.name, small, large, large / small);
  }
}

}  // namespace
}  // namespace litz::passes

int main() { litz::passes::report(); }
