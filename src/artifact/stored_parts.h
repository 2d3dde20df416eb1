// Parts of a program and checks that all its stored forms share (program_file.h, program_json.h).

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "artifact/program.h"

namespace litz::artifact {

/// The data of inputs, then that of packed constants.
struct StoredWeights {
  std::vector<int64_t> numbers;  ///< By input: indexes `tensors`; -1: no data.
  std::vector<Tensor> tensors;
};

StoredWeights weights_of(const Program& program);
/// Throws Error{corrupt} for numbers that do not fit the program.
void attach_weights(Program& program, StoredWeights weights);

/// Throws Error{unsupported} for a program with calls that only this process can make.
void require_portable(const Program& program);
/// Throws Error{corrupt} for programs that the compiler would never make.
void require_sound(const Program& program);
/// Throws Error{unsupported} for a program of another build.
void require_build(std::string_view made_by, std::string_view build);

}  // namespace litz::artifact
