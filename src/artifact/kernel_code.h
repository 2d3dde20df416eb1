// One compiled kernel as plain data: machine code and the facts that a runtime needs to call it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "expr/expr.h"
#include "types/tensor_type.h"

namespace litz::artifact {

/// The most threads that a block of a device can have.
inline constexpr int32_t kMostBlockThreads = 1024;

/// One entry point of a kernel: a loop whose iterations are independent.
struct KernelPhase {
  std::string symbol;   ///< Name of the KernelFunction, or of a device's function, in the object.
  Expr iterations;      ///< Extent of the outer loop, which threads or blocks divide.
  int64_t grain = 1;    ///< Ranges start at multiples of this. A block of a device takes so many.
  int32_t threads = 0;  ///< Threads of a block of a device; 0: the code is for the host.
  Expr cost = 1000;     ///< Picoseconds per iteration, roughly; decides how finely to divide.
};

/// False for a phase that no code generator makes.
bool can_run(const KernelPhase& phase);

enum class CheckKind : uint8_t {
  index,            ///< An index outside its dimension.
  wrapping_index,   ///< Like `index`, but negative ones count from the end.
  division,         ///< An integer divided by zero.
  empty_reduction,  ///< The largest or smallest of no elements.
  memory,           ///< No memory for a row; the value is the number of bytes requested.
  assertion         ///< A condition that the program asserts is false.
};

/// A failure that a kernel can report.
struct KernelCheck {
  CheckKind kind = CheckKind::index;
  std::string text;  ///< The subject of the error: "index of aten.gather".

  bool operator==(const KernelCheck&) const = default;
};

/// Throws the Error of a failed check.
[[noreturn]] void throw_failure(const KernelCheck& check, int64_t value, int64_t extent);

/// Encodes a scalar for a kernel: the number itself, or the bits of an f64.
int64_t scalar_bits(Expr value, const Bindings& symbols);

/// A tensor that a kernel is given, from element 0 on.
struct KernelBuffer {
  TensorType type;  ///< The code accesses nothing beyond it. Its offset means nothing.
  bool is_written = false;
};

struct KernelCode {
  std::string name;
  /// The host's code: an ELF relocatable object; position-independent. A device's: a module that
  /// its driver loads.
  std::vector<std::byte> object;
  std::vector<KernelPhase> phases;  ///< Run one after another.
  std::vector<SymbolId> scalars;    ///< Symbols whose values are passed to the kernel, in order.
  std::vector<KernelCheck> checks;
  std::vector<KernelBuffer> buffers;  ///< In the order of KernelArguments::buffers.
  int64_t digest = 0;                 ///< digest_of this, if it has an object to be stored.
};

/// A number that depends on all of the code but its name, the costs of phases and the digest. What a
/// stored program says about its code is believed only as long as the digest fits: code that was told
/// of other iterations or buffers would access memory that is not its own.
int64_t digest_of(const KernelCode& code, const ExprPool& pool);

}  // namespace litz::artifact
