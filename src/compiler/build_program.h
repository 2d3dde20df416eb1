// A lowered program as one that the runtime loads: lists of launches, and routines around them where
// sizes or control flow depend on data.
//
//   plan                            routine
//   %1 = aten.nonzero(%x)           v1 = library aten.nonzero(v0)
//   %2 = aten.index(%y, [%1])       v4 = list 0(v1, weight 2)      two launches
//   %3 = aten.mm(%2, %w)
//   %4 = aten.relu(%3)
//
// Steps that follow each other and know their sizes beforehand are one list. A list repeats the views
// that it reads, so that only memory crosses its border.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/program.h"
#include "compiler/build_list.h"
#include "compiler/kernels/kernel_set.h"
#include "lowering/plan.h"
#include "runtime/program/device_library.h"

namespace litz::compiler {

struct BuiltProgram {
  artifact::Program program;
  std::vector<runtime::SuppliedCall> calls;  ///< Interpreted kernels, by CallLaunch::call.
  std::vector<StepOfLaunch> steps;           ///< By list.
};

/// Why a program must be run from its plans ("regions"); nothing when it can be built.
std::optional<std::string> reason_not_built(const lowering::LoweredProgram& program);

/// `kernels` are those of all plans' kernel steps, in order, and must outlive what is built, as the
/// plans must. `is_constant` has one entry per input of the main plan: weights that no call changes.
/// Builds expressions in the plans' pool. The result has no name, target and signature.
BuiltProgram build_program(const lowering::LoweredProgram& program, const KernelSet& kernels,
                           const std::vector<bool>& is_constant, std::optional<SymbolId> seed);

}  // namespace litz::compiler
