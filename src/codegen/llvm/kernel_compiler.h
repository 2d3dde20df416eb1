// Compiles scheduled kernels to machine code.

#pragma once

#include <optional>
#include <string>

#include "artifact/kernel_code.h"
#include "codegen/llvm/cpu_target.h"
#include "codegen/llvm/emit_object.h"
#include "schedule/schedule.h"

namespace litz::codegen {

/// Stored code is reused while this number stays the same. Raise it with every change to scheduling
/// or code generation (and to the kernel ABI) that changes the code of some kernel.
inline constexpr int kGeneratorVersion = 29;
/// The generator's version with the version of LLVM.
std::string generator_version();

/// Returns why a kernel cannot be compiled yet ("complex numbers"); nullopt if it can.
std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel);

/// Compiles kernels of one target, one after another. Different compilers may work in parallel,
/// even on kernels of one pool, since they only read it.
class KernelCompiler {
 public:
  explicit KernelCompiler(const CpuTarget& target) : target_(target), objects_(target) {}

  /// Returns code with one entry point per phase, named `prefix` and the phase's number. The kernel
  /// must have no reason_not_compiled.
  artifact::KernelCode compile(const schedule::Schedule& schedule, const std::string& prefix);
  /// Returns text instead: LLVM IR before optimisation, or assembly.
  std::string llvm_text(const schedule::Schedule& schedule);
  std::string assembly_text(const schedule::Schedule& schedule);

 private:
  CpuTarget target_;
  ObjectEmitter objects_;
};

}  // namespace litz::codegen
