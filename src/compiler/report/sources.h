// The inputs of a CompileReport.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compiler/backend.h"
#include "compiler/executable.h"
#include "compiler/kernels/kernel_set.h"
#include "compiler/report/compile_report.h"
#include "fusion/fusion.h"
#include "ir/program.h"
#include "lowering/plan.h"
#include "passes/pass_driver.h"
#include "runtime/program/list_runner.h"

namespace litz::compiler {

/// The origin of a step, which fusion does not keep.
struct StepOrigin {
  int plan = 0;
  std::string label;
  std::string module_path;
};

/// The origins of a program that is not fused yet.
std::vector<StepOrigin> step_origins(const lowering::LoweredProgram& program);

struct ReportSources {
  const ir::Program& program;
  const lowering::LoweredProgram& lowered;
  const KernelSet& kernels;  ///< All kernel steps in order.
  std::span<const passes::PassStatistics> passes;
  const fusion::FusionReport& fusion;
  std::span<const StepOrigin> origins;
  const Backend& backend;
  std::optional<SymbolId> seed;
  const runtime::ListRunner* list = nullptr;  ///< Runs the main plan as one list, unless null.
  size_t packed_bytes = 0;
  Bindings bindings;
  const Profile* profile = nullptr;  ///< Null: no times were measured.
};

CompileReport make_report(const ReportSources& sources);

}  // namespace litz::compiler
