// The emulated CUDA driver as a test sees it. Tests that need it are skipped where there is none.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "artifact/kernel_code.h"
#include "runtime/cuda/cuda_device.h"

namespace litz::runtime {

/// The emulated driver; null where there is none.
const cuda::Driver* emulated_driver();

/// Makes the n-th call of the emulated driver from now fail; 0: none.
void fail_driver_call(int64_t n);
int64_t driver_calls();
/// Everything that the driver has given and not got back.
int64_t live_handles();

/// Compiles CUDA text for the emulated card; throws Error with the compiler's messages.
std::vector<std::byte> compile_cuda(const std::string& text);

/// A kernel of one phase per symbol, whose blocks of `threads` take `grain` iterations.
artifact::KernelCode cuda_kernel(const std::string& text, const std::vector<std::string>& symbols,
                                 int32_t threads, int64_t grain);

/// A test with a device. Afterwards nothing of the driver may be left.
class CudaTest : public testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override;

  cuda::CudaStreams& streams() { return *device_->streams(); }

  const cuda::Driver& driver() { return device_->streams()->context().driver(); }

  KernelId load(const artifact::KernelCode& code) { return device_->load({&code, 1})[0]; }

  /// Memory with these values.
  std::shared_ptr<Storage> floats(const std::vector<float>& values);
  std::shared_ptr<Storage> integers(const std::vector<int64_t>& values);
  std::vector<float> floats_of(const std::shared_ptr<Storage>& memory);
  std::vector<int64_t> integers_of(const std::shared_ptr<Storage>& memory);

  static Binding binding(const std::shared_ptr<Storage>& memory) {
    return {memory->address(), memory->size()};
  }

  std::unique_ptr<CudaDevice> device_;
  bool may_leak_ = false;  ///< Calls that give something back fail.

 private:
  int64_t handles_before_ = 0;
};

}  // namespace litz::runtime
