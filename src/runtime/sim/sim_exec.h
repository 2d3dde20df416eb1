// An executable graph of the simulated device. Patches and launches wait together, in order.

#pragma once

#include <memory>
#include <span>
#include <vector>

#include "runtime/cpu/host_exec.h"
#include "runtime/sim/sim_device.h"

namespace litz::runtime {

class SimExec final : public GraphExec {
 public:
  SimExec(SimDevice& device, std::unique_ptr<HostExec> exec)
      : device_(device), exec_(std::move(exec)) {}

  /// Waits for its launches.
  ~SimExec() override { device_.finish(last_); }

  SimExec(const SimExec&) = delete;
  SimExec& operator=(const SimExec&) = delete;

  void patch(std::span<const Patch> patches) override;
  void launch(StreamId stream) override;
  void launch_timed(StreamId stream, std::span<double> seconds) override;
  void watch(std::vector<WatchedMemory> memory) override;

 private:
  SimDevice& device_;
  std::unique_ptr<HostExec> exec_;
  std::vector<Patch> patches_;          ///< Patches that the next launch applies first.
  std::vector<WatchedMemory> watched_;  ///< Empty unless launches are watched.
  SimDevice::Job last_ = 0;
};

}  // namespace litz::runtime
