// One machine, described: what passes, fusion and schedules know of what their code will run on.
//
// A plain value that is handed down from the folder that knows all layers. Each decision that turns
// on a fact of the machine reads it here, so that another machine is another value. The values below
// are those of the x86-64 processors that Litz was measured on (docs/performance.md); the vector
// width is that of AVX2. Numbers that are no facts of a machine stay beside the decision that they
// belong to.
//
// A description never depends on the machine that compiles, except through the target's name:
// kernels, and with them the order of sums, follow from the program and the target alone.
//
// Units: an instruction is a simple one on a vector of full width, an addition for one, which is
// what loops::cost counts as well. A move reads or writes each element of a value once.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "machine/function_facts.h"
#include "support/thread_pool.h"

namespace litz::machine {

/// What an access costs per element, relative to one whose lanes are neighbours in memory.
struct AccessPrices {
  double same = 0.25;       ///< All lanes read one element.
  double contiguous = 1;    ///< Lanes are neighbours.
  double transposed = 1.5;  ///< Squares are loaded by rows and transposed in registers.
  double apart = 10;        ///< Each lane takes a line of memory of its own.
};

/// What it costs to read or write a value in another layout, in moves.
struct LayoutPrices {
  double across = 1;            ///< A loop nest walks across what its other operands go along.
  double scattered = 4;         ///< Neither rows nor columns of a matrix are neighbours.
  double scattered_window = 2;  ///< Per element that a window reads of an image without dense rows.
  double scattered_plane = 8;   ///< Planes are taken out of channels innermost and put back.
  double pooled_rows = 1.5;     ///< Pooling reads rows instead of channels.
};

struct Machine {
  // --- Vectors and registers

  int vector_bytes = 32;        ///< Of one register.
  size_t most_buffers = 32;     ///< Of a kernel: their addresses are held in registers.
  int most_instructions = 600;  ///< Of a kernel, before code no longer fits where it is decoded.
  double light_body = 8;        ///< Loops of so many instructions use four registers per value
  double medium_body = 36;      ///< and of so many two, which hides the latency of each: tanh, log.

  // --- Memory

  int64_t line_bytes = 64;               ///< Of a cache; buffers begin at multiples of it.
  int64_t first_cache_bytes = 32 << 10;  ///< Of a core, as the next one.
  int64_t second_cache_bytes = 512 << 10;
  int64_t last_cache_bytes = int64_t{32} << 20;  ///< Of all cores.
  int64_t scratch_bytes = 32 << 10;              ///< Of a row that loops of one iteration pass on.
  int64_t stack_bytes = 64 << 10;                ///< Of what a kernel keeps on a thread's stack.
  int64_t prefetch_bytes = 2048;  ///< How far ahead streams are fetched; best of 0.5 to 16 KiB.
  AccessPrices access;
  LayoutPrices layouts;

  // --- Time

  double instruction_nanoseconds = 0.3;  ///< Or an access that hits the first cache.
  double instructions_per_byte = 1;      ///< That take as long as moving a byte from and to memory.
  double launch_bytes = 64 << 10;        ///< Moved in the time that a launch takes.

  // --- Threads

  /// Iterations that give every core of a large machine work. The number of threads of a call is not
  /// known here, and must not be: it would order sums.
  int64_t enough_iterations = 64;
  /// Work that outweighs handing it to another thread.
  double handover_nanoseconds = ThreadPool::kHandoverNanoseconds;

  // --- Library

  /// Facts of the library function of this name; null where there are none.
  const FunctionFacts* (*function)(std::string_view name) = nullptr;

  /// Elements of four bytes in a register.
  int lanes() const { return vector_bytes / 4; }

  /// The facts of a function; those of one that asks for nothing where it is not known.
  FunctionFacts facts_of(std::string_view name) const {
    const FunctionFacts* const known = function != nullptr ? function(name) : nullptr;
    return known != nullptr ? *known : FunctionFacts{};
  }
};

}  // namespace litz::machine
