// Control flow of routines: children run on values, and results settle like those of steps with new
// sizes.

#include "runtime/program/control_flow.h"
#include "runtime/program/routine_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using artifact::ControlKind;
using artifact::ControlStep;
using artifact::Step;

/// The types of a scan's stacked results.
std::vector<const TensorType*> stacked_types(const Step& step, size_t carries) {
  std::vector<const TensorType*> types;
  for (size_t i = carries; i < step.results.size(); ++i) {
    types.push_back(std::get_if<TensorType>(&step.results[i].type));
  }
  return types;
}

}  // namespace

void RoutineRunner::run_step(Frame& frame, const Step& step, const ControlStep& work) const {
  const auto call_child = [&](size_t child, std::vector<Value> inputs) {
    return call(work.routines[child], std::move(inputs), frame);
  };
  const LoopKey key{program_.program().seed, frame.bindings};
  std::vector<Value> carried = frame.operands(work.carried);
  switch (work.kind) {
    case ControlKind::call:
      return settle(frame, step, call_child(0, std::move(carried)));
    case ControlKind::cond:
      return settle(frame, step,
                    call_child(truth(frame.operand(work.predicate), frame.where) ? 0 : 1,
                               std::move(carried)));
    case ControlKind::while_loop:
      return settle(frame, step,
                    run_while(std::move(carried), frame.operands(work.additional), key, frame.where,
                              call_child));
    case ControlKind::scan:
    case ControlKind::associative_scan:
    case ControlKind::map:
      break;
  }
  const artifact::Routine& child =
      program_.program().routines[static_cast<size_t>(work.routines[0])];
  const size_t carries = carried.size();
  require(carries < child.input_types.size(), ErrorCode::corrupt,
          "a scan must have a child that takes entries:", child.name);
  Scan scan{std::move(carried),
            frame.operands(work.xs),
            frame.operands(work.additional),
            work.kind == ControlKind::associative_scan,
            std::get_if<TensorType>(&child.input_types[carries]),
            stacked_types(step, carries)};
  settle(frame, step, run_over_entries(std::move(scan), key, frame.where, step.label, call_child));
}

}  // namespace litz::runtime
