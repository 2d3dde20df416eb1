// A loaded program bound to the sizes of its symbols: a launch list at fixed addresses.
//
// Everything that sizes decide is evaluated once. A call binds the addresses of its inputs and of
// fresh outputs, where they changed, and replays the list. Other sizes, or another arena, only change
// what depends on them.

#pragma once

#include <complex>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "runtime/cpu/bound_call.h"
#include "runtime/cpu/loaded_program.h"
#include "runtime/cpu/output_pool.h"
#include "types/tensor.h"

namespace litz::runtime {

/// An input or output.
using Value = std::variant<std::monostate, Tensor, int64_t, double, bool, std::string>;

/// What a bound program uses besides its inputs; copied or shared, except as said.
struct ProgramMemory {
  std::span<const Tensor> weights;
  /// By CallLaunch::call; must outlive the bound program.
  std::span<const SuppliedCall> calls;
  /// The arena, shared with programs that never run at the same time; null: one of its own.
  std::shared_ptr<Storage> arena;
  /// Where the memory of outputs comes from; it must outlive the bound program. Null: fresh memory.
  OutputPool* outputs = nullptr;
  /// Threads and memory of library calls; it must outlive the bound program, and the weights must
  /// outlive it. Null: each call is alone.
  kernels::LibraryContext* context = nullptr;
  /// Symbols that get a value with every call, such as the seed of random numbers. Scalars of
  /// kernels may depend on them, sizes and addresses must not.
  std::vector<SymbolId> varying = {};
  /// Of programs that have layouts: the one for these sizes. Used while binding only.
  const artifact::ArenaLayout* layout = nullptr;
};

/// Move-only; one call at a time.
class BoundProgram {
 public:
  /// Every symbol of the program must have a value; the loaded program must outlive this. Throws
  /// Error for assertions that fail, sizes that overflow, weights or an arena that are too small.
  BoundProgram(const LoadedProgram& loaded, Bindings symbols, const ProgramMemory& memory);
  BoundProgram(BoundProgram&&) noexcept;
  BoundProgram& operator=(BoundProgram&&) noexcept;
  ~BoundProgram();

  /// Binds to other sizes or another arena; weights, calls, context and varying symbols must be the
  /// ones that it was made with. Throws what the constructor throws, and is not to be used then.
  void rebind(const Bindings& symbols, const ProgramMemory& memory);

  /// Runs on tensors of exactly the strides that the program was compiled for. Outputs are fresh or
  /// views of inputs and weights. Throws Error for an input that is too small or no tensor, and
  /// what kernels and library calls report, with a note that names the launch.
  /// `values` are of ProgramMemory::varying, in order.
  std::vector<Value> run(std::span<const Value> inputs, std::span<const int64_t> values = {});
  /// The same; of inputs that are used, their tensors. Allocates what it returns.
  std::vector<Value> run_on(std::span<const Tensor* const> inputs,
                            std::span<const int64_t> values = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
