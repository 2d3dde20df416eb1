#include "graph_tools/minimize.h"

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "ir/child_graphs.h"
#include "ir/dead_code.h"
#include "ir/graph.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// Removes nodes [begin, begin + count); those of their results that are read become inputs.
void cut_nodes(Graph& graph, size_t begin, size_t count) {
  std::vector<Node*> nodes = graph.in_order();
  nodes.erase(nodes.begin() + static_cast<ptrdiff_t>(std::min(begin + count, nodes.size())),
              nodes.end());
  nodes.erase(nodes.begin(), nodes.begin() + static_cast<ptrdiff_t>(std::min(begin, nodes.size())));
  std::ranges::reverse(nodes);
  for (Node* node : nodes) {
    for (const Value output : node->outputs()) {
      if (output.has_uses()) graph.replace_uses(output, graph.add_input("cut", output.type()));
    }
    graph.erase(node);
  }
}

// Replaces a node's result by the first operand of the same type.
void bypass_node(Graph& graph, size_t position) {
  Node* node = graph.in_order().at(position);
  if (node->output_count() != 1) return;
  for (size_t i = 0; i < node->input_count(); ++i) {
    if (node->input(i).type() != node->output().type()) continue;
    graph.replace_uses(node->output(), node->input(i));
    return;
  }
}

void clean(Module& module, Graph& graph) {
  eliminate_dead_code(graph);
  for (size_t i = graph.input_count(); i-- > 0;) {
    if (!graph.input(i).has_uses()) graph.erase_input(i);
  }
  const std::vector<Graph*> reached = post_order(graph);
  for (Graph* other : module.graphs()) {
    if (std::ranges::find(reached, other) == reached.end()) module.erase_graph({other->id()});
  }
}

class Minimizer {
 public:
  Minimizer(std::string_view text, std::shared_ptr<const OpSet> ops,
            const std::function<bool(std::string_view)>& fails, size_t attempts)
      : text_(text), ops_(std::move(ops)), fails_(fails), attempts_left_(attempts) {}

  std::string run() {
    check(fails_(text_), "only what fails can be cut down while it does");
    for (bool smaller = true; smaller && attempts_left_ > 0;) {
      smaller = return_less();
      smaller = cut_runs() || smaller;
      smaller = bypass() || smaller;
    }
    return text_;
  }

 private:
  template <typename Count>
  size_t counted(Count count) const {
    const std::unique_ptr<Module> module = read_module(text_, ops_);
    return count(main_of(*module));
  }

  static Graph& main_of(const Module& module) {
    Graph* graph = module.find_graph("main");
    require(graph != nullptr, "a program to cut down must have a graph @main");
    return *graph;
  }

  size_t node_count() const {
    return counted([](const Graph& graph) { return graph.node_count(); });
  }

  template <typename Edit>
  bool attempt(const Edit& edit) {
    if (attempts_left_ == 0) return false;
    try {
      const std::unique_ptr<Module> module = read_module(text_, ops_);
      Graph& graph = main_of(*module);
      edit(graph);
      clean(*module, graph);
      std::string candidate = to_string(*module);
      if (candidate == text_) return false;
      --attempts_left_;
      if (!fails_(candidate)) return false;
      text_ = std::move(candidate);
      return true;
    } catch (const std::exception&) {
      return false;  // The candidate is not a valid program, or fails in another way.
    }
  }

  bool return_less() {
    const size_t count = counted([](const Graph& graph) { return graph.outputs().size(); });
    for (size_t i = 0; count > 1 && i < count; ++i) {
      if (attempt([i](Graph& graph) { graph.set_outputs({graph.outputs()[i]}); })) return true;
    }
    bool smaller = false;
    for (size_t i = count; count > 1 && i-- > 0;) {
      smaller = attempt([i](Graph& graph) {
                  std::vector<Argument> rest(graph.outputs().begin(), graph.outputs().end());
                  if (rest.size() > 1) rest.erase(rest.begin() + static_cast<ptrdiff_t>(i));
                  graph.set_outputs(std::move(rest));
                }) ||
                smaller;
    }
    return smaller;
  }

  // Tries long runs of nodes first: a few attempts remove most of a large program.
  bool cut_runs() {
    bool smaller = false;
    for (size_t run = std::max<size_t>(node_count() / 2, 1);; run /= 2) {
      for (size_t begin = 0; begin < node_count();) {
        const bool cut = attempt([begin, run](Graph& graph) { cut_nodes(graph, begin, run); });
        smaller = smaller || cut;
        if (!cut) begin += run;
        if (attempts_left_ == 0) return smaller;
      }
      if (run == 1) return smaller;
    }
  }

  bool bypass() {
    bool smaller = false;
    for (size_t position = node_count(); position-- > 0;) {
      if (position >= node_count()) continue;
      smaller = attempt([position](Graph& graph) { bypass_node(graph, position); }) || smaller;
    }
    return smaller;
  }

  std::string text_;
  std::shared_ptr<const OpSet> ops_;
  const std::function<bool(std::string_view)>& fails_;
  size_t attempts_left_;
};

}  // namespace

std::string minimize(std::string_view text, std::shared_ptr<const OpSet> ops,
                     const std::function<bool(std::string_view)>& fails,
                     const MinimizeOptions& options) {
  return Minimizer(text, std::move(ops), fails, options.max_attempts).run();
}

}  // namespace litz::ir
