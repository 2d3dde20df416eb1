// Programs from text, for tests of what is done with whole programs.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compiler/executable.h"
#include "ir/program.h"

namespace litz::compiler {

/// A functional program around the graph @main, whose inputs are all given by the caller.
ir::Program text_program(std::string_view text);

/// Sizes and bits of tensors, to be compared as a whole.
std::string bytes_of(const std::vector<Leaf>& leaves);

/// A count that the environment may set, for longer runs of random tests.
int count_from_environment(const char* name, int otherwise);

}  // namespace litz::compiler
