// Control flow: child plans run on leaves, and results settle like those of steps with
// data-dependent sizes.

#include <utility>

#include "compiler/execution/plan_runner.h"
#include "ops/random_streams.h"
#include "runtime/program/control_flow.h"
#include "runtime/program/declared_values.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using lowering::ControlKind;
using lowering::ControlStep;
using lowering::Step;

/// The symbol of the random-number key, if the module has one.
std::optional<SymbolId> key_symbol(const ExprPool& pool) {
  const std::optional<Expr> symbol = pool.find_symbol(ops::kSeedSymbol);
  return symbol ? std::optional(symbol->symbol()) : std::nullopt;
}

/// The types of the values that a scan stacks.
std::vector<const TensorType*> stacked_types(const Step& step, size_t carries) {
  std::vector<const TensorType*> types;
  for (size_t i = carries; i < step.results.size(); ++i) {
    types.push_back(std::get_if<TensorType>(&step.results[i].type));
  }
  return types;
}

}  // namespace

std::vector<Leaf> PlanRunner::results_of(Frame& frame, const Step& step,
                                         const ControlStep& work) const {
  const auto call_child = [&](size_t child, std::vector<Leaf> inputs) {
    return run_plan(work.plans[child], std::move(inputs), frame.bindings, frame.observer);
  };
  const runtime::LoopKey key{key_symbol(pool_), frame.bindings};
  std::vector<Leaf> carried = frame.leaves(work.carried);
  switch (work.kind) {
    case ControlKind::splice:
      fail(ErrorCode::internal, "calls must be expanded before a plan is run:", step.label);
    case ControlKind::call:
      return call_child(0, std::move(carried));
    case ControlKind::cond:
      return call_child(runtime::truth(frame.leaf(*work.predicate), where()) ? 0 : 1,
                        std::move(carried));
    case ControlKind::while_loop:
      return runtime::run_while(std::move(carried), frame.leaves(work.additional), key, where(),
                                call_child);
    case ControlKind::region:
      check(run_region_ != nullptr, "somebody must run the regions of a program:", step.label);
      return run_region_(work.region->graph, carried, frame.bindings);
    case ControlKind::scan:
    case ControlKind::associative_scan:
    case ControlKind::map:
      break;
  }
  const lowering::Plan& plan = program_.plans[static_cast<size_t>(work.plans[0])];
  const size_t carries = carried.size();
  runtime::Scan scan{std::move(carried),
                     frame.leaves(work.xs),
                     frame.leaves(work.additional),
                     work.kind == ControlKind::associative_scan,
                     std::get_if<TensorType>(&plan.input_types[carries]),
                     stacked_types(step, carries)};
  return runtime::run_over_entries(std::move(scan), key, where(), step.label, call_child);
}

void PlanRunner::run_control(Frame& frame, const Step& step, const ControlStep& work) const {
  std::vector<Leaf> results = results_of(frame, step, work);
  check(results.size() == step.results.size(),
        "a child graph must give all results:", results.size(), step.results.size());
  // A size may be computed from one that only a later result binds, such as its double.
  for (size_t i = 0; i < results.size(); ++i) {
    const auto* type = std::get_if<TensorType>(&step.results[i].type);
    const auto* tensor = std::get_if<Tensor>(&results[i]);
    if (type == nullptr || tensor == nullptr || !tensor->defined()) continue;
    runtime::bind_sizes(pool_, *type, *tensor, step.defines, step.label, frame.bindings);
  }
  for (size_t i = 0; i < results.size(); ++i) settle(frame, step, i, std::move(results[i]));
}

}  // namespace litz::compiler
