// Training programs that compute values again for their backward part: the same bits, less memory.

#include "autodiff/recompute.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/backend.h"
#include "compiler/executable.h"
#include "compiler/gradients.h"
#include "compiler/report/compile_report.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ops/op_table.h"
#include "types/fill.h"

namespace litz::autodiff {
namespace {

using compiler::Executable;
using compiler::ExecutorKind;
using compiler::Leaf;

using ::testing::HasSubstr;
using ::testing::Not;

/// Four layers with noise; `mark` annotates the nodes inside of each.
ir::Program training_program(const std::string& mark) {
  std::string text = "graph @main(%x: f32[256, 64], %w: f32[64, 64]) -> (f32[]) {\n";
  std::string x = "x";
  for (const char* layer : {"1", "2", "3", "4"}) {
    const std::string n = layer;
    text += "  %m" + n + " = aten.mm(%" + x + ", %w)" + mark + "\n";
    text += "  %g" + n + " = aten.gelu(%m" + n + ")" + mark + "\n";
    text += "  %r" + n + ":2 = aten.native_dropout(%g" + n + ", 0.5, true)" + mark + "\n";
    text += "  %t" + n + " = aten.tanh(%r" + n + "#0)" + mark + "\n";
    text += "  %x" + n + " = aten.mul.Tensor(%t" + n + ", 2.0)\n";
    x = "x" + n;
  }
  text += "  %loss = aten.mean(%" + x + ")\n  return %loss\n}\n";
  ir::Program program;
  program.module = ir::read_module(text, ops::standard_ops());
  program.main = {program.module->find_graph("main")->id()};
  program.inputs.resize(2, {.kind = ir::InputKind::user});
  program.outputs = {{.kind = ir::OutputKind::user}};
  compiler::make_differentiable(program, true);
  compiler::add_gradients(program,
                          {.inputs = {0, 1}, .outputs = {0}, .cotangents = Cotangents::ones});
  return program;
}

std::string bytes_of(const std::vector<Leaf>& leaves) {
  std::string bytes;
  for (const Leaf& leaf : leaves) {
    const Tensor tensor = std::get<Tensor>(leaf).contiguous();
    bytes.append(reinterpret_cast<const char*>(tensor.data()),
                 static_cast<size_t>(tensor.numel()) * item_size(tensor.dtype()));
  }
  return bytes;
}

struct Trained {
  std::string bytes;
  int64_t peak = 0;
  std::string text;
};

Trained trained(const std::string& mark, std::optional<double> budget,
                ExecutorKind executor = ExecutorKind::interpreter) {
  compiler::Options options;
  options.executor = executor;
  options.verify = true;
  options.keep_report = true;
  options.memory_budget = budget;
  options.threads = 1;
  Executable executable(training_program(mark), options);
  const std::vector<Leaf> inputs{fill_floats(DType::f32, {256, 64}, -1, 1, 1),
                                 fill_floats(DType::f32, {64, 64}, -0.2, 0.2, 2)};
  const compiler::CompileReport report = executable.report(inputs);
  return {bytes_of(executable.run(inputs)), report.memory.peak_bytes,
          ir::to_string(*executable.program()->module)};
}

const std::string kMark = " #{recompute = \"must_recompute\"}";

TEST(Recompute, ChangesNoBit) {
  const Trained kept = trained("", std::nullopt);
  EXPECT_THAT(kept.text, Not(HasSubstr("recomputed")));
  for (const double budget : {1.0, 0.6, 0.3, 0.0}) {
    EXPECT_EQ(trained("", budget).bytes, kept.bytes) << budget;
  }
  EXPECT_EQ(trained(kMark, std::nullopt).bytes, kept.bytes);
  EXPECT_EQ(trained(kMark, 1.0).bytes, kept.bytes);
}

// preserve_random of PyTorch's partitioner: the repeated mask is the same.
TEST(Recompute, RepeatsRandomNumbers) {
  const Trained marked = trained(kMark, std::nullopt);
  EXPECT_THAT(marked.text, HasSubstr("backward = \"recomputed\""));
  size_t draws = 0;
  for (size_t at = 0; (at = marked.text.find("aten.bernoulli", at)) != std::string::npos; ++at)
    ++draws;
  EXPECT_EQ(draws, 8U);
}

TEST(Recompute, CompiledProgramsTakeLessMemory) {
  if (!compiler::has_code_generator()) GTEST_SKIP() << "needs compiled kernels";
  const Trained kept = trained("", std::nullopt, ExecutorKind::cpu);
  const Trained marked = trained(kMark, std::nullopt, ExecutorKind::cpu);
  EXPECT_EQ(marked.bytes, kept.bytes);
  // Of a layer's values of 64 KiB, only the last one is kept.
  EXPECT_LT(marked.peak, kept.peak * 6 / 10);
  const Trained plain = trained("", 1.0, ExecutorKind::cpu);
  EXPECT_EQ(plain.bytes, kept.bytes);
  EXPECT_LE(plain.peak, kept.peak);
  // A budget limits what is kept, not what lives at one time: the peak need not fall with it.
  EXPECT_EQ(trained("", 0.5, ExecutorKind::cpu).bytes, kept.bytes);
}

}  // namespace
}  // namespace litz::autodiff
