// On which devices the tensors of a program lie.

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

/// Puts all tensors of the module on `device`, as if the model had been moved there before it was
/// exported. Only conversions between two devices stay copies: they made a tensor of its own.
void place_on(Module& module, Device device);

}  // namespace litz::ir
