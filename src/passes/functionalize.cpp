// Makes a graph functional: writes become new values, and readers of any alias see the newest one.
//
//   %v = aten.select.int(%x, 0, 1)        %v = aten.select.int(%x, 0, 1)
//   aten.mul_.Tensor(%v, 2.0)        =>   %m = aten.mul.Tensor(%v, 2.0)
//   %y = aten.exp(%x)                     %n = aten.as_strided_scatter(%x, %m, [..], [..], ..)
//                                         %y = aten.exp(%n)
//
// The idea: every tensor belongs to a storage, that of a graph argument or of the fresh result that
// it is a view of. A write creates a new version of the storage's root tensor. A tensor that is
// read after its storage was written is recomputed: the root is its newest version, a view is its
// view operator applied to its recomputed base.
//
// Requires:        operators that may or may not be views are decomposed already.
// Ensures:         no node writes its operands; new contents of the program's inputs are returned
//                  in front of its results, one mutation output each.
// Why it matters:  later passes may reorder, merge and drop nodes without asking about aliases.
// Cost:            one visit per node; one node per stale view that is read.

#include <algorithm>
#include <array>
#include <map>
#include <span>
#include <string_view>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/storage_versions.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;

/// For an operator that Litz cannot infer: its stated results that are not operands, then the
/// operands that it writes, in their own memory.
std::vector<ir::ValueType> types_with_written(const Node& node, std::span<const Value> targets) {
  std::vector<ir::ValueType> types;
  const std::vector<ir::SchemaReturn>& returns = node.op().schema.returns;
  for (const Value output : node.outputs()) {
    const bool is_target = output.index() < returns.size() && returns[output.index()].mutated;
    if (!is_target) types.push_back(output.type());
  }
  for (const Value target : targets) {
    TensorType type = target.tensor();
    if (!is_non_overlapping_and_dense(type)) type = contiguous_type(type.dtype, type.sizes);
    type.device = target.tensor().device;
    type.offset = 0;
    types.emplace_back(std::move(type));
  }
  return types;
}

class Functionalizer {
 public:
  Functionalizer(Graph& graph, const ir::Program* program)
      : graph_(graph), versions_(graph, program) {}

  /// True when something was written.
  bool run();

  std::vector<std::pair<size_t, Value>> written_inputs() { return versions_.written_inputs(); }

 private:
  void make_functional(Node* node);
  void rewrite_in_place(Node* node);
  void begin_collective_write(Node* node);
  bool end_collective_write(Node* wait);
  void write_awaited(Value target, Value result);
  void rewrite_batch_norm(Node* node);
  void rewrite_instance_norm(Node* node);
  void require_apart(const ir::OpInfo& functional, std::span<const Argument> arguments,
                     std::span<const Value> targets);
  bool reads_earlier_writes(const Node& node);
  void replace_each(Node* node, const ir::OpInfo& functional);
  void replace_with_calls(Node* node, const ir::OpInfo& functional);
  void require_targets_apart(const ir::OpInfo& op, std::span<const Value> targets);
  void keep_name(Value from, Value to);

  /// A collective that writes an operand, before its wait.
  struct InFlight {
    Value target;
    Value result;
  };

  Graph& graph_;
  StorageVersions versions_;
  std::vector<InFlight> in_flight_;
};

// Like PyTorch, refuses writes to memory that the same call reads elsewhere, where elements depend
// on the order of writes.
void Functionalizer::require_apart(const ir::OpInfo& functional,
                                   std::span<const Argument> arguments,
                                   std::span<const Value> targets) {
  constexpr std::array<std::string_view, 5> kByIndex{"aten.index_add", "aten.index_copy",
                                                     "aten.scatter.src", "aten.scatter_add",
                                                     "aten.scatter_reduce.two"};
  if (!has(functional.traits, ir::Trait::pointwise) &&
      std::ranges::find(kByIndex, functional.name()) == kByIndex.end()) {
    return;
  }
  for (const Argument& argument : arguments) {
    for (const Value operand : argument.values()) {
      for (const Value target : targets) {
        require(!operand || !operand.is_tensor() || !versions_.overlap_in_part(target, operand),
                "an in-place operator must not read other elements of the memory that it writes "
                "(clone them first):",
                functional.name());
      }
    }
  }
}

