// One compiled kernel as plain data: machine code with what a runtime must know to call it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expr/expr.h"

namespace litz::artifact {

/// One entry point of a kernel: a loop whose iterations are independent.
struct KernelPhase {
  std::string symbol;  ///< Name of the KernelFunction in the object.
  Expr iterations;     ///< Extent of the outer loop that is divided over threads.
  int64_t grain = 1;   ///< Ranges start at multiples of this.
  Expr cost = 1000;    ///< Rough picoseconds an iteration, to decide how far to divide.
};

enum class CheckKind : uint8_t {
  index,            ///< An index outside its dimension.
  wrapping_index,   ///< The same where negative ones count from the end.
  division,         ///< An integer divided by zero.
  empty_reduction,  ///< The largest or smallest of no elements.
  memory,           ///< No memory for a row; the value is how many bytes were asked for.
  assertion         ///< What the program says must hold does not.
};

/// A failure that a kernel can report.
struct KernelCheck {
  CheckKind kind = CheckKind::index;
  std::string text;  ///< What the error names: "index of aten.gather".

  bool operator==(const KernelCheck&) const = default;
};

/// Throws the Error that a failed check stands for.
[[noreturn]] void throw_failure(const KernelCheck& check, int64_t value, int64_t extent);

/// A scalar as kernels are passed it: the number itself, or the bits of an f64.
int64_t scalar_bits(Expr value, const Bindings& symbols);

struct KernelCode {
  std::string name;
  std::vector<std::byte> object;    ///< An ELF relocatable object; position-independent.
  std::vector<KernelPhase> phases;  ///< Run one after the other.
  std::vector<SymbolId> scalars;    ///< Symbols whose values the kernel is passed, in order.
  std::vector<KernelCheck> checks;
};

}  // namespace litz::artifact
