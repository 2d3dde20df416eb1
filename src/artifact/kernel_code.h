// One compiled kernel as plain data: machine code with what a runtime must know to call it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "types/expr.h"

namespace litz::artifact {

/// One entry point of a kernel: a loop whose iterations are independent.
struct KernelPhase {
  std::string symbol;  ///< Name of the KernelFunction in the object.
  Expr iterations;     ///< Extent of the outer loop that is divided over threads.
  int64_t grain = 1;   ///< Ranges start at multiples of this.
  int64_t cost = 1;    ///< Rough nanoseconds a iteration, to decide how far to divide.
};

/// A failure that a kernel can report.
struct KernelCheck {
  std::string text;  ///< What the error names: "index of aten.gather".
  bool is_division = false;
};

struct KernelCode {
  std::string name;
  std::vector<std::byte> object;    ///< An ELF relocatable object; position-independent.
  std::vector<KernelPhase> phases;  ///< Run one after the other.
  std::vector<SymbolId> scalars;    ///< Symbols whose values the kernel is passed, in order.
  std::vector<KernelCheck> checks;
};

}  // namespace litz::artifact
