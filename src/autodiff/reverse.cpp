#include "autodiff/reverse.h"

#include <functional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "autodiff/branches.h"
#include "autodiff/joint_graph.h"
#include "ir/streams.h"
#include "ops/gradients/gradient_table.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ir::Graph;
using ir::Node;
using ir::Value;
using ops::Gradient;
using ops::GradientCall;
using ops::GradientKind;

bool can_vary(Value value) {
  if (!value.is_tensor()) return false;
  const DType dtype = value.tensor().dtype;
  return is_floating(dtype) || is_complex(dtype);
}

bool is_constant(const Node& node) {
  const Gradient* gradient = ops::find_gradient(node.op().name());
  return gradient != nullptr && gradient->kind == GradientKind::constant;
}

std::string place(const Node& node) {
  std::string text = "of node %" + (node.output_count() > 0 ? node.output().name() : "") + " = " +
                     std::string(node.op().name());
  const ir::Location& location = node.location();
  if (!location.file.empty()) {
    text += ", " + location.file + ":" + std::to_string(location.line);
  }
  return "while building the gradient " + text;
}

class Reverse {
 public:
  Reverse(Graph& graph, const Request& request) : graph_(graph) {
    for (const size_t i : request.inputs) {
      require(can_vary(graph.input(i)),
              "only floating and complex inputs have gradients:", graph.input(i).name(),
              ir::to_string(graph.input(i).type()));
      active_.insert(graph.input(i).data());
    }
    for (Node* node : graph.in_order()) {
      if (is_active(*node)) activate(*node);
    }
  }

  bool is_active(Value value) const { return active_.contains(value.data()); }

  /// The gradient of an output of the loss, before anything else.
  void begin(Value output, Value cotangent) {
    cotangents_.insert(cotangent.data());
    if (cotangent.producer() != nullptr) mark_backward(cotangent.producer(), kGradientNode);
    if (is_active(output)) accumulate(output, cotangent);
  }

  void run(const std::vector<Node*>& nodes) {
    for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) differentiate(*node);
  }

  Value gradient(Value value) const {
    const auto found = gradients_.find(value.data());
    return found == gradients_.end() ? Value() : found->second;
  }

 private:
  void accumulate(Value value, Value gradient) {
    Value& sum = gradients_[value.data()];
    if (!sum) {
      sum = gradient;
      return;
    }
    Node* added = graph_.create("aten.add.Tensor", {sum, gradient});
    claim(added);
    sum = added->output();
  }

  /// Gives a node that a formula made its own annotations.
  void claim(Node* node) {
    // Gradients draw no random numbers, so they have no stream.
    if (ir::stream_of(*node) != 0) ir::set_stream(node, 0);
    for (size_t i = 0; i < node->input_count(); ++i) {
      if (!cotangents_.contains(node->input(i).data())) continue;
      mark_backward(node, kGradientNode);
      for (const Value output : node->outputs()) cotangents_.insert(output.data());
      return;
    }
  }

  bool is_active(const Node& node) const {
    for (size_t i = 0; i < node.input_count(); ++i) {
      if (is_active(node.input(i))) return !is_constant(node);
    }
    return false;
  }

  void activate(const Node& node) {
    for (const Value output : node.outputs()) {
      if (can_vary(output)) active_.insert(output.data());
    }
  }

  void differentiate(Node* node) {
    std::vector<Value> gradients;
    bool is_needed = false;
    for (const Value output : node->outputs()) {
      gradients.push_back(is_active(output) ? gradient(output) : Value());
      is_needed = is_needed || gradients.back();
    }
    if (!is_needed) return;
    try {
      build(node, gradients);
    } catch (Error& error) {
      error.add_note(place(*node));
      throw;
    }
  }

  void build(Node* node, const std::vector<Value>& gradients) {
    const Node* before = graph_.last();
    Node* const sources[] = {node};
    const auto scope = graph_.insert_for(graph_.return_node(), sources);
    const auto is_wanted = [this](Value value) { return is_active(value); };
    const auto given = gradients_of(node, gradients, is_wanted);
    for (Node* made = before->next(); made != nullptr; made = made->next()) claim(made);
    for (const auto& [operand, gradient] : given) accumulate(operand, gradient);
  }

  static std::vector<std::pair<Value, Value>> gradients_of(
      Node* node, const std::vector<Value>& gradients,
      const std::function<bool(Value)>& is_wanted) {
    if (node->is("higher_order.custom_gradient")) {
      return stated_gradients(*node, gradients, is_wanted);
    }
    if (calls_branches(*node)) return branch_gradients(*node, gradients, is_wanted);
    return by_formula(*node, gradients, is_wanted);
  }

  static std::vector<std::pair<Value, Value>> by_formula(
      const Node& node, const std::vector<Value>& gradients,
      const std::function<bool(Value)>& is_wanted) {
    const Gradient* formula = ops::find_gradient(node.op().name());
    require(formula != nullptr, ErrorCode::unsupported,
            "an operator has no gradient:", node.op().name());
    require(formula->kind != GradientKind::undefined, ErrorCode::unsupported,
            "an operator has no gradient:", node.op().name(), formula->why);
    GradientCall call(node, gradients, is_wanted);
    formula->build(call);
    call.require_complete();
    return {call.given().begin(), call.given().end()};
  }

  Graph& graph_;
  std::unordered_set<const ir::ValueData*> active_;
  std::unordered_map<const ir::ValueData*, Value> gradients_;
  std::unordered_set<const ir::ValueData*> cotangents_;  ///< What depends on cotangents.
};

}  // namespace

Joint add_gradients(Graph& graph, const Request& request) {
  Joint joint;
  std::vector<ir::Argument> outputs(graph.outputs().begin(), graph.outputs().end());
  const std::vector<Node*> nodes = graph.in_order();
  Reverse reverse(graph, request);
  for (const size_t i : request.outputs) {
    require(outputs[i].is_value() && can_vary(outputs[i].value()),
            "a loss depends on floating or complex outputs, not on output", i);
    const Value output = outputs[i].value();
    Value cotangent;
    if (request.cotangents == Cotangents::inputs) {
      joint.cotangents.push_back(graph.input_count());
      TensorType type = output.tensor();
      type = contiguous_type(type.dtype, type.sizes, type.device);
      cotangent = graph.add_input("cotangent_" + std::to_string(i), type);
    } else {
      cotangent = graph.create("aten.ones_like", {output})->output();
    }
    reverse.begin(output, cotangent);
  }
  reverse.run(nodes);
  for (const size_t i : request.inputs) {
    const Value gradient = reverse.gradient(graph.input(i));
    joint.gradients.push_back(gradient ? std::optional(outputs.size()) : std::nullopt);
    if (gradient) outputs.emplace_back(gradient);
  }
  graph.set_outputs(std::move(outputs));
  return joint;
}

}  // namespace litz::autodiff
