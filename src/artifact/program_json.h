// A compiled program as JSON: to read, to change by hand, for tools and tests. It has everything that
// the file has (program_file.h); its fields are those of the structures in program.h.

#pragma once

#include <string>
#include <string_view>

#include "artifact/program.h"

namespace litz::artifact {

/// `build` names this build of the library. Without their data, weights are only described, and
/// read_program_json refuses the text.
std::string program_json(const Program& program, const ExprPool& pool, std::string_view build,
                         bool with_weights);

/// Throws Error{corrupt}, with the place, for a text that is not a program or that contradicts itself,
/// and Error{unsupported} for one of another build or without weights.
Program read_program_json(std::string_view text, std::string_view build);

/// True if the text begins as program_json's does, whatever its spaces: tools write others.
bool is_program_json(std::string_view text);

}  // namespace litz::artifact
