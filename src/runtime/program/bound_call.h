// Launches that are no kernels: library calls and what the compiling process supplies.

#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "artifact/kernel_abi.h"
#include "artifact/launch_list.h"
#include "kernels/library.h"
#include "runtime/program/bound_tensors.h"

namespace litz::runtime {

/// Runs on the tensors of a CallLaunch, in its order.
using SuppliedCall = std::function<void(std::span<Tensor> buffers, const Bindings& symbols)>;

/// One call with its evaluated arguments. Stays where it is.
class BoundCall {
 public:
  virtual ~BoundCall() = default;
  BoundCall(const BoundCall&) = delete;
  BoundCall& operator=(const BoundCall&) = delete;

  /// After binding, and when sizes or memory that lasts have changed.
  virtual void attach_lasting(std::span<const MemoryPlace> places) {
    tensors_.attach_lasting(places);
  }

  virtual void run(std::span<const MemoryPlace> places);

  /// Values that scalars of an epilogue depend on have changed.
  virtual void set_symbols(const Bindings&) {}

  /// Takes over new sizes; attach_lasting() comes next.
  virtual void set_sizes(const SizeTable& sizes) { tensors_.set_sizes(sizes); }

 protected:
  BoundCall() = default;
  virtual void call() = 0;

  BoundTensors tensors_;
};

/// What a library call uses besides its arguments, see kernels::LibraryCall.
struct LibrarySupport {
  kernels::LibraryContext* context = nullptr;
  uint64_t constants = 0;
  const artifact::KernelCode* epilogue = nullptr;  ///< Of launches that have one, and its function.
  artifact::KernelFunction epilogue_function = nullptr;
};

/// Throws Error{unsupported} for a function that does not exist. The launch and the context must
/// outlive the result.
std::unique_ptr<BoundCall> bind_call(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                     const LibrarySupport& support);
/// `supplied` and `sizes` must outlive the result.
std::unique_ptr<BoundCall> bind_call(const artifact::CallLaunch& launch,
                                     const SuppliedCall& supplied, SizeTable& sizes);

}  // namespace litz::runtime
