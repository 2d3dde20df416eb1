// A compiled program with its code on a device: what all that runs it shares.

#pragma once

#include <vector>

#include "artifact/program.h"
#include "runtime/device.h"

namespace litz::runtime {

/// Stays where it is, since bound lists refer to it.
class LoadedProgram {
 public:
  /// Makes the kernels known to the device, which must outlive this. Throws what GraphDevice::load
  /// throws.
  LoadedProgram(artifact::Program program, GraphDevice& device);
  /// For kernels that the device knows already: `kernels[i]` is the program's kernel i.
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
