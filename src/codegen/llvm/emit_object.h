// Compiles an LLVM module to an object file in memory: the optimisation pipeline and the target's
// back end.

#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "codegen/llvm/cpu_target.h"

namespace llvm {
class Module;
class TargetMachine;
}  // namespace llvm

namespace litz::codegen {

/// LLVM's back end for a target. Make one per thread and keep it: the constructor takes
/// milliseconds.
class ObjectEmitter {
 public:
  explicit ObjectEmitter(const CpuTarget& target);
  ~ObjectEmitter();
  ObjectEmitter(ObjectEmitter&&) noexcept;
  ObjectEmitter& operator=(ObjectEmitter&&) noexcept;

  /// Sets the module's triple and data layout. Call it before filling the module.
  void prepare(llvm::Module& module) const;
  /// Optimises and compiles, and consumes the module. Throws InternalError with LLVM's message for
  /// a module that does not verify.
  std::vector<std::byte> emit(llvm::Module& module);
  /// Returns assembly text instead, for reading and tests.
  std::string emit_assembly(llvm::Module& module);

 private:
  void optimise(llvm::Module& module);

  std::unique_ptr<llvm::TargetMachine> machine_;
};

}  // namespace litz::codegen
