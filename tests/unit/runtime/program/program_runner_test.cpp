#include "runtime/program/program_runner.h"

#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/cpu/host_device.h"
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
