#include "ops/composite.h"

#include <map>
#include <optional>

#include "ops/op_table.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::ArgKind;
using ir::Argument;

const ir::OpInfo& other(const ir::OpInfo& caller, const ir::Module& module) {
  const std::string_view name = definition(caller).stands_for;
  const ir::OpInfo* op = module.ops().find(name);
  check(op != nullptr, "an operator stands for one of the table:", caller.name(), name);
  return *op;
}

const ir::OpInfo& other(const Call& call) { return other(call.op(), call.module()); }

bool is_list(const ir::SchemaArgument& slot) {
  return slot.kind == ArgKind::tensor_list || slot.kind == ArgKind::scalar_list;
}

size_t entries(const Argument& list) {
  if (list.is_value_list()) return list.values().size();
  if (!list.is_attribute()) return 0;
  const auto* scalars = std::get_if<ir::Scalars>(&list.attribute());
  return scalars == nullptr ? 0 : scalars->size();
}

Argument entry(const Argument& list, size_t i) {
  if (list.is_value_list()) return list.values()[i];
  return ir::Attribute(std::get<ir::Scalars>(list.attribute())[i]);
}

// Lists must have one length, since each call takes an entry of every list.
size_t list_length(const Call& call) {
  std::optional<size_t> length;
  for (size_t i = 0; i < call.arguments().size(); ++i) {
    if (!is_list(call.op().schema.arguments[i])) continue;
    const size_t count = entries(call.arguments()[i]);
    require(length.value_or(count) == count, "C1: lists must be of one length:", call.op().name(),
            length.value_or(count), count);
    length = count;
  }
  require(length.value_or(0) > 0, "C1: a list must not be empty:", call.op().name());
  return *length;
}

// The arguments of the other operator; with a position, that entry of lists.
std::vector<Argument> other_arguments(const Call& call, const ir::OpInfo& op,
                                      std::optional<size_t> position) {
  std::vector<Argument> arguments;
  for (const ir::SchemaArgument& slot : op.schema.arguments) {
    arguments.emplace_back(slot.has_default ? Argument(slot.default_value) : Argument());
  }
  const auto& given = call.op().schema.arguments;
  for (size_t i = 0; i < given.size(); ++i) {
    const int named = op.schema.find(given[i].name);
    const size_t slot = named >= 0 ? static_cast<size_t>(named) : i;
    check(slot < arguments.size(), "an operator takes what another name of it takes:", op.name(),
          call.op().name());
    const Argument& argument = call.arguments()[i];
    arguments[slot] = position && is_list(given[i]) ? entry(argument, *position) : argument;
  }
  return arguments;
}

// Provides operands of a call on a temporary graph.
class ScratchGraph {
 public:
  explicit ScratchGraph(ir::Module& module)
      : module_(module), graph_(module.add_graph("types_of_a_decomposition")) {}

  ScratchGraph(const ScratchGraph&) = delete;
  ScratchGraph& operator=(const ScratchGraph&) = delete;

  ~ScratchGraph() { module_.erase_graph(ir::GraphRef{graph_.id()}); }

  ir::Graph& graph() { return graph_; }

  Argument operand(const Argument& argument) {
    if (argument.is_value()) return input(argument.value());
    if (!argument.is_value_list()) return argument;
    std::vector<ir::Value> inputs;
    for (const ir::Value& value : argument.values()) {
      inputs.push_back(value ? input(value) : value);
    }
    return inputs;
  }

 private:
  ir::Value input(ir::Value value) {
    const auto [place, added] = inputs_.try_emplace(value.data());
    if (added) place->second = graph_.add_input("operand", value.type());
    return place->second;
  }

  ir::Module& module_;
  ir::Graph& graph_;
  std::map<const ir::ValueData*, ir::Value> inputs_;  // For lookup only.
};

}  // namespace

Types other_types(const Call& call) {
  const ir::OpInfo& op = other(call);
  return definition(op).meta(Call(op, other_arguments(call, op, std::nullopt), call.context()));
}

std::vector<ir::Value> other_nodes(DecomposeCall& call) {
  const ir::OpInfo& op = other(call);
  return call.graph().create(op, other_arguments(call, op, std::nullopt))->outputs();
}

Types each_types(const Call& call) {
  const ir::OpInfo& op = other(call);
  Types types;
  for (size_t i = 0, count = list_length(call); i < count; ++i) {
    const std::vector<Argument> arguments = other_arguments(call, op, i);
    types.push_back(definition(op).meta(Call(op, arguments, call.context()))[0]);
  }
  return types;
}

std::vector<ir::Value> each_nodes(DecomposeCall& call) {
  const ir::OpInfo& op = other(call);
  std::vector<ir::Value> results;
  for (size_t i = 0, count = list_length(call); i < count; ++i) {
    results.push_back(call.graph().create(op, other_arguments(call, op, i))->output());
  }
  return results;
}

bool is_each(const ir::OpInfo& op) {
  if (op.definition == nullptr) return false;
  const auto* decompose = std::get_if<Decompose>(&definition(op).impl);
  return decompose != nullptr && decompose->build == each_nodes;
}

const ir::OpInfo& each_operator(const ir::OpInfo& op, const ir::Module& module) {
  return other(op, module);
}

std::vector<Argument> each_arguments(const ir::OpInfo& op, std::span<const Argument> arguments,
                                     const ir::OpInfo& called, size_t position) {
  const Call call(op, arguments, nullptr);
  list_length(call);
  return other_arguments(call, called, position);
}

Types decomposed_types(const Call& call) {
  ScratchGraph scratch(call.module());
  std::vector<Argument> operands;
  for (const Argument& argument : call.arguments()) operands.push_back(scratch.operand(argument));
  const Call on_scratch(call.op(), operands, call.context());
  DecomposeCall decompose(on_scratch, scratch.graph(), {});
  Types types;
  for (const ir::Value value : std::get<Decompose>(definition(call.op()).impl).build(decompose)) {
    types.push_back(value.type());
  }
  return types;
}

}  // namespace litz::ops
