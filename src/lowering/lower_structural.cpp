// Lowers nodes that are neither kernels nor library calls: child graphs, host scalars, assertions.
//
// Arguments are read by kind and order rather than by name: graphs are the arguments that name one,
// and everything else follows in the order that the exported form fixes for each control operator.

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "ir/child_graphs.h"
#include "ir/printed_symbols.h"
#include "loops/builder.h"
#include "lowering/graph_lowering.h"
#include "lowering/lower.h"
#include "support/check.h"

namespace litz::lowering {
namespace {

struct ControlName {
  std::string_view name;
  ControlKind kind;
};

constexpr std::array kControl{
    ControlName{"higher_order.cond", ControlKind::cond},
    ControlName{"higher_order.while_loop", ControlKind::while_loop},
    ControlName{"higher_order.scan", ControlKind::scan},
    ControlName{"higher_order.associative_scan", ControlKind::associative_scan},
    ControlName{"higher_order.map_impl", ControlKind::map},
    ControlName{"higher_order.invoke_subgraph", ControlKind::call},
    ControlName{"litz.region", ControlKind::region},
};

bool is_item(const ir::Node& node) {
  return node.is("aten.item") || node.is("aten._local_scalar_dense");
}

bool is_assertion(const ir::Node& node) {
  return node.is("aten._assert_scalar") || node.is("aten._assert_async") ||
         node.is("aten._assert_async.msg") || node.is("aten._functional_assert_async.msg");
}

bool is_range(const ir::Node& node) {
  return node.is("aten.sym_constrain_range") || node.is("aten.sym_constrain_range_for_size");
}

/// True for nodes that the importer checked, or that have no effect on results.
bool says_nothing(const ir::Node& node) {
  return node.is("aten._print") || node.op().name().starts_with("_operator.") ||
         node.op().name().starts_with("aten.sym_");
}

bool has_types(std::span<const ir::Value> values, std::span<const ir::ValueType> types) {
  return std::ranges::equal(values, types, [](ir::Value value, const ir::ValueType& type) {
    return value && value.type() == type;
  });
}

/// By output of a plan that could replace a call: the input whose memory the output reuses, or -1.
/// Returns nullopt if the plan cannot be spliced: it defines symbols, or shares memory between
/// inputs and outputs in other ways.
std::optional<std::vector<int>> inputs_taken_over(const Plan& plan) {
  if (!plan.defines.empty()) return std::nullopt;
  std::map<Slot, int> input_of;  // Slots in the memory of inputs.
  std::map<Slot, int> taken;     // Slots of updates.
  for (size_t i = 0; i < plan.input_slots.size(); ++i) {
    if (plan.input_slots[i] != kNoSlot) input_of[plan.input_slots[i]] = static_cast<int>(i);
  }
  for (const Step& step : plan.steps) {
    if (!step.defines.empty() || std::holds_alternative<ScalarStep>(step.work)) return std::nullopt;
    const auto* view = std::get_if<ViewStep>(&step.work);
    for (const Result& result : step.results) {
      const Slot from = view != nullptr ? view->source : result.over;
      const auto found = input_of.find(from);
      if (from == kNoSlot || found == input_of.end()) continue;
      input_of[result.slot] = found->second;
      const bool is_whole =
          plan.input_slots[static_cast<size_t>(found->second)] == from || taken.contains(from);
      if (view == nullptr && is_whole) taken[result.slot] = found->second;
    }
  }
  std::vector<int> inputs;
  std::set<Slot> returned;
  for (const ControlOperand& output : plan.outputs) {
    inputs.push_back(-1);
    if (output.slot == kNoSlot) continue;
    if (!returned.insert(output.slot).second) return std::nullopt;
    if (!input_of.contains(output.slot)) continue;
    if (!taken.contains(output.slot)) return std::nullopt;
    inputs.back() = taken[output.slot];
  }
  // Callers must know of every update.
  for (const size_t updated : updated_inputs(plan)) {
    if (std::ranges::count(inputs, static_cast<int>(updated)) != 1) return std::nullopt;
  }
  return inputs;
}

}  // namespace

void GraphLowering::lower_structural(ir::Node& node) {
  if (lower_control(node)) return;
  if (is_item(node)) return lower_item(node);
  if (is_assertion(node)) return lower_assertion(node);
  if (is_range(node)) return lower_range(node);
  require(says_nothing(node), ErrorCode::unsupported,
          "this operator has no lowering:", node.op().name());
  require_known(node);
}

bool GraphLowering::lower_control(ir::Node& node) {
  const ControlName* name = nullptr;
  for (const ControlName& entry : kControl) {
    if (node.is(entry.name)) name = &entry;
  }
  if (name == nullptr) return false;
  if (name->kind == ControlKind::call) {
    lower_call(node);
    return true;
  }
  ControlStep step;
  step.kind = name->kind;
  std::vector<std::vector<ControlOperand>> groups;
  for (const ir::Argument& argument : node.arguments()) {
    const auto* graph =
        argument.is_attribute() ? std::get_if<ir::GraphRef>(&argument.attribute()) : nullptr;
    if (graph != nullptr && step.kind == ControlKind::region) {
      step.region = region_body(*graph);
    } else if (graph != nullptr) {
      step.plans.push_back(program_.plan_of(graph_.module().graph(*graph), known_));
    } else {
      groups.push_back(operands(argument));
    }
  }
  // Missing trailing lists are empty ones.
  const auto group = [&](size_t i) {
    return i < groups.size() ? std::move(groups[i]) : std::vector<ControlOperand>{};
  };
  switch (step.kind) {
    case ControlKind::cond: {
      std::vector<ControlOperand> predicate = group(0);
      require(predicate.size() == 1 && step.plans.size() == 2,
              "cond takes one predicate and two graphs:", predicate.size(), step.plans.size());
      step.predicate = std::move(predicate[0]);
      step.carried = group(1);
      break;
    }
    case ControlKind::while_loop:
      require(step.plans.size() == 2, "while_loop takes two graphs:", step.plans.size());
      step.carried = group(0);
      step.additional = group(1);
      break;
    case ControlKind::scan:
      step.carried = group(0);
      step.xs = group(1);
      step.additional = group(2);
      break;
    case ControlKind::associative_scan:
    case ControlKind::map:
      step.xs = group(0);
      step.additional = group(1);
      break;
    case ControlKind::splice:
    case ControlKind::call:
      break;  // lower_call
    case ControlKind::region:
      for (std::vector<ControlOperand>& entries : groups) {
        for (ControlOperand& entry : entries) step.carried.push_back(std::move(entry));
      }
      break;
  }
  require(!step.plans.empty() || step.region,
          "control flow needs a graph to run:", node.op().name());
  add_step(node, std::move(step), false);
  return true;
}

/// By operand that the body updates: whether it may do so in the caller's memory.
std::vector<bool> GraphLowering::writable_operands(std::span<const ir::Value> values,
                                                   const ir::Graph& body) {
  std::vector<bool> writable = program_.updated_arguments(body);
  const auto memory = [&](size_t i) {
    return slot_memories_[static_cast<size_t>(slot_of(values[i]))].memory;
  };
  for (size_t i = 0; i < writable.size(); ++i) {
    if (!writable[i]) continue;
    writable[i] = memories_[memory(i)].is_writable;
    for (size_t k = 0; k < values.size() && writable[i]; ++k) {
      writable[i] = k == i || !values[k].is_tensor() || memory(k) != memory(i);
    }
  }
  return writable;
}

void GraphLowering::lower_call(ir::Node& node) {
  const auto ref = std::get<ir::GraphRef>(node.argument("body").attribute());
  ir::Graph& body = graph_.module().graph(ref);
  const std::span<const ir::Value> values = node.argument("operands").values();
  std::vector<ir::ValueType> types;
  for (const ir::Value input : body.inputs()) types.push_back(input.type());
  ControlStep step;
  step.carried = operands(node.argument("operands"));
  std::vector<Slot> over;
  if (has_types(values, types)) {
    const int plan = program_.plan_of(body, known_, writable_operands(values, body));
    if (const auto taken = inputs_taken_over(program_.plan(plan))) {
      step.kind = ControlKind::splice;
      step.plans = {plan};
      step.reserved = static_cast<Slot>(slot_memories_.size());
      step.reserved_count = program_.plan(plan).slot_count;
      for (int i = 0; i < step.reserved_count; ++i) {
        slot_memories_.push_back({memories_.size(), 0});
        memories_.emplace_back();
      }
      for (const int input : *taken) {
        over.push_back(input < 0 ? kNoSlot : step.carried[static_cast<size_t>(input)].slot);
      }
    }
  }
  if (step.plans.empty()) step.plans = {program_.plan_of(body, known_)};
  add_step(node, std::move(step), false, over);
}

RegionBody GraphLowering::region_body(ir::GraphRef ref) const {
  RegionBody body{ref, {}};
  SymbolSet mentioned;
  for (const ir::Graph* graph : ir::post_order(graph_.module().graph(ref))) {
    for (const SymbolId symbol : ir::symbols_in(*graph)) mentioned.insert(symbol);
  }
  std::ranges::set_intersection(mentioned, known_, std::back_inserter(body.symbols));
  return body;
}

void GraphLowering::lower_item(ir::Node& node) {
  const ir::Value value = node.output();
  const Expr symbol = value.scalar().value;
  require(symbol.is_symbol(), ErrorCode::unsupported,
          "a scalar read from a tensor must be a symbol of its own:", symbol);
  ScalarStep step;
  step.source = slot_of(node.input(0));
  step.symbol = symbol.symbol();
  step.domain = value.scalar().domain;
  known_.insert(step.symbol);
  add_step(node, step, false);
}

void GraphLowering::lower_assertion(ir::Node& node) {
  const ir::Argument& condition = node.arguments()[0];
  AssertStep step;
  for (const ir::Argument& argument : node.arguments()) {
    if (!argument.is_attribute()) continue;
    if (const auto* text = std::get_if<std::string>(&argument.attribute())) step.message = *text;
  }
  const std::vector<ControlOperand> operand = operands(condition);
  require(operand.size() == 1, "an assertion needs one condition:", operand.size());
  if (operand[0].slot != kNoSlot) {
    return lower_data_check(node, condition.value().tensor(), operand[0].slot, step.message);
  }
  check(operand[0].scalar.has_value(), "an assertion's condition must be a value");
  step.condition = *operand[0].scalar;
  if (step.condition.domain() != ExprDomain::boolean) step.condition = ne(step.condition, 0);
  if (known(step.condition) == true) return;
  add_step(node, std::move(step), false);
}

/// A kernel makes the check, so the host does not wait for data. Later steps need not wait either:
/// kernels check the indices that they compute, and the host reads values only after all earlier
/// work has run.
void GraphLowering::lower_data_check(const ir::Node& node, const TensorType& type, Slot slot,
                                     std::string message) {
  const Expr has_one_element = eq(type.numel(), 1);
  if (known(has_one_element) != true) {
    add_step(node, AssertStep{has_one_element, "an assertion is about one element"}, false);
  }
  loops::KernelBuilder b("assert", graph_.module().exprs());
  const loops::BufferId buffer = b.input("condition", type);
  const std::vector<Expr> origin(type.rank(), Expr(0));
  b.check_that(b.cast(b.load(buffer, origin), DType::bool_), std::move(message));
  KernelStep step;
  step.kernel = std::move(b).finish();
  step.buffers.push_back({slot, std::nullopt});
  add_step(node, std::move(step), false);
}

void GraphLowering::lower_range(ir::Node& node) {
  const std::vector<ControlOperand> size = operands(node.arguments()[0]);
  require(size.size() == 1 && size[0].scalar.has_value(),
          "a range is declared for one host scalar:", node.op().name());
  Expr condition = Expr::boolean(true);
  for (const char* name : {"min", "max"}) {
    const int i = node.op().schema.find(name);
    if (i < 0) continue;
    const std::vector<ControlOperand> bound = operands(node.arguments()[static_cast<size_t>(i)]);
    if (bound.empty() || !bound[0].scalar) continue;
    const Expr limit = *bound[0].scalar;
    const bool is_min = std::string_view(name) == "min";
    condition =
        logical_and(condition, is_min ? le(limit, *size[0].scalar) : le(*size[0].scalar, limit));
  }
  if (known(condition) == true) return;
  AssertStep step;
  step.condition = condition;
  step.message = "the program constrains this value to " + to_string(condition);
  add_step(node, std::move(step), false);
}

/// A computation on host scalars is its expression, so it needs no step. Everything in it must have
/// a value by then.
void GraphLowering::require_known(const ir::Node& node) const {
  for (const ir::Value output : node.outputs()) {
    for (const SymbolId symbol : symbols_of(output.type())) {
      require(known_.contains(symbol), ErrorCode::unsupported,
              "a host scalar must be an expression of values that are known:", node.op().name(),
              graph_.module().exprs().symbol(symbol).name);
    }
  }
}

}  // namespace litz::lowering
