// The back end for the processors that LLVM targets, with Litz's own kernel library.

#pragma once

#include <memory>
#include <string_view>

#include "codegen/llvm/cpu_target.h"
#include "compiler/backend.h"

namespace litz::compiler {

/// Throws what CpuTarget::named throws.
std::shared_ptr<const Backend> make_cpu_backend(std::string_view target);
/// For a processor that the caller describes.
std::shared_ptr<const Backend> make_cpu_backend(const codegen::CpuTarget& target);

}  // namespace litz::compiler
