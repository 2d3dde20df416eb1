// Programs whose dimensions may be empty, at size 0: what no element needs is not computed in a way that
// traps, and what every element needs and is not there is an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;

/// The one result of the body of a graph of %x: f32[s0, 4], s0 = `rows`.
Tensor run(const std::string& body, const std::string& result, int64_t rows, ExecutorKind kind) {
  Executable executable(text_program("sym s0 in [0, 64] hint 6\ngraph @main(%x: f32[s0, 4]) -> (" +
                                     result + ") {\n" + body + "  return %y\n}"),
                        {.executor = kind, .threads = 1});
  return std::get<Tensor>(
      executable.run(std::vector<Leaf>{fill_floats(DType::f32, {rows, 4}, 1, 1, 0)})[0]);
}

std::string error(const std::string& body, const std::string& result) {
  try {
    run(body, result, 0, ExecutorKind::cpu);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

class EmptyDimensions : public testing::TestWithParam<ExecutorKind> {};

TEST_P(EmptyDimensions, AreRolledAndRepeatedBetweenOthers) {
  for (const char* moved : {"aten.roll(%x, shifts=[1], dims=[0]) : f32[s0, 4]",
                            "aten.repeat(%x, repeats=[1, 1]) : f32[s0, 4]"}) {
    const std::string body = "  %a = " + std::string(moved) +
                             "\n  %y = aten.constant_pad_nd(%a, pad=[0, 0, 1, 2], value=1.5) : "
                             "f32[s0 + 3, 4]\n";
    const Tensor padded = run(body, "f32[s0 + 3, 4]", 0, GetParam());
    ASSERT_EQ(padded.sizes(), (std::vector<int64_t>{3, 4}));
    for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(padded.at({i, i}), 1.5);
    EXPECT_EQ(run(body, "f32[s0 + 3, 4]", 2, GetParam()).sizes()[0], 5);
  }
}

TEST_P(EmptyDimensions, AreReshaped) {
  const std::string body =
      "  %t = aten.t(%x) : f32[4, s0]{1, 4}\n  %y = aten.reshape(%t, shape=[-1]) : f32[4*s0]\n";
  EXPECT_EQ(run(body, "f32[4*s0]", 0, GetParam()).numel(), 0);
  EXPECT_EQ(run(body, "f32[4*s0]", 3, GetParam()).numel(), 12);
}

INSTANTIATE_TEST_SUITE_P(Executors, EmptyDimensions,
                         testing::Values(ExecutorKind::cpu, ExecutorKind::interpreter));

TEST(EmptyDimensionsFail, WhereTheirElementsAreRepeated) {
  const std::string image =
      "  %t = aten.t(%x) : f32[4, s0]{1, 4}\n  %i = aten.unsqueeze(%t, dim=0) : f32[1, 4, s0]\n";
  EXPECT_THAT(
      error(image + "  %y = aten.replication_pad1d(%i, padding=[1, 1]) : f32[1, 4, s0 + 2]\n",
            "f32[1, 4, s0 + 2]"),
      HasSubstr("index of aten.replication_pad1d"));
  EXPECT_THAT(
      error(image + "  %y = aten.upsample_nearest1d.vec(%i, output_size=[9]) : f32[1, 4, 9]\n",
            "f32[1, 4, 9]"),
      HasSubstr("index of aten.upsample_nearest1d"));
}

TEST(EmptyDimensionsFail, WhereTheirSizeDivides) {
  EXPECT_THAT(error("  %a = aten.full(size=[3], fill_value=1.0) : f32[3]\n"
                    "  %y = aten.mul.Tensor(%a, other=10//s0) : f32[3]\n",
                    "f32[3]"),
              HasSubstr("must not be divided by zero: 10//s0"));
}

}  // namespace
}  // namespace litz::compiler
