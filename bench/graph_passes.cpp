// How times of proposing, fusing and inlining partitions grow with the graph: linear work gives
// ratios near 10.
//
//   build/release/bin/bench_graph_passes [NODES]    100,000, and ten times as many

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ops/op_table.h"
#include "passes/partition/fuse_partitions.h"
#include "passes/partition/partitioner.h"

namespace litz::passes {
namespace {

using ir::Value;

/// Whether node i is supported (relu) or not (exp), and what it reads.
struct Shape {
  const char* name;
  bool (*supported)(size_t i);
  bool is_chain;
};

constexpr Shape kShapes[] = {
    {"chain, every second node", [](size_t i) { return i % 2 == 0; }, true},
    {"chain, blocker every 4", [](size_t i) { return i % 4 != 3; }, true},
    {"chain, one set", [](size_t) { return true; }, true},
    {"wide, every second node", [](size_t i) { return i % 2 == 0; }, false},
};

struct Made {
  std::unique_ptr<ir::Module> module;
  ir::Graph* graph = nullptr;
};

// A chain, or nodes that read what stands 1000 nodes before them: a thousand chains side by side.
Made make_graph(const Shape& shape, size_t nodes) {
  constexpr size_t kWidth = 1000;
  Made made{.module = std::make_unique<ir::Module>(ops::standard_ops())};
  made.graph = &made.module->add_graph("main");
  ir::Graph& graph = *made.graph;
  const ir::OpInfo& relu = *made.module->ops().find("aten.relu");
  const ir::OpInfo& exp = *made.module->ops().find("aten.exp");
  const TensorType type = contiguous_type(DType::f32, {Expr(64)});
  const size_t reach = shape.is_chain ? 1 : kWidth;
  std::vector<Value> values(reach, graph.add_input("x", type));
  for (size_t i = 0; i < nodes; ++i) {
    Value& slot = values[i % reach];
    const ir::OpInfo& op = shape.supported(shape.is_chain ? i : i / reach + i) ? relu : exp;
    slot = graph.create_typed(op, {slot}, {type})->output();
  }
  graph.set_outputs({values.begin(), values.end()});
  return made;
}

double seconds(const std::function<void()>& run) {
  const std::clock_t begin = std::clock();
  run();
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

struct Times {
  double propose = 1e9;
  double fuse = 1e9;
  double inline_back = 1e9;
  size_t sets = 0;
};

Times measure(const Shape& shape, size_t nodes) {
  Times best;
  for (int i = 0; i < 3; ++i) {
    const Made made = make_graph(shape, nodes);
    Proposal proposal;
    std::vector<SplitPart> parts;
    best.propose = std::min(best.propose, seconds([&] {
                              proposal = propose_partitions(*made.graph, operators({"aten.relu"}),
                                                            {.single_nodes = true});
                            }));
    best.fuse = std::min(
        best.fuse, seconds([&] { parts = fuse_partitions(*made.graph, proposal.partitions); }));
    best.inline_back =
        std::min(best.inline_back, seconds([&] { inline_partitions(*made.graph, parts); }));
    best.sets = proposal.partitions.size();
  }
  return best;
}

void report(const char* shape, const char* what, double small, double large) {
  std::printf("%-26s %-8s %9.1f ms %9.1f ms %6.1f\n", shape, what, small * 1e3, large * 1e3,
              large / small);
  std::fflush(stdout);
}

void report_all(size_t nodes) {
  std::printf("%-26s %-8s %10zuk %14zuk %8s\n", "nodes", "", nodes / 1000, nodes / 100, "ratio");
  for (const Shape& shape : kShapes) {
    const Times small = measure(shape, nodes);
    const Times large = measure(shape, nodes * 10);
    report(shape.name, "propose", small.propose, large.propose);
    const std::string sets =
        std::to_string(small.sets) + " and " + std::to_string(large.sets) + " sets";
    report(sets.c_str(), "fuse", small.fuse, large.fuse);
    report("", "inline", small.inline_back, large.inline_back);
  }
}

}  // namespace
}  // namespace litz::passes

int main(int argc, char** argv) {
  litz::passes::report_all(argc > 1 ? std::stoul(argv[1]) : 100'000);
}
