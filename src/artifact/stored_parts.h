// Parts of a program and checks that all its stored forms share (program_file.h, program_json.h).

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "artifact/program.h"

namespace litz::artifact {

/// The data of inputs, then that of packed constants; without parts.
struct StoredWeights {
  std::vector<int64_t> numbers;  ///< By input: indexes `tensors`; -1: no data.
  std::vector<Tensor> tensors;
};

StoredWeights weights_of(const Program& program);
/// Throws Error{corrupt} for numbers that do not fit the program.
void attach_weights(Program& program, StoredWeights weights);

/// The tensors of the program, then those of its parts.
std::vector<Tensor> all_tensors(const Program& program);
/// The inverse; `numbers` has a list for the program and one for each part. Throws Error{corrupt}.
void attach_tensors(Program& program, std::vector<std::vector<int64_t>> numbers,
                    std::vector<Tensor> tensors);

/// Throws Error{unsupported} for a program with calls that only this process can make.
void require_portable(const Program& program);
/// Throws Error{corrupt} for programs that the compiler would never make.
void require_sound(const Program& program);
/// Throws Error{unsupported} for a program of another build.
void require_build(std::string_view made_by, std::string_view build);

}  // namespace litz::artifact
