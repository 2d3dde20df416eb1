#include "trace/tracer.h"

#include <utility>

#include "support/check.h"
#include "support/text.h"

namespace litz::trace {

TensorType type_of(const Tensor& tensor) {
  TensorType type;
  type.dtype = tensor.dtype();
  type.device = tensor.device();
  type.sizes.assign(tensor.sizes().begin(), tensor.sizes().end());
  type.strides.assign(tensor.strides().begin(), tensor.strides().end());
  type.offset = 0;
  return type;
}

Tracer::Tracer(std::shared_ptr<const ir::OpSet> ops) {
  program_.module = std::make_unique<ir::Module>(std::move(ops));
  program_.main = {program_.module->add_graph("main").id()};
}

ir::Value Tracer::add_input(const TensorType& type, std::string label, Origin origin) {
  const ir::Value value = graph().add_input(label, type);
  program_.inputs.push_back({.kind = InputKind::user, .label = std::move(label)});
  origins_.push_back(std::move(origin));
  return value;
}

ir::Value Tracer::add_argument(const TensorType& type, std::string label) {
  return add_input(type, std::move(label), {});
}

ir::Value Tracer::capture(const Tensor& tensor) {
  const Place place{tensor.storage().get(), tensor.dtype(), tensor.sizes(), tensor.strides(),
                    tensor.offset()};
  const auto [found, is_new] = captured_.try_emplace(place);
  if (is_new) {
    found->second =
        add_input(type_of(tensor), "captured" + std::to_string(captured_.size() - 1), tensor);
  }
  return found->second;
}

ir::Value Tracer::capture(ir::Value outer) {
  const auto [found, is_new] = captured_values_.try_emplace(outer.data());
  if (is_new) {
    TensorType type = outer.tensor();
    type.offset = 0;
    found->second = add_input(type, outer.name().empty() ? "outer" : outer.name(), outer);
  }
  return found->second;
}

std::vector<ir::Value> Tracer::call(std::string_view op, std::vector<ir::Argument> arguments) {
  require(!is_finished(), "a traced tensor can only be used while its function is traced:", op);
  return graph().create(op, std::move(arguments))->outputs();
}

std::vector<ir::Argument> Tracer::add_program(const ir::Program& program,
                                              std::span<const ir::Value> inputs) {
  const ir::Graph& source = program.graph();
  require(program.module->graphs().size() == 1 && program.module->exprs().symbol_count() == 0,
          ErrorCode::unsupported,
          "a gradient inside of a traced function must be of a function without control flow and "
          "without sizes that depend on data");
  std::map<const ir::ValueData*, ir::Value> copies;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) copies[source.input(i).data()] = inputs[i];
  }
  const auto copied = [&](const ir::Argument& argument) -> ir::Argument {
    if (argument.is_value()) return copies.at(argument.value().data());
    if (!argument.is_value_list()) return argument;
    std::vector<ir::Value> values;
    for (const ir::Value value : argument.values()) {
      values.push_back(value ? copies.at(value.data()) : ir::Value());
    }
    return values;
  };
  for (const ir::Node* node = source.first(); node != nullptr; node = node->next()) {
    std::vector<ir::Argument> arguments;
    for (const ir::Argument& argument : node->arguments()) arguments.push_back(copied(argument));
    std::vector<ir::ValueType> types;
    for (const ir::Value result : node->outputs()) types.push_back(result.type());
    const ir::OpInfo* const op = program_.module->ops().find(node->op().name());
    require(op != nullptr, ErrorCode::unsupported, "no operator has the name", node->op().name());
    ir::Node* const copy = graph().create_typed(*op, std::move(arguments), std::move(types));
    graph().set_location(copy, node->location());
    for (size_t i = 0; i < node->output_count(); ++i) {
      copies[node->output(i).data()] = copy->output(i);
    }
  }
  std::vector<ir::Argument> outputs;
  for (const ir::Argument& output : source.outputs()) outputs.push_back(copied(output));
  return outputs;
}

ir::Program Tracer::finish(std::vector<ir::Argument> outputs) {
  check(!is_finished(), "a program is finished once");
  for (size_t i = 0; i < outputs.size(); ++i) {
    program_.outputs.push_back({.kind = OutputKind::user, .label = "out" + std::to_string(i)});
  }
  graph().set_outputs(std::move(outputs));
  return std::exchange(program_, {});
}

}  // namespace litz::trace
