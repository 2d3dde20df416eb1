// What is neither a kernel nor a library call: child graphs, host scalars and assertions.
//
// Arguments are read by kind and order rather than by name: graphs are the arguments that name one,
// and everything else follows in the order that the exported form fixes for each control operator.

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "ir/child_graphs.h"
#include "ir/printed_symbols.h"
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

/// Checked when the program was imported, or without any effect on results.
bool says_nothing(const ir::Node& node) {
  return node.is("aten._assert_tensor_metadata") || node.is("aten._print") ||
         node.op().name().starts_with("_operator.") || node.op().name().starts_with("aten.sym_");
}

bool has_types(std::span<const ir::Value> values, std::span<const ir::ValueType> types) {
  return std::ranges::equal(values, types, [](ir::Value value, const ir::ValueType& type) {
    return value && value.type() == type;
  });
}

/// True when the plan's steps may stand in the place of a call with operands of its very types.
bool can_take_place(const Plan& plan) {
  if (!plan.defines.empty()) return false;
  std::set<Slot> given(plan.input_slots.begin(), plan.input_slots.end());
  for (const Step& step : plan.steps) {
    if (!step.defines.empty() || std::holds_alternative<ScalarStep>(step.work)) return false;
    const auto* view = std::get_if<ViewStep>(&step.work);
    if (view != nullptr && given.contains(view->source)) given.insert(step.results[0].slot);
    for (const Result& result : step.results) {
      if (given.contains(result.over) && result.over != kNoSlot) given.insert(result.slot);
    }
  }
  std::set<Slot> returned;
  return std::ranges::all_of(plan.outputs, [&](const ControlOperand& output) {
    if (output.slot == kNoSlot) return true;
    return !given.contains(output.slot) && returned.insert(output.slot).second;
  });
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
    case ControlKind::region:
    case ControlKind::splice:
    case ControlKind::call:
      for (std::vector<ControlOperand>& entries : groups) {
        for (ControlOperand& entry : entries) step.carried.push_back(std::move(entry));
      }
      break;
  }
  require(!step.plans.empty() || step.region,
          "control flow needs a graph to run:", node.op().name());
  if (step.kind == ControlKind::call) splice_if_possible(node, step);
  add_step(node, std::move(step), false);
  return true;
}

void GraphLowering::splice_if_possible(const ir::Node& node, ControlStep& step) {
  const Plan& plan = program_.plan(step.plans[0]);
  const std::span<const ir::Value> operands = node.argument("operands").values();
  if (!has_types(operands, plan.input_types) || !can_take_place(plan)) return;
  step.kind = ControlKind::splice;
  step.reserved = static_cast<Slot>(slot_memories_.size());
  step.reserved_count = plan.slot_count;
  for (int i = 0; i < plan.slot_count; ++i) {
    slot_memories_.push_back({memories_.size(), 0});
    memories_.emplace_back();
  }
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
    step.slot = operand[0].slot;
  } else {
    check(operand[0].scalar.has_value(), "an assertion's condition must be a value");
    step.condition = *operand[0].scalar;
    if (step.condition.domain() != ExprDomain::boolean) step.condition = ne(step.condition, 0);
    if (known(step.condition) == true) return;
  }
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

/// A computation on host scalars is its expression, so it needs no step; but everything in it must
/// have a value by then.
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
