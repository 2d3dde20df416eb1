// The processors that LLVM makes code for, with our own library.

#pragma once

#include <memory>
#include <string_view>

#include "codegen/llvm/cpu_target.h"
#include "compiler/backend.h"

namespace litz::compiler {

/// Throws what CpuTarget::named throws.
std::shared_ptr<const Backend> make_cpu_backend(std::string_view target);
/// For a processor as somebody else describes it.
std::shared_ptr<const Backend> make_cpu_backend(const codegen::CpuTarget& target);

}  // namespace litz::compiler
