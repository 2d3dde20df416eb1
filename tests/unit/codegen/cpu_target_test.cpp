#include "codegen/llvm/cpu_target.h"

#include <gtest/gtest.h>

#include "machine/cpu_targets.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

TEST(CpuTarget, HostHasVectors) { EXPECT_GE(CpuTarget::host().vector_bytes, 16); }

TEST(CpuTarget, NamesAreKnown) {
  for (const std::string_view name : machine::target_names()) {
    EXPECT_EQ(CpuTarget::named(name).name, name);
  }
}

TEST(CpuTarget, UnknownNameIsRefused) { EXPECT_THROW(CpuTarget::named("vax"), Error); }

}  // namespace
}  // namespace litz::codegen
