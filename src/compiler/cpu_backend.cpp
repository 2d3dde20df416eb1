#include "compiler/cpu_backend.h"

#include <utility>

#include "codegen/llvm/kernel_compiler.h"
#include "machine/cpu_targets.h"
#include "runtime/placement.h"
#include "schedule/access_price.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

class CpuCompiler final : public Backend::Compiler {
 public:
  explicit CpuCompiler(const codegen::CpuTarget& target) : compiler_(target) {}

  artifact::KernelCode compile(const schedule::Schedule& schedule,
                               const std::string& prefix) override {
    return compiler_.compile(schedule, prefix);
  }

  std::string text(const schedule::Schedule& schedule, CodeText kind) override {
    return kind == CodeText::generated ? compiler_.llvm_text(schedule)
                                       : compiler_.assembly_text(schedule);
  }

 private:
  codegen::KernelCompiler compiler_;
};

class CpuBackend final : public Backend {
 public:
  CpuBackend(std::string_view name, const codegen::CpuTarget& target)
      : name_(name), target_(target), machine_(interpreted_machine()) {
    machine_.vector_bytes = target_.vector_bytes;
  }

  const machine::Machine& machine() const override { return machine_; }

  artifact::CodeTarget target() const override {
    if (name_ != machine::kHostTarget) return {name_, target_.triple, target_.features};
    // The host matches one of the named targets.
    for (const machine::CpuTargetRow& other : machine::cpu_targets()) {
      if (other.triple == target_.triple && other.features == target_.features) {
        return {std::string(other.name), target_.triple, target_.features};
      }
    }
    fail(ErrorCode::internal, "the host must be a target with a name:", target_.features);
  }

  std::string processor() const override { return target_.cpu; }

  std::string features() const override {
    return std::to_string(8 * target_.vector_bytes) + "-bit vectors";
  }

  std::optional<std::string> reason_not_compiled(const loops::Kernel& kernel) const override {
    return codegen::reason_not_compiled(kernel);
  }

  void add_to_key(Hasher& hasher) const override {
    hasher.add(codegen::generator_version());
    hasher.add(target_.triple).add(target_.cpu).add(target_.features);
    hasher.add(target_.vector_bytes).add(target_.has_masks);
  }

  fusion::AccessPrice access_price() const override { return schedule::access_price; }

  schedule::Schedule schedule(loops::Kernel kernel) const override {
    return schedule::make_schedule(std::move(kernel), machine_);
  }

  std::unique_ptr<Compiler> make_compiler() const override {
    return std::make_unique<CpuCompiler>(target_);
  }

  std::shared_ptr<runtime::GraphDevice> make_device(std::optional<Device> where,
                                                    ThreadPool* pool) const override {
    return runtime::make_host_device(where, pool);
  }

 private:
  std::string name_;
  codegen::CpuTarget target_;
  machine::Machine machine_;
};

}  // namespace

std::shared_ptr<const Backend> make_cpu_backend(std::string_view target) {
  return std::make_shared<CpuBackend>(target, codegen::CpuTarget::named(target));
}

std::shared_ptr<const Backend> make_cpu_backend(const codegen::CpuTarget& target) {
  return std::make_shared<CpuBackend>(target.name, target);
}

}  // namespace litz::compiler
