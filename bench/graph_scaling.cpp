// How times of the graph layer grow with the graph: linear work gives ratios near 4, square near
// 16.
//
//   build/release/bin/bench_graph_scaling

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>

#include "ir/alias_classes.h"
#include "ir/dead_code.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/topological_sort.h"
#include "ir/verifier.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

// A graph of `count` nodes with long use lists, several results and dead ends.
Graph& wide_graph(Module& module, size_t count) {
  Graph& graph = module.add_graph("main");
  const Value x = graph.add_input("x", f32({4, 6}));
  Value last = x;
  while (graph.node_count() < count) {
    last = graph.create("aten.add.Tensor", {last, x})->output();
    graph.set_name(last, "sum");
    graph.create("aten.relu", {last});
    last = graph
               .create("aten.add.Tensor",
                       {last, graph.create("aten.split.Tensor", {last, 2})->output(1)})
               ->output();
  }
  graph.set_outputs({last});
  return graph;
}

double best_seconds(const std::function<void()>& prepare, const std::function<void()>& run) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    prepare();
    const std::clock_t begin = std::clock();
    run();
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

void report(const char* what, const std::function<void(Graph&)>& run) {
  const auto seconds = [&](size_t count) {
    std::unique_ptr<Module> module;
    Graph* graph = nullptr;
    return best_seconds(
        [&] {
          module = std::make_unique<Module>(tiny_ops());
          graph = &wide_graph(*module, count);
        },
        [&] { run(*graph); });
  };
  const double small = seconds(25'000);
  const double large = seconds(100'000);
  std::printf("%-22s %9.2f ms %9.2f ms %6.2f\n", what, small * 1e3, large * 1e3, large / small);
}

void report_all() {
  std::printf("%-22s %12s %12s %6s\n", "", "25k nodes", "100k nodes", "ratio");
  report("print", [](Graph& graph) { to_string(graph); });
  report("parse", [](Graph& graph) { module_of(to_string(graph)); });
  report("verify", [](Graph& graph) { verify(graph); });
  report("verify, no inference", [](Graph& graph) { verify(graph, {.infer_types = false}); });
  report("alias classes", [](Graph& graph) { AliasClasses{graph}; });
  report("hash", [](Graph& graph) { structural_hash(graph); });
  report("compare", [](Graph& graph) { structural_difference(graph, graph); });
  report("sort", [](Graph& graph) {
    graph.move_before(graph.first(), graph.return_node());
    sort_topologically(graph);
  });
  report("dead code", [](Graph& graph) { eliminate_dead_code(graph); });
  report("replace", [](Graph& graph) {
    for (Node* node : graph.in_order("aten.relu"))
      graph.replace_uses(node->output(), graph.input(0));
    graph.replace_uses(graph.input(0), graph.first()->output());
  });
  report("insert and roll back", [](Graph& graph) {
    graph.begin_transaction();
    for (Node* node : graph.in_order()) {
      const auto scope = graph.insert_before(node);
      graph.create("aten.relu", {graph.input(0)});
    }
    graph.rollback_transaction();
  });
}

}  // namespace
}  // namespace litz::ir

int main() { litz::ir::report_all(); }
