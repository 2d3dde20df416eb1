#include "runtime/program/loaded_program.h"

#include <span>
#include <utility>

#include "support/check.h"

namespace litz::runtime {
namespace {

HostKernel host_kernel(const artifact::KernelCode& kernel, const LoadedCode& code) {
  HostKernel result{.name = kernel.name, .phases = {}, .checks = kernel.checks};
  for (const artifact::KernelPhase& phase : kernel.phases) {
    const artifact::KernelFunction function = code.find(phase.symbol);
    require(function != nullptr, ErrorCode::corrupt, "code must define its phases:", phase.symbol);
    result.phases.push_back({.function = function, .grain = phase.grain, .cost = phase.cost});
  }
  return result;
}

}  // namespace

LoadedProgram::LoadedProgram(artifact::Program program, HostDevice& device, ImportResolver resolve)
    : program_(std::move(program)), device_(device) {
  artifact::check_program(program_);
  std::vector<std::span<const std::byte>> objects;
  for (const artifact::KernelCode& kernel : program_.kernels) objects.emplace_back(kernel.object);
  code_ = LoadedCode::load(objects, resolve);
  for (const artifact::KernelCode& kernel : program_.kernels) {
    kernels_.push_back(device.add_kernel(host_kernel(kernel, code_)));
  }
}

LoadedProgram::LoadedProgram(artifact::Program program, HostDevice& device,
                             std::vector<KernelId> kernels)
    : program_(std::move(program)), device_(device), kernels_(std::move(kernels)) {
  artifact::check_program(program_);
  check(kernels_.size() == program_.kernels.size(),
        "every kernel must be known to the device:", kernels_.size(), program_.kernels.size());
}

}  // namespace litz::runtime
