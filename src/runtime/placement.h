// Devices by name.

#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "runtime/device.h"
#include "support/thread_pool.h"
#include "types/tensor_type.h"

namespace litz::runtime {

/// Reads "cpu", "cuda", "cuda:N", "sim" or "sim:N"; throws Error{invalid_argument} for others.
Device parse_placement(std::string_view text);

/// The device that runs code compiled for the host: the host itself (by default), or the simulated
/// device. `pool` is RunnerOptions::pool. Throws Error{unsupported} for others.
std::shared_ptr<GraphDevice> make_host_device(std::optional<Device> where, ThreadPool* pool);

}  // namespace litz::runtime
