#include "compiler/placement.h"

#include <algorithm>

#include "ir/placement.h"
#include "support/check.h"

namespace litz::compiler {

void place(ir::Program& program) {
  // One device runs all of a program, and inputs and results are on the host. So types name the
  // host, whatever the device is.
  const Device target;
  const std::vector<Device> devices = ir::devices_of(*program.module);
  if (std::ranges::all_of(devices, [&](Device each) { return each == target; })) return;
  ir::place_on(*program.module, target);
}

}  // namespace litz::compiler
