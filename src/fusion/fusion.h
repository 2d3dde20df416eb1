// Rewrites plans to fewer kernels: values that kernels pass through memory stay in registers or at
// least in caches.
//
//   views      a kernel reads a view as its storage under other strides; the view is no step then
//   inlining   a pointwise producer is computed where its consumers load it
//   sinking    a pointwise consumer is computed where its producer stores, whatever loops it has
//   merging    loop nests with a common outer loop become one nest
//   chaining   small kernels run one behind the other in one kernel
//   splitting  a long reduction to few elements becomes parts, which threads divide, and their sum
//   epilogues  a pointwise consumer of a library call is computed on what the call just wrote
//
//   %1 = matmul                        %1 = matmul
//   %2 = mul %1, 0.125                 %5 = fused_mul_where__safe_softmax_0 %1, %mask
//   %3 = where %mask, %2, -inf    =>
//   %5 = softmax %3
//
// The result is a program like any other: the same executors run it, and give the same bits, but
// for sums of floats that were split. What can fail (index checks) still fails, though perhaps
// before another failure.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lowering/plan.h"
#include "machine/machine.h"

namespace litz::fusion {

/// Bytes that a kernel's accesses cost beyond those that they touch, as whoever compiles it for the
/// machine will choose its lanes.
using AccessPrice = double (*)(const loops::Kernel& kernel, const machine::Machine& machine);

struct FusionOptions {
  bool inline_producers = true;
  bool sink_consumers = true;
  bool merge_loops = true;
  bool chain_small = true;  ///< Small kernels one behind the other in one.
  /// What the plans will run on, library included.
  machine::Machine machine = {};
  /// Kernels are not fused where that would make their accesses costlier (coalescing.h). Null: orders
  /// of access do not matter.
  AccessPrice access_price = nullptr;
  /// Rows that pass between loops of one iteration become scratch of the kernel: what compiles it
  /// puts them on the stack.
  bool use_scratch = false;
  /// Reductions of at least so many elements to few are split into parts; 0 for none.
  int64_t split_from = int64_t{1} << 18;
  /// Orders steps for a low peak of memory.
  bool order_for_memory = true;
  /// Runs the aliasing verifier over the result.
  bool verify = false;
};

/// Why two kernels that share data were not fused.
enum class Reason : uint8_t {
  not_pointwise,   ///< The producer has reductions, several nests or combining stores.
  read_elsewhere,  ///< The value is stored anyway: an output, or a step that is no kernel reads it.
  recompute_cost,  ///< Computing it again costs more than storing and loading it.
  expensive,       ///< It holds elementary functions and would be computed several times.
  index_check,     ///< It can fail, and would fail at other elements or several times.
  layout,          ///< The consumer reads it as another dtype, or across gaps in the storage.
  address,         ///< The element read is not known to lie inside what was written.
  loops_differ,    ///< The nests have no outer loop in common.
  other_iterations,  ///< The consumer needs elements that other iterations write.
  steps_between,     ///< Some step needs the one and is needed by the other.
  too_large,         ///< The kernel would stand for too many operators or instructions.
  little_shared,     ///< They share too few bytes.
  coalescing,        ///< No choice of lanes lets all of it access neighbours: dearer than apart.
};

/// "recompute_cost"
std::string_view name(Reason reason);

struct FusedKernel {
  int plan = 0;
  std::string name;
  std::vector<std::string> labels;  ///< Of the steps that it stands for; at least two.
};

struct MissedFusion {
  int plan = 0;
  std::string producer;  ///< Labels. For two readers of one value, the earlier one.
  std::string consumer;
  Reason reason = Reason::not_pointwise;
};

struct FusionReport {
  int kernels_before = 0;
  int kernels_after = 0;
  int epilogues = 0;  ///< Kernels that became part of a library call.
  int views_before = 0;
  int views_after = 0;
  double peak_before =
      0;  ///< Bytes of temporaries and outputs of the main plan, in the order of the
  double peak_after = 0;  ///< program and in the one that was chosen; see order.h.
  std::vector<FusedKernel> fused;
  std::vector<MissedFusion> missed;
};

/// Rewrites all plans. Adds index symbols to the pool of the kernels.
void fuse(lowering::LoweredProgram& program, const FusionOptions& options, FusionReport& report);

/// A listing for people: what was fused, and what was not and why.
std::string to_string(const FusionReport& report);

}  // namespace litz::fusion
