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

bool is_even(size_t i) { return i % 2 == 0; }

/// Numbers that look random, the same everywhere.
size_t scrambled(size_t i) { return (i * 0x9e3779b97f4a7c15U) >> 33; }

bool is_mostly_supported(size_t i) { return scrambled(i) % 8 != 0; }

/// Whether node i of `count` is supported (relu, add) or not (exp, sub), and its operands: the node
/// before it, or the one a thousand before, and perhaps another one.
struct Shape {
  const char* name;
  bool (*supported)(size_t i);
  bool is_chain;
  size_t (*other)(size_t i, size_t count) = nullptr;  ///< i: none.
};

constexpr Shape kShapes[] = {
    {"chain, every second node", is_even, true},
    {"chain, blocker every 4", [](size_t i) { return i % 4 != 3; }, true},
    {"chain, one set", [](size_t) { return true; }, true},
    {"wide, every second node", is_even, false},
    {"residual blocks", is_even, true,
     [](size_t i, size_t) { return i % 2 == 0 && i > 1 ? i - 2 : i; }},
    {"nested skips", is_even, true,
     [](size_t i, size_t count) { return i > count / 2 ? count - i : i; }},
    {"wide, random near reads", is_mostly_supported, false,
     [](size_t i, size_t) { return i > 3000 ? i - 1 - scrambled(i) % 3000 : i; }},
    {"wide, random far reads", is_mostly_supported, false,
     [](size_t i, size_t) { return i > 0 ? scrambled(i) % i : i; }},
    {"a table for all", is_even, true, [](size_t i, size_t) { return i > 0 ? size_t{0} : i; }},
};

struct Made {
  std::unique_ptr<ir::Module> module;
  ir::Graph* graph = nullptr;
};

// A chain, or nodes that read the node 1000 before them: a thousand parallel chains.
Made make_graph(const Shape& shape, size_t nodes) {
  constexpr size_t kWidth = 1000;
  Made made{.module = std::make_unique<ir::Module>(ops::standard_ops())};
  made.graph = &made.module->add_graph("main");
  ir::Graph& graph = *made.graph;
  const ir::OpInfo& relu = *made.module->ops().find("aten.relu");
  const ir::OpInfo& exp = *made.module->ops().find("aten.exp");
  const ir::OpInfo& add = *made.module->ops().find("aten.add.Tensor");
  const ir::OpInfo& sub = *made.module->ops().find("aten.sub.Tensor");
  const TensorType type = contiguous_type(DType::f32, {Expr(64)});
  const size_t reach = shape.is_chain ? 1 : kWidth;
  std::vector<Value> values(reach, graph.add_input("x", type));
  std::vector<Value> all;
  for (size_t i = 0; i < nodes; ++i) {
    Value& slot = values[i % reach];
    const bool supported = shape.supported(shape.is_chain ? i : i / reach + i);
    const size_t other = shape.other != nullptr ? shape.other(i, nodes) : i;
    const ir::OpInfo& op = other == i ? (supported ? relu : exp) : (supported ? add : sub);
    std::vector<ir::Argument> operands{slot};
    if (other != i) operands.emplace_back(all[other]);
    operands.resize(op.schema.arguments.size(), ir::Argument(ir::Attribute()));
    if (other != i) operands[2] = ir::Argument(ir::Attribute(Expr(1)));
    slot = graph.create_typed(op, std::move(operands), {type})->output();
    all.push_back(slot);
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
  double connected = 1e9;
  double propose = 1e9;
  double fuse = 1e9;
  double inline_back = 1e9;
  size_t sets = 0;
  size_t connected_sets = 0;
};

Times measure(const Shape& shape, size_t nodes) {
  Times best;
  for (int i = 0; i < 3; ++i) {
    const Made made = make_graph(shape, nodes);
    const Support support = operators({"aten.relu", "aten.add"});
    Proposal proposal;
    std::vector<SplitPart> parts;
    best.connected =
        std::min(best.connected, seconds([&] {
                   proposal = propose_partitions(*made.graph, support,
                                                 {.single_nodes = true, .join_unconnected = false});
                 }));
    best.connected_sets = proposal.partitions.size();
    best.propose = std::min(best.propose, seconds([&] {
                              proposal =
                                  propose_partitions(*made.graph, support, {.single_nodes = true});
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
  std::printf("%-26s %-9s %9.1f ms %9.1f ms %6.1f\n", shape, what, small * 1e3, large * 1e3,
              large / small);
  std::fflush(stdout);
}

void report_all(size_t nodes) {
  std::printf("%-26s %-9s %10zuk %14zuk %8s\n", "nodes", "", nodes / 1000, nodes / 100, "ratio");
  for (const Shape& shape : kShapes) {
    const Times small = measure(shape, nodes);
    const Times large = measure(shape, nodes * 10);
    report(shape.name, "propose", small.propose, large.propose);
    const std::string connected = std::to_string(small.connected_sets) + " and " +
                                  std::to_string(large.connected_sets) + " sets";
    report(connected.c_str(), "connected", small.connected, large.connected);
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
