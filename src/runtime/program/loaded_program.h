// A compiled program with its code on a device: the part that all its runners share.

#pragma once

#include <vector>

#include "artifact/program.h"
#include "runtime/device.h"

namespace litz::runtime {

/// Must not move, since bound lists refer to it.
class LoadedProgram {
 public:
  /// Registers the kernels with the device, which must outlive this. Throws what GraphDevice::load
  /// throws.
  LoadedProgram(artifact::Program program, GraphDevice& device);
  /// For kernels that are registered already: `kernels[i]` is the program's kernel i.
  LoadedProgram(artifact::Program program, GraphDevice& device, std::vector<KernelId> kernels);
  LoadedProgram(const LoadedProgram&) = delete;
  LoadedProgram& operator=(const LoadedProgram&) = delete;

  const artifact::Program& program() const { return program_; }

  GraphDevice& device() const { return device_; }

  KernelId kernel(int32_t index) const { return kernels_[static_cast<size_t>(index)]; }

  const artifact::KernelCode& code(int32_t index) const {
    return program_.kernels[static_cast<size_t>(index)];
  }

 private:
  artifact::Program program_;
  GraphDevice& device_;
  std::vector<KernelId> kernels_;
};

}  // namespace litz::runtime
