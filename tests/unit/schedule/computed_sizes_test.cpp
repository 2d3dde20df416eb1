// Every expression of an instruction is seen: extents, places, strides and what sorts give.

#include "schedule/computed_sizes.h"

#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "loops/kernel.h"

namespace litz::schedule {
namespace {

std::string function_in(std::string_view text) {
  ExprPool pool;
  return function_not_compiled(loops::parse_kernel(text, pool)).value_or("");
}

std::string with(std::string_view extent, std::string_view given, std::string_view place,
                 std::string_view stride) {
  std::string text = "kernel @k(%x: f32[s0], out %y: f32[s0]) {\n";
  text += "  sort i in 0.." + std::string(extent) + " {\n    %0 = load %x[i]\n    yield %0\n";
  text += "  } emit j in 0.." + std::string(given) + " (%1, %2) {\n";
  text +=
      "    store %y at [" + std::string(place) + " * " + std::string(stride) + "], %1\n  }\n}\n";
  return text;
}

TEST(ComputedSizes, FunctionsAreFoundWhereverTheyStand) {
  EXPECT_EQ(function_in(with("s0", "s0", "j", "1")), "");
  EXPECT_EQ(function_in(with("sign(s0)", "1", "j", "1")), "sign of sizes");
  EXPECT_EQ(function_in(with("s0", "sign(s0)", "j", "1")), "sign of sizes");
  EXPECT_EQ(function_in(with("s0", "s0", "j * sign(s0)", "1")), "sign of sizes");
  EXPECT_EQ(function_in(with("s0", "s0", "j", "sign(s0)")), "sign of sizes");
}

}  // namespace
}  // namespace litz::schedule
