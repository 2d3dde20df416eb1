// Library calls of a card: its own functions (card_call.h), or the host's on copies of the memory
// that they touch.

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "runtime/cuda/card_collectives.h"
#include "runtime/cuda/cuda_device.h"
#include "runtime/program/device_library.h"

namespace litz::runtime {

class CudaLibrary final : public DeviceLibrary {
 public:
  explicit CudaLibrary(CudaDevice& device)
      : device_(device), functions_(device.host().make_library({})) {}

  std::unique_ptr<BoundCall> bind(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                  const LibrarySupport& support) override;
  std::unique_ptr<BoundCall> bind(const artifact::CallLaunch& launch, const SuppliedCall& supplied,
                                  SizeTable& sizes, std::span<const Expr> varying) override;
  void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
           std::span<Tensor> results, StreamId stream) override;

  // Every call sees its constants at another address, so none is packed.
  void adopt(std::span<const artifact::PackedConstant> /*packed*/,
             std::span<const Tensor> /*weights*/) override {}

  std::vector<artifact::PackedConstant> packed_constants(
      std::span<const Tensor> /*weights*/) const override {
    return {};
  }

  size_t packed_bytes() const override { return 0; }

  void join(const std::shared_ptr<distributed::Communicator>& communicator) override;
  void finish_collectives(StreamId stream) override;

 private:
  CudaDevice& device_;
  std::unique_ptr<DeviceLibrary> functions_;
  std::unique_ptr<CardCollectives> collectives_;  ///< Null: a world of its own.
};

}  // namespace litz::runtime
