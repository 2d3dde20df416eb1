// The processor that code is generated for: this machine's, or one named for packages and tests.

#pragma once

#include <string>
#include <string_view>

namespace litz::codegen {

struct CpuTarget {
  std::string name;        ///< "host", or the name given to `named`.
  std::string triple;      ///< "x86_64-pc-linux-gnu"
  std::string cpu;         ///< LLVM's name of the processor.
  std::string features;    ///< LLVM's feature string: "+avx2,+fma".
  int vector_bytes = 16;   ///< Width in bytes of the vector registers that code uses.
  bool has_masks = false;  ///< Masked loads and stores are single instructions for any type.

  /// Returns the machine that this runs on.
  static CpuTarget host();
  /// Returns one of machine::target_names(); throws Error{invalid_argument} listing these
  /// otherwise.
  static CpuTarget named(std::string_view name);
};

}  // namespace litz::codegen
