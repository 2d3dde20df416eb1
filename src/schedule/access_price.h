// The cost of a kernel's lanes that are not neighbours in memory.

#pragma once

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::schedule {

/// Returns the bytes that the kernel's accesses cost beyond those that they touch, with the loops
/// and lanes of make_schedule: an access with strided lanes loads a cache line per element. This is
/// an estimate; buffers that stay in the first cache and computed indices do not count. Adds
/// symbols to the kernel's pool.
double access_price(const loops::Kernel& kernel, const machine::Machine& machine);

}  // namespace litz::schedule
