// Nodes of the host's graphs that call the library functions of this project (kernels/library.h).

#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/library_context.h"
#include "runtime/cpu/host_device.h"
#include "runtime/program/device_library.h"

namespace litz::runtime {

class HostLibrary final : public DeviceLibrary {
 public:
  /// `device` has the kernels of epilogues and the threads; see GraphDevice::make_library.
  HostLibrary(HostDevice& device, std::span<const Tensor> constants);

  std::unique_ptr<BoundCall> bind(const artifact::LibraryLaunch& launch, SizeTable& sizes,
                                  const LibrarySupport& support) override;
  std::unique_ptr<BoundCall> bind(const artifact::CallLaunch& launch, const SuppliedCall& supplied,
                                  SizeTable& sizes, std::span<const Expr> varying) override;
  void run(std::string_view function, std::span<const kernels::LibraryArgument> arguments,
           std::span<Tensor> results, StreamId stream) override;

  void adopt(std::span<const artifact::PackedConstant> packed,
             std::span<const Tensor> weights) override;
  std::vector<artifact::PackedConstant> packed_constants(
      std::span<const Tensor> weights) const override;

  void join(const std::shared_ptr<distributed::Communicator>& communicator) override {
    context_.join(communicator);
  }

  void finish_collectives(StreamId /*stream*/) override { context_.communicator()->wait_all(); }

  size_t packed_bytes() const override { return context_.packed_bytes(); }

 private:
  HostDevice& device_;
  kernels::LibraryContext context_;
};

}  // namespace litz::runtime
