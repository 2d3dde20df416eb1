// A part of a lowered plan as a launch list, for all sizes; where its temporaries lie in the arena is
// decided later, for some sizes at a time.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/launch_list.h"
#include "fusion/tile_kernel.h"
#include "lowering/plan.h"

namespace litz::compiler {

/// How a kernel step is launched: by number among the compiled kernels, or called back.
struct KernelChoice {
  bool is_compiled = false;
  int32_t number = 0;  ///< Kernel of the program, or number of the call.
};

/// An epilogue is run on tiles, or launched after its call as kernels are.
struct EpilogueChoice {
  KernelChoice kernel;
  std::optional<fusion::TileSymbols> symbols;  ///< On tiles.
};

/// The code of a program's kernels, and which step runs which.
struct StepKernels {
  std::span<const artifact::KernelCode> codes;
  std::function<KernelChoice(const lowering::Step&)> kernel;
  std::function<EpilogueChoice(const lowering::Step&)> epilogue;
};

/// Why a step cannot be in a list ("control flow", "a value read from data"); nothing when it can.
/// `seed` is the symbol that each call binds anew.
std::optional<std::string> reason_not_listed(const lowering::Step& step,
                                             std::optional<SymbolId> seed);

/// Of the steps of a list, the one that each launch does the work of.
using StepOfLaunch = std::vector<const lowering::Step*>;

/// Builds the list of steps that have no reason_not_listed. `is_weight` has one entry per input:
/// tensors that are given once. Builds expressions, so nothing else may build with the plan's pool
/// at that time.
artifact::LaunchList build_list(const lowering::PlanPart& part, const StepKernels& kernels,
                                const std::vector<bool>& is_weight, std::optional<SymbolId> seed,
                                StepOfLaunch* steps = nullptr);

}  // namespace litz::compiler
