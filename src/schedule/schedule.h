// How one kernel is run: which loops advance in vectors, which are divided over threads.
//
// Scheduling rewrites loops (adjacent ones that walk memory as one become one, the vector loop goes
// innermost) and puts words on them and on accesses (loops/kernel.h). What it makes is a kernel like
// any other: it prints, parses, verifies and is interpreted. Code generators write down what the
// words say and build no expressions, so kernels of one module can be compiled in parallel.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::schedule {

/// Rows and columns of a block that a tiled loop works on: its lines of memory stay in the cache.
/// Many rows, because they are what transposed loads find side by side. Threads divide spans of
/// several blocks, side by side, so that few rows are enough for them. The word `tile` means these
/// sizes on all machines; 64 KiB of floats are in the second cache of each.
inline constexpr int64_t kTileRows = 256;
inline constexpr int64_t kTileColumns = 64;
inline constexpr int64_t kTileSpan = 4 * kTileColumns;

/// Maxima and sums of exponentials in fewer steps are faster one after the other than in one pass.
inline constexpr int kLeastSoftmaxSteps = 32;

/// A top-level loop, run over a range of its iterations by one call.
struct Phase {
  std::optional<size_t> position;  ///< Of the loop in the body; none: the whole body, once.
  size_t first = 0;    ///< Loop variables before the divided ones; each call runs them whole.
  size_t divided = 0;  ///< Loop variables from there whose product is divided over threads.
  /// The last of these counts in blocks of kTileRows, and the variable after it, the last one, is
  /// divided, too, in spans of kTileSpan.
  bool is_tiled = false;
  bool divides_last = false;  ///< Ranges are of the innermost variable, the one of the lanes.
  Expr iterations;            ///< Their product.
  int64_t grain = 1;          ///< Ranges begin at multiples of it.
  Expr cost = 1;              ///< Picoseconds an iteration, roughly, of all sizes inside.
};

/// A scheduled kernel, and what follows from it.
struct Schedule {
  loops::Kernel kernel;  ///< Words and rewritten loops say all that was decided.
  /// Buffers of the kernel that callers bind; those after them lie on the stack of each call.
  size_t bound_buffers = 0;
  std::vector<Phase> phases;
  std::vector<SymbolId> scalars;  ///< Symbols whose values the kernel needs, ascending.
  /// Divisions and moduli whose operands are never negative, and those whose divisor is never 0:
  /// proving needs the pool, so it is done here.
  std::unordered_set<Expr> natural_divisions;
  std::unordered_set<Expr> safe_divisions;

  /// The loop of a phase; null where the phase is the whole body.
  const loops::Instr* loop_of(const Phase& phase) const {
    return phase.position ? &kernel.body.instrs[*phase.position] : nullptr;
  }
};

/// How many buffers callers bind. Scratch, which comes last, is memory of one iteration of the loop
/// at the top: each thread has its own, on the stack or kept between calls.
size_t bound_buffers(const loops::Kernel& kernel);

/// Schedules a kernel that verifies; one on complex numbers must have a form in parts
/// (complex_parts.h). Adds symbols to the kernel's pool.
Schedule make_schedule(loops::Kernel kernel, const machine::Machine& machine);

/// What follows from the words of a scheduled kernel, be it made or parsed.
Schedule read_schedule(loops::Kernel scheduled, const machine::Machine& machine);

}  // namespace litz::schedule
