// How one kernel is run: which loops advance in vectors, which are divided over threads.
//
// Scheduling rewrites loops (adjacent ones that walk memory as one become one, the vector loop goes
// innermost) and decides; the code generator then writes down what is decided here and builds no
// expressions, so kernels of one module can be compiled in parallel.

#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "loops/kernel.h"

namespace litz::schedule {

/// Where a load or store goes, in elements from the bound pointer:
/// offset + sum of value * stride over `computed`.
struct Access {
  Expr offset;
  std::vector<std::pair<loops::ValueId, Expr>> computed;
  /// How the offset changes along the vector loop around it, where that is the same everywhere;
  /// `is_affine` is true without such a loop.
  bool is_affine = true;
  Expr step;
  /// An access that steps by one along the tiled variable, or along that of a scan, instead: it is
  /// read or written in squares that are transposed in registers.
  bool is_transposed = false;
  /// A store to so much memory that it passes the caches: nothing will find it there anyway, and
  /// lines that are overwritten whole need not be read first.
  bool is_streamed = false;
  /// A load that also asks for what lies so many elements further on, which the next iteration of
  /// the outer loop reads; 0 for none.
  Expr ahead = Expr(0);
};

/// Rows and columns of a block that a tiled loop works on: its lines of memory stay in the cache.
/// Many rows, because they are what transposed loads find side by side. Threads divide spans of
/// several blocks, side by side, so that few rows are enough for them.
inline constexpr int64_t kTileRows = 256;
inline constexpr int64_t kTileColumns = 64;
inline constexpr int64_t kTileSpan = 4 * kTileColumns;

/// Maxima and sums of exponentials in fewer steps are faster one after the other than in one pass.
inline constexpr int kLeastSoftmaxSteps = 32;

/// A top-level loop, run over a range of its iterations by one call.
struct Phase {
  const loops::Instr* loop = nullptr;  ///< Null: the whole body, once.
  size_t first = 0;    ///< Loop variables before the divided ones; each call runs them whole.
  size_t divided = 0;  ///< Loop variables from there whose product is divided over threads.
  /// The last of these counts in blocks of kTileRows, and the variable after it, the last one, is
  /// divided, too, in spans of kTileSpan.
  bool is_tiled = false;
  Expr iterations;    ///< Their product.
  int64_t grain = 1;  ///< Ranges begin at multiples of it.
  double cost = 1;    ///< Nanoseconds an iteration, roughly.

  /// Whether ranges are of the innermost variable, the one of the lanes.
  bool divides_last() const { return first + divided == loop->vars.size(); }
};

struct Deviations {
  const loops::Instr* reduce = nullptr;
  const loops::Instr* sum = nullptr;
};

struct Schedule {
  loops::Kernel kernel;
  /// Buffers of the kernel that callers bind; those after them lie on the stack of each call.
  size_t bound_buffers = 0;
  std::unordered_map<const loops::Instr*, Access> accesses;
  /// Loops and reductions whose last variable advances by so many lanes at a time.
  std::unordered_map<const loops::Instr*, int> lanes;
  /// Top-level vector loops whose last but one variable advances in blocks, because loads are
  /// transposed.
  std::unordered_set<const loops::Instr*> tiled;
  /// Top-level vector loops that reduce along columns and take many columns at a time.
  std::unordered_set<const loops::Instr*> column_blocks;
  /// Loops that carry values, inside vector loops, with accesses that are transposed.
  std::unordered_set<const loops::Instr*> scans;
  /// Reductions in column blocks that sum squared deviations from a mean, with the sum that the mean
  /// is of: one pass over the rows serves both.
  std::vector<Deviations> deviations;
  std::vector<Phase> phases;
  std::vector<SymbolId> scalars;  ///< Symbols whose values the kernel needs, ascending.
  /// Divisions and moduli whose operands are never negative, and those whose divisor is never 0:
  /// proving needs the pool, so it is done here.
  std::unordered_set<Expr> natural_divisions;
  std::unordered_set<Expr> safe_divisions;

  bool is_deviations(const loops::Instr& instr) const {
    return std::ranges::any_of(deviations,
                               [&](const Deviations& own) { return own.reduce == &instr; });
  }

  int lanes_of(const loops::Instr& instr) const {
    const auto found = lanes.find(&instr);
    return found == lanes.end() ? 1 : found->second;
  }
};

/// How many buffers callers bind. Scratch, which comes last, is memory of one iteration of the loop
/// at the top: each thread has its own, on the stack or kept between calls.
size_t bound_buffers(const loops::Kernel& kernel);

struct ScheduleOptions {
  int vector_bytes = 32;
};

/// Schedules a kernel that verifies; one on complex numbers must have a form in parts
/// (complex_parts.h). Adds symbols to the kernel's pool.
Schedule make_schedule(loops::Kernel kernel, const ScheduleOptions& options);

/// The kernel's text, with comments: how loops are divided, their lanes, what indices mean.
std::string to_string(const Schedule& schedule);

}  // namespace litz::schedule
