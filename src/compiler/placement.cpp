#include "compiler/placement.h"

#include <algorithm>

#include "ir/placement.h"
#include "support/check.h"

namespace litz::compiler {

void place(ir::Program& program, std::optional<Device> device) {
  Device target = device.value_or(Device{});
  // The simulated device runs code compiled for the host.
  if (target.kind == DeviceKind::sim) target = {};
  require(target.kind == DeviceKind::cpu, ErrorCode::unsupported,
          "programs run on the host (cpu) only: there is no executor, no code generator and no "
          "library for",
          to_string(target));
  const std::vector<Device> devices = ir::devices_of(*program.module);
  if (std::ranges::all_of(devices, [&](Device each) { return each == target; })) return;
  ir::place_on(*program.module, target);
}

}  // namespace litz::compiler
