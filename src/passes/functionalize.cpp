// Makes a graph functional: writes become new values, and readers of every alias see the newest one.
//
//   %v = aten.select.int(%x, 0, 1)        %v = aten.select.int(%x, 0, 1)
//   aten.mul_.Tensor(%v, 2.0)        =>   %m = aten.mul.Tensor(%v, 2.0)
//   %y = aten.exp(%x)                     %n = aten.as_strided_scatter(%x, %m, [..], [..], ..)
//                                         %y = aten.exp(%n)
//
// The idea: every tensor belongs to a storage, that of the graph argument or of the fresh result it
// was made from by views. A write yields a new version of the storage's root tensor. A tensor that is
// read after its storage was written is made again: the root is its newest version, a view is its
// view operator applied to its base, made again in turn.
//
// Requires:        operators that may or may not be views are decomposed already.
// Ensures:         no node writes its operands; new contents of the program's inputs are returned in
//                  front of its results, one mutation output each.
// Why it matters:  later passes may reorder, merge and drop nodes without asking about aliases.
// Cost:            one visit per node; one node per stale view that is read.

#include <array>
#include <unordered_map>

#include "ops/bodies.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Attribute;
using ir::Graph;
using ir::Node;
using ir::Value;

// Views and whole-tensor writes of a storage need its elements to be all there is in it.
bool is_dense(const TensorType& type) { return is_non_overlapping_and_dense(type); }

bool is_view(const Node& node) {
  return node.op().definition != nullptr &&
         std::holds_alternative<ops::View>(ops::definition(node.op()).impl);
}

// Known to address one element twice: a write to it has no defined result.
bool overlaps_itself(const TensorType& type) {
  for (size_t d = 0; d < type.rank(); ++d) {
    if (type.strides[d].is(0) && !known_equal(type.sizes[d], Expr(1))) return true;
  }
  return false;
}

bool same_geometry(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank() || a.dtype != b.dtype) return false;
  if (!known_equal(a.offset, b.offset)) return false;
  for (size_t d = 0; d < a.rank(); ++d) {
    if (!known_equal(a.sizes[d], b.sizes[d]) || !known_equal(a.strides[d], b.strides[d])) {
      return false;
    }
  }
  return true;
}

class Functionalizer {
 public:
  /// The program, where `graph` is its main graph, tells which inputs share memory.
  Functionalizer(Graph& graph, const ir::Program* program) : graph_(graph), program_(program) {}

  // True when something was written.
  bool run();

  /// Graph inputs that were written and what they hold at the end, by input position.
  std::vector<std::pair<size_t, Value>> written_inputs();

 private:
  struct Storage {
    Value origin;
    Value root;  // Newest version of the whole.
    int version = 0;
    bool is_shared = false;  // An input of another geometry lies in the same memory.
  };

  // How a value of the original graph is related to its storage.
  struct Identity {
    size_t storage = 0;
    Value base;            // The value it is a view of; null for roots.
    Node* view = nullptr;  // The operator that made it from `base`.
    size_t result = 0;     // Which result of `view`.
    TensorType type;       // As first made.
    Value current;         // Its newest form...
    int version = 0;       // ...as of this version of the storage.
  };

  Identity& identity(Value value);
  void add_root(Value value);
  void add_inputs();
  void add_view(Node* view, size_t result);
  Value current(Value value);
  Value remake(const Identity& id);
  void refresh_operands(Node* node);
  void retype_view(Node* view);
  void move_offset(std::vector<Argument>& arguments, const Node& view, Value old_base,
                   Value new_base) const;
  void write(Value target, Value contents);
  Value fitted(Value contents, const TensorType& type);
  void rewrite_in_place(Node* node);
  void rewrite_batch_norm(Node* node);
  void rewrite_instance_norm(Node* node);
  void replace_with_calls(Node* node, const ir::OpInfo& functional);
  void keep_name(Value from, Value to);

  Graph& graph_;
  const ir::Program* program_;
  std::vector<Storage> storages_;
  std::vector<Identity> identities_;
  // Looked up, never walked.
  std::unordered_map<const ir::ValueData*, size_t> identity_of_;
  bool wrote_ = false;
};

