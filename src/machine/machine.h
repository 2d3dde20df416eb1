// Describes one machine: the facts that passes, fusion and schedules use about their target.
//
// It is a plain value that the folder that knows all layers passes down. Every decision that
// depends on a fact of the machine reads it here, so another machine is another value. The values
// below are those of the x86-64 processors that Litz was measured on (docs/performance.md); the
// vector width is that of AVX2. Numbers that do not depend on the machine are defined beside the
// decision that uses them.
//
// A description never depends on the machine that compiles, except through the target's name. So
// kernels, and the order of sums in them, follow only from the program and the target.
//
// Units: an instruction is a simple one on a full vector, such as an addition, as in loops::cost. A
// move reads or writes each element of a value once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machine/function_facts.h"
#include "support/thread_pool.h"
#include "types/dtype.h"

namespace litz::machine {

/// The cost of an access per element, relative to one whose lanes are contiguous.
struct AccessPrices {
  double same = 0.25;       ///< All lanes read one element.
  double contiguous = 1;    ///< Lanes are contiguous.
  double transposed = 1.5;  ///< Squares are loaded by rows and transposed in registers.
  double apart = 10;        ///< Each lane needs its own cache line.
};

/// The cost of reading or writing a value in another layout, in moves.
struct LayoutPrices {
  double across = 1;            ///< A loop nest walks across the direction of its other operands.
  double scattered = 4;         ///< Neither rows nor columns of a matrix are contiguous.
  double scattered_window = 2;  ///< Per element that a window reads of an image without dense rows.
  double scattered_plane = 8;   ///< Planes are gathered from innermost channels and scattered back.
  double pooled_rows = 1.5;     ///< Pooling reads rows instead of channels.
  double converted = 0;         ///< A convolution of halves converts an image of whole planes.
};

struct Machine {
  // --- Vectors and registers

  int vector_bytes = 32;        ///< Of one register.
  size_t most_buffers = 32;     ///< Per kernel: their addresses are held in registers.
  int most_instructions = 600;  ///< Per kernel; more exceed the cache of decoded ones.
  double light_body = 8;        ///< Loops up to this size use four registers per value.
  double medium_body = 36;      ///< Loops up to this size use two: hides latency (tanh, log).

  // --- Memory

  int64_t line_bytes = 64;               ///< Of a cache; buffers begin at multiples of it.
  int64_t first_cache_bytes = 32 << 10;  ///< Per core, as the next one.
  int64_t second_cache_bytes = 512 << 10;
  int64_t last_cache_bytes = int64_t{32} << 20;  ///< Shared by all cores.
  int64_t scratch_bytes = 32 << 10;  ///< The longest row that loops of one iteration pass on.
  int64_t stack_bytes = 64 << 10;    ///< The most that a kernel stores on a thread's stack.
  int64_t prefetch_bytes = 2048;     ///< Prefetch distance of streams; the best of 0.5 to 16 KiB.
  AccessPrices access;
  LayoutPrices layouts;

  // --- Time

  double instruction_nanoseconds = 0.3;  ///< Also an access that hits the first cache.
  double instructions_per_byte = 1;      ///< As long as moving a byte from and to memory.
  double launch_bytes = 64 << 10;        ///< Moved in the time of one launch.

  // --- Threads

  /// Iterations that give every core of a large machine work. The threads of a call are not known
  /// here, and must not be: the order of sums would depend on them.
  int64_t enough_iterations = 64;
  /// Work that takes longer than its handover to another thread.
  double handover_nanoseconds = ThreadPool::kHandoverNanoseconds;

  // --- Library

  /// Returns the facts of the library function of this name; null if it has none.
  const FunctionFacts* (*function)(std::string_view name) = nullptr;
  /// Products are several times as fast if rows of their results begin at multiples of so many
  /// bytes; 0: they are not.
  int64_t product_row_bytes = 0;
  bool has_attention = true;  ///< Whole attention is one call; else it is products and kernels.
  /// True for attention that one kernel computes (loops::InstrKind::attend): over these elements,
  /// with so many columns of keys and of values (negative: not known) and so many dimensions of the
  /// batch. Null: none.
  bool (*attends)(DType dtype, int64_t key_columns, int64_t value_columns, size_t batch) = nullptr;

  /// Four-byte elements per register.
  int lanes() const { return vector_bytes / 4; }

  /// Returns the facts of a function; the default ones if it has none.
  FunctionFacts facts_of(std::string_view name) const {
    const FunctionFacts* const known = function != nullptr ? function(name) : nullptr;
    return known != nullptr ? *known : FunctionFacts{};
  }
};

}  // namespace litz::machine
