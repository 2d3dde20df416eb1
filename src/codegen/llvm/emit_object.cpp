// A short fixed pipeline. The emitter has already written vectors in SSA form, so only sharing,
// hoisting and folding remain, then the back end. There is no loop vectoriser and no inliner of
// unknown cost.

#include "codegen/llvm/emit_object.h"

#include <cstring>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/InstSimplifyPass.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <mutex>
#include <sys/mman.h>

#include "codegen/llvm/elementary_lanes.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

void initialize_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

std::unique_ptr<llvm::TargetMachine> make_machine(const CpuTarget& target) {
  initialize_targets();
  std::string problem;
  const llvm::Target* found = llvm::TargetRegistry::lookupTarget(target.triple, problem);
  check(found != nullptr, "LLVM must know the target:", problem);
  llvm::TargetOptions options;
  // a * b + c is rounded twice where the program says so; kernels write contraction as fma.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(found->createTargetMachine(
      target.triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  check(machine != nullptr, "LLVM must make a machine for the target:", target.triple);
  return machine;
}

/// Throws Error{out_of_memory} unless the system would give what LLVM may need for a module, since LLVM
/// ends the process when it is refused memory. A kernel takes 2 to 10 MB, more for long ones.
void require_memory_for(const llvm::Module& module) {
  constexpr size_t kLeast = size_t{24} << 20;
  constexpr size_t kPerInstruction = 8 * 1024;
  const size_t bytes = kLeast + module.getInstructionCount() * kPerInstruction;
  void* const room =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  require(
      room != MAP_FAILED, ErrorCode::out_of_memory,
      "memory must be available to compile a kernel; compile ahead with `litz compile` where it is "
      "not, bytes:",
      bytes);
  ::munmap(room, bytes);
}

}  // namespace

ObjectEmitter::ObjectEmitter(const CpuTarget& target) : machine_(make_machine(target)) {}

ObjectEmitter::~ObjectEmitter() = default;
ObjectEmitter::ObjectEmitter(ObjectEmitter&&) noexcept = default;
ObjectEmitter& ObjectEmitter::operator=(ObjectEmitter&&) noexcept = default;

void ObjectEmitter::prepare(llvm::Module& module) const {
  module.setTargetTriple(machine_->getTargetTriple().str());
  module.setDataLayout(machine_->createDataLayout());
  const llvm::StringRef features = machine_->getTargetFeatureString();
  if (features.contains("+avx512f") && features.contains("+avx512vl")) {
    module.addModuleFlag(llvm::Module::Max, kScaleFlag, 1);
  }
}

void ObjectEmitter::optimise(llvm::Module& module) {
  require_memory_for(module);
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  check(!llvm::verifyModule(module, &stream), "emitted code must verify:", problem);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(machine_.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::FunctionPassManager passes;
  // InstCombine is left out: that of LLVM 19 replaces a maximum that drops NaN by one that keeps it
  // if they nest (fmax(relu(x), 0)), and drops the absolute value in `|x| > 0` (relu(abs(x))).
  passes.addPass(llvm::EarlyCSEPass(true));
  passes.addPass(llvm::InstSimplifyPass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                       /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) passes.run(function, functions);
  }
}

std::vector<std::byte> ObjectEmitter::emit(llvm::Module& module) {
  optimise(module);
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  const bool unable =
      machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile);
  check(!unable, "the target must be able to write object files");
  passes.run(module);
  std::vector<std::byte> object(buffer.size());
  std::memcpy(object.data(), buffer.data(), buffer.size());
  return object;
}

std::string ObjectEmitter::emit_assembly(llvm::Module& module) {
  optimise(module);
  llvm::SmallVector<char, 0> buffer;
  llvm::raw_svector_ostream stream(buffer);
  llvm::legacy::PassManager passes;
  const bool unable =
      machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
  check(!unable, "the target must be able to write assembly");
  passes.run(module);
  return {buffer.data(), buffer.size()};
}

}  // namespace litz::codegen