Functionalizer::Identity& Functionalizer::identity(Value value) {
  const auto found = identity_of_.find(value.data());
  if (found != identity_of_.end()) return identities_[found->second];
  add_root(value);
  return identities_.back();
}

void Functionalizer::add_root(Value value) {
  identity_of_[value.data()] = identities_.size();
  identities_.push_back(
      {.storage = storages_.size(), .type = value.tensor(), .current = value, .version = 0});
  storages_.push_back({.origin = value, .root = value});
}

// Tied parameters and buffers: names of one memory see each other's writes.
void Functionalizer::add_inputs() {
  for (size_t i = 0; i < graph_.input_count(); ++i) {
    const Value input = graph_.input(i);
    if (!input.is_tensor()) continue;
    add_root(input);
    if (program_ == nullptr || !program_->inputs[i].data.defined()) continue;
    const auto& memory = program_->inputs[i].data.storage();
    for (size_t k = 0; k < i; ++k) {
      const Value other = graph_.input(k);
      if (!other.is_tensor() || program_->inputs[k].data.storage() != memory) continue;
      const size_t storage = identity(other).storage;
      if (same_geometry(input.tensor(), other.tensor())) {
        identity(input).storage = storage;
        break;
      }
      storages_[storage].is_shared = storages_[identity(input).storage].is_shared = true;
    }
  }
}

void Functionalizer::add_view(Node* view, size_t result) {
  const Value value = view->output(result);
  const Value base = view->input(0);
  const Identity& from = identity(base);
  const size_t storage = from.storage;
  identity_of_[value.data()] = identities_.size();
  identities_.push_back({.storage = storage,
                         .base = base,
                         .view = view,
                         .result = result,
                         .type = value.tensor(),
                         .current = value,
                         .version = storages_[storage].version});
}

Value Functionalizer::current(Value value) {
  if (!value.is_tensor()) return value;
  const size_t index = static_cast<size_t>(&identity(value) - identities_.data());
  const Storage& storage = storages_[identities_[index].storage];
  if (identities_[index].version == storage.version) return identities_[index].current;
  const Value newest =
      identities_[index].view == nullptr ? storage.root : remake(identities_[index]);
  identities_[index].current = newest;
  identities_[index].version = storage.version;
  return newest;
}

Value Functionalizer::remake(const Identity& id) {
  Node* view = id.view;
  const size_t result = id.result;
  const Value old_base = id.base;
  const Value base = current(old_base);
  std::vector<Argument> arguments(view->arguments().begin(), view->arguments().end());
  move_offset(arguments, *view, old_base, base);
  arguments[0] = base;
  return graph_.create(view->op(), std::move(arguments))->output(result);
}

// as_strided names a place in the storage, which a base made again may have moved.
void Functionalizer::move_offset(std::vector<Argument>& arguments, const Node& view, Value old_base,
                                 Value new_base) const {
  if (!view.is("aten.as_strided")) return;
  const int slot = view.op().schema.find("storage_offset");
  Argument& offset = arguments[static_cast<size_t>(slot)];
  if (offset.is_none()) return;
  offset = view.scalar("storage_offset") - old_base.tensor().offset + new_base.tensor().offset;
}

void Functionalizer::refresh_operands(Node* node) {
  bool changed = false;
  for (size_t i = 0; i < node->input_count(); ++i) {
    const Value operand = node->input(i);
    const Value newest = current(operand);
    if (newest == operand) continue;
    if (i == 0 && is_view(*node)) {
      std::vector<Argument> arguments(node->arguments().begin(), node->arguments().end());
      move_offset(arguments, *node, operand, newest);
      const int slot = node->op().schema.find("storage_offset");
      if (slot >= 0) {
        graph_.set_argument(node, "storage_offset", arguments[static_cast<size_t>(slot)]);
      }
    }
    graph_.set_input(node, i, newest);
    changed = true;
  }
  // Once something was written, a base may have moved, and with it views of it.
  if ((changed || wrote_) && is_view(*node)) retype_view(node);
}

