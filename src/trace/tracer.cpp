#include "trace/tracer.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "ir/graph_data.h"
#include "ir/inferred_types.h"
#include "ir/streams.h"
#include "ops/user_operators.h"
#include "support/check.h"
#include "support/text.h"
#include "types/span_bytes.h"

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

Tracer::Tracer(std::shared_ptr<const ir::OpSet> ops, std::shared_ptr<CallSizes> sizes)
    : sizes_(std::move(sizes)) {
  program_.module = sizes_ == nullptr
                        ? std::make_unique<ir::Module>(std::move(ops))
                        : std::make_unique<ir::Module>(std::move(ops), sizes_->exprs());
  program_.main = {program_.module->add_graph("main").id()};
}

ir::Value Tracer::add_input(const TensorType& type, std::string label, Origin origin) {
  const ir::Value value = graph().add_input(label, type);
  program_.inputs.push_back({.kind = InputKind::user, .label = std::move(label)});
  origins_.push_back(std::move(origin));
  owners_.emplace_back();
  return value;
}

ir::Value Tracer::add_argument(const TensorType& type, std::string label) {
  return add_input(type, std::move(label), {});
}

ir::Value Tracer::capture(const Tensor& tensor, std::shared_ptr<void> owner) {
  const Place place{tensor.storage().get(), tensor.dtype(),  tensor.sizes(),
                    tensor.strides(),       tensor.offset(), owner.get()};
  const auto [found, is_new] = captured_.try_emplace(place);
  if (is_new) {
    found->second =
        add_input(type_of(tensor), "captured" + std::to_string(captured_.size() - 1), tensor);
    owners_.back() = std::move(owner);
  }
  return found->second;
}

void Tracer::bind_arguments(std::span<const Tensor> tensors) {
  size_t next = 0;
  for (Origin& origin : origins_) {
    if (std::holds_alternative<std::monostate>(origin)) origin = tensors[next++];
  }
}

ir::Value Tracer::capture(ir::Value outer) {
  const auto [found, is_new] = captured_values_.try_emplace(outer.data());
  if (is_new) {
    found->second = add_input(outer.tensor(), outer.name().empty() ? "outer" : outer.name(), outer);
  }
  return found->second;
}

std::vector<ir::Value> Tracer::call(std::string_view op, std::vector<ir::Argument> arguments) {
  require(!is_finished(), "a traced tensor can only be used while its function is traced:", op);
  if (sizes_ != nullptr) sizes_->set_asker(op);
  const ir::OpInfo* const info = program_.module->ops().find(op);
  const bool is_users = info != nullptr && info->origin == ir::OpOrigin::user;
  const std::vector<ir::Value> results = (is_users ? call_of_user(*info, std::move(arguments))
                                                   : graph().create(op, std::move(arguments)))
                                             ->outputs();
  if (sizes_ != nullptr) {
    for (const ir::Value result : results) settle_sizes(result);
    sizes_->set_asker({});
  }
  return results;
}

ir::Node* Tracer::call_of_user(const ir::OpInfo& op, std::vector<ir::Argument> arguments) {
  ir::bind_arguments(op, arguments, *program_.module);
  ir::FreshSymbols symbols(*program_.module);
  std::vector<ir::ValueType> types = ops::types_of_call(op, arguments, symbols);
  return graph().create_typed(op, std::move(arguments), std::move(types));
}

/// Operators treat sizes of 0 and 1 in their own way and know them by being numbers.
void Tracer::settle_sizes(ir::Value value) {
  if (!value.is_tensor()) return;
  for (const Expr size : value.tensor().sizes) {
    if (size.is_constant() || known_less_equal(2, size)) continue;
    sizes_->fix(size);
  }
}

std::vector<ir::Argument> Tracer::add_program(const ir::Program& program,
                                              std::span<const ir::Value> inputs) {
  require_own_sizes(program);
  return copy_nodes(program.graph(), graph(), inputs);
}

std::vector<ir::Argument> Tracer::add_graph(const ir::Graph& source,
                                            std::span<const ir::Value> inputs) {
  return copy_nodes(source, graph(), inputs);
}

ir::GraphRef Tracer::add_child(const ir::Program& program, std::span<const TensorType> types,
                               std::span<const size_t> places) {
  require_own_sizes(program);
  ir::Graph& child = program_.module->add_graph("child");
  std::vector<ir::Value> all;
  for (const TensorType& type : types) all.push_back(child.add_input("", type));
  std::vector<ir::Value> inputs;
  for (const size_t place : places) inputs.push_back(all[place]);
  child.set_outputs(copy_nodes(program.graph(), child, inputs));
  return {child.id()};
}

void Tracer::require_own_sizes(const ir::Program& program) const {
  const bool has_own_sizes = program.module->shared_exprs() != program_.module->shared_exprs() &&
                             program.module->exprs().symbol_count() > 0;
  require(!has_own_sizes, ErrorCode::unsupported,
          "a gradient, condition or loop inside of a traced function must be of a function without "
          "sizes that depend on data");
}

/// A graph of another module that nodes can name here, too.
ir::GraphRef Tracer::copy_child(const ir::Graph& source) {
  ir::Graph& child = program_.module->add_graph(source.name());
  std::vector<ir::Value> inputs;
  for (const ir::Value input : source.inputs()) {
    inputs.push_back(child.add_input(input.name(), input.type()));
  }
  child.set_outputs(copy_nodes(source, child, inputs));
  return {child.id()};
}

