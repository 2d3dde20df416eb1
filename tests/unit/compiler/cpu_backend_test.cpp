#include "compiler/cpu_backend.h"

#include <gtest/gtest.h>

#include "loops/kernel.h"

namespace litz::compiler {
namespace {

constexpr const char* kDouble =
    "kernel @double(%x: f32[64], out %y: f32[64]) {\n"
    "  for i0 in 0..64 {\n"
    "    %0 = load %x[i0]\n"
    "    %1 = add %0, %0\n"
    "    store %y[i0], %1\n"
    "  }\n"
    "}\n";

TEST(CpuBackend, KernelsBecomeCode) {
  ExprPool pool;
  const std::shared_ptr<const Backend> backend = backend_for("avx2");
  loops::Kernel kernel = loops::parse_kernel(kDouble, pool);
  EXPECT_FALSE(backend->reason_not_compiled(kernel).has_value());
  const schedule::Schedule schedule = backend->schedule(std::move(kernel));
  const std::unique_ptr<Backend::Compiler> compiler = backend->make_compiler();
  const artifact::KernelCode code = compiler->compile(schedule, "k_");
  ASSERT_EQ(code.phases.size(), 1U);
  EXPECT_EQ(code.phases[0].symbol, "k_0");
  EXPECT_FALSE(code.object.empty());
  EXPECT_NE(compiler->text(schedule, CodeText::generated).find("define"), std::string::npos);
  EXPECT_NE(compiler->text(schedule, CodeText::assembly).find("ymm"), std::string::npos);
}

// What decides code decides keys.
TEST(CpuBackend, KeysFollowTheProcessor) {
  const auto key_of = [](const codegen::CpuTarget& target) {
    Hasher hasher;
    make_cpu_backend(target)->add_to_key(hasher);
    return hasher.value();
  };
  const codegen::CpuTarget target = codegen::CpuTarget::named("avx2");
  EXPECT_EQ(key_of(target), key_of(target));
  codegen::CpuTarget other = target;
  other.has_masks = !other.has_masks;
  EXPECT_NE(key_of(other), key_of(target));
}

}  // namespace
}  // namespace litz::compiler
