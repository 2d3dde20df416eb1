#include "compiler/placement.h"

#include <algorithm>

#include "ir/placement.h"
#include "support/check.h"

namespace litz::compiler {

Device parse_placement(std::string_view text) {
  const std::optional<Device> device = parse_device(text);
  const bool is_known = device.has_value() && device->kind != DeviceKind::meta;
  require(is_known && !(device->kind == DeviceKind::cpu && device->index > 0),
          "a device must be cpu, cuda, cuda:N, sim or sim:N, not", text);
  if (device->kind == DeviceKind::cpu) return {};
  return device->kind == DeviceKind::sim ? Device{DeviceKind::sim, std::max(0, device->index)}
                                         : *device;
}

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
