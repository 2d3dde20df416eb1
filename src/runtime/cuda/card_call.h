// Library calls that the card makes itself, as work of a stream: products by cuBLASLt, convolutions
// by cuDNN.

#pragma once

#include <memory>
#include <mutex>
#include <span>

#include "runtime/cuda/blas_lt.h"
#include "runtime/cuda/cuda_context.h"
#include "runtime/cuda/dnn.h"
#include "runtime/cuda/driver.h"
#include "runtime/program/call_arguments.h"
#include "runtime/program/device_library.h"

namespace litz::runtime {

class CudaDevice;

namespace cuda {

/// The libraries of one card, each opened when it is first needed. Thread-safe.
class CardLibraries {
 public:
  explicit CardLibraries(std::shared_ptr<const CudaContext> context)
      : context_(std::move(context)) {}

  /// Null if there is none, which a log warning tells once; calls then run on the host.
  const BlasLt* blas();
  const Dnn* dnn();

 private:
  std::shared_ptr<const CudaContext> context_;
  std::mutex mutex_;
  bool is_blas_tried_ = false;
  bool is_dnn_tried_ = false;
  std::unique_ptr<BlasLt> blas_;
  std::unique_ptr<Dnn> dnn_;
};

/// The computation of one call.
class CardWork {
 public:
  virtual ~CardWork() = default;
  /// Adds the work to a stream; a capturing one records it. The call's tensors are on the card.
  virtual void enqueue(Stream stream, const kernels::LibraryCall& call) = 0;
  /// Plans for the call's present sizes. Returns false if another work must be made for them.
  virtual bool resize(const kernels::LibraryCall& call) = 0;
};

}  // namespace cuda

class CardCall final : public BoundCall {
 public:
  /// Null if the card has no function for the call at these sizes.
  static std::unique_ptr<CardCall> make(CudaDevice& device, const artifact::LibraryLaunch& launch,
                                        SizeTable& sizes);

  std::span<const artifact::Slot> operands() const override { return call_.tensors().slots(); }

  /// Adds the work to a stream; a capturing one records it.
  void enqueue(cuda::Stream stream, std::span<const cuda::Address> operands);

  bool is_of_host() const override { return false; }

  // Graphs of cards make the calls.
  void run(std::span<std::byte* const> operands, std::span<const int64_t> scalars) override;
  bool set_sizes(const SizeTable& sizes) override;

 private:
  CardCall(const artifact::LibraryLaunch& launch, SizeTable& sizes)
      : launch_(launch), call_(launch, sizes) {}

  kernels::LibraryCall described();
  kernels::LibraryCall described_anywhere();

  const artifact::LibraryLaunch& launch_;
  CallArguments call_;
  std::unique_ptr<cuda::CardWork> work_;
};

}  // namespace litz::runtime
