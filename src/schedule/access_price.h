// What lanes that are not neighbours in memory cost a kernel.

#pragma once

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::schedule {

/// Bytes that the kernel's accesses cost beyond those that they touch, with the loops and lanes that
/// make_schedule gives it: an access whose lanes are apart takes its line for every element. By
/// estimate; buffers that stay in the first cache and computed indices do not count. Adds symbols to
/// the kernel's pool.
double access_price(const loops::Kernel& kernel, const machine::Machine& machine);

}  // namespace litz::schedule
