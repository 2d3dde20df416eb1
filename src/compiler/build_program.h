// Turns a lowered program into one that the runtime loads: lists of launches, and routines around
// them where sizes or control flow depend on data.
//
//   plan                            routine
//   %1 = aten.nonzero(%x)           v1 = library aten.nonzero(v0)
//   %2 = aten.index(%y, [%1])       v4 = list 0(v1, weight 2)      two launches
//   %3 = aten.mm(%2, %w)
//   %4 = aten.relu(%3)
//
// Consecutive steps whose sizes are known beforehand form one list. A list repeats the views that
// it reads, so only memory crosses its border.

#pragma once

#include <functional>
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
  std::vector<StepOfLaunch> steps;           ///< Indexed by list.
};

/// Why a program runs from its plans ("regions"); nothing when it is built.
std::optional<std::string> reason_not_built(const lowering::LoweredProgram& program);

/// The call of a region as a part of the program (artifact::Program::parts), from its operands.
using PartOfRegion = std::function<artifact::ProgramStep(const lowering::RegionBody& region,
                                                         std::vector<artifact::Operand> operands)>;

/// `kernels` holds all plans' kernel steps in order. It must outlive the result, and so must the
/// plans. `is_constant` has one entry per input of the main plan and marks weights that no call
/// changes. Builds expressions in the plans' pool. Regions need `part_of_region`, and are routines of
/// their own between lists. The result has no name, target, signature or parts.
BuiltProgram build_program(const lowering::LoweredProgram& program, const KernelSet& kernels,
                           const std::vector<bool>& is_constant, std::optional<SymbolId> seed,
                           const PartOfRegion& part_of_region = nullptr);

}  // namespace litz::compiler
