// Decides whether one kernel should replace several, by the cost of its memory accesses.
//
//   for i { %s = reduce sum j { load %x[i, j] } .. }     lanes along j: neighbours
//   for i { %s = reduce sum j { load %x[j, i] } .. }     lanes along i: neighbours
//   for i { reduce sum j { load %x[j, i] }  for k { store %y[i, k] } }     one of them cannot be
//
// A fused nest has one choice of lanes for everything in it; each part had its own. The cost of a
// kernel is the bytes that it touches plus the extra cost of its accesses, by the prices with which
// scheduling chooses lanes. A kernel that costs more than its parts is not made.

#pragma once

#include <map>
#include <span>
#include <utility>

#include "fusion/fusion.h"
#include "fusion/plan_graph.h"

namespace litz::fusion {

class CoalescingGate {
 public:
  using Price = double (*)(const loops::Kernel& kernel, const machine::Machine& machine);

  /// `price` as in FusionOptions; the machine must outlive the gate. Null: the gate refuses
  /// nothing.
  CoalescingGate(Price price, const machine::Machine& machine) : price_(price), machine_(machine) {}

  /// True if these kernels should not replace the parts, which are live steps with kernels.
  bool refuses(PlanGraph& graph, std::span<const KernelStep* const> fused,
               std::span<const StepId> parts);

 private:
  double cost(PlanGraph& graph, StepId id);

  Price price_;
  const machine::Machine& machine_;
  std::map<StepId, std::pair<int, double>> known_;  ///< Versions of steps, and their costs.
};

}  // namespace litz::fusion
