// The devices of a program's tensors.

#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace litz::ir {

/// The devices of all tensors of the module, each once, in the order of graphs and their values.
std::vector<Device> devices_of(const Module& module);

/// "cuda:0, cpu"
std::string to_string(std::span<const Device> devices);

/// Puts all tensors of the module on `device`, as if the model had been moved there before export.
/// Conversions between two devices stay copies, because they created separate tensors.
void place_on(Module& module, Device device);

}  // namespace litz::ir
