#include "compiler/backend.h"

#include "compiler/cuda_backend.h"
#include "kernels/library.h"
#include "schedule/access_price.h"
#include "support/check.h"
#if LITZ_WITH_LLVM
#include "compiler/cpu_backend.h"
#endif

namespace litz::compiler {

namespace {

#if LITZ_WITH_LLVM

constexpr bool kHasCpuBackend = true;

#else

constexpr bool kHasCpuBackend = false;

std::shared_ptr<const Backend> make_cpu_backend(std::string_view target) {
  fail(ErrorCode::unsupported,
       "this build of Litz has no code generator: run the program with --executor interpreter, or "
       "compile it with another build, not for",
       target);
}

#endif

}  // namespace

std::shared_ptr<const Backend> backend_for(std::string_view target) {
  return is_cuda_target(target) ? make_cuda_backend(target) : make_cpu_backend(target);
}

bool has_code_generator() { return kHasCpuBackend; }

machine::Machine interpreted_machine() { return {.function = kernels::function_facts}; }

machine::Machine machine_of(const Backend* backend) {
  return backend != nullptr ? backend->machine() : interpreted_machine();
}

fusion::FusionOptions fusion_options(const Backend* backend, bool verify) {
  return {.machine = machine_of(backend),
          .access_price = backend != nullptr ? backend->access_price() : schedule::access_price,
          .use_scratch = true,
          .verify = verify};
}

}  // namespace litz::compiler
