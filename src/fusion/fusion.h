// Rewrites plans to fewer kernels, so that intermediate values stay in registers, or at least in
// caches.
//
//   views      a kernel reads a view as its storage under other strides, without a step for it
//   inlining   a pointwise producer is computed where its consumers load it
//   sinking    a pointwise consumer is computed where its producer stores, whatever loops it has
//   merging    loop nests with a common outer loop become one nest
//   chaining   small kernels run one after another in one kernel
//   splitting  a long reduction to few elements becomes parts, which threads divide, and their sum
//   epilogues  a pointwise consumer of a library call is computed on the part just written
//
//   %1 = matmul                        %1 = matmul
//   %2 = mul %1, 0.125                 %5 = fused_mul_where__safe_softmax_0 %1, %mask
//   %3 = where %mask, %2, -inf    =>
//   %5 = softmax %3
//
// The result is a program of the same kind: the same executors run it, and its results have the
// same bits, except for sums of floats that were split. Checks that can fail (of indices) still
// fail, though perhaps in another order.

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lowering/plan.h"
#include "machine/machine.h"

namespace litz::fusion {

/// Returns the bytes that a kernel's accesses cost beyond those that they touch, for the lanes that
/// the compiler will choose on this machine.
using AccessPrice = double (*)(const loops::Kernel& kernel, const machine::Machine& machine);

struct FusionOptions {
  bool inline_producers = true;
  bool sink_consumers = true;
  bool merge_loops = true;
  bool chain_small = true;  ///< Runs small kernels one after another in one.
  /// The machine that will run the plans, the library included.
  machine::Machine machine = {};
  /// Kernels are not fused if that makes their accesses costlier (coalescing.h). Null: access
  /// orders are ignored.
  AccessPrice access_price = nullptr;
  /// Rows that pass between loops of one iteration become scratch buffers of the kernel, which its
  /// compiler puts on the stack.
  bool use_scratch = false;
  /// Splits reductions of at least this many elements to few; 0 splits none. At this limit, a split
  /// that gains nothing costs 11.1 us instead of 10.8.
  int64_t split_from = int64_t{1} << 18;
  /// Steps of the main plan by label: the first must run before the second, which does not read it
  /// and keeps its order among calls. A wait that came before what hides its collective would hide
  /// nothing.
  std::vector<std::pair<std::string, std::string>> kept_before;
  /// Orders steps for a low peak of memory.
  bool order_for_memory = true;
  /// Runs the aliasing verifier over the result.
  bool verify = false;
};

/// Why two kernels that share data were not fused.
enum class Reason : uint8_t {
  not_pointwise,     ///< The producer has reductions, several nests or combining stores.
  read_elsewhere,    ///< The value is stored anyway: an output, or another kind of step reads it.
  recompute_cost,    ///< Computing it again costs more than storing and loading it.
  expensive,         ///< It has elementary functions and would be computed several times.
  index_check,       ///< It can fail, and would fail at other elements or several times.
  layout,            ///< The consumer reads it as another dtype, or across gaps in the storage.
  address,           ///< The element read is not known to lie inside what was written.
  loops_differ,      ///< The nests have no common outer loop.
  other_iterations,  ///< The consumer needs elements that other iterations write.
  steps_between,     ///< Some step depends on one and is needed by the other.
  too_large,         ///< The kernel would replace too many operators or instructions.
  little_shared,     ///< They share too few bytes.
  coalescing,        ///< No lanes suit all accesses: costlier than separate kernels.
};

/// "recompute_cost"
std::string_view name(Reason reason);

struct FusedKernel {
  int plan = 0;
  std::string name;
  std::vector<std::string> labels;  ///< Labels of the steps that it replaces; at least two.
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
      0;  ///< Bytes of temporaries and outputs of the main plan, in the program's order.
  double peak_after = 0;  ///< The same in the chosen order; see order.h.
  std::vector<FusedKernel> fused;
  std::vector<MissedFusion> missed;
};

/// Rewrites all plans. Adds index symbols to the pool of the kernels.
void fuse(lowering::LoweredProgram& program, const FusionOptions& options, FusionReport& report);

/// Lists for people what was fused, and what was not and why.
std::string to_string(const FusionReport& report);

}  // namespace litz::fusion
