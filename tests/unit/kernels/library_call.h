// Calls a library function by name, as the executor does.

#pragma once

#include <string_view>
#include <vector>

#include "kernels/library.h"
#include "support/check.h"

namespace litz::kernels {

inline std::vector<Tensor> call_library(std::string_view name,
                                        const std::vector<LibraryArgument>& arguments,
                                        std::vector<Tensor> results) {
  const LibraryFunction function = find_library_function(name);
  check(function != nullptr, "the library must have this function:", name);
  LibraryCall call{name, arguments, results};
  function(call);
  return results;
}

}  // namespace litz::kernels
