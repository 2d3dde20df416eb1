// What reports say of small programs, and that times are of the right steps.

#include "compiler/report/compile_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "support/json.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Two equal layers: softmax of a product.
constexpr const char* kLayers = R"(
sym s0 in [2, 64] hint 4
graph @main(%x: f32[s0, 16], %w: f32[16, 16]) -> (f32[s0, 16]) {
  %a = aten.linear(%x, %w) : f32[s0, 16] loc("net.py":7, "net.first")
  %b = aten.mul.Scalar(%a, 0.5) : f32[s0, 16] loc("net.py":8, "net.first")
  %c = aten._softmax(%b, -1, false) : f32[s0, 16] loc("net.py":9, "net.first")
  %d = aten.linear(%c, %w) : f32[s0, 16] loc("net.py":7, "net.second")
  %e = aten.mul.Scalar(%d, 0.5) : f32[s0, 16] loc("net.py":8, "net.second")
  %f = aten._softmax(%e, -1, false) : f32[s0, 16] loc("net.py":9, "net.second")
  return %f
})";

std::vector<Leaf> layer_inputs() {
  const Tensor x = fill_floats(DType::f32, {4, 16}, 1, 1.0F, -0.5F);
  return {x, fill_floats(DType::f32, {16, 16}, 1, 1.0F, -0.5F)};
}

Options reporting(ExecutorKind executor = ExecutorKind::cpu) {
  Options options;
  options.executor = executor;
  options.threads = 1;
  options.keep_report = true;
  return options;
}

CompileReport layers_report(const Options& options) {
  const Executable executable(text_program(kLayers), options);
  return executable.report(layer_inputs());
}

TEST(CompileReport, EqualWeightsAreOneAndCountOnce) {
  const auto weight_bytes = [](uint64_t other_seed) {
    ir::Program program = text_program(R"(
graph @main(%x: f32[4, 16], %w: f32[16, 16], %v: f32[16, 16]) -> (f32[4, 16]) {
  %a = aten.linear(%x, %w) : f32[4, 16]
  %b = aten.linear(%a, %v) : f32[4, 16]
  return %b
})");
    const uint64_t seeds[] = {0, 1, other_seed};
    for (const size_t i : {1, 2}) {
      program.inputs[i].kind = ir::InputKind::parameter;
      program.inputs[i].target = "w" + std::to_string(i);
      program.inputs[i].data = fill_floats(DType::f32, {16, 16}, seeds[i], 1.0F, -0.5F);
    }
    const Executable executable(std::move(program), reporting());
    const std::vector<Leaf> inputs{fill_floats(DType::f32, {4, 16}, 1, 1.0F, -0.5F)};
    return executable.report(inputs).memory.weight_bytes;
  };
  EXPECT_EQ(weight_bytes(2), 2 * 16 * 16 * 4);
  EXPECT_EQ(weight_bytes(1), 16 * 16 * 4);
}

TEST(CompileReport, NamesWhatAKernelStandsFor) {
  const CompileReport report = layers_report(reporting());
  ASSERT_EQ(report.steps.size(), 4U);
  EXPECT_EQ(report.steps[0].kind, StepKind::library);
  EXPECT_EQ(report.steps[0].name, "linear");
  EXPECT_EQ(report.steps[0].bytes_read, 4 * 16 * 4 + 16 * 16 * 4);
  const ReportedStep& kernel = report.steps[1];
  EXPECT_EQ(kernel.kind, StepKind::kernel);
  ASSERT_EQ(kernel.operators.size(), 2U);
  EXPECT_THAT(kernel.operators[0].text, HasSubstr("aten.mul.Scalar (net.py:8)"));
  EXPECT_EQ(kernel.operators[1].module_path, "net.first");
  EXPECT_EQ(kernel.bytes_read, 256);
  EXPECT_EQ(kernel.bytes_written, 256);
  ASSERT_FALSE(kernel.loops.empty());
  EXPECT_EQ(kernel.loops[0].kind, "for");
  EXPECT_EQ(kernel.loops[0].extents, "s0");
}

