// Turns a part of a lowered plan into a launch list for all sizes. A later step places the
// temporaries in the arena, for a few sizes at a time.

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

/// How a kernel step is launched: as a compiled kernel or as a callback.
struct KernelChoice {
  bool is_compiled = false;
  int32_t number = 0;  ///< Indexes the program's kernels or its callbacks.
};

/// An epilogue runs on tiles, or after its call as a kernel.
struct EpilogueChoice {
  KernelChoice kernel;
  std::optional<fusion::TileSymbols> symbols;  ///< Set if it runs on tiles.
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

/// The step behind each launch of a list.
using StepOfLaunch = std::vector<const lowering::Step*>;

/// Builds the list of steps that have no reason_not_listed. `is_weight` has one entry per input and
/// marks tensors that are given once. Builds expressions, so no other thread may use the plan's
/// pool meanwhile.
artifact::LaunchList build_list(const lowering::PlanPart& part, const StepKernels& kernels,
                                const std::vector<bool>& is_weight, std::optional<SymbolId> seed,
                                StepOfLaunch* steps = nullptr);

}  // namespace litz::compiler
