// Higher-order operators: control flow over child graphs, and wrappers around one.
//
// A child graph is closed: its arguments are the operands, by position. Host scalars are not
// operands, since all graphs of a module share its symbols. Every call checks its graphs:
//
//   C1 operands match the graph's arguments in number, dtype and shape
//   C2 a graph returns what its caller takes from it
//
// Wrappers (autocast, checkpointing, ...) mark a region; the pass inline-wrappers inlines them.

#include <algorithm>
#include <array>

#include "ops/child_types.h"
#include "ops/families/families.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Graph;
using ir::ValueType;

Graph& child(const Call& call, std::string_view name) {
  const auto* graph = std::get_if<ir::GraphRef>(&call.argument(name).attribute());
  require(graph != nullptr, "a higher-order call must name its graphs:", call.op().name(), name);
  return call.module().graph(*graph);
}

ValueType type_of(const ir::Argument& output) {
  if (output.is_value()) return output.value().type();
  if (const auto* scalar = std::get_if<Expr>(&output.attribute())) {
    return ir::ScalarType{scalar->domain(), *scalar};
  }
  return ir::NoneType{};
}

Types outputs_of(const Graph& graph) {
  Types types;
  for (const ir::Argument& output : graph.outputs()) types.push_back(type_of(output));
  return types;
}

/// Equal except for strides; sizes are equal unless they are known to differ.
bool alike(const ValueType& a, const ValueType& b) {
  const auto* x = std::get_if<TensorType>(&a);
  const auto* y = std::get_if<TensorType>(&b);
  if (x == nullptr || y == nullptr) return a.index() == b.index();
  if (x->dtype != y->dtype || x->rank() != y->rank()) return false;
  for (size_t i = 0; i < x->rank(); ++i) {
    if (known_not_equal(x->sizes[i], y->sizes[i])) return false;
  }
  return true;
}

/// One slice of a tensor along dimension 0.
TensorType slice_of(const TensorType& type, const Call& call) {
  require(type.rank() > 0, "a tensor to loop over must have a dimension:", call.op().name());
  return contiguous_type(type.dtype, Sizes(type.sizes.begin() + 1, type.sizes.end()), type.device);
}

TensorType stack_of(const TensorType& type, Expr count) {
  Sizes sizes = type.sizes;
  sizes.insert(sizes.begin(), count);
  return contiguous_type(type.dtype, std::move(sizes), type.device);
}

Types types_of(const Call& call, std::string_view list) {
  Types types;
  for (const ir::Value value : call.values(list)) {
    require(static_cast<bool>(value), "an operand must not be None:", call.op().name());
    types.push_back(value.type());
  }
  return types;
}

void append(Types& to, const Types& from) { to.insert(to.end(), from.begin(), from.end()); }

void require_operands(const Call& call, const Graph& graph, const Types& operands) {
  bool match = graph.input_count() == operands.size();
  for (size_t i = 0; match && i < operands.size(); ++i) {
    match = alike(graph.input(i).type(), operands[i]);
  }
  require(match, "C1: operands must match the arguments of the graph:", call.op().name(),
          graph.name(), operands.size(), "for", graph.input_count());
}

void require_results(const Call& call, const Graph& graph, const Types& wanted) {
  const Types given = outputs_of(graph);
  bool match = given.size() >= wanted.size();
  for (size_t i = 0; match && i < wanted.size(); ++i) match = alike(given[i], wanted[i]);
  require(match, "C2: a graph must return what its caller takes:", call.op().name(), graph.name());
}

/// Sizes that differ between branches become data-dependent.
void forget_differences(const Call& call, Types& results, const Types& others) {
  int ordinal = 0;
  for (size_t i = 0; i < std::min(results.size(), others.size()); ++i) {
    auto* one = std::get_if<TensorType>(&results[i]);
    const auto* other = std::get_if<TensorType>(&others[i]);
    if (one == nullptr || other == nullptr || one->rank() != other->rank()) continue;
    bool differs = false;
    for (size_t d = 0; d < one->rank(); ++d) {
      if (!known_not_equal(one->sizes[d], other->sizes[d])) continue;
      one->sizes[d] = call.data_dependent(ordinal++, {0, Interval::kMax});
      differs = true;
    }
    if (differs) one->strides = contiguous_strides(one->sizes);
  }
}

