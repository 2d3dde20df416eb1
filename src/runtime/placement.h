// Devices by name.

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "artifact/program.h"
#include "runtime/device.h"
#include "support/thread_pool.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Reads "cpu", "cuda", "cuda:N", "sim" or "sim:N"; throws Error{invalid_argument} for others.
Device parse_placement(std::string_view text);

/// The device that runs code compiled for the host: the host itself (by default), or the simulated
/// device. `pool` is RunnerOptions::pool. Throws Error{unsupported} for others.
std::shared_ptr<GraphDevice> make_host_device(std::optional<Device> where, ThreadPool* pool);

/// The device of this name: also a CUDA card, whose number is 0 by default. Throws
/// Error{unsupported} if there is none.
std::shared_ptr<GraphDevice> make_device(std::optional<Device> where, ThreadPool* pool);

/// Throws Error{unsupported} unless code of the target runs on the device.
void require_runs_on(const artifact::CodeTarget& target, Device device);

/// A device for code of the target: by default the host, or the first card for code of cards.
std::shared_ptr<GraphDevice> make_device_for(const artifact::CodeTarget& target,
                                             std::optional<Device> where, ThreadPool* pool);

/// The architecture of a card: "sm_90". Throws Error{unsupported} if there is none.
std::string target_of_card(Device card);

}  // namespace litz::runtime
