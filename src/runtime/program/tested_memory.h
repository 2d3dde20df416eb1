// Checks on the memory of a bound list in test modes (DeviceModes).

#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "artifact/launch_list.h"
#include "runtime/device.h"
#include "runtime/program/memory_place.h"

namespace litz::runtime {

/// True if a mode checks memory: outputs must then come from tested_output, and the device's
/// records of launches must be dropped after each.
bool tests_memory(const DeviceModes& modes);

/// Throws InternalError if storages of the arena that are live at the same time overlap; `bindings`
/// are theirs, by storage.
void check_arena(const artifact::LaunchList& list, std::span<const Binding> bindings);

/// Allocates memory for an output. It is filled with poison in that mode, and surrounded by bytes
/// that must not be written.
MemoryPlace tested_output(GraphDevice& device, StreamId stream, size_t bytes);

/// Returns all memory that launches of a list could write: the arena and the places. `outputs` are
/// the places that are outputs, in ascending order.
std::vector<WatchedMemory> watched_memory(const std::shared_ptr<Storage>& arena,
                                          std::span<const MemoryPlace> places,
                                          std::span<const size_t> outputs);

}  // namespace litz::runtime