Types cond(const Call& call) {
  const Graph& yes = child(call, "true_graph");
  const Graph& no = child(call, "false_graph");
  const Types operands = types_of(call, "operands");
  require_operands(call, yes, operands);
  require_operands(call, no, operands);
  Types results = outputs_of(yes);
  require(no.outputs().size() == results.size(), "C2: branches must return alike:", yes.name(),
          no.name());
  forget_differences(call, results, outputs_of(no));
  require_results(call, no, results);
  return results;
}

Types while_loop(const Call& call) {
  Types carried = types_of(call, "carried");
  Types operands = carried;
  append(operands, types_of(call, "additional"));
  const Graph& condition = child(call, "cond");
  const Graph& body = child(call, "body");
  require_operands(call, condition, operands);
  require_operands(call, body, operands);
  require(condition.outputs().size() == 1,
          "C2: a loop condition must be one value:", condition.name());
  require(body.outputs().size() == carried.size(),
          "C2: a loop must return what it carries:", body.name());
  require_results(call, body, carried);
  return carried;
}

/// The operands of a loop over dimension 0: slices of `xs` after `leading`, then `additional`.
Types looped_operands(const Call& call, Types leading, std::string_view additional) {
  for (const ValueType& type : types_of(call, "xs")) {
    const auto* tensor = std::get_if<TensorType>(&type);
    require(tensor != nullptr, "only tensors can be looped over:", call.op().name());
    leading.emplace_back(slice_of(*tensor, call));
  }
  append(leading, types_of(call, additional));
  return leading;
}

Expr trip_count(const Call& call) {
  const auto xs = call.values("xs");
  require(!xs.empty(), "a loop must have a tensor to walk along:", call.op().name());
  return xs[0].tensor().sizes.at(0);
}

Types stacked_outputs(const Call& call, const Graph& graph, size_t from) {
  Types results;
  const Types outputs = outputs_of(graph);
  for (size_t i = from; i < outputs.size(); ++i) {
    const auto* tensor = std::get_if<TensorType>(&outputs[i]);
    require(tensor != nullptr, "C2: only tensors can be stacked:", graph.name());
    results.emplace_back(stack_of(*tensor, trip_count(call)));
  }
  return results;
}

Types scan(const Call& call) {
  const Graph& combine = child(call, "combine");
  Types carried = types_of(call, "init");
  require_operands(call, combine, looped_operands(call, carried, "additional"));
  require_results(call, combine, carried);
  Types results = carried;
  append(results, stacked_outputs(call, combine, carried.size()));
  return results;
}

// The graph combines two slices of every tensor.
Types left_slices(const Call& call) {
  Types left = looped_operands(call, {}, "additional");
  left.resize(call.values("xs").size());
  return left;
}

Types associative_scan(const Call& call) {
  const Graph& combine = child(call, "combine");
  const Types left = left_slices(call);
  require_operands(call, combine, looped_operands(call, left, "additional"));
  require_results(call, combine, left);
  return types_of(call, "xs");
}

Types map_impl(const Call& call) {
  const Graph& body = child(call, "body");
  require_operands(call, body, looped_operands(call, {}, "additional"));
  return stacked_outputs(call, body, 0);
}

Types call_graph(const Call& call) {
  const Graph& body = child(call, "body");
  require_operands(call, body, types_of(call, "operands"));
  return outputs_of(body);
}

Types all_operands(const Call& call) {
  Types types;
  const std::vector<ir::SchemaArgument>& schema = call.op().schema.arguments;
  for (const ir::SchemaArgument& argument : schema) {
    if (call.argument(argument.name).is_value_list()) append(types, types_of(call, argument.name));
  }
  return types;
}

