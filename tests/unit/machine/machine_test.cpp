#include "machine/machine.h"

#include <gtest/gtest.h>

namespace litz::machine {
namespace {

const FunctionFacts* only_product(std::string_view name) {
  static constexpr FunctionFacts kProduct{.takes_epilogue = true, .most_thin_rows = 4};
  return name == "product" ? &kProduct : nullptr;
}

TEST(Machine, FunctionsThatAreNotKnownAskForNothing) {
  for (const Machine& machine : {Machine{}, Machine{.function = only_product}}) {
    EXPECT_FALSE(machine.facts_of("sort").takes_epilogue);
    EXPECT_EQ(machine.facts_of("sort").layouts, OperandLayouts::contiguous);
  }
  EXPECT_TRUE(Machine{.function = only_product}.facts_of("product").takes_epilogue);
}

TEST(Machine, LanesFollowFromTheWidth) {
  EXPECT_EQ(Machine{.vector_bytes = 64}.lanes(), 16);
  EXPECT_EQ(Machine{.vector_bytes = 16}.lanes(), 4);
}

// Rows that pass through the first cache must not be longer than what is kept of them anywhere else.
TEST(Machine, CachesGrow) {
  const Machine machine;
  EXPECT_LE(machine.scratch_bytes, machine.first_cache_bytes);
  EXPECT_LT(machine.first_cache_bytes, machine.second_cache_bytes);
  EXPECT_LT(machine.second_cache_bytes, machine.last_cache_bytes);
}

}  // namespace
}  // namespace litz::machine
