// A launch list bound to the sizes of its symbols, at fixed addresses.
//
// Everything that depends only on sizes is evaluated once. A call binds the addresses of its inputs
// and of fresh outputs where they changed, and replays the list. Other sizes, or another arena,
// change only the parts that depend on them.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/program/device_library.h"
#include "runtime/program/loaded_program.h"
#include "runtime/program/output_pool.h"
#include "runtime/program/shared_memory.h"
#include "runtime/program/value.h"
#include "types/tensor.h"

namespace litz::runtime {

/// The resources of a bound list besides its inputs. They are copied or shared, except as stated.
struct ListMemory {
  std::span<const Tensor> weights;  ///< By input of the list.
  /// By CallLaunch::call; must outlive the bound list.
  std::span<const SuppliedCall> calls;
  /// The arena, shared with lists that never run at the same time. Null: the list has its own.
  std::shared_ptr<Storage> arena;
  /// The source of output memory; it must outlive the bound list. Null: fresh memory.
  OutputPool* outputs = nullptr;
  /// Replaces it if not null, likewise.
  SharedMemory* shared = nullptr;
  /// Required if the list has launches other than kernels and copies; it must outlive the bound
  /// list.
  DeviceLibrary* library = nullptr;
  /// Symbols whose values change with every call, such as the seed of random numbers. Scalars may
  /// depend on them; sizes and addresses must not.
  std::vector<Expr> varying = {};
  /// The layout for these sizes, if the list has layouts. Read only while binding.
  const artifact::ArenaLayout* layout = nullptr;
  /// The stream of the call that binds.
  StreamId stream = {};
};

/// The arguments of a call besides inputs.
struct ListCall {
  StreamId stream;
  std::span<const int64_t> values;         ///< Values of ListMemory::varying, in order.
  std::vector<double>* seconds = nullptr;  ///< By launch; the call adds to it. Null: no timing.
  /// By output: row-major memory for it, of its size and aligned to 64 bytes. Undefined or missing
  /// entries, and outputs that are views, get fresh memory.
  std::span<const Tensor> into;
};

/// Move-only; one call at a time.
class BoundList {
 public:
  /// Every symbol of the list must have a value; the program and its list must outlive this. Throws
  /// Error for failed assertions, sizes that overflow, and weights or an arena that are too small.
  BoundList(const LoadedProgram& program, const artifact::LaunchList& list, Bindings symbols,
            const ListMemory& memory);
  BoundList(BoundList&&) noexcept;
  BoundList& operator=(BoundList&&) noexcept;
  ~BoundList();

  /// Binds to other sizes or another arena. Weights, calls, context and varying symbols must be
  /// those of the constructor. Throws what the constructor throws; the object must not be used
  /// after that.
  void rebind(const Bindings& symbols, const ListMemory& memory);

  /// Runs on tensors of its device with exactly the strides that the list was compiled for. Outputs
  /// are fresh or views of inputs and weights, and are valid in the order of the stream. Throws
  /// Error for an input that is too small or is not a tensor. Also throws what kernels and library
  /// calls report, with a note that names the launch, unless they run later.
  std::vector<Value> run(std::span<const Value> inputs, const ListCall& call = {});
  /// Runs on the tensors of the inputs that are used, and adds the outputs to `outputs`. Allocates only
  /// fresh memory.
  void run_on(std::span<const Tensor* const> inputs, const ListCall& call,
              std::vector<Value>& outputs);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace litz::runtime
