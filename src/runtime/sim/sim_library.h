// Library calls of the simulated device: the host's functions, on memory that only launches can
// access.

#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "runtime/program/device_library.h"
#include "runtime/sim/sim_device.h"

namespace litz::runtime {

class SimLibrary final : public DeviceLibrary {
 public:
  explicit SimLibrary(SimDevice& device)
      : device_(device), functions_(device.host().make_library({})) {}

  std::unique_ptr<BoundCall> bind(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                  const LibrarySupport& support) override {
    return functions_->bind(launch, sizes, support);
  }

  std::unique_ptr<BoundCall> bind(const artifact::CallLaunch& launch, const SuppliedCall& supplied,
                                  SizeTable& sizes, std::span<const Expr> varying) override {
    return functions_->bind(launch, supplied, sizes, varying);
  }

  void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
           std::span<Tensor> results, StreamId stream) override;

  // Only launches can access the constants' memory, so the first launch packs them.
  void adopt(std::span<const artifact::PackedConstant> /*packed*/,
             std::span<const Tensor> /*weights*/) override {}

  std::vector<artifact::PackedConstant> packed_constants(
      std::span<const Tensor> /*weights*/) const override {
    return {};
  }

  size_t packed_bytes() const override { return functions_->packed_bytes(); }

 private:
  SimDevice& device_;
  std::unique_ptr<DeviceLibrary> functions_;
};

}  // namespace litz::runtime
