#include "runtime/cuda/cuda_device.h"

#include <thread>

#include <gtest/gtest.h>

#include "cuda/emulated_card.h"
#include "runtime/program/device_stream.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

using CudaDeviceTest = CudaTest;

const char* const kNothing = R"(extern "C" __global__ void nothing(void* failure, long long n) {})";

TEST_F(CudaDeviceTest, IsACard) {
  EXPECT_EQ(device_->device(), (Device{DeviceKind::cuda, 0}));
  EXPECT_FALSE(device_->caps().is_immediate);
  EXPECT_TRUE(device_->caps().copies_operands);
  EXPECT_THROW(CudaDevice(*emulated_driver(), 1), Error);
  EXPECT_THROW(device_->set_modes({.check_accesses = true}), Error);
}

TEST_F(CudaDeviceTest, TheHostsCodeIsRefused) {
  artifact::KernelCode code = cuda_kernel(kNothing, {"nothing"}, 1, 1);
  code.phases[0].threads = 0;
  try {
    load(code);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::unsupported);
  }
  code.phases[0] = {.symbol = "absent", .threads = 32};
  EXPECT_THROW(load(code), Error);
  code.object = {std::byte{1}, std::byte{2}};
  EXPECT_THROW(load(code), Error);
  code.object.clear();
  EXPECT_THROW(load(code), Error);
}

TEST_F(CudaDeviceTest, ParametersHaveEightBytes) {
  const auto code = cuda_kernel(
      R"(extern "C" __global__ void narrow(float* x, int n, void* failure, long long count) {})",
      {"narrow"}, 32, 1);
  EXPECT_THROW(load(code), Error);
}

TEST_F(CudaDeviceTest, KernelsOfOneObjectShareItsModule) {
  const artifact::KernelCode code = cuda_kernel(kNothing, {"nothing"}, 1, 1);
  const std::vector<artifact::KernelCode> twice{code, code};
  const int64_t before = live_handles();
  EXPECT_EQ(device_->load(twice).size(), 2U);
  EXPECT_EQ(live_handles(), before + 1);
}

// Memory may be given back while work that uses it waits.
TEST_F(CudaDeviceTest, FreedMemoryStaysUntilWorkIsDone) {
  const DeviceStream where{*device_, device_->make_stream()};
  for (int i = 0; i < 50; ++i) {
    const auto value = static_cast<float>(i);
    Tensor there = copied(Tensor::of<float>(DType::f32, {2}, {value, value}), {}, where);
    Tensor result = Tensor::empty(DType::f32, {2});
    device_->copy(where.stream, result, there);
    there = Tensor();
    const Tensor other = fresh(DType::f32, {2}, {1}, {*device_, {}});
    device_->fill({}, other.address(), 0, 8);
    device_->synchronize(where.stream);
    ASSERT_EQ(result.at({1}), value);
  }
}

TEST_F(CudaDeviceTest, CallsFailOnRequest) {
  device_->fail_call(2);
  EXPECT_NO_THROW(device_->allocate(8));
  EXPECT_THROW(device_->allocate(8), Error);
  EXPECT_NO_THROW(device_->allocate(8));
}

// Whatever call of the driver fails: an error, and the device goes on.
TEST_F(CudaDeviceTest, FailingCallsOfTheDriverAreErrors) {
  const artifact::KernelCode code = cuda_kernel(
      R"(extern "C" __global__ void twice(float* x, void* failure, long long n) {
           x[blockIdx.x] *= 2;
         })",
      {"twice"}, 1, 1);
  const auto work = [&] {
    const DeviceStream where{*device_, device_->make_stream()};
    const KernelId kernel = load(code);
    const std::shared_ptr<Arena> arena = device_->reserve(1);
    arena->commit(1);
    const Tensor x = copied(Tensor::of<float>(DType::f32, {2}, {3, 4}), {}, where);
    const auto graph = device_->begin();
    const Ref pointer{0, 0};
    const int64_t extent = 2;
    graph->kernel({}, {kernel, {&pointer, 1}, {}, {&extent, 1}, {}});
    const Binding binding{x.address(), 8};
    const auto exec = device_->instantiate(*graph, {&binding, 1});
    exec->launch(where.stream);
    device_->wait({}, device_->record(where.stream));
    return on_host(x, where).at({1});
  };
  may_leak_ = true;
  const int64_t before = driver_calls();
  EXPECT_EQ(work(), 8);
  const int64_t calls = driver_calls() - before;
  int64_t errors = 0;
  for (int64_t n = 1; n <= calls; ++n) {
    fail_driver_call(n);
    try {
      work();
    } catch (const Error&) {
      ++errors;
    }
    fail_driver_call(0);
    ASSERT_EQ(work(), 8) << n;
  }
  EXPECT_GT(errors, calls / 2);
}

TEST_F(CudaDeviceTest, ThreadsUseItAtATime) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t] {
      const DeviceStream where{*device_, device_->make_stream()};
      for (int i = 0; i < 30; ++i) {
        const auto value = static_cast<float>(100 * t + i);
        const Tensor there = copied(Tensor::of<float>(DType::f32, {1}, {value}), {}, where);
        ASSERT_EQ(on_host(there, where).at({0}), value);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace litz::runtime
