// Prepares patterns. See compiled_pattern.h.

#include "graph_tools/compiled_pattern.h"

#include <algorithm>

#include "ir/printer.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// Calls `visit` with every operand of a node and the slot that holds it.
template <typename Visit>
void for_each_operand(const Node& node, Visit visit) {
  for (size_t i = 0; i < node.arguments().size(); ++i) {
    const std::span<const Value> values = node.arguments()[i].values();
    for (size_t k = 0; k < values.size(); ++k) {
      if (values[k]) visit(values[k], i, k);
    }
  }
}

}  // namespace

CompiledPattern::CompiledPattern(const Graph& pattern) : graph_(pattern) {
  for (const Node* node = pattern.first(); node != nullptr; node = node->next()) {
    index_.emplace(node, index_.size());
    bool is_sink = node->output_count() > 0;
    for (const Value output : node->outputs()) {
      for (const Node* user : output.users()) is_sink = is_sink && user == pattern.return_node();
    }
    if (is_sink) sinks_.push_back(node);
  }
  for (const Argument& output : pattern.outputs()) {
    require(output.is_value(), ErrorCode::invalid_argument,
            "a pattern must return values only:", pattern.name());
  }
  require(!index_.empty() && !pattern.outputs().empty(), ErrorCode::invalid_argument,
          "a pattern must have nodes and results:", pattern.name());
  require_live();
  std::vector<bool> nodes(index_.size());
  std::vector<bool> inputs(pattern.input_count());
  for (const Node* sink : sinks_) {
    links_.push_back(link(*sink, nodes, inputs));
    mark_known(*sink, nodes, inputs);
  }
}

void CompiledPattern::require_live() const {
  std::vector<bool> live(index_.size());
  for (const Argument& output : graph_.outputs()) {
    if (const Node* producer = output.value().producer()) live[index(*producer)] = true;
  }
  for (const Node* node = graph_.last(); node != nullptr; node = node->prev()) {
    if (!live[index(*node)]) {  // Printing a node takes time linear in the graph.
      fail(ErrorCode::invalid_argument,
           "every node of a pattern must lead to a result:", to_string(*node));
    }
    for (size_t i = 0; i < node->input_count(); ++i) {
      if (const Node* producer = node->input(i).producer()) live[index(*producer)] = true;
    }
  }
}

// Searches breadth first for a short path with few candidates, and through nodes rather than
// arguments, which may be weights with many readers.
PatternLink CompiledPattern::link(const Node& sink, const std::vector<bool>& known_nodes,
                                  const std::vector<bool>& known_inputs) const {
  struct Way {
    const Node* node;
    size_t result;    ///< The result of the node that the reader reads.
    size_t reader;    ///< The reader's index in `ways`.
    size_t argument;  ///< The slot of the reader.
    size_t element;
  };

  std::vector<Way> ways{{&sink, 0, 0, 0, 0}};
  const auto steps_up = [&](size_t way, size_t argument, size_t element) {
    std::vector<PatternStep> steps{{ways[way].node, argument, element, ways[way].result}};
    while (way != 0) {
      const Way& lower = ways[way];
      way = lower.reader;
      steps.push_back({ways[way].node, lower.argument, lower.element, ways[way].result});
    }
    return steps;
  };
  PatternLink through_node;
  PatternLink through_input;
  std::vector<bool> visited(index_.size());
  for (size_t at = 0; at < ways.size() && !through_node.from; ++at) {
    for_each_operand(*ways[at].node, [&](Value value, size_t argument, size_t element) {
      const Node* producer = value.producer();
      const bool known =
          producer != nullptr ? known_nodes[index(*producer)] : known_inputs[value.index()];
      if (known) {
        PatternLink& link = producer != nullptr ? through_node : through_input;
        if (!link.from) link = {value, steps_up(at, argument, element)};
      } else if (producer != nullptr && !visited[index(*producer)]) {
        visited[index(*producer)] = true;
        ways.push_back({producer, value.index(), at, argument, element});
      }
    });
  }
  return through_node.from ? through_node : through_input;
}

void CompiledPattern::mark_known(const Node& sink, std::vector<bool>& nodes,
                                 std::vector<bool>& inputs) const {
  std::vector<const Node*> stack{&sink};
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    if (nodes[index(*node)]) continue;
    nodes[index(*node)] = true;
    for_each_operand(*node, [&](Value value, size_t, size_t) {
      if (value.producer() != nullptr) {
        stack.push_back(value.producer());
      } else {
        inputs[value.index()] = true;
      }
    });
  }
}

bool CompiledPattern::returns(Value value) const {
  return std::ranges::any_of(graph_.outputs(),
                             [&](const Argument& output) { return output.value() == value; });
}

}  // namespace litz::ir
