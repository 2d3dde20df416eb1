#include "codegen/llvm/kernel_compiler.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <utility>

#include "codegen/llvm/kernel_emitter.h"
#include "loops/instrs.h"
#include "schedule/complex_parts.h"
#include "schedule/computed_sizes.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

void fill(llvm::Module& module, const schedule::Schedule& schedule, const std::string& prefix,
          artifact::KernelCode& code) {
  KernelEmitter emitter(schedule, module, code.checks);
  for (const schedule::Phase& phase : schedule.phases) {
    artifact::KernelPhase entry;
    entry.symbol = prefix + std::to_string(code.phases.size());
    entry.iterations = phase.iterations;
    entry.grain = phase.grain;
    entry.cost = phase.cost;
    emitter.emit_phase(phase, entry.symbol);
    code.phases.push_back(std::move(entry));
  }
}

}  // namespace

std::string generator_version() {
  return std::to_string(kGeneratorVersion) + " llvm " LLVM_VERSION_STRING;
}

std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel) {
  if (schedule::has_complex(kernel)) {
    const std::optional<loops::Kernel> parts = schedule::in_parts(kernel);
    if (!parts) return "complex numbers";
    return schedule::function_not_compiled(*parts);
  }
  return schedule::function_not_compiled(kernel);
}

artifact::KernelCode KernelCompiler::compile(const schedule::Schedule& schedule,
                                             const std::string& prefix) {
  llvm::LLVMContext context;
  llvm::Module module(schedule.kernel.name, context);
  objects_.prepare(module);
  artifact::KernelCode code;
  code.name = schedule.kernel.name;
  code.scalars = schedule.scalars;
  fill(module, schedule, prefix, code);
  code.object = objects_.emit(module);
  return code;
}

std::string KernelCompiler::llvm_text(const schedule::Schedule& schedule) {
  llvm::LLVMContext context;
  llvm::Module module(schedule.kernel.name, context);
  objects_.prepare(module);
  artifact::KernelCode code;
  fill(module, schedule, schedule.kernel.name, code);
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

std::string KernelCompiler::assembly_text(const schedule::Schedule& schedule) {
  llvm::LLVMContext context;
  llvm::Module module(schedule.kernel.name, context);
  objects_.prepare(module);
  artifact::KernelCode code;
  fill(module, schedule, schedule.kernel.name, code);
  return objects_.emit_assembly(module);
}

}  // namespace litz::codegen