TEST(CompileReport, TellsOfCompiledCode) {
  const CompileReport report = layers_report(reporting());
  const ReportedStep& first = report.steps[1];
  EXPECT_EQ(first.reason_interpreted, "");
  EXPECT_EQ(first.shares_code_with, "");
  EXPECT_GT(first.code_bytes, 0);
  ASSERT_EQ(first.phases.size(), 1U);
  EXPECT_EQ(first.phases[0].iterations, 4);
  EXPECT_FALSE(first.phases[0].lanes.empty());
  EXPECT_THAT(report.steps[3].shares_code_with, HasSubstr(first.name));
}

// Twelve calls of one graph, as a region that is exported once is called.
TEST(CompileReport, RepeatedLayersCompileOneLayer) {
  constexpr int kCount = 12;
  std::string text = R"(
graph @layer(%x: f32[4, 16], %w: f32[16, 16]) -> (f32[4, 16]) {
  %a = aten.linear(%x, %w)
  %b = aten._softmax(%a, -1, false)
  return %b
}
graph @main(%x0: f32[4, 16], %w: f32[16, 16]) -> (f32[4, 16]) {
)";
  for (int i = 0; i < kCount; ++i) {
    text += "  %x" + std::to_string(i + 1) + " = higher_order.invoke_subgraph(@layer, [%x" +
            std::to_string(i) + ", %w])\n";
  }
  text += "  return %x" + std::to_string(kCount) + "\n}";
  const Executable executable(text_program(text), reporting());
  const CompileReport report = executable.report(layer_inputs());
  int kernels = 0;
  int compiled = 0;
  for (const ReportedStep& step : report.steps) {
    EXPECT_NE(step.kind, StepKind::control);
    if (step.kind != StepKind::kernel) continue;
    ++kernels;
    compiled += step.shares_code_with.empty() ? 1 : 0;
  }
  EXPECT_EQ(kernels, kCount);
  EXPECT_EQ(compiled, 1);
}

TEST(CompileReport, TellsWhyKernelsAreInterpreted) {
  const CompileReport report = layers_report(reporting(ExecutorKind::interpreter));
  EXPECT_EQ(report.steps[1].reason_interpreted, "--executor interpreter");
  EXPECT_TRUE(report.steps[1].phases.empty());
  EXPECT_THAT(report.memory.reason_not_planned, HasSubstr("interpreter"));
}

TEST(CompileReport, TellsPassesAndFusions) {
  const CompileReport report = layers_report(reporting());
  ASSERT_FALSE(report.passes.empty());
  EXPECT_EQ(report.passes[0].name, "assign-streams");
  EXPECT_EQ(report.passes.back().nodes, 6U);
  EXPECT_EQ(report.kernels_before, 4);
  EXPECT_EQ(report.kernels_after, 2);
  Options apart = reporting();
  apart.fuse = false;
  EXPECT_EQ(layers_report(apart).steps.size(), 6U);
}

TEST(CompileReport, MemoryIsThatOfTheCall) {
  const CompileReport report = layers_report(reporting());
  const ReportedMemory& memory = report.memory;
  EXPECT_EQ(memory.reason_not_planned, "");
  ASSERT_EQ(memory.ranges.size(), 3U);  // All but the result.
  EXPECT_EQ(memory.sum_of_bytes, 3 * 256);
  EXPECT_LE(memory.peak_bytes, memory.arena_bytes);
  EXPECT_THAT(memory.ranges[0].maker, HasSubstr("aten.linear"));
}

