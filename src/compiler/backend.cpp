#include "compiler/backend.h"

#include "kernels/library.h"
#include "runtime/cpu/host_device.h"
#include "runtime/sim/sim_device.h"
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

std::shared_ptr<runtime::GraphDevice> make_host_device(std::optional<Device> where,
                                                       ThreadPool* pool) {
  const Device device = where.value_or(Device{});
  if (device.kind == DeviceKind::sim) {
    return std::make_shared<runtime::SimDevice>(device.index, pool);
  }
  require(device.kind == DeviceKind::cpu, ErrorCode::unsupported,
          "code for the host runs on the host, not on", to_string(device));
  return std::make_shared<runtime::HostDevice>(pool);
}

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
