// The back end for NVIDIA devices: CUDA text, compiled at run time by NVIDIA's own compiler.

#pragma once

#include <memory>
#include <string_view>

#include "compiler/backend.h"

namespace litz::compiler {

/// True for the name of an architecture of NVIDIA's, such as "sm_90".
bool is_cuda_target(std::string_view target);

/// Throws Error{invalid_argument} for architectures that the code does not support: those before
/// sm_70.
std::shared_ptr<const Backend> make_cuda_backend(std::string_view target);

}  // namespace litz::compiler