TEST(CompileReport, MissedFusionsHaveReasonsWithAMeaning) {
  const Executable executable(text_program(R"(
graph @main(%x: f32[256, 256]) -> (f32[256, 256]) {
  %a = aten._softmax(%x, 1, false)
  %b = aten._softmax(%a, 0, false)
  return %b
})"),
                              reporting());
  const CompileReport report =
      executable.report(std::vector<Leaf>{fill_floats(DType::f32, {256, 256}, 1, 1.0F, -0.5F)});
  ASSERT_FALSE(report.missed.empty());
  for (const ReportedMiss& miss : report.missed) {
    EXPECT_NE(meaning_of_reason(miss.reason), "") << miss.reason;
    EXPECT_THAT(miss.producer, HasSubstr("aten."));
  }
  EXPECT_EQ(meaning_of_reason("no such reason"), "");
}

TEST(CompileReport, MeasuresEveryStepThatRuns) {
  Executable executable(text_program(kLayers), reporting());
  Profile profile;
  for (int i = 0; i < 3; ++i) executable.run_profiled(layer_inputs(), profile);
  const CompileReport report = executable.report(layer_inputs(), &profile);
  EXPECT_EQ(report.measured_calls, 3);
  double steps = 0;
  for (const ReportedStep& step : report.steps) {
    EXPECT_GT(step.seconds, 0) << step.name;
    steps += step.seconds;
  }
  EXPECT_LT(steps, report.seconds_per_call);
}

TEST(CompileReport, MeasuresWhatRunsStepByStep) {
  Executable executable(text_program(kLayers), reporting(ExecutorKind::interpreter));
  const std::vector<Leaf> plain = executable.run(layer_inputs());
  Profile profile;
  const std::vector<Leaf> timed = executable.run_profiled(layer_inputs(), profile);
  EXPECT_EQ(std::get<Tensor>(plain[0]).at({1, 2}), std::get<Tensor>(timed[0]).at({1, 2}));
  for (const ReportedStep& step : executable.report(layer_inputs(), &profile).steps) {
    EXPECT_GT(step.seconds, 0) << step.name;
  }
}

TEST(CompileReport, CallsAfterAProfiledOneAreNotTimed) {
  Executable executable(text_program(kLayers), reporting());
  Profile profile;
  executable.run_profiled(layer_inputs(), profile);
  const double before = profile.step_seconds[0][1];
  executable.run(layer_inputs());
  EXPECT_EQ(profile.step_seconds[0][1], before);
  EXPECT_EQ(profile.calls, 1);
}

TEST(CompileReport, TextFitsItsWidth) {
  Executable executable(text_program(kLayers), reporting());
  Profile profile;
  executable.run_profiled(layer_inputs(), profile);
  const CompileReport report = executable.report(layer_inputs(), &profile);
  const std::string text = to_text(report, {.width = 80});
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = text.find('\n', begin);
    EXPECT_LE(end - begin, 80U) << text.substr(begin, end - begin);
    begin = end + 1;
  }
  EXPECT_THAT(text, HasSubstr("net.py:9"));
  EXPECT_THAT(text, HasSubstr("time: "));
  EXPECT_THAT(text, HasSubstr("  net.second "));
  EXPECT_THAT(to_text(layers_report(reporting())), Not(HasSubstr("time: ")));
}

TEST(CompileReport, JsonHoldsAllOfIt) {
  const CompileReport report = layers_report(reporting());
  const JsonDocument document = JsonDocument::parse(to_json(report));
  const JsonValue& root = document.root();
  EXPECT_EQ(root.at("steps").size(), report.steps.size());
  EXPECT_EQ(root.at("passes").size(), report.passes.size());
  EXPECT_EQ(root.at("memory").at("arena_bytes").as_int(), report.memory.arena_bytes);
}

TEST(CompileReport, DrawsARectangleForEachTemporary) {
  const CompileReport report = layers_report(reporting());
  const std::string svg = memory_drawing(report);
  size_t titles = 0;
  for (size_t at = svg.find("<title>"); at != std::string::npos; at = svg.find("<title>", at + 1)) {
    ++titles;
  }
  EXPECT_EQ(titles, report.memory.ranges.size());
  EXPECT_THAT(svg, HasSubstr("</svg>"));
}

}  // namespace
}  // namespace litz::compiler
