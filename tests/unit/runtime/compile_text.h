// Objects for tests, compiled from LLVM's text by the same emitter that makes kernels.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace litz::runtime {

/// Compiles for a target that CpuTarget::named knows. Throws InternalError for bad text.
std::vector<std::byte> compile_text(const std::string& text, std::string_view target = "host");

}  // namespace litz::runtime
