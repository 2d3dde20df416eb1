// Functions that compiled kernels call by name: elementary functions too rare or too long to be
// emitted into every kernel.

#pragma once

#include <string_view>
#include <vector>

namespace litz::runtime {

/// Address of the function that object code imports as `name`, or null. Functions are pure, take
/// and return doubles in the C calling convention, and are named litz_<function>_f64.
void* find_import(std::string_view name);

/// All names, for tests.
std::vector<std::string_view> import_names();

}  // namespace litz::runtime