/// The outputs of a graph whose nodes are now nodes of `target`, too.
std::vector<ir::Argument> Tracer::copy_nodes(const ir::Graph& source, ir::Graph& target,
                                             std::span<const ir::Value> inputs) {
  std::map<const ir::ValueData*, ir::Value> copies;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i]) copies[source.input(i).data()] = inputs[i];
  }
  const auto copied = [&](const ir::Argument& argument) -> ir::Argument {
    if (argument.is_value()) return copies.at(argument.value().data());
    if (!argument.is_value_list()) {
      const auto* called = std::get_if<ir::GraphRef>(&argument.attribute());
      return called == nullptr ? argument : copy_child(source.module().graph(*called));
    }
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
    ir::Node* const copy = target.create_typed(*op, std::move(arguments), std::move(types));
    target.set_location(copy, node->location());
    ir::Annotations annotations = node->annotations();
    // The program around it numbers its own streams.
    annotations.erase(std::string(ir::kStreamAnnotation));
    target.set_annotations(copy, std::move(annotations));
    for (size_t i = 0; i < node->output_count(); ++i) {
      copies[node->output(i).data()] = copy->output(i);
    }
  }
  std::vector<ir::Argument> outputs;
  for (const ir::Argument& output : source.outputs()) outputs.push_back(copied(output));
  return outputs;
}

namespace {

bool writes(const ir::Graph& graph) {
  for (const ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op().schema.mutates()) return true;
  }
  return false;
}

/// Infers all types again: views of what is now a view begin elsewhere.
void renew_types(ir::Graph& graph) {
  for (ir::Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (node->op().infer == nullptr) continue;
    const std::vector<ir::ValueType> types = ir::inferred_types(*node);
    for (size_t i = 0; i < types.size(); ++i) graph.set_type(node->output(i), types[i]);
  }
}

/// The bytes from the first element to behind the last.
std::pair<int64_t, int64_t> extent_of(const Tensor& tensor) {
  const int64_t begin = tensor.offset() * item_size(tensor.dtype());
  return {begin, begin + static_cast<int64_t>(span_bytes(tensor))};
}

}  // namespace

void Tracer::share_memory() {
  std::map<std::pair<const Storage*, DType>, std::vector<size_t>> by_storage;
  for (size_t i = 0; i < origins_.size(); ++i) {
    if (const auto* tensor = std::get_if<Tensor>(&origins_[i])) {
      by_storage[{tensor->storage().get(), tensor->dtype()}].push_back(i);
    }
  }
  std::vector<size_t> viewed;
  for (auto& [storage, inputs] : by_storage) {
    std::ranges::sort(inputs, {},
                      [&](size_t i) { return extent_of(std::get<Tensor>(origins_[i])); });
    int64_t end = INT64_MIN;
    bool meet = false;
    for (const size_t i : inputs) {
      const auto extent = extent_of(std::get<Tensor>(origins_[i]));
      meet = meet || extent.first < end;
      end = std::max(end, extent.second);
    }
    if (!meet) continue;
    view_one_memory(inputs);
    viewed.insert(viewed.end(), inputs.begin(), inputs.end());
  }
  if (!viewed.empty()) renew_types(graph());
  std::ranges::sort(viewed, std::greater<>());
  for (const size_t i : viewed) {
    graph().erase_input(i);
    program_.inputs.erase(program_.inputs.begin() + static_cast<std::ptrdiff_t>(i));
    origins_.erase(origins_.begin() + static_cast<std::ptrdiff_t>(i));
    owners_.erase(owners_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

/// Adds an input for all elements of a storage, and nodes in place of the inputs that view it.
void Tracer::view_one_memory(const std::vector<size_t>& inputs) {
  const Tensor first = std::get<Tensor>(origins_[inputs.front()]);
  const int64_t count = static_cast<int64_t>(first.storage()->size()) / item_size(first.dtype());
  const Tensor elements(first.dtype(), {count}, {1}, 0, first.storage());
  const ir::Value memory =
      add_input(type_of(elements), "memory" + std::to_string(origins_.size()), elements);
  const auto list = [](const std::vector<int64_t>& numbers) {
    return ir::Attribute(ir::Scalars(numbers.begin(), numbers.end()));
  };
  const auto scope = graph().insert_before(graph().first());
  for (const size_t i : inputs) {
    const Tensor& tensor = std::get<Tensor>(origins_[i]);
    const ir::Value view =
        graph()
            .create("aten.as_strided", {memory, list(tensor.sizes()), list(tensor.strides()),
                                        ir::Attribute(Expr(tensor.offset()))})
            ->output();
    graph().replace_uses(graph().input(i), view);
    if (owners_.back() == nullptr) owners_.back() = owners_[i];
  }
}

ir::Program Tracer::finish(std::vector<ir::Argument> outputs) {
  check(!is_finished(), "a program is finished once");
  for (size_t i = 0; i < outputs.size(); ++i) {
    program_.outputs.push_back({.kind = OutputKind::user, .label = "out" + std::to_string(i)});
  }
  graph().set_outputs(std::move(outputs));
  if (writes(graph())) share_memory();
  return std::exchange(program_, {});
}

}  // namespace litz::trace