// A single call for all entries would read every entry before any write.
bool Functionalizer::reads_earlier_writes(const Node& node) {
  const std::span<const Argument> arguments = node.arguments();
  const std::span<const Value> targets = arguments[0].values();
  std::multimap<size_t, size_t> entries;  // By memory.
  for (size_t k = 0; k < targets.size(); ++k) entries.emplace(versions_.memory(targets[k]), k);
  for (const Argument& argument : arguments) {
    const std::span<const Value> read = argument.values();
    for (size_t i = 0; i < read.size(); ++i) {
      if (!read[i] || !read[i].is_tensor()) continue;
      const auto [first, last] = entries.equal_range(versions_.memory(read[i]));
      for (auto entry = first; entry != last; ++entry) {
        const bool is_own = &argument == &arguments[0] && entry->second == i;
        if (!is_own && !versions_.are_apart(targets[entry->second], read[i])) return true;
      }
    }
  }
  return false;
}

// In-place operators on lists process them entry by entry, so later entries see the writes of
// earlier ones.
void Functionalizer::replace_each(Node* node, const ir::OpInfo& functional) {
  const std::vector<Argument> given(node->arguments().begin(), node->arguments().end());
  const ir::OpInfo& one = ops::each_operator(functional, graph_.module());
  for (size_t i = 0; i < given[0].values().size(); ++i) {
    const std::array target{given[0].values()[i]};
    std::vector<Argument> arguments = ops::each_arguments(functional, given, one, i);
    require_apart(one, arguments, target);
    for (Argument& argument : arguments) {
      if (argument.is_value()) argument = versions_.current(argument.value());
    }
    versions_.write(target[0], graph_.create(one, std::move(arguments))->output());
  }
}

void Functionalizer::require_targets_apart(const ir::OpInfo& op, std::span<const Value> targets) {
  std::multimap<size_t, Value> earlier;  // By memory.
  for (const Value target : targets) {
    const auto [first, last] = earlier.equal_range(versions_.memory(target));
    for (auto other = first; other != last; ++other) {
      require(versions_.are_apart(other->second, target), ErrorCode::unsupported,
              "an operator must not write the same memory through two arguments (clone one first):",
              op.name(), to_string(other->second.tensor()), to_string(target.tensor()));
    }
    earlier.emplace(versions_.memory(target), target);
  }
}

void Functionalizer::replace_with_calls(Node* node, const ir::OpInfo& functional) {
  const auto& schema = node->op().schema;
  std::vector<Argument> arguments = ops::functional_arguments(node->op(), node->arguments());
  // The identities of written operands, taken before the functional call reads the newest forms.
  std::vector<Value> targets;
  std::map<char, Value> target_of;  // By letter of the alias set.
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (!schema.arguments[i].mutated) continue;
    for (const Value value : node->arguments()[i].values()) {
      if (!value) continue;
      targets.push_back(value);
      target_of.try_emplace(schema.arguments[i].alias, value);
    }
  }
  require_apart(functional, arguments, targets);
  require_targets_apart(node->op(), targets);
  for (Argument& argument : arguments) {
    if (argument.is_value()) argument = versions_.current(argument.value());
    if (!argument.is_value_list()) continue;
    std::vector<Value> values;
    for (const Value value : argument.values())
      values.push_back(value ? versions_.current(value) : value);
    argument = std::move(values);
  }
  const Node* call = functional.infer != nullptr
                         ? graph_.create(functional, std::move(arguments))
                         : graph_.create_typed(functional, std::move(arguments),
                                               types_with_written(*node, targets));
  const std::vector<Value> results = call->outputs();
  check(results.size() >= targets.size(),
        "a functional form returns what is written:", functional.name());
  // Results of an in-place operator are its targets; extra results come first in forms that return
  // both.
  const size_t extra = results.size() - targets.size();
  for (size_t k = 0; k < targets.size(); ++k) versions_.write(targets[k], results[extra + k]);
  if (node->output_count() == 1 && !results.empty()) keep_name(node->output(), results[0]);
  size_t own = 0;  // Results that are not targets.
  for (size_t i = 0; i < node->output_count(); ++i) {
    const bool is_target = i < schema.returns.size() && schema.returns[i].mutated;
    if (!is_target) {
      graph_.replace_uses(node->output(i), results[own++]);
      continue;
    }
    const auto target = target_of.find(schema.returns[i].alias);
    require(
        target != target_of.end() || !node->output(i).has_uses(), ErrorCode::unsupported,
        "a result that is a written argument needs that argument, not None:", node->op().name());
    if (target != target_of.end()) graph_.replace_uses(node->output(i), target->second);
  }
}

void Functionalizer::keep_name(Value from, Value to) {
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): cleared below.
  const std::string name = from.name();
  if (name.empty() || to.producer() == nullptr) return;
  graph_.set_name(from, "");
  graph_.set_name(to, name);
}

