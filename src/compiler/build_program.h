// A lowered plan as a program of launches, for all sizes; where its temporaries lie in the arena is
// decided later, for some sizes at a time.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "artifact/program.h"
#include "fusion/memory_plan.h"
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

struct ProgramKernels {
  std::vector<artifact::KernelCode> codes;
  std::vector<KernelChoice> choices;      ///< One a kernel step, in order.
  std::vector<EpilogueChoice> epilogues;  ///< One a library step with an epilogue, in order.
};

/// Why a plan must be run step by step ("control flow", "sizes that depend on data"); nothing when
/// it can become a program.
std::optional<std::string> reason_not_planned(const lowering::Plan& plan);

/// Builds the program of a plan that has no reason_not_planned. `is_weight` has one entry an input:
/// tensors that are given once. Builds expressions, so nothing else may build with the plan's pool
/// at that time.
artifact::Program build_program(const lowering::Plan& plan, const fusion::MemoryPlanner& memory,
                                const ProgramKernels& kernels, const std::vector<bool>& is_weight);

/// Where the program's temporaries lie according to a plan of the same planner.
artifact::ArenaLayout arena_layout(const fusion::MemoryPlan& memory);

}  // namespace litz::compiler