// A base made again may lie elsewhere in its storage, and so do views of it.
void Functionalizer::retype_view(Node* view) {
  const ops::Types types = ops::definition(view->op()).meta(ops::Call(*view));
  for (size_t i = 0; i < types.size(); ++i) graph_.set_type(view->output(i), types[i]);
}

// The contents in the dtype and memory layout of what they replace.
Value Functionalizer::fitted(Value contents, const TensorType& type) {
  if (contents.tensor().dtype != type.dtype) {
    contents = graph_.create("aten._to_copy", {contents, Attribute(type.dtype)})->output();
  }
  const TensorType& given = contents.tensor();
  if (given.sizes != type.sizes) {
    contents = graph_.create("aten.expand", {contents, Attribute(type.sizes)})->output();
  }
  bool same = true;
  for (size_t d = 0; d < type.rank(); ++d) {
    same = same && known_equal(contents.tensor().strides[d], type.strides[d]);
  }
  if (same) return contents;
  return graph_.create("litz.restride", {contents, Attribute(type.strides)})->output();
}

void Functionalizer::write(Value target, Value contents) {
  Identity& id = identity(target);
  const TensorType type = id.type;
  require(!overlaps_itself(type), ErrorCode::unsupported,
          "an in-place operator must not write to a tensor that addresses elements more than once "
          "(expand makes such tensors; clone it first):",
          to_string(type));
  Storage& storage = storages_[id.storage];
  const TensorType whole = storage.origin.tensor();
  require(
      !storage.is_shared, ErrorCode::unsupported,
      "writing to memory that inputs of different shapes share is not supported:", to_string(type));
  Value root;
  if (same_geometry(type, whole)) {
    root = fitted(contents, whole);
  } else {
    require(type.dtype == whole.dtype, ErrorCode::unsupported,
            "writing through a view of another dtype is not supported:", to_string(type), "of",
            to_string(whole));
    require(is_dense(whole), ErrorCode::unsupported,
            "writing through a view of a tensor with gaps or overlaps is not supported (clone it "
            "first):",
            to_string(type), "of", to_string(whole));
    const Value newest = current(storage.origin);
    const Value values = fitted(contents, contiguous_type(type.dtype, type.sizes));
    root = graph_
               .create("aten.as_strided_scatter",
                       {newest, values, Attribute(type.sizes), Attribute(type.strides),
                        type.offset - whole.offset + newest.tensor().offset})
               ->output();
    root = fitted(root, whole);
  }
  Storage& written = storages_[identity(target).storage];
  written.root = root;
  ++written.version;
  wrote_ = true;
}

void Functionalizer::replace_with_calls(Node* node, const ir::OpInfo& functional) {
  const auto& schema = node->op().schema;
  std::vector<Argument> arguments(node->arguments().begin(), node->arguments().end());
  // Identities of what is written, before the functional call reads the newest forms.
  std::vector<Value> targets;
  for (size_t i = 0; i < schema.arguments.size(); ++i) {
    if (!schema.arguments[i].mutated) continue;
    for (const Value value : node->arguments()[i].values()) targets.push_back(value);
  }
  for (Argument& argument : arguments) {
    if (argument.is_value()) argument = current(argument.value());
    if (!argument.is_value_list()) continue;
    std::vector<Value> values;
    for (const Value value : argument.values()) values.push_back(value ? current(value) : value);
    argument = std::move(values);
  }
  const std::vector<Value> results = graph_.create(functional, std::move(arguments))->outputs();
  check(results.size() >= targets.size(),
        "a functional form returns what is written:", functional.name());
  // Results of an in-place operator are its targets under another name; extra results come first in
  // forms that return both.
  const size_t extra = results.size() - targets.size();
  for (size_t k = 0; k < targets.size(); ++k) write(targets[k], results[extra + k]);
  if (node->output_count() == 1) keep_name(node->output(), results[0]);
  for (size_t i = 0; i < node->output_count(); ++i) {
    const bool is_target = i < schema.returns.size() && schema.returns[i].mutated;
    graph_.replace_uses(node->output(i), is_target ? targets[i] : results[i]);
  }
}

