// What a device runs besides kernels: functions of its library, and calls that the compiling process
// supplies. Bound to sizes they are nodes of a graph like kernels.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "artifact/program.h"
#include "kernels/library.h"
#include "runtime/launch_graph.h"
#include "runtime/program/size_table.h"
#include "types/tensor.h"

namespace litz::runtime {

/// Runs on the tensors of a CallLaunch, in its order.
using SuppliedCall = std::function<void(std::span<Tensor> buffers, const Bindings& symbols)>;

/// One call with its evaluated arguments. Stays where it is.
class BoundCall : public NodeCall {
 public:
  /// Where the operands of `run` lie, in order; the address of one without a storage is null.
  virtual std::span<const artifact::Slot> operands() const = 0;

  /// The scalars of `run`, in order.
  virtual std::span<const Expr> scalars() const { return {}; }

  /// Takes over sizes that changed, while no launch waits to run.
  virtual void set_sizes(const SizeTable& sizes) = 0;
};

/// What a library call needs to know besides its launch.
struct LibrarySupport {
  /// Bit i: argument i holds the same values at the same address in every launch.
  uint64_t constants = 0;
  /// The kernel of the epilogue, where the launch has one.
  const artifact::KernelCode* epilogue = nullptr;
  KernelId epilogue_kernel;
};

/// The functions of a device for one program, with what their calls share.
class DeviceLibrary {
 public:
  virtual ~DeviceLibrary() = default;

  /// Throws Error{unsupported} for a function that does not exist. Launch and library must outlive
  /// the result.
  virtual std::unique_ptr<BoundCall> bind(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                          const LibrarySupport& support) = 0;
  /// `varying` are symbols that get a value with every launch. Launch and `supplied` must outlive the
  /// result.
  virtual std::unique_ptr<BoundCall> bind(const artifact::CallLaunch& launch,
                                          const SuppliedCall& supplied, SizeTable& sizes,
                                          std::span<const Expr> varying) = 0;

  /// Runs a function outside of graphs, in the order of the stream, and waits for it. Tensors lie on
  /// the device; a result that arrives undefined is made. Throws Error{unsupported} for a function
  /// that does not exist.
  virtual void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
                   std::span<Tensor> results, StreamId stream) = 0;

  // Constants that calls have packed, in a layout of the library's own. Weights are given by input,
  // undefined where they are none or calls change them.

  /// Takes those that it has use for, instead of packing again.
  virtual void adopt(std::span<const artifact::PackedConstant> packed,
                     std::span<const Tensor> weights) = 0;
  /// Those that were made of the weights so far, in an order in which they can be adopted.
  virtual std::vector<artifact::PackedConstant> packed_constants(
      std::span<const Tensor> weights) const = 0;
  /// What all of them occupy.
  virtual size_t packed_bytes() const = 0;
};

}  // namespace litz::runtime
