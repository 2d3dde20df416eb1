// The work of a device besides kernels: functions of its library, and calls that the compiling
// process supplies. Bound to sizes, they are nodes of a graph like kernels.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "artifact/program.h"
#include "distributed/communicator.h"
#include "kernels/library.h"
#include "runtime/launch_graph.h"
#include "runtime/program/size_table.h"
#include "support/check.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Runs on the tensors of a CallLaunch, in order.
using SuppliedCall = std::function<void(std::span<Tensor> buffers, const Bindings& symbols)>;

/// One call with its evaluated arguments. Must not move.
class BoundCall : public NodeCall {
 public:
  /// The slots of `run`'s operands, in order; the address of one without a storage is null.
  virtual std::span<const artifact::Slot> operands() const = 0;

  /// The scalars of `run`, in order.
  virtual std::span<const Expr> scalars() const { return {}; }

  /// Applies changed sizes. No launch of a call of the host may wait to run. Returns false if the call
  /// must be bound anew.
  virtual bool set_sizes(const SizeTable& sizes) = 0;
};

/// Facts that a library call needs besides its launch.
struct LibrarySupport {
  /// Bit i: argument i holds the same values at the same address in every launch.
  uint64_t constants = 0;
  /// The kernel of the epilogue, if the launch has one.
  const artifact::KernelCode* epilogue = nullptr;
  KernelId epilogue_kernel;
};

/// The functions of a device for one program, with the state that their calls share.
class DeviceLibrary {
 public:
  virtual ~DeviceLibrary() = default;

  /// Throws Error{unsupported} for an unknown function. The launch and the library must outlive the
  /// result.
  virtual std::unique_ptr<BoundCall> bind(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                          const LibrarySupport& support) = 0;
  /// `varying` lists the symbols that every launch sets anew. The launch and `supplied` must
  /// outlive the result.
  virtual std::unique_ptr<BoundCall> bind(const artifact::CallLaunch& launch,
                                          const SuppliedCall& supplied, SizeTable& sizes,
                                          std::span<const Expr> varying) = 0;

  /// Runs a function outside of graphs, in the order of the stream, and waits for it. Tensors must
  /// be on the device; an undefined result is allocated. Throws Error{unsupported} for an unknown
  /// function.
  virtual void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
                   std::span<Tensor> results, StreamId stream) = 0;

  /// The rank that starts the program's collectives; by default a world of its own. Throws
  /// Error{unsupported} for several ranks on a device that cannot wait for them. No call may run
  /// meanwhile.
  virtual void join(const std::shared_ptr<distributed::Communicator>& communicator) {
    require(communicator->world() == 1, ErrorCode::unsupported,
            "programs of several ranks run on the host only; ranks:", communicator->world());
  }

  /// Waits, in the order of the stream, for all collectives that the program has started.
  virtual void finish_collectives(StreamId /*stream*/) {}

  // Constants that calls have packed, in the library's own layout. Weights are passed by input;
  // inputs that are not weights or that calls change are undefined.

  /// Takes the packed constants that it can use, so that they need not be packed again.
  virtual void adopt(std::span<const artifact::PackedConstant> packed,
                     std::span<const Tensor> weights) = 0;
  /// Returns the constants packed from weights so far, in an order in which they can be adopted.
  virtual std::vector<artifact::PackedConstant> packed_constants(
      std::span<const Tensor> weights) const = 0;
  /// The bytes of all packed constants.
  virtual size_t packed_bytes() const = 0;
};

}  // namespace litz::runtime
