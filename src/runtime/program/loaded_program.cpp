#include "runtime/program/loaded_program.h"

#include <utility>

#include "support/check.h"

namespace litz::runtime {

LoadedProgram::LoadedProgram(artifact::Program program, GraphDevice& device)
    : program_(std::move(program)), device_(device) {
  artifact::check_program(program_);
  kernels_ = device.load(program_.kernels);
}

LoadedProgram::LoadedProgram(artifact::Program program, GraphDevice& device,
                             std::vector<KernelId> kernels)
    : program_(std::move(program)), device_(device), kernels_(std::move(kernels)) {
  artifact::check_program(program_);
  check(kernels_.size() == program_.kernels.size(),
        "every kernel must be known to the device:", kernels_.size(), program_.kernels.size());
}

}  // namespace litz::runtime
