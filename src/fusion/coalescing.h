// Whether one kernel should stand for several: what it moves through memory, and how.
//
//   for i { %s = reduce sum j { load %x[i, j] } .. }     lanes along j: neighbours
//   for i { %s = reduce sum j { load %x[j, i] } .. }     lanes along i: neighbours
//   for i { reduce sum j { load %x[j, i] }  for k { store %y[i, k] } }     one of them cannot be
//
// A fused nest has one choice of lanes for all that it holds, where each part had its own. A kernel
// costs the bytes that it touches and what its accesses cost beyond that, by the prices with which
// scheduling chooses lanes; one that costs more than its parts is not made.

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

  /// `price` as in FusionOptions; the machine must outlive the gate. Null: nothing is refused.
  CoalescingGate(Price price, const machine::Machine& machine) : price_(price), machine_(machine) {}

  /// True when these kernels should not be made of the parts, live steps with kernels.
  bool refuses(PlanGraph& graph, std::span<const KernelStep* const> fused,
               std::span<const StepId> parts);

 private:
  double cost(PlanGraph& graph, StepId id);

  Price price_;
  const machine::Machine& machine_;
  std::map<StepId, std::pair<int, double>> known_;  ///< Versions of steps, and their costs.
};

}  // namespace litz::fusion