void Functionalizer::rewrite_in_place(Node* node) {
  const ir::OpInfo* functional = node->op().functional;
  if (functional == nullptr) {
    const std::string_view stated = node->op().definition == nullptr
                                        ? std::string_view()
                                        : ops::definition(node->op()).stands_for;
    functional = graph_.module().ops().find(
        stated.empty() ? std::string(node->op().name()) + "_functional" : std::string(stated));
  }
  require(functional != nullptr, ErrorCode::unsupported,
          "an operator that writes its operands has no functional form:", node->op().name());
  const std::span<const Argument> arguments = node->arguments();
  const bool has_entries = functional->definition != nullptr && arguments[0].is_value_list() &&
                           node->op().schema.arguments[0].mutated;
  if (!has_entries || !reads_earlier_writes(*node)) {
    replace_with_calls(node, *functional);
    return;
  }
  require(ops::is_each(*functional), ErrorCode::unsupported,
          "an operator on lists must not read entries that it has written (clone them first):",
          node->op().name());
  replace_each(node, *functional);
}

// A collective writes its operand between its start and its wait, so the wait is the write.
void Functionalizer::begin_collective_write(Node* node) {
  const ir::OpInfo& op = node->op();
  const ir::OpInfo* functional = op.functional != nullptr
                                     ? op.functional
                                     : graph_.module().ops().find(ops::definition(op).stands_for);
  check(functional != nullptr, "a collective that writes has a functional form:", op.name());
  std::vector<Value> targets;
  for (size_t i = 0; i < op.schema.arguments.size(); ++i) {
    if (!op.schema.arguments[i].mutated) continue;
    for (const Value value : node->arguments()[i].values()) targets.push_back(value);
  }
  require_targets_apart(op, targets);
  std::vector<Argument> arguments;
  for (const ir::SchemaArgument& slot : functional->schema.arguments) {
    Argument argument = node->arguments()[static_cast<size_t>(op.schema.find(slot.name))];
    if (argument.is_value()) argument = versions_.current(argument.value());
    if (argument.is_value_list()) {
      std::vector<Value> values;
      for (const Value value : argument.values()) values.push_back(versions_.current(value));
      argument = std::move(values);
    }
    arguments.push_back(std::move(argument));
  }
  const std::vector<Value> results = graph_.create(*functional, std::move(arguments))->outputs();
  check(results.size() == targets.size() && node->output_count() == targets.size(),
        "a collective returns what it writes:", op.name());
  for (size_t i = 0; i < targets.size(); ++i) {
    in_flight_.push_back({targets[i], results[i]});
    graph_.replace_uses(node->output(i), targets[i]);
  }
}

void Functionalizer::write_awaited(Value target, Value result) {
  versions_.write(target, graph_.create("_c10d_functional.wait_tensor", {result})->output());
}

/// False if the wait is for a collective that writes nothing.
bool Functionalizer::end_collective_write(Node* wait) {
  const Value awaited = wait->input(0);
  const auto found = std::ranges::find(in_flight_, awaited, &InFlight::target);
  if (found == in_flight_.end()) return false;
  write_awaited(awaited, found->result);
  in_flight_.erase(found);
  graph_.replace_uses(wait->output(), awaited);
  return true;
}

// Training updates the running statistics, although the schema does not say so.
void Functionalizer::rewrite_batch_norm(Node* node) {
  const ops::Call call(*node);
  const std::array running{call.value("running_mean"), call.value("running_var")};
  const auto pass = [&](std::string_view name) -> Argument {
    const Argument& argument = call.argument(name);
    return argument.is_value() ? Argument(versions_.current(argument.value())) : argument;
  };
  const std::vector<Value> results =
      graph_
          .create("aten._native_batch_norm_legit_functional",
                  {pass("input"), pass("weight"), pass("bias"), pass("running_mean"),
                   pass("running_var"), pass("training"), pass("momentum"), pass("eps")})
          ->outputs();
  for (size_t k = 0; k < running.size(); ++k) versions_.write(running[k], results[3 + k]);
  for (size_t i = 0; i < node->output_count(); ++i) {
    graph_.replace_uses(node->output(i), results[i]);
  }
}

