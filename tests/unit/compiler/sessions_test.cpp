// Calls with buffers of their own, over the code and weights of one executable.

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/empty_sizes.h"
#include "compiler/executable.h"
#include "compiler/text_program.h"
#include "import/import.h"
#include "ops/op_table.h"
#include "runtime/program/program_calls.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using runtime::ProgramCalls;

Executable counting(Options options) {
  options.threads = 1;
  return Executable(import_::import_program("tests/data/corpus/extras/buffer_mutation.raw.pt2",
                                            ops::standard_ops()),
                    options);
}

std::vector<Options> ways() {
  Options simulated;
  simulated.device = Device{DeviceKind::sim, 0};
  simulated.test_modes = {.poison = true, .access = true};
  Options plans;
  plans.cuda_graphs = true;
  return {Options{}, Options{.executor = ExecutorKind::interpreter}, simulated, plans};
}

std::string call(Executable& program, ProgramCalls& calls) {
  const std::vector<float> ones{1, 1, 1};
  const std::vector<Leaf> inputs{Tensor::of<float>(DType::f32, {3}, std::span<const float>(ones))};
  return bytes_of(program.run(calls, inputs));
}

TEST(Sessions, HaveTheBuffersOfTheFile) {
  for (const Options& options : ways()) {
    Executable program = counting(options);
    const std::string first = call(program, program.calls());
    const std::string second = call(program, program.calls());
    EXPECT_NE(first, second);
    const std::unique_ptr<ProgramCalls> a = program.new_calls();
    const std::unique_ptr<ProgramCalls> b = program.new_calls();
    EXPECT_EQ(call(program, *a), first);
    EXPECT_EQ(call(program, *a), second);
    EXPECT_EQ(call(program, *b), first);
    a->reset_weights();
    EXPECT_EQ(call(program, *a), first);
    EXPECT_EQ(call(program, *b), second);
  }
}

TEST(Sessions, ReadAndWriteBuffers) {
  for (const Options& options : ways()) {
    Executable program = counting(options);
    const std::unique_ptr<ProgramCalls> calls = program.new_calls();
    const Tensor before = calls->read_weight(0);
    const std::string first = call(program, *calls);
    const Tensor after = calls->read_weight(0);
    EXPECT_NE(bytes_of({before}), bytes_of({after})) << "what was read stays as it was";
    const std::string second = call(program, *calls);
    calls->write_weight(0, after);
    EXPECT_NE(call(program, *calls), second) << "the counter has gone on";
    EXPECT_THROW(calls->write_weight(0, Tensor::zeros(DType::f32, {4})), Error);
    EXPECT_THROW(calls->write_weight(0, Tensor::zeros(DType::f64, {3})), Error);
  }
}

TEST(Sessions, ShareConstantWeights) {
  Executable program(
      import_::import_program("tests/data/pt2/v2_15_mlp_dynamic.raw.pt2", ops::standard_ops()),
      {.threads = 1});
  const std::unique_ptr<ProgramCalls> calls = program.new_calls();
  for (size_t i = 0; i < program.signature().inputs.size(); ++i) {
    const Tensor& weight = program.calls().weights().at(i);
    if (weight.defined()) EXPECT_EQ(calls->weights().at(i).storage(), weight.storage()) << i;
    EXPECT_FALSE(calls->changes()[i]);
  }
}

/// Adds 1 to the buffer `calls` and the rows of its input to the buffer `total`, and returns their sum
/// as its second result. Its batch is from 1 to 64.
Executable summing(const Options& options) {
  OpenedFile opened = open_file("tests/data/pt2/counter_dynamic.raw.pt2", {});
  return {std::move(opened.program), options, {.read_again = std::move(opened.read_again)}};
}

float sum_after(Executable& program, ProgramCalls& calls, int64_t rows) {
  const std::vector<Leaf> ones{fill_constant(DType::f32, {rows, 3}, 1)};
  return static_cast<float>(std::get<Tensor>(program.run(calls, ones).at(1)).at({0}));
}

TEST(Sessions, KeepTheirBuffersInCallsWithSizesOfZero) {
  for (const Options& options : ways()) {
    Executable program = summing(options);
    const std::unique_ptr<ProgramCalls> a = program.new_calls();
    const std::unique_ptr<ProgramCalls> b = program.new_calls();
    EXPECT_EQ(sum_after(program, *a, 2), 1 + 2);
    EXPECT_EQ(sum_after(program, *a, 0), 2 + 2);
    EXPECT_EQ(sum_after(program, *b, 0), 1);
    EXPECT_EQ(sum_after(program, *a, 3), 3 + 5);
    EXPECT_EQ(sum_after(program, program.calls(), 0), 1);
    a->reset_weights();
    EXPECT_EQ(sum_after(program, *a, 0), 1);
    for (const size_t buffer : {0, 1, 2}) {
      if (a->changes()[buffer]) a->write_weight(buffer, fill_constant(DType::f32, {3}, 10));
    }
    EXPECT_EQ(sum_after(program, *a, 0), 11 + 10);
  }
}

TEST(Sessions, RunConcurrently) {
  Executable program = counting({});
  std::vector<std::string> expected;
  const std::unique_ptr<ProgramCalls> alone = program.new_calls();
  for (int i = 0; i < 50; ++i) expected.push_back(call(program, *alone));
  std::vector<std::thread> threads;
  std::vector<std::vector<std::string>> results(4);
  for (std::vector<std::string>& own : results) {
    threads.emplace_back([&] {
      const std::unique_ptr<ProgramCalls> calls = program.new_calls();
      for (int i = 0; i < 50; ++i) own.push_back(call(program, *calls));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::vector<std::string>& own : results) EXPECT_EQ(own, expected);
}

}  // namespace
}  // namespace litz::compiler
