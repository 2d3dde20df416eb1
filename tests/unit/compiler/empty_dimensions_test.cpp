// Programs whose dimensions may be empty, at size 0: what no element needs is not computed in a way that
// traps, and what every element needs and is not there is an error.

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();

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

/// Along dimension 1 of %x: f32[3, s0, 5], s0 = `count`; the range decides how it is computed.
std::vector<Tensor> along(int64_t count, int64_t most, ExecutorKind kind) {
  Executable executable(text_program("sym s0 in [0, " + std::to_string(most) + "] hint 1" + R"(
graph @main(%x: f32[3, s0, 5]) -> (f32[3, s0, 5], f32[3, s0, 5], f32[3, s0, 5], f32[3, 5], f32[5]) {
  %a = aten._softmax(%x, 1, false) : f32[3, s0, 5]
  %b = aten._log_softmax(%x, 1, false) : f32[3, s0, 5]
  %c = aten._safe_softmax(%x, 1) : f32[3, s0, 5]
  %d = aten.logsumexp(%x, [1]) : f32[3, 5]
  %e = aten.logsumexp(%x, [0, 1]) : f32[5]
  return %a, %b, %c, %d, %e
})"),
                        {.executor = kind, .threads = 1});
  std::vector<Tensor> results;
  for (const Leaf& leaf :
       executable.run(std::vector<Leaf>{fill_floats(DType::f32, {3, count, 5}, 1, 1, 0)})) {
    results.push_back(std::get<Tensor>(leaf));
  }
  return results;
}

TEST_P(EmptyDimensions, HaveNoLargestAndNoExponentials) {
  for (const int64_t most : {6, 100, 4000000}) {
    SCOPED_TRACE(most);
    const std::vector<Tensor> none = along(0, most, GetParam());
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(none[i].sizes(), (std::vector<int64_t>{3, 0, 5}));
    }
    for (int64_t j = 0; j < 5; ++j) {
      EXPECT_EQ(none[3].at({2, j}), -kInf);
      EXPECT_EQ(none[4].at({j}), -kInf);
    }
    const std::vector<Tensor> one = along(1, most, GetParam());
    EXPECT_EQ(one[0].at({2, 0, 4}), 1);
    EXPECT_EQ(one[1].at({2, 0, 4}), 0);
    EXPECT_NE(one[3].at({2, 4}), -kInf);
  }
}

TEST_P(EmptyDimensions, AreRowsOfNothing) {
  for (const std::string n : {"s0", "0"}) {
    for (const char* most : {"6", "100", "4000000"}) {
      SCOPED_TRACE(n + ", " + most);
      std::string text = "sym s0 in [0, " + std::string(most) + "] hint 1";
      text += "\ngraph @main(%x: f32[3, N], %v: f32[N]) -> (f32[3, N], f32[3], f32[]) {\n";
      text += "  %a = aten._softmax(%x, 1, false) : f32[3, N]\n";
      text += "  %b = aten.logsumexp(%x, [1]) : f32[3]\n";
      text += "  %c = aten.logsumexp(%v, [0]) : f32[]\n  return %a, %b, %c\n}";
      for (size_t at = 0; (at = text.find('N', at)) != std::string::npos;) text.replace(at, 1, n);
      Executable executable(text_program(text), {.executor = GetParam(), .threads = 1});
      const std::vector<Leaf> results = executable.run(
          std::vector<Leaf>{Tensor::empty(DType::f32, {3, 0}), Tensor::empty(DType::f32, {0})});
      EXPECT_EQ(std::get<Tensor>(results[0]).sizes(), (std::vector<int64_t>{3, 0}));
      for (int64_t i = 0; i < 3; ++i) EXPECT_EQ(std::get<Tensor>(results[1]).at({i}), -kInf);
      EXPECT_EQ(std::get<Tensor>(results[2]).at({}), -kInf);
    }
  }
}

TEST_P(EmptyDimensions, HaveSegmentsOfNothing) {
  Executable executable(text_program(R"(sym s0 in [0, 64] hint 6
graph @main(%x: f32[s0], %n: i64[2]) -> (f32[2], f32[2]) {
  %a = aten.segment_reduce(%x, reduce="max", lengths=%n, unsafe=true) : f32[2]
  %b = aten.segment_reduce(%x, reduce="min", lengths=%n, unsafe=true, initial=1.5) : f32[2]
  return %a, %b
})"),
                        {.executor = GetParam(), .threads = 1});
  const std::vector<Leaf> results = executable.run(
      std::vector<Leaf>{Tensor::empty(DType::f32, {0}), Tensor::zeros(DType::i64, {2})});
  for (int64_t i = 0; i < 2; ++i) {
    EXPECT_EQ(std::get<Tensor>(results[0]).at({i}), -kInf);
    EXPECT_EQ(std::get<Tensor>(results[1]).at({i}), 1.5);
  }
}

TEST_P(EmptyDimensions, HaveNoExtremes) {
  for (const std::string most : {"6", "4000000"}) {
    for (const char* kind : {"amax", "amin"}) {
      Executable executable(
          text_program("sym s0 in [0, " + most + "] hint 1" +
                       "\ngraph @main(%x: f32[s0, 640]) -> (f32[640]) {\n  %y = aten." + kind +
                       "(%x, [0]) : f32[640]\n  return %y\n}"),
          {.executor = GetParam(), .threads = 1});
      EXPECT_THROW(executable.run(std::vector<Leaf>{Tensor::empty(DType::f32, {0, 640})}), Error);
    }
  }
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
