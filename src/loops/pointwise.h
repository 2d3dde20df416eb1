// Kernels that compute each element of their results independently: one nest of independent loops
// over loads, pure operations and one store per result.
//
//   for i0 in 0..64 {
//     %0 = load %variance[i0]          rank 1 of the nest
//     for i1 in 0..1, i2 in 0..112 {
//       %1 = load %input[i1, i0, i2]   rank 2
//       ...
//       store %out[i1, i0, i2], %9
//     }
//   }

#pragma once

#include <optional>
#include <vector>

#include "expr/estimate.h"
#include "loops/kernel.h"

namespace litz::loops {

struct PointwiseStore {
  const loops::Instr* instr = nullptr;
  loops::BufferId buffer = -1;
  /// By dimension of the buffer: the loop variable that is its index, or -1 for the constant 0.
  std::vector<int> vars;
};

struct PointwiseNest {
  std::vector<loops::LoopVar> vars;         ///< Outermost first.
  std::vector<const loops::Instr*> instrs;  ///< In order; no loops, no stores.
  std::vector<PointwiseStore> stores;       ///< One per result; every variable occurs in each.
  bool has_check = false;                   ///< Contains a bound_index or an integer division.
  double cost = 0;                          ///< Per element, outer loops included.
  double outer_cost = 0;                    ///< The part of it in outer loops.
  bool is_expensive = false;  ///< Contains operations that must not be computed twice.
  int loads = 0;
};

/// Returns the nest, which points into the kernel; nullopt for other kernels.
std::optional<PointwiseNest> pointwise_nest(const loops::Kernel& kernel);

/// Returns the store to the buffer, or null.
const PointwiseStore* find_store(const PointwiseNest& nest, loops::BufferId buffer);

/// The cost of a load, in the unit of loops::cost.
inline constexpr double kLoadCost = 2;

/// True for elementary functions and the like: never computed twice to save memory traffic.
bool is_expensive(loops::ScalarOp op);

/// The estimated iterations of a nest with these loops.
double trips(const std::vector<loops::LoopVar>& vars, int64_t unknown = kUnknownSize);
/// The estimated iterations of the longest nest in the block, at least 1.
double inner_trips(const loops::Block& block, int64_t unknown = kUnknownSize);

}  // namespace litz::loops
