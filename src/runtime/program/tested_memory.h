// The memory of a bound list in test modes (DeviceModes).

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "runtime/device.h"
#include "runtime/program/memory_place.h"

namespace litz::runtime {

/// True when memory of programs is more than memory: outputs must come from tested_output, and what
/// the device knows of launches be dropped after each.
bool tests_memory(const DeviceModes& modes);

/// Throws InternalError when storages of the arena that are used at the same time overlap; `bindings`
/// are theirs, by storage.
void check_arena(const artifact::LaunchList& list, std::span<const Binding> bindings);

/// Fresh memory for an output. Full of poison where that is a mode, and with bytes around it that
/// nobody may write.
MemoryPlace tested_output(GraphDevice& device, StreamId stream, size_t bytes);

/// All that launches of a list could write: the arena, and what lies at the places. `outputs`
/// are the places that are outputs, in ascending order.
std::vector<WatchedMemory> watched_memory(const std::shared_ptr<Storage>& arena,
                                          std::span<const MemoryPlace> places,
                                          std::span<const size_t> outputs);

}  // namespace litz::runtime
