// How long the tools on graphs take at 100,000 and 1,000,000 nodes: linear work gives ratios near
// 10, square near 100.
//
//   build/release/bin/bench_graph_tools [NODES... | WORD]      only tools with the word in their name

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graph_tools/drawing.h"
#include "graph_tools/fx_printer.h"
#include "graph_tools/subgraph_rewrite.h"
#include "graph_tools/type_propagation.h"
#include "ir/child_graphs.h"
#include "ir/dead_code.h"
#include "ir/dependences.h"
#include "ir/printer.h"
#include "ir/topological_sort.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/partition/split.h"

namespace litz {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;

ir::ValueType f32(Sizes sizes) { return contiguous_type(DType::f32, std::move(sizes)); }

// Chains, long use lists, several results, repeats and dead ends; rows are symbolic.
struct Subject {
  std::unique_ptr<ir::Module> module = std::make_unique<ir::Module>(ops::standard_ops());
  Graph* graph = nullptr;

  explicit Subject(size_t nodes) {
    graph = &module->add_graph("main");
    const Expr rows = module->exprs().add_symbol(
        {.name = "s0", .kind = SymbolKind::size, .range = {2, 4096}, .hint = std::nullopt});
    const Value x = graph->add_input("x", f32({rows, 8}));
    const Value bias = graph->add_input("bias", f32({8}));
    Value last = x;
    while (graph->node_count() < nodes) {
      const Value sine = make("aten.sin", {bias});  // The same node each time.
      const Value sum = make("aten.add.Tensor", {last, sine});
      graph->set_name(sum, "sum");
      make("aten.exp", {sum});  // Without readers.
      const Node* parts = graph->create("aten.split.Tensor", {sum, Expr(4), Expr(1)});
      const Value joined =
          make("aten.cat",
               {ir::Argument(std::vector<Value>{parts->output(1), parts->output(0)}), Expr(1)});
      const Value twice = make("aten.relu", {make("aten.relu", {joined})});
      last = make("aten.mul.Tensor", {twice, x});
    }
    graph->set_outputs({last});
  }

  Value make(std::string_view op, std::vector<ir::Argument> arguments) {
    return graph->create(op, std::move(arguments))->output();
  }
};

// Processor time, which others on the machine do not count in.
double seconds(size_t nodes, const std::function<void(Subject&)>& run) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    Subject subject(nodes);
    const std::clock_t begin = std::clock();
    run(subject);
    best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return best;
}

struct Settings {
  std::vector<size_t> counts;
  std::string word;
};

void report(const Settings& settings, const char* what, const std::function<void(Subject&)>& run) {
  if (std::string_view(what).find(settings.word) == std::string_view::npos) return;
  std::printf("%-28s", what);
  std::vector<double> times;
  times.reserve(settings.counts.size());
  for (const size_t count : settings.counts) {
    times.push_back(seconds(count, run));
    std::printf(" %9.1f ms", times.back() * 1e3);
  }
  if (times.size() > 1) std::printf(" %7.1f", times.back() / times.front());
  std::printf("\n");
  std::fflush(stdout);
}

void replace_pairs(Subject& subject) {
  Graph& pattern = subject.module->add_graph("pattern");
  const Value p = pattern.add_input("p", f32({8}));
  const Value once = pattern.create("aten.relu", {p})->output();
  pattern.set_outputs({pattern.create("aten.relu", {once})->output()});
  Graph& replacement = subject.module->add_graph("replacement");
  const Value q = replacement.add_input("q", f32({8}));
  replacement.set_outputs({replacement.create("aten.relu", {q})->output()});
  ir::replace_matches(*subject.graph, pattern, replacement);
}

void report_all(const Settings& settings) {
  std::printf("%-28s", "");
  for (const size_t count : settings.counts) std::printf(" %12zu", count);
  std::printf("   ratio\n");
  report(settings, "dead code", [](Subject& s) { ir::eliminate_dead_code(*s.graph); });
  report(settings, "equal nodes", [](Subject& s) {
    passes::PassContext context;
    passes::merge_equal_nodes(*s.graph, context);
  });
  report(settings, "sort", [](Subject& s) {
    s.graph->move_before(s.graph->first(), s.graph->return_node());
    ir::sort_topologically(*s.graph);
  });
  report(settings, "hidden dependences", [](Subject& s) { ir::hidden_dependences(*s.graph); });
  report(settings, "infer all types", [](Subject& s) { ir::infer_types(*s.graph); });
  report(settings, "propagate new sizes", [](Subject& s) {
    ir::propagate_types(*s.graph, std::vector<ir::ValueType>{f32({16, 8}), f32({8})});
  });
  report(settings, "update 1,000 edited nodes", [](Subject& s) {
    std::vector<Node*> edited;
    edited.reserve(1000);
    for (Node* node = s.graph->first(); edited.size() < 1000; node = node->next()) {
      edited.push_back(node);
    }
    ir::update_types(*s.graph, edited);
  });
  report(settings, "split into parts of 100", [](Subject& s) {
    int64_t at = 0;
    passes::split_graph(*s.graph, [&](const Node&) { return at++ / 100; });
  });
  report(settings, "split by 10 tags", [](Subject& s) {
    std::vector<std::string> tags;
    tags.reserve(10);
    for (int i = 0; i < 10; ++i) tags.push_back("t" + std::to_string(i));
    const size_t length = s.graph->node_count() / 10 + 1;
    size_t at = 0;
    passes::split_by_tags(*s.graph, tags,
                          [&](const Node&) -> std::string_view { return tags[at++ / length]; });
  });
  report(settings, "clone", [](Subject& s) { ir::clone_graph(*s.graph, "copy"); });
  report(settings, "match and replace", replace_pairs);
  report(settings, "print", [](Subject& s) { ir::to_string(*s.graph); });
  report(settings, "print as torch.fx", [](Subject& s) { ir::fx_text(*s.graph); });
  report(settings, "print as program", [](Subject& s) { ir::program_text(*s.graph); });
  report(settings, "draw as DOT", [](Subject& s) { ir::dot(*s.graph); });
  report(settings, "draw as SVG", [](Subject& s) { ir::svg(*s.graph); });
}

}  // namespace
}  // namespace litz

int main(int argc, char** argv) {
  litz::Settings settings;
  for (int i = 1; i < argc; ++i) {
    const size_t count = std::strtoull(argv[i], nullptr, 10);
    if (count > 0) {
      settings.counts.push_back(count);
    } else {
      settings.word = argv[i];
    }
  }
  if (settings.counts.empty()) settings.counts = {100'000, 1'000'000};
  litz::report_all(settings);
}
