// The back end for cards, as far as it needs neither a card nor its compiler.

#include "compiler/cuda_backend.h"

#include <gtest/gtest.h>

#include "kernels/library.h"
#include "loops/kernel.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

TEST(CudaBackend, ArchitecturesByName) {
  EXPECT_TRUE(is_cuda_target("sm_90"));
  EXPECT_FALSE(is_cuda_target("avx2"));
  EXPECT_EQ(backend_for("sm_90")->target().name, "sm_90");
  EXPECT_EQ(backend_for("sm_90")->target().triple, artifact::kCudaTriple);
  for (const char* const bad : {"sm_", "sm_60", "sm_9000", "sm_90x", "sm_-90"}) {
    EXPECT_THROW(backend_for(bad), Error) << bad;
  }
}

TEST(CudaBackend, HostsDoNotRunItsCode) {
  const std::shared_ptr<const Backend> backend = make_cuda_backend("sm_90");
  EXPECT_FALSE(backend->runs_on_host());
  EXPECT_THROW(backend->make_device(Device{DeviceKind::cpu, 0}, nullptr), Error);
}

TEST(CudaBackend, CardsAttendFromTheFirstWithUnitsForBf16On) {
  EXPECT_EQ(make_cuda_backend("sm_75")->machine().attends, nullptr);
  const machine::Machine& machine = make_cuda_backend("sm_80")->machine();
  ASSERT_NE(machine.attends, nullptr);
  EXPECT_TRUE(machine.attends(DType::bf16, 64, 64, 2));
  EXPECT_FALSE(machine.has_attention);
}

// The host's functions run on copies, which have no tiles for epilogues.
TEST(CudaBackend, FunctionsHaveNoEpilogues) {
  const std::shared_ptr<const Backend> backend = make_cuda_backend("sm_90");
  for (const kernels::LibraryEntry& entry : kernels::reference_library()) {
    EXPECT_FALSE(backend->machine().facts_of(entry.name).takes_epilogue) << entry.name;
  }
}

TEST(CudaBackend, KernelsBecomeText) {
  ExprPool pool;
  const std::shared_ptr<const Backend> backend = make_cuda_backend("sm_90");
  loops::Kernel kernel = loops::parse_kernel(R"(kernel @double(%x: f32[64], out %y: f32[64]) {
  for i in 0..64 {
    %0 = load %x[i]
    %1 = add %0, %0
    store %y[i], %1
  }
}
)",
                                             pool);
  EXPECT_FALSE(backend->reason_not_compiled(kernel).has_value());
  const schedule::Schedule schedule = backend->schedule(std::move(kernel));
  const auto compiler = backend->make_compiler();
  EXPECT_NE(compiler->text(schedule, CodeText::generated).find("__global__"), std::string::npos);
  EXPECT_THROW(compiler->text(schedule, CodeText::assembly), Error);
}

TEST(CudaBackend, KeysFollowTheArchitecture) {
  const auto key_of = [](std::string_view name) {
    Hasher hasher;
    make_cuda_backend(name)->add_to_key(hasher);
    return hasher.value();
  };
  EXPECT_EQ(key_of("sm_90"), key_of("sm_90"));
  EXPECT_NE(key_of("sm_90"), key_of("sm_80"));
}

}  // namespace
}  // namespace litz::compiler
