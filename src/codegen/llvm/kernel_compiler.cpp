#include "codegen/llvm/kernel_compiler.h"

#include <llvm/Config/llvm-config.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>
#include <utility>
#include <variant>

#include "codegen/llvm/kernel_emitter.h"
#include "loops/instrs.h"
#include "schedule/complex_parts.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

/// The name of a function of sizes in the expression that kernels do not compute.
std::optional<std::string> function_not_compiled(Expr expr) {
  if (expr.is_constant() || expr.is_symbol()) return std::nullopt;
  for (const Expr operand : expr.operands()) {
    if (const auto found = function_not_compiled(operand)) return found;
  }
  switch (expr.kind()) {
    case ExprKind::round_decimals:
    case ExprKind::sign:
    case ExprKind::dense_indicator:
      return std::string(name(expr.kind())) + " of sizes";
    default:
      return std::nullopt;
  }
}

/// The kernel is in parts (schedule/complex_parts.h), or has no complex numbers.
std::optional<std::string> reason_real_not_compiled(const loops::Kernel& kernel) {
  std::optional<std::string> reason;
  loops::for_each_instr(kernel.body, [&](const loops::Instr& instr) {
    const auto note = [&](Expr expr) {
      if (auto function = function_not_compiled(expr)) reason = std::move(function);
    };
    note(instr.expr);
    note(instr.position.extent);
    for (const loops::LoopVar& var : instr.vars) note(var.extent);
    for (const loops::Index& index : instr.indices) {
      if (const auto* place = std::get_if<Expr>(&index)) note(*place);
    }
  });
  return reason;
}

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
    return parts ? reason_real_not_compiled(*parts) : std::optional<std::string>("complex numbers");
  }
  return reason_real_not_compiled(kernel);
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