void Functionalizer::rewrite_instance_norm(Node* node) {
  const ops::Call call(*node);
  const std::array running{call.value("running_mean"), call.value("running_var")};
  const auto pass = [&](std::string_view name) -> Argument {
    const Argument& argument = call.argument(name);
    return argument.is_value() ? Argument(versions_.current(argument.value())) : argument;
  };
  const std::vector<Value> stats =
      graph_
          .create("litz.instance_norm_stats",
                  {pass("input"), pass("running_mean"), pass("running_var"), pass("momentum")})
          ->outputs();
  const Value result = graph_
                           .create("aten.instance_norm", {pass("input"),
                                                          pass("weight"),
                                                          pass("bias"),
                                                          {},
                                                          {},
                                                          pass("use_input_stats"),
                                                          pass("momentum"),
                                                          pass("eps"),
                                                          pass("cudnn_enabled")})
                           ->output();
  for (size_t k = 0; k < running.size(); ++k) versions_.write(running[k], stats[k]);
  graph_.replace_uses(node->output(), result);
}

// True if running statistics are given and this call updates them.
bool updates_statistics(const Node& node) {
  if (!has(node.op().traits, ir::Trait::hidden_mutation)) return false;
  const ops::Call call(node);
  if (!call.has("running_mean")) return false;
  return call.flag(call.op().schema.find("training") >= 0 ? "training" : "use_input_stats");
}

void Functionalizer::make_functional(Node* node) {
  const auto scope = graph_.insert_before(node);
  const bool starts = has(node->op().traits, ir::Trait::collective_start);
  const bool waits = has(node->op().traits, ir::Trait::collective_wait);
  if (starts && node->op().schema.mutates()) {
    begin_collective_write(node);
    graph_.erase(node);
  } else if (waits && !in_flight_.empty() && end_collective_write(node)) {
    graph_.erase(node);
  } else if (node->op().schema.mutates()) {
    rewrite_in_place(node);
    graph_.erase(node);
  } else if (updates_statistics(*node)) {
    if (node->is("aten.instance_norm")) {
      rewrite_instance_norm(node);
    } else {
      rewrite_batch_norm(node);
    }
    graph_.erase(node);
  } else {
    // Registered first, because a view belongs to its original operand, even after recomputation.
    if (is_view(*node)) versions_.add_views(node);
    versions_.refresh_operands(node);
  }
}

bool Functionalizer::run() {
  Node* next = nullptr;
  for (Node* node = graph_.first(); node != nullptr; node = next) {
    next = node->next();
    try {
      make_functional(node);
    } catch (Error& error) {
      error.add_note("while making %" +
                     (node->output_count() > 0 ? node->output().name() : std::string("?")) + " = " +
                     std::string(node->op().name()) + " functional (" + node->location().file +
                     ":" + std::to_string(node->location().line) + ")");
      throw;
    }
  }
  // The return reads its values at the end of the graph.
  const auto scope = graph_.insert_before(graph_.return_node());
  for (const auto& [target, result] : in_flight_) write_awaited(target, result);
  versions_.refresh_operands(graph_.return_node());
  return versions_.wrote();
}

ir::OutputKind mutation_kind(ir::InputKind kind) {
  switch (kind) {
    case ir::InputKind::parameter:
      return ir::OutputKind::parameter_mutation;
    case ir::InputKind::buffer:
    case ir::InputKind::constant:
      return ir::OutputKind::buffer_mutation;
    case ir::InputKind::user:
    case ir::InputKind::constant_value:
    case ir::InputKind::token:
      return ir::OutputKind::input_mutation;
  }
  return ir::OutputKind::input_mutation;
}

void return_mutations(ir::Program& program, const std::vector<std::pair<size_t, Value>>& written) {
  Graph& graph = program.graph();
  std::vector<Argument> outputs;
  std::vector<ir::OutputSpec> specs;
  for (const auto& [input, value] : written) {
    outputs.emplace_back(value);
    specs.push_back({.kind = mutation_kind(program.inputs[input].kind),
                     .input = static_cast<int>(input),
                     .label = program.inputs[input].label});
  }
  outputs.insert(outputs.end(), graph.outputs().begin(), graph.outputs().end());
  program.outputs.insert(program.outputs.begin(), specs.begin(), specs.end());
  graph.set_outputs(std::move(outputs));
}

}  // namespace

Changed functionalize(ir::Graph& graph, PassContext& context) {
  const bool is_main = context.program != nullptr && &context.program->graph() == &graph;
  Functionalizer functionalizer(graph, is_main ? context.program : nullptr);
  const bool wrote = functionalizer.run();
  const std::vector<std::pair<size_t, Value>> written = functionalizer.written_inputs();
  if (is_main) {
    if (!written.empty()) return_mutations(*context.program, written);
    context.program->functional = true;
  } else {
    require(written.empty(), ErrorCode::unsupported,
            "a child graph must not write its operands; graph", graph.name());
  }
  return wrote ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
