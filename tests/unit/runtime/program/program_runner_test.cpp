#include "runtime/program/program_runner.h"

#include <thread>

#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/cpu/host_device.h"
#include "runtime/device_tensor.h"
#include "runtime/sim/sim_device.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

Tensor square(int64_t n, float value) {
  Tensor tensor = Tensor::zeros(DType::f32, {n, n});
  for (int64_t i = 0; i < n; ++i) {
    reinterpret_cast<float*>(tensor.mutable_data())[i * n + i] = value;
  }
  return tensor;
}

TEST(ProgramRunner, RunsOneList) {
  ProgramRunner runner(product_program(), {});
  const std::vector<Value> inputs{square(3, 5)};
  runner.prepare(inputs);
  const std::vector<Value> outputs = runner.run(inputs);
  ASSERT_EQ(outputs.size(), 1U);
  EXPECT_EQ(std::get<Tensor>(outputs[0]).at({1, 1}), 10);
  std::vector<double> seconds;
  EXPECT_EQ(std::get<Tensor>(runner.run_timed(inputs, 0, seconds)[0]).at({2, 2}), 10);
  EXPECT_EQ(seconds.size(), 1U);
}

TEST(ProgramRunner, RunsInTestModes) {
  RunnerOptions options;
  options.device = std::make_shared<HostDevice>();
  options.device->set_modes({.poison = true, .check_accesses = true, .order_seed = 3});
  ProgramRunner runner(routine_program(), options);
  const std::vector<Value> inputs{square(3, 1), int64_t{1}};
  EXPECT_EQ(std::get<Tensor>(runner.run(inputs)[1]).at({0, 0}), 4);
}

// Nothing of the host's is read there, nothing of it is read by the host, and everything waits.
TEST(ProgramRunner, RunsOnADeviceOfItsOwnMemory) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    RunnerOptions options;
    options.device = std::make_shared<SimDevice>();
    options.device->set_modes({.poison = true, .check_accesses = true, .order_seed = seed});
    ProgramRunner product(product_program(), options);
    const std::vector<Value> given{square(3, 5)};
    const std::vector<Value> outputs = product.run(given);
    EXPECT_EQ(std::get<Tensor>(outputs[0]).device(), Device{});
    EXPECT_EQ(std::get<Tensor>(outputs[0]).at({1, 1}), 10);
    ProgramRunner routine(routine_program(), options);
    const std::vector<Value> inputs{square(3, 1), int64_t{1}};
    EXPECT_EQ(std::get<Tensor>(routine.run(inputs)[1]).at({0, 0}), 4);
  }
}

// Work that waits sees its inputs as they were, also those that were dropped, and in the order of calls of
// all threads on the same buffer.
TEST(ProgramRunner, CallsOnTensorsOfTheDeviceNeedNoWait) {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    RunnerOptions options;
    const auto device = std::make_shared<SimDevice>();
    device->set_modes({.order_seed = seed});
    options.device = device;
    ProgramRunner product(product_program(), options);
    ProgramRunner updating(updating_program(), options);
    const auto there = [&](const Tensor& tensor) {
      const StreamId stream = device->begin_call();
      return copied(tensor, {}, {*device, stream});
    };
    std::vector<Tensor> results;
    for (int i = 1; i <= 6; ++i) {
      const std::vector<Value> given{there(square(3, static_cast<float>(i)))};
      results.push_back(std::get<Tensor>(product.run(given)[0]));
      EXPECT_EQ(results.back().device(), device->device());
    }
    const std::vector<Value> twice{there(square(3, 2))};
    std::vector<Value> last;
    for (int i = 0; i < 3; ++i) last = updating.run(twice);
    std::thread([&] { last = updating.run(twice); }).join();
    for (int i = 1; i <= 6; ++i) {
      EXPECT_EQ(copied_to(results[static_cast<size_t>(i) - 1], {}).at({1, 1}), 2 * i) << seed;
    }
    EXPECT_EQ(copied_to(std::get<Tensor>(last[0]), {}).at({2, 2}), 32) << seed;
  }
}

TEST(ProgramRunner, ResultsLieWhereTheyAreWanted) {
  RunnerOptions options;
  const auto device = std::make_shared<SimDevice>();
  options.device = device;
  options.calls.results = ResultPlace::device;
  ProgramRunner keeping(product_program(), options);
  const std::vector<Value> here{square(3, 5)};
  const Tensor kept = std::get<Tensor>(keeping.run(here)[0]);
  EXPECT_EQ(kept.device(), device->device());
  options.calls.results = ResultPlace::host;
  ProgramRunner fetching(product_program(), options);
  EXPECT_EQ(std::get<Tensor>(fetching.run(std::vector<Value>{kept})[0]).at({1, 1}), 20);
  std::vector<Value> into{copied(square(3, 0), {}, {*device, {}})};
  keeping.run_into(keeping.calls(), std::vector<Value>{kept}, 0, into);
  EXPECT_EQ(copied_to(std::get<Tensor>(into[0]), {}).at({1, 1}), 20);
  const auto other = std::make_shared<SimDevice>(1);
  const std::vector<Value> elsewhere{copied(square(3, 5), {}, {*other, {}})};
  EXPECT_THROW(keeping.run(elsewhere), Error);
}

/// y = x @ w for a parameter w of [64, 64], which is packed.
artifact::Program large_product() {
  artifact::Program program = product_program();
  artifact::ProgramInput& weight = program.signature.inputs[0];
  weight.kind = InputKind::parameter;
  weight.type = contiguous_type(DType::f32, {64, 64});
  weight.data = Tensor::zeros(DType::f32, {64, 64});
  for (int64_t i = 0; i < 64; ++i) {
    reinterpret_cast<float*>(weight.data.mutable_data())[i * 64 + i] = 3;
  }
  return program;
}

TEST(ProgramRunner, ConstantsThatWerePackedAreTaken) {
  artifact::Program program = large_product();
  const std::vector<Value> inputs{square(64, 2)};
  ProgramRunner packing(program, {});
  EXPECT_TRUE(packing.packed_constants().empty());
  packing.pack_constants();
  program.packed = packing.packed_constants();
  ASSERT_EQ(program.packed.size(), 1U);
  EXPECT_EQ(program.packed[0].input, 0);
  ProgramRunner taking(program, {});
  EXPECT_EQ(taking.packed_bytes(), packing.packed_bytes());
  EXPECT_EQ(std::get<Tensor>(taking.run(inputs)[0]).at({63, 63}), 6);
  ASSERT_EQ(taking.packed_constants().size(), 1U);
  EXPECT_EQ(taking.packed_constants()[0].data.storage(), program.packed[0].data.storage());
  // Another library's are passed over.
  program.packed[0].description.push_back(1);
  ProgramRunner other(program, {});
  EXPECT_EQ(other.packed_bytes(), 0U);
  EXPECT_EQ(std::get<Tensor>(other.run(inputs)[0]).at({63, 63}), 6);
  // On another device the weight lies elsewhere.
  RunnerOptions options;
  options.device = std::make_shared<SimDevice>();
  program.packed[0].description.pop_back();
  ProgramRunner elsewhere(program, options);
  EXPECT_EQ(std::get<Tensor>(elsewhere.run(inputs)[0]).at({63, 63}), 6);
}

TEST(ProgramRunner, WeightsMustFit) {
  artifact::Program program = product_program();
  program.signature.inputs[0].data = Tensor::zeros(DType::f32, {2, 2});
  EXPECT_THROW(ProgramRunner(program, {}), Error);
}

}  // namespace
}  // namespace litz::runtime
