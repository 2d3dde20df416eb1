#include "ir/placement.h"

#include <algorithm>

namespace litz::ir {
namespace {

/// Calls visit(value) for the arguments of a graph and all results in it.
template <typename Visit>
void for_each_tensor(const Graph& graph, const Visit& visit) {
  const auto look = [&](Value value) {
    if (value.is_tensor()) visit(value);
  };
  for (const Value input : graph.inputs()) look(input);
  for (const Node* node = graph.first(); node != nullptr; node = node->next()) {
    for (const Value output : node->outputs()) look(output);
  }
}

/// A conversion that may return its operand must copy if it used to change the device.
void keep_copy(Graph& graph, Node* node) {
  if (node->op().schema.find("copy") < 0 || node->input_count() == 0) return;
  const Value from = node->input(0);
  if (node->output_count() != 1 || !from.is_tensor() || !node->output().is_tensor()) return;
  if (from.tensor().device == node->output().tensor().device) return;
  graph.set_argument(node, "copy", Argument(Attribute(Expr::boolean(true))));
}

void place_arguments(Graph& graph, Node* node, Device device) {
  for (const SchemaArgument& parameter : node->op().schema.arguments) {
    const Argument& argument = node->argument(parameter.name);
    if (!argument.is_attribute()) continue;
    if (std::holds_alternative<Device>(argument.attribute())) {
      graph.set_argument(node, parameter.name, Argument(Attribute(device)));
    }
  }
}

}  // namespace

std::vector<Device> devices_of(const Module& module) {
  std::vector<Device> devices;
  for (const Graph* graph : module.graphs()) {
    for_each_tensor(*graph, [&](Value value) {
      const Device device = value.tensor().device;
      if (std::ranges::find(devices, device) == devices.end()) devices.push_back(device);
    });
  }
  return devices;
}

std::string to_string(std::span<const Device> devices) {
  std::string text;
  for (const Device device : devices) text += (text.empty() ? "" : ", ") + to_string(device);
  return text;
}

void place_on(Module& module, Device device) {
  for (Graph* graph : module.graphs()) {
    for (Node* node = graph->first(); node != nullptr; node = node->next()) keep_copy(*graph, node);
    for (Node* node = graph->first(); node != nullptr; node = node->next()) {
      place_arguments(*graph, node, device);
    }
    for_each_tensor(*graph, [&](Value value) {
      if (value.tensor().device == device) return;
      TensorType type = value.tensor();
      type.device = device;
      graph->set_type(value, ValueType(std::move(type)));
    });
  }
}

}  // namespace litz::ir
