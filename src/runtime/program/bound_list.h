// A launch list bound to the sizes of its symbols, at fixed addresses.
//
// Everything that sizes decide is evaluated once. A call binds the addresses of its inputs and of
// fresh outputs, where they changed, and replays the list. Other sizes, or another arena, only change
// what depends on them.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/device_library.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/output_pool.h"
#include "runtime/program/value.h"
#include "types/tensor.h"

namespace litz::runtime {

/// What a bound list uses besides its inputs; copied or shared, except as said.
struct ListMemory {
  std::span<const Tensor> weights;  ///< By input of the list.
  /// By CallLaunch::call; must outlive the bound list.
  std::span<const SuppliedCall> calls;
  /// The arena, shared with lists that never run at the same time; null: one of its own.
  std::shared_ptr<Storage> arena;
  /// Where the memory of outputs comes from; it must outlive the bound list. Null: fresh memory.
  OutputPool* outputs = nullptr;
  /// Needed where the list has launches other than kernels and copies; it must outlive the bound
  /// list.
  DeviceLibrary* library = nullptr;
  /// Symbols that get a value with every call, such as the seed of random numbers. Scalars may
  /// depend on them, sizes and addresses must not.
  std::vector<Expr> varying = {};
  /// Of lists that have layouts: the one for these sizes. Used while binding only.
  const artifact::ArenaLayout* layout = nullptr;
  /// Of the call that binds.
  StreamId stream = {};
};

/// What a call gives besides inputs.
struct ListCall {
  StreamId stream;
  std::span<const int64_t> values;         ///< Of ListMemory::varying, in order.
  std::vector<double>* seconds = nullptr;  ///< By launch, to be added to; null: nothing is timed.
};

/// Move-only; one call at a time.
class BoundList {
 public:
  /// Every symbol of the list must have a value; the program and its list must outlive this. Throws
  /// Error for assertions that fail, sizes that overflow, weights or an arena that are too small.
  BoundList(const LoadedProgram& program, const artifact::LaunchList& list, Bindings symbols,
            const ListMemory& memory);
  BoundList(BoundList&&) noexcept;
  BoundList& operator=(BoundList&&) noexcept;
  ~BoundList();

  /// Binds to other sizes or another arena; weights, calls, context and varying symbols must be the
  /// ones that it was made with. Throws what the constructor throws, and is not to be used then.
  void rebind(const Bindings& symbols, const ListMemory& memory);

  /// Runs on tensors of exactly the strides that the list was compiled for, of its device. Outputs
  /// are fresh or views of inputs and weights; they are there when the stream has come so far. Throws
  /// Error for an input that is too small or no tensor, and what kernels and library calls report,
  /// with a note that names the launch, unless they run later.
  std::vector<Value> run(std::span<const Value> inputs, const ListCall& call = {});
  /// The same; of inputs that are used, their tensors. Allocates what it returns.
  std::vector<Value> run_on(std::span<const Tensor* const> inputs, const ListCall& call = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
