// The execution of one kernel: which loops are vectorised, and which are divided over threads.
//
// Scheduling rewrites loops (adjacent contiguous ones become one, the vector loop goes innermost)
// and puts marks on loops and accesses (loops/kernel.h). The result is an ordinary kernel: it
// prints, parses, verifies and is interpreted. Code generators follow the marks and build no
// expressions, so kernels of one module can be compiled in parallel.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "loops/kernel.h"
#include "machine/machine.h"

namespace litz::schedule {

/// Rows and columns of a block in a tiled loop, whose cache lines stay in the cache. There are many
/// rows, because transposed loads find their neighbours there. Threads divide spans of several
/// adjacent blocks, so few rows per block are enough for them. The mark `tile` means these sizes on
/// all machines; 64 KiB of floats fit the second cache of each. With blocks of 128 rows, prefetched
/// two squares ahead, transpose + add of 8192 x 8192 reached 75 % of a copy, now 87 to 98 %.
inline constexpr int64_t kTileRows = 256;
inline constexpr int64_t kTileColumns = 64;
inline constexpr int64_t kTileSpan = 4 * kTileColumns;

/// Maxima and sums of exponentials over fewer steps are faster in two passes than in one.
inline constexpr int kLeastSoftmaxSteps = 32;

/// How a block of threads runs one phase.
struct BlockShape {
  int32_t threads = 0;  ///< Threads of a block; 0 on machines without blocks.
  /// Threads that run one iteration together: 1, a warp, the whole block, or the threads of a
  /// column.
  int32_t team = 1;
  /// Neighbouring threads run neighbouring iterations, one warp of them, and those of a team are a
  /// warp apart; else the threads of a team are neighbours.
  bool has_columns = false;

  int64_t teams() const { return threads / team; }
};

/// Elements that each thread of a team keeps in registers, since several loops inside an iteration of
/// a phase access them.
struct KeptRow {
  const loops::Instr* first = nullptr;  ///< The first access: a load, or the only store.
  const loops::Instr* loop = nullptr;   ///< Around it.
  int chunks = 1;                       ///< Each has the neighbours that a thread takes at a time.
};

/// The same of a value that several loops compute.
struct KeptValue {
  const loops::Instr* first = nullptr;  ///< Computes it.
  const loops::Instr* loop = nullptr;   ///< Around it.
  int64_t elements = 0;                 ///< Of each thread.
};

/// A top-level loop, run over a range of its iterations by one call.
struct Phase {
  std::optional<size_t> position;  ///< The loop's place in the body; none: the whole body, once.
  size_t first = 0;    ///< Loop variables before the divided ones; each call runs them completely.
  size_t divided = 0;  ///< The loop variables from there whose product is divided over threads.
  /// The last of these counts blocks of kTileRows. The variable after it, the last one, is also
  /// divided, in spans of kTileSpan.
  bool is_tiled = false;
  bool divides_last = false;  ///< Divides the innermost variable, the one with lanes.
  Expr iterations;            ///< Their product.
  int64_t grain = 1;          ///< Ranges begin at multiples of it.
  Expr cost = 1;              ///< Picoseconds per iteration, roughly, of all sizes inside.
  /// Only of machines that launch blocks of threads (blocks/block_schedule.h).
  BlockShape block;
  /// Blocks take squares of this variable and the last one: loads are contiguous along it.
  std::optional<size_t> square_rows;
};

/// A scheduled kernel, and the facts that follow from it.
struct Schedule {
  loops::Kernel kernel;  ///< Marks and rewritten loops express all decisions.
  /// Buffers of the kernel that callers bind. Later ones are on the stack of each call.
  size_t bound_buffers = 0;
  std::vector<Phase> phases;
  std::vector<SymbolId> scalars;  ///< Symbols whose values the kernel needs, ascending.
  /// Divisions and moduli whose operands are never negative, and those whose divisor is never 0.
  /// Their proofs need the pool, so they are made here.
  std::unordered_set<Expr> natural_divisions;
  std::unordered_set<Expr> safe_divisions;
  /// Machines with blocks: the variables of loops whose iterations may run in any order on any
  /// thread. In a phase they are divided over teams, in loops inside over the threads of a team.
  std::unordered_set<SymbolId> divisible;
  /// Machines with blocks: the neighbours along the last variable that a thread takes at a time, by
  /// loop, and the accesses that cover them at once. Loops that are not here take one.
  std::unordered_map<const loops::Instr*, int> widths;
  std::unordered_set<const loops::Instr*> wide;
  std::unordered_set<const loops::Instr*> invariant;  ///< Equal for all these neighbours.
  /// Rows in registers, the row of each of their accesses, and the chunks of the loops around those.
  /// A load outside of these loops takes the first element of a stored row.
  std::vector<KeptRow> kept_rows;
  std::unordered_map<const loops::Instr*, size_t> kept_row_of;
  std::unordered_map<const loops::Instr*, int> chunks;
  std::vector<KeptValue> kept_values;
  std::unordered_map<const loops::Instr*, size_t> kept_value_of;
  /// Loops of single threads that take neighbours of all variables' product, not of the last variable.
  std::unordered_set<const loops::Instr*> flat;
  /// Loads that go through squares in the memory of a block.
  std::unordered_set<const loops::Instr*> transposed;

  int width_of(const loops::Instr& loop) const {
    const auto found = widths.find(&loop);
    return found == widths.end() ? 1 : found->second;
  }

  /// The loop of a phase; null if the phase is the whole body.
  const loops::Instr* loop_of(const Phase& phase) const {
    return phase.position ? &kernel.body.instrs[*phase.position] : nullptr;
  }
};

/// The number of buffers that callers bind. Scratch buffers come last. They hold one iteration of
/// the top-level loop: each thread has its own, on the stack or kept between calls.
size_t bound_buffers(const loops::Kernel& kernel);

/// Schedules a valid kernel; one on complex numbers must have a form in parts (complex_parts.h).
/// Adds symbols to the kernel's pool.
Schedule make_schedule(loops::Kernel kernel, const machine::Machine& machine);

/// Derives the facts from the marks of a scheduled kernel, made or parsed.
Schedule read_schedule(loops::Kernel scheduled, const machine::Machine& machine);

}  // namespace litz::schedule
