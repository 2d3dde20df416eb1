#include "compile_text.h"

#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>

#include "codegen/llvm/cpu_target.h"
#include "codegen/llvm/emit_object.h"
#include "support/check.h"

namespace litz::runtime {

std::vector<std::byte> compile_text(const std::string& text, std::string_view target) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  const std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, problem, context);
  check(module != nullptr, "the text must be LLVM's:", problem.getMessage().str());
  codegen::ObjectEmitter emitter(codegen::CpuTarget::named(target));
  emitter.prepare(*module);
  return emitter.emit(*module);
}

}  // namespace litz::runtime
