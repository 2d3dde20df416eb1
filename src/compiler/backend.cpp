#include "compiler/backend.h"

#include "kernels/library.h"
#include "schedule/access_price.h"
#include "support/check.h"
#if LITZ_WITH_LLVM
#include "compiler/cpu_backend.h"
#endif

namespace litz::compiler {

#if LITZ_WITH_LLVM

std::shared_ptr<const Backend> backend_for(std::string_view target) {
  return make_cpu_backend(target);
}

bool has_code_generator() { return true; }

#else

std::shared_ptr<const Backend> backend_for(std::string_view target) {
  fail(ErrorCode::unsupported,
       "this build of Litz has no code generator: run the program with --executor interpreter, or "
       "compile it with another build, not for",
       target);
}

bool has_code_generator() { return false; }

#endif

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