constexpr OpDef kAssociativeScan{
    .schema =
        "higher_order.associative_scan(Graph combine, Any[] xs, Any[] additional=[]) -> Any[]",
    .doc = "Inclusive scan along dimension 0 with a graph that combines two slices.",
    .meta = associative_scan,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kCond{
    .schema =
        "higher_order.cond(Any predicate, Graph true_graph, Graph false_graph, Any[] operands) "
        "-> Any[]",
    .doc = "Runs one of two graphs on the operands.",
    .meta = cond,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kHintsWrapper{
    .schema =
        "higher_order.hints_wrapper(Graph body, Any[] operands, Any? kwargs=None, "
        "Any? hints=None) -> Any[]",
    .doc = "Runs the graph; the hints have no effect.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kCustomGradient{
    .schema = "higher_order.custom_gradient(Graph body, Graph backward, Any[] operands) -> Any[]",
    .doc =
        "Runs the body. The other graph computes its gradients, from the operands, the results and "
        "the gradients of the results; those of the first operands, in order.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kInvokeSubgraph{
    .schema = "higher_order.invoke_subgraph(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kMapImpl{
    .schema = "higher_order.map_impl(Graph body, Any[] xs, Any[] additional=[]) -> Any[]",
    .doc = "Runs the graph on every slice along dimension 0 and stacks the results.",
    .meta = map_impl,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kRunConstGraph{
    .schema = "higher_order.run_const_graph(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs a graph whose results do not change from call to call.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kScan{
    .schema =
        "higher_order.scan(Graph combine, Any[] init, Any[] xs, Any[] additional=[]) "
        "-> Any[]",
    .doc = "Carries values along dimension 0; returns the last of them and the stacked results.",
    .meta = scan,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kStrictMode{
    .schema = "higher_order.strict_mode(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kTagActivationCheckpoint{
    .schema = "higher_order.tag_activation_checkpoint(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph; training may compute it again instead of keeping its values.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kWhileLoop{
    .schema =
        "higher_order.while_loop(Graph cond, Graph body, Any[] carried, Any[] additional=[]) "
        "-> Any[]",
    .doc = "Runs the body on what it carries while the condition holds.",
    .meta = while_loop,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kWrap{
    .schema = "higher_order.wrap(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kWrapActivationCheckpoint{
    .schema = "higher_order.wrap_activation_checkpoint(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph; training may compute it again instead of keeping its values.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kWrapWithAutocast{
    .schema =
        "higher_order.wrap_with_autocast(str device_type, ScalarType? dtype, bool enabled, "
        "bool? cache_enabled, Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph, whose operands of some operators importers cast to dtype.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kWrapWithSetGradEnabled{
    .schema =
        "higher_order.wrap_with_set_grad_enabled(bool enabled, Graph body, Any[] operands) "
        "-> Any[]",
    .doc = "Runs the graph with gradients recorded or not.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr OpDef kRegion{
    .schema = "litz.region(Graph body, Any[] operands) -> Any[]",
    .doc = "Runs the graph, which is compiled as a program of its own.",
    .meta = call_graph,
    .impl = Structural{},
    .traits = ir::Trait::higher_order,
};

constexpr std::array kOps{
    kAssociativeScan,
    kCond,
    kCustomGradient,
    kHintsWrapper,
    kInvokeSubgraph,
    kMapImpl,
    kRunConstGraph,
    kScan,
    kStrictMode,
    kTagActivationCheckpoint,
    kWhileLoop,
    kWrap,
    kWrapActivationCheckpoint,
    kWrapWithAutocast,
    kWrapWithSetGradEnabled,
    kRegion,
};

}  // namespace

std::span<const OpDef> control_ops() { return kOps; }

std::vector<ir::ValueType> child_argument_types(const ir::Node& node, const ir::Graph& /*child*/) {
  const Call call(node);
  if (node.is("higher_order.scan")) {
    return looped_operands(call, types_of(call, "init"), "additional");
  }
  if (node.is("higher_order.map_impl")) return looped_operands(call, {}, "additional");
  if (node.is("higher_order.associative_scan")) {
    return looped_operands(call, left_slices(call), "additional");
  }
  return all_operands(call);
}

}  // namespace litz::ops
