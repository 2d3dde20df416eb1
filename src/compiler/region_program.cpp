#include "compiler/region_program.h"

#include <algorithm>
#include <set>

#include "ir/child_graphs.h"
#include "ir/graph_outline.h"
#include "ir/parser.h"
#include "ir/printed_symbols.h"
#include "ir/printer.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

// Importers limit the nesting of child graphs; this limit ends a search in a broken module.
constexpr int kDeepest = 64;

/// What a call passes for argument `index` of `child`; null if its operands do not tell.
ir::Value given_value(const ir::Node& call, const ir::Graph& child, size_t index) {
  const bool passes_on = call.is("higher_order.cond") || call.is("litz.region") ||
                         call.is("higher_order.invoke_subgraph");
  if (!passes_on) return {};
  const std::span<const ir::Value> operands = call.argument("operands").values();
  return operands.size() == child.input_count() ? operands[index] : ir::Value();
}

std::set<SymbolId> bound_symbols(const ir::Graph& graph) {
  std::set<SymbolId> bound;
  for (const ir::Value input : graph.inputs()) {
    if (const auto* tensor = std::get_if<TensorType>(&input.type())) {
      for (const Expr size : tensor->sizes) {
        if (size.is_symbol()) bound.insert(size.symbol());
      }
    } else if (const auto* scalar = std::get_if<ir::ScalarType>(&input.type())) {
      if (scalar->value.is_symbol()) bound.insert(scalar->value.symbol());
    }
  }
  return bound;
}

ir::InputSpec input_spec(const ir::Value input, const ir::Program& outer,
                         std::optional<size_t> constant) {
  ir::InputSpec spec;
  if (constant) {
    spec = outer.inputs[*constant];
    spec.kind = ir::InputKind::constant;
    return spec;
  }
  const bool is_token = std::holds_alternative<ir::TokenType>(input.type());
  spec.kind = is_token ? ir::InputKind::token : ir::InputKind::user;
  spec.label = input.name();
  return spec;
}

}  // namespace

ConstantValues::ConstantValues(const ir::Program& program) : program_(program) {
  std::set<const Storage*> changed;
  for (const ir::OutputSpec& output : program.outputs) {
    if (!ir::is_mutation(output.kind)) continue;
    const Tensor& data = program.inputs[static_cast<size_t>(output.input)].data;
    if (data.defined()) changed.insert(data.storage().get());
  }
  for (const ir::InputSpec& input : program.inputs) {
    is_constant_.push_back(input.data.defined() && !changed.contains(input.data.storage().get()));
  }
}

std::optional<size_t> ConstantValues::input_of(ir::Value value) const {
  return argument_of(value, 0);
}

std::optional<size_t> ConstantValues::argument_of(ir::Value value, int depth) const {
  if (!value || value.producer() != nullptr || depth > kDeepest) return std::nullopt;
  const size_t index = value.index();
  const ir::Graph& graph = *value.graph();
  if (graph.id() == program_.main.id) {
    return is_constant_[index] ? std::optional(index) : std::nullopt;
  }
  std::optional<size_t> common;
  for (const ir::Node* call : ir::callers(graph)) {
    const std::optional<size_t> given = argument_of(given_value(*call, graph, index), depth + 1);
    if (!given || (common && common != given)) return std::nullopt;
    common = given;
  }
  return common;
}

std::string module_text(ir::Graph& graph) {
  std::vector<const ir::Graph*> graphs;
  for (const ir::Graph* each : ir::post_order(graph)) graphs.push_back(each);
  std::ranges::reverse(graphs);  // The graph itself comes first.
  std::string text = ir::module_header(graph.module(), graphs);
  for (const ir::Graph* each : graphs) {
    const std::string alone = ir::to_string(*each);
    // Every graph's text would declare its operators and symbols again.
    text += "\n" + alone.substr(alone.find("graph @"));
  }
  return text;
}

namespace {

/// Regions inside a region belong to it, even if other calls of the same graph compile them
/// separately.
void inline_regions(ir::Graph& main) {
  for (ir::Graph* graph : ir::post_order(main)) {
    for (ir::Node* call : graph->in_order("litz.region")) {
      ir::inline_call(call, *ir::child_graphs(*call).front(), call->argument("operands").values());
    }
  }
}

}  // namespace

RegionProgram make_region_program(const ir::Module& module, const lowering::RegionBody& body,
                                  const ir::Program& outer, const ConstantValues& constants) {
  ir::Graph& graph = module.graph(body.graph);
  RegionProgram region;
  ir::Program& program = region.program;
  program.module = ir::read_module(module_text(graph), module.shared_ops(), graph.name());
  ir::Graph* copy = program.module->find_graph(graph.name());
  check(copy != nullptr, "the text of a region must hold its graph:", graph.name());
  program.main = {copy->id()};
  inline_regions(*copy);
  program.functional = true;
  program.torch_version = outer.torch_version;
  for (size_t i = 0; i < graph.input_count(); ++i) {
    const std::optional<size_t> constant = constants.input_of(graph.input(i));
    program.inputs.push_back(input_spec(copy->input(i), outer, constant));
    if (program.inputs.back().kind == ir::InputKind::user) region.operands.push_back(i);
  }
  const std::set<SymbolId> bound = bound_symbols(graph);
  for (const SymbolId symbol : body.symbols) {
    if (bound.contains(symbol)) continue;
    const std::string& name = module.exprs().symbol(symbol).name;
    const auto own = program.module->exprs().find_symbol(name);
    check(own.has_value(), "the text of a region must declare its symbols:", name);
    copy->add_input(name, ir::ScalarType{own->domain(), *own});
    ir::InputSpec spec;
    spec.label = name;
    program.inputs.push_back(std::move(spec));
    region.symbols.push_back(symbol);
  }
  program.outputs.resize(copy->outputs().size());
  return region;
}

}  // namespace litz::compiler
