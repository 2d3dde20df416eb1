#include "compiler/backend.h"

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "machine/cpu_targets.h"
#include "runtime/device.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

TEST(Backend, TargetsHaveTheirMachines) {
  ASSERT_TRUE(has_code_generator());
  for (const machine::CpuTargetRow& row : machine::cpu_targets()) {
    const std::shared_ptr<const Backend> backend = backend_for(row.name);
    EXPECT_EQ(backend->machine().vector_bytes, row.vector_bytes) << row.name;
    EXPECT_EQ(backend->target().name, row.name);
    EXPECT_EQ(backend->features(), std::to_string(8 * row.vector_bytes) + "-bit vectors");
  }
  EXPECT_THROW(backend_for("vax"), Error);
  // The host is one of the others, and files say which.
  EXPECT_NE(backend_for("host")->target().name, "host");
}

TEST(Backend, FunctionsAreThoseOfTheLibrary) {
  for (const machine::Machine& machine :
       {machine_of(backend_for("avx2").get()), machine_of(nullptr)}) {
    for (const kernels::LibraryEntry& entry : kernels::reference_library()) {
      EXPECT_EQ(machine.facts_of(entry.name).takes_epilogue, entry.facts.takes_epilogue);
    }
    EXPECT_TRUE(machine.facts_of("linear").takes_epilogue);
    EXPECT_EQ(machine.facts_of("scaled_matmul").left_operand, 1U);
    EXPECT_GT(machine.facts_of("attention").most_thin_rows, 0);
    EXPECT_FALSE(machine.facts_of("unknown").takes_epilogue);
  }
}

TEST(Backend, DevicesRunItsCode) {
  const std::shared_ptr<const Backend> backend = backend_for("host");
  EXPECT_EQ(backend->make_device(std::nullopt, nullptr)->device(), Device{});
  const Device simulated{DeviceKind::sim, 2};
  EXPECT_EQ(backend->make_device(simulated, nullptr)->device(), simulated);
  EXPECT_THROW(backend->make_device(Device{DeviceKind::cuda, 0}, nullptr), Error);
}

}  // namespace
}  // namespace litz::compiler
