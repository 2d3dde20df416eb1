// A plan as one launch list with what runs it, for tests that look below programs.

#pragma once

#include <vector>

#include "compiler/build_program.h"
#include "compiler/execution/plan_runner.h"
#include "compiler/kernels/kernel_set.h"
#include "runtime/cpu/host_device.h"
#include "runtime/program/list_runner.h"
#include "runtime/test_modes.h"
#include "support/check.h"

namespace litz::compiler {

/// The main plan of a runner, which must outlive this; calls give all inputs.
class OneList {
 public:
  explicit OneList(const PlanRunner& runner, ThreadPool* pool = nullptr,
                   const runtime::TestModes& modes = {})
      : device_(pool), library_(device_.make_library({})), built_(built_of(runner)) {
    device_.set_modes(runtime::device_modes(modes));
    artifact::Program program = built_.program;
    loaded_.emplace(std::move(program), device_, runner.kernels().add_to(device_));
    runtime::ListSurroundings with;
    with.library = library_.get();
    with.calls = built_.calls;
    list_.emplace(*loaded_, loaded_->program().lists.at(0),
                  std::vector<Tensor>(runner.program().plans[0].input_types.size()),
                  std::move(with));
    device_.fail_call(modes.fail_call);
  }

  const runtime::ListRunner& runner() const { return *list_; }

  const artifact::LaunchList& list() const { return loaded_->program().lists[0]; }

  void fail_call(int64_t n) { device_.fail_call(n); }

 private:
  static BuiltProgram built_of(const PlanRunner& runner) {
    const lowering::LoweredProgram& lowered = runner.program();
    BuiltProgram built =
        build_program(lowered, runner.kernels(),
                      std::vector<bool>(lowered.plans[0].input_types.size()), std::nullopt);
    check(built.program.routines.empty(), "the plan must be one list");
    built.program.signature.inputs.resize(lowered.plans[0].input_types.size());
    built.program.signature.outputs.resize(lowered.plans[0].outputs.size());
    return built;
  }

  runtime::HostDevice device_;
  std::unique_ptr<runtime::DeviceLibrary> library_;
  BuiltProgram built_;
  std::optional<runtime::LoadedProgram> loaded_;
  std::optional<runtime::ListRunner> list_;
};

}  // namespace litz::compiler
