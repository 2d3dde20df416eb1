// Networks whose layers repeat: compiled once, and as right as if each were compiled.

#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/report/compile_report.h"
#include "ir/parser.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "text_program.h"
#include "types/compare.h"

namespace litz::compiler {
namespace {

using ir::InputKind;
using ir::OutputKind;
using ::testing::HasSubstr;

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
    text.replace(at, what.size(), with);
  }
  return text;
}

/// Layers that write a position of their caches and read all of it.
std::string decoder(int layers) {
  std::string inputs = "%at: i64[1], %x0: f32[1, 8]";
  std::string outputs;
  std::string results;
  std::string body;
  for (int k = 0; k < layers; ++k) {
    const std::string n = std::to_string(k);
    inputs += ", %c" + n + ": f32[6, 8], %w" + n + ": f32[8, 8]";
    outputs += "f32[6, 8], ";
    results += "%n" + n + ", ";
    body += replaced(replaced(R"(
  %k@ = aten.linear(%x@, %w@)
  %r@ = aten.sin(%k@)
  %n@ = aten.index_copy(%c@, 0, %at, %r@)
  %t@ = aten.permute(%n@, [1, 0])
  %s@ = aten.mm(%k@, %t@)
  %a@ = aten._softmax(%s@, 1, false)
  %y@ = aten.mm(%a@, %n@)
  %g@ = aten.gelu(%y@)
  %h@ = aten.tanh(%g@)
  %x# = aten.add.Tensor(%h@, %x@))",
                              "#", std::to_string(k + 1)),
                     "@", n);
  }
  return "graph @main(" + inputs + ") -> (" + outputs + "f32[1, 8]) {" + body + "\n  return " +
         results + "%x" + std::to_string(layers) + "\n}\n";
}

Tensor counted(std::vector<int64_t> sizes, float first) {
  Tensor tensor = Tensor::zeros(DType::f32, std::move(sizes));
  auto* values = reinterpret_cast<float*>(tensor.mutable_data());
  for (int64_t i = 0; i < tensor.numel(); ++i) {
    values[i] = first + 0.01F * static_cast<float>(i % 17);
  }
  return tensor;
}

ir::Program decoder_program(int layers) {
  ir::Program program;
  program.module = ir::read_module(decoder(layers), ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs = {{.label = "at"}, {.label = "x"}};
  for (int k = 0; k < layers; ++k) {
    const auto first = static_cast<float>(k);
    program.outputs.push_back(
        {.kind = OutputKind::buffer_mutation, .input = static_cast<int>(program.inputs.size())});
    program.inputs.push_back({.kind = InputKind::buffer,
                              .target = "c" + std::to_string(k),
                              .label = "c" + std::to_string(k),
                              .data = counted({6, 8}, first)});
    program.inputs.push_back({.kind = InputKind::parameter,
                              .target = "w" + std::to_string(k),
                              .label = "w" + std::to_string(k),
                              .data = counted({8, 8}, -0.1F * first)});
  }
  program.outputs.push_back({.kind = OutputKind::user});
  program.functional = true;
  return program;
}

std::vector<Tensor> steps_of(const Options& options) {
  Executable executable(decoder_program(4), options);
  std::vector<Tensor> results;
  for (int64_t at = 0; at < 3; ++at) {
    const std::vector<Leaf> given{Tensor::of<int64_t>(DType::i64, {1}, {at}),
                                  counted({1, 8}, static_cast<float>(at))};
    results.push_back(std::get<Tensor>(executable.run(given)[0]));
  }
  return results;
}

Options without_repeats(Options options) {
  options.passes.disabled = {"outline-repeats"};
  return options;
}

class RepeatedLayers : public ::testing::TestWithParam<ExecutorKind> {};

TEST_P(RepeatedLayers, UpdateTheirCachesAsSingleOnesDo) {
  const Options options{.executor = GetParam(), .threads = 1, .verify = true};
  const std::vector<Tensor> once = steps_of(options);
  const std::vector<Tensor> each = steps_of(without_repeats(options));
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(std::memcmp(once[i].data(), each[i].data(), 8 * sizeof(float)), 0) << "step " << i;
  }
  // Unfused, too, and against the program as it stands.
  Options plain = options;
  plain.fuse = false;
  const std::vector<Tensor> unfused = steps_of(plain);
  const std::vector<Tensor> expected =
      steps_of({.executor = ExecutorKind::interpreter, .optimize = false, .fuse = false});
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_TRUE(compare(once[i], expected[i], 1e-5, 1e-5).matches()) << "step " << i;
    EXPECT_TRUE(compare(unfused[i], expected[i], 1e-5, 1e-5).matches()) << "step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Executors, RepeatedLayers,
                         ::testing::Values(ExecutorKind::interpreter, ExecutorKind::cpu));

TEST(RepeatedLayersReport, NamesTheCallOfEachStep) {
  const Options options{.threads = 1, .keep_report = true};
  Executable executable(decoder_program(4), options);
  const std::vector<Leaf> given{Tensor::of<int64_t>(DType::i64, {1}, {0}), counted({1, 8}, 0)};
  const CompileReport report = executable.report(given, nullptr);
  const Executable each(decoder_program(4), without_repeats(options));
  EXPECT_EQ(executable.launch_counts().kernels, each.launch_counts().kernels);
  EXPECT_EQ(executable.launch_counts().library_calls, each.launch_counts().library_calls);
  std::vector<std::string> calls;
  for (const ReportedStep& step : report.steps) {
    EXPECT_EQ(step.plan, 0);
    for (const ReportedOperator& op : step.operators) calls.push_back(op.text);
  }
  EXPECT_THAT(calls, ::testing::Contains(HasSubstr("call 4 of 4 of @main.repeat_0")));
}

TEST(RepeatedLayersReport, AnErrorNamesTheCall) {
  Executable executable(decoder_program(4), {.threads = 1});
  const std::vector<Leaf> given{Tensor::of<int64_t>(DType::i64, {1}, {7}), counted({1, 8}, 0)};
  try {
    executable.run(given);
    FAIL() << "an index out of range must be an error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("call 1 of 4 of @main.repeat_0"));
    EXPECT_THAT(error.what(), HasSubstr("index_copy"));
  }
}

}  // namespace
}  // namespace litz::compiler
