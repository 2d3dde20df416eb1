// Parts that a CUDA graph can record are replayed as lists of launches; results stay the same.

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/report/compile_report.h"
#include "compiler/text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using testing::SizeIs;

enum class Way { interpreted, recorded };

Options with(Way way) {
  Options options;
  options.executor = way == Way::interpreted ? ExecutorKind::interpreter : ExecutorKind::cpu;
  options.cuda_graphs = way == Way::recorded;
  options.threads = 1;
  options.verify = true;
  return options;
}

Tensor floats(std::vector<int64_t> sizes) {
  return fill_floats(DType::f32, std::move(sizes), 3, 1, 0);
}

std::vector<Leaf> run(const std::string& text, Way way, std::vector<Leaf> inputs) {
  Options options = with(way);
  options.optimize = way != Way::interpreted;
  return Executable(text_program(text), options).run(inputs);
}

void expect_equal(const std::vector<Leaf>& actual, const std::vector<Leaf>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const Tensor a = std::get<Tensor>(actual[i]).contiguous();
    const Tensor b = std::get<Tensor>(expected[i]).contiguous();
    ASSERT_EQ(a.sizes(), b.sizes());
    EXPECT_EQ(std::memcmp(a.data(), b.data(), a.numel() * item_size(a.dtype())), 0) << i;
  }
}

// The sizes in the middle depend on data.
constexpr const char* kGap = R"(
graph @main(%x: f32[8], %y: f32[8]) -> (f32[8], f32[]) {
  %a = aten.add.Tensor(%x, %y) : f32[8]
  %b = aten.mul.Tensor(%a, %x) : f32[8]
  %g = aten.gt.Scalar(%b, 0.5) : bool[8]
  %n = aten.nonzero(%g) : i64[u0, 1]
  %i = aten.squeeze.dim(%n, 1) : i64[u0]
  %p = aten.index.Tensor(%b, [%i]) : f32[u0]
  %s = aten.sum(%p) : f32[]
  %c = aten.sub.Tensor(%b, %y) : f32[8]
  %d = aten.neg(%c) : f32[8]
  return %d, %s
})";

TEST(CudaGraphsMode, RecordsWhatStandsAroundSizesThatDependOnData) {
  const std::string text = std::string("sym u0 in [0, 8]\n") + kGap;
  const std::vector<Leaf> inputs{floats({8}), floats({8})};
  const Executable executable(text_program(text), with(Way::recorded));
  EXPECT_THAT(executable.regions(), SizeIs(1)) << "one set: nothing forces the end from the begin";
  expect_equal(run(text, Way::recorded, inputs), run(text, Way::interpreted, inputs));
}

TEST(CudaGraphsMode, RecordsEachSideOfWhatCannotBeRecorded) {
  const std::string text = R"(sym u0 in [0, 8]
graph @main(%x: f32[8], %y: f32[8]) -> (f32[8]) {
  %a = aten.add.Tensor(%x, %y) : f32[8]
  %g = aten.gt.Scalar(%a, 0.5) : bool[8]
  %n = aten.nonzero(%g) : i64[u0, 1]
  %t = aten.sum.dim_IntList(%n, [0, 1], false) : i64[]
  %c = aten.mul.Tensor(%a, %t) : f32[8]
  %d = aten.neg(%c) : f32[8]
  return %d
})";
  const std::vector<Leaf> inputs{floats({8}), floats({8})};
  const Executable executable(text_program(text), with(Way::recorded));
  EXPECT_THAT(executable.regions(), SizeIs(2));
  expect_equal(run(text, Way::recorded, inputs), run(text, Way::interpreted, inputs));
}

// A caller sees what a call writes to its input, in every call.
TEST(CudaGraphsMode, UpdatesOfInputsAreVisibleAfterEveryCall) {
  const std::string text = R"(
graph @main(%x: f32[4], %w: f32[4]) -> (f32[4]) {
  %a = aten.add_.Tensor(%x, %w) : f32[4]
  %b = aten.mul.Tensor(%a, 2.0) : f32[4]
  %c = aten.exp(%b) : f32[4]
  return %c
})";
  const auto calls = [&](Way way) {
    Executable executable(text_program(text), with(way));
    const Tensor x = floats({4}).clone();
    std::vector<Leaf> results;
    for (int i = 0; i < 3; ++i) {
      std::vector<Leaf> outputs = executable.run(std::vector<Leaf>{x, floats({4})});
      results.insert(results.end(), outputs.begin(), outputs.end());
      results.emplace_back(x.clone());
    }
    return results;
  };
  expect_equal(calls(Way::recorded), calls(Way::interpreted));
}

TEST(CudaGraphsMode, DynamicSizesAreRecordedAnew) {
  const std::string text = R"(sym s0 in [1, 64]
graph @main(%x: f32[s0, 8]) -> (f32[s0, 8]) {
  %a = aten.mul.Tensor(%x, %x) : f32[s0, 8]
  %b = aten.add.Tensor(%a, %x) : f32[s0, 8]
  return %b
})";
  Executable executable(text_program(text), with(Way::recorded));
  Executable reference(text_program(text), with(Way::interpreted));
  for (const int64_t rows : {1, 5, 64, 5}) {
    const std::vector<Leaf> inputs{floats({rows, 8})};
    expect_equal(executable.run(inputs), reference.run(inputs));
  }
}

TEST(CudaGraphsMode, RunsOnEveryDevice) {
  const std::string text = std::string("sym u0 in [0, 8]\n") + kGap;
  const std::vector<Leaf> inputs{floats({8}), floats({8})};
  Options options = with(Way::recorded);
  options.device = Device{DeviceKind::sim, 0};
  Executable executable(text_program(text), options);
  expect_equal(executable.run(inputs), run(text, Way::interpreted, inputs));
}

TEST(CudaGraphsMode, IsRefusedWhereItMeansNothing) {
  const std::string text = std::string("sym u0 in [0, 8]\n") + kGap;
  Options options = with(Way::recorded);
  options.executor = ExecutorKind::interpreter;
  EXPECT_THAT([&] { Executable(text_program(text), options); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("not by the interpreter")));
  options = with(Way::recorded);
  options.regional = true;
  EXPECT_THAT([&] { Executable(text_program(text), options); },
              testing::ThrowsMessage<Error>(testing::HasSubstr("not both")));
}

}  // namespace
}  // namespace litz::compiler