void Functionalizer::keep_name(Value from, Value to) {
  const std::string name = from.name();
  if (name.empty() || to.producer() == nullptr) return;
  graph_.set_name(from, "");
  graph_.set_name(to, name);
}

void Functionalizer::rewrite_in_place(Node* node) {
  const ir::OpInfo* functional = ops::functional_form(node->op());
  if (node->is("aten._native_batch_norm_legit")) {
    functional = graph_.module().ops().find("aten._native_batch_norm_legit_functional");
  }
  require(functional != nullptr, ErrorCode::unsupported,
          "an operator that writes its operands has no functional form:", node->op().name());
  replace_with_calls(node, *functional);
}

// Training updates the running statistics although the schema does not say so.
void Functionalizer::rewrite_batch_norm(Node* node) {
  const ops::Call call(*node);
  const std::array running{call.value("running_mean"), call.value("running_var")};
  const auto pass = [&](std::string_view name) -> Argument {
    const Argument& argument = call.argument(name);
    return argument.is_value() ? Argument(current(argument.value())) : argument;
  };
  const std::vector<Value> results =
      graph_
          .create("aten._native_batch_norm_legit_functional",
                  {pass("input"), pass("weight"), pass("bias"), pass("running_mean"),
                   pass("running_var"), pass("training"), pass("momentum"), pass("eps")})
          ->outputs();
  for (size_t k = 0; k < running.size(); ++k) write(running[k], results[3 + k]);
  for (size_t i = 0; i < node->output_count(); ++i) {
    graph_.replace_uses(node->output(i), results[i]);
  }
}

void Functionalizer::rewrite_instance_norm(Node* node) {
  const ops::Call call(*node);
  const std::array running{call.value("running_mean"), call.value("running_var")};
  const auto pass = [&](std::string_view name) -> Argument {
    const Argument& argument = call.argument(name);
    return argument.is_value() ? Argument(current(argument.value())) : argument;
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
  identity(result);
  for (size_t k = 0; k < running.size(); ++k) write(running[k], stats[k]);
  graph_.replace_uses(node->output(), result);
}

// Running statistics are given and this call updates them.
bool updates_statistics(const Node& node) {
  if (!has(node.op().traits, ir::Trait::hidden_mutation)) return false;
  const ops::Call call(node);
  if (!call.has("running_mean")) return false;
  return call.flag(call.op().schema.find("training") >= 0 ? "training" : "use_input_stats");
}

bool Functionalizer::run() {
  add_inputs();
  Node* next = nullptr;
  for (Node* node = graph_.first(); node != nullptr; node = next) {
    next = node->next();
    const auto scope = graph_.insert_before(node);
    try {
      if (node->op().schema.mutates()) {
        rewrite_in_place(node);
        graph_.erase(node);
      } else if (updates_statistics(*node)) {
        if (node->is("aten.instance_norm")) {
          rewrite_instance_norm(node);
        } else {
          rewrite_batch_norm(node);
        }
        graph_.erase(node);
      } else if (is_view(*node)) {
        // Registered first: a view is of what its operand was, however often that is made again.
        for (size_t i = 0; i < node->output_count(); ++i) add_view(node, i);
        refresh_operands(node);
      } else {
        refresh_operands(node);
      }
    } catch (Error& error) {
      error.add_note("while making %" +
                     (node->output_count() > 0 ? node->output().name() : std::string("?")) + " = " +
                     std::string(node->op().name()) + " functional (" + node->location().file +
                     ":" + std::to_string(node->location().line) + ")");
      throw;
    }
  }
  // What the graph returns is read at its end.
  const auto scope = graph_.insert_before(graph_.return_node());
  refresh_operands(graph_.return_node());
  return wrote_;
}

std::vector<std::pair<size_t, Value>> Functionalizer::written_inputs() {
  std::vector<std::pair<size_t, Value>> written;
  for (size_t i = 0; i < graph_.input_count(); ++i) {
    const Value input = graph_.input(i);
    if (!input.is_tensor()) continue;
    const Storage& storage = storages_[identity(input).storage];
    if (storage.version > 0) written.emplace_back(i, storage.root);
  }
  return written;
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
