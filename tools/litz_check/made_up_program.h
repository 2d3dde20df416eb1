// Programs and inputs made up around the graph @main of a file.

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

/// How the results of @main of `module` differ from those of @main of the text, both interpreted on
/// made-up inputs; empty when they are the same up to rounding. `program` describes the inputs of
/// the module, where it is a program's. Throws Error for what cannot be run.
std::string result_difference(std::string_view text, std::shared_ptr<const ir::OpSet> ops,
                              ir::Module& module, const ir::Program* program);

}  // namespace litz::check_tool
