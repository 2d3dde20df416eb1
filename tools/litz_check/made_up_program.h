// Generates programs and inputs around the graph @main of a file.

#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ir/program.h"

namespace litz::check_tool {

/// A program around @main: inputs whose names begin with p_, b_ or c_ are parameters, buffers and
/// constants with made-up contents. The module stays with its owner and must be taken back. Throws
/// Error without @main.
ir::Program made_up_program(std::unique_ptr<ir::Module> module);

/// Returns how the results of @main of `module` differ from those of @main of the text, both
/// interpreted on generated inputs; empty if they are equal up to rounding. `program` describes the
/// inputs of the module, if it is a program's. Throws Error for graphs that cannot run.
std::string result_difference(std::string_view text, std::shared_ptr<const ir::OpSet> ops,
                              ir::Module& module, const ir::Program* program);

}  // namespace litz::check_tool
