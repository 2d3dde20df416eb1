// A compiled program with its code in memory: what all that runs it shares.

#pragma once

#include <vector>

#include "artifact/program.h"
#include "runtime/cpu/host_device.h"
#include "runtime/cpu/object_code.h"

namespace litz::runtime {

/// Stays where it is, since bound lists refer to it.
class LoadedProgram {
 public:
  /// Loads the kernels' code and makes them known to the device, which must outlive this. Throws
  /// what LoadedCode::load throws, and Error{corrupt} where code lacks a phase.
  LoadedProgram(artifact::Program program, HostDevice& device, ImportResolver resolve);
  /// For kernels that the device knows already: `kernels[i]` is the program's kernel i.
  LoadedProgram(artifact::Program program, HostDevice& device, std::vector<KernelId> kernels);
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const artifact::Program& program() const { return program_; }

  HostDevice& device() const { return device_; }

  KernelId kernel(int32_t index) const { return kernels_[static_cast<size_t>(index)]; }

  const artifact::KernelCode& code(int32_t index) const {
    return program_.kernels[static_cast<size_t>(index)];
  }

 private:
  artifact::Program program_;
  HostDevice& device_;
  LoadedCode code_;
  std::vector<KernelId> kernels_;
};

}  // namespace litz::runtime
