// Scheduled kernels to machine code.

#pragma once

#include <optional>
#include <string>

#include "artifact/kernel_code.h"
#include "codegen/llvm/cpu_target.h"
#include "codegen/llvm/emit_object.h"
#include "schedule/schedule.h"

namespace litz::codegen {

/// Stored code is used as long as this stays: raise it with every change to scheduling or code
/// generation (also of the kernel ABI) that changes the code made for some kernel.
inline constexpr int kGeneratorVersion = 27;
/// That, and the version of LLVM.
std::string generator_version();

/// Why a kernel cannot be compiled yet ("complex numbers"); nothing when it can.
std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel);

/// Compiles kernels of one target, one after the other. Different compilers may work in parallel,
/// also on kernels of one pool: none is written to.
class KernelCompiler {
 public:
  explicit KernelCompiler(const CpuTarget& target) : target_(target), objects_(target) {}

  /// Code with one entry point a phase, named `prefix` and the phase's number. The kernel must have
  /// no reason_not_compiled.
  artifact::KernelCode compile(const schedule::Schedule& schedule, const std::string& prefix);
  /// The same as text: LLVM IR before optimisation, or assembly.
  std::string llvm_text(const schedule::Schedule& schedule);
  std::string assembly_text(const schedule::Schedule& schedule);

 private:
  CpuTarget target_;
  ObjectEmitter objects_;
};

}  // namespace litz::codegen
