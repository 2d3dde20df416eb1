// The imports (imports.h) for complex numbers.

#pragma once

#include <span>
#include <string_view>

namespace litz::runtime {

/// A function and the name by which object code imports it.
struct Import {
  std::string_view name;
  void* address = nullptr;
};

std::span<const Import> complex_imports();

}  // namespace litz::runtime
