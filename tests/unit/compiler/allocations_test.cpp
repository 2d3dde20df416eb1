// A warm call allocates what it hands out, whatever the number of weights, kernels and library
// calls. A program of its own, since it counts what operator new does.

#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "counted_allocations.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

// The vector of results; of its one tensor the storage, with the memory of that. Sizes and strides are the
// list's.
constexpr int64_t kForOneResult = 3;

Tensor numbers(std::vector<int64_t> sizes, uint64_t seed) {
  return fill_floats(DType::f32, std::move(sizes), seed, 1, 0);
}

/// `x` is given, all other inputs are parameters.
Executable executable_of(const std::string& text) {
  ir::Program program = text_program(text);
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    if (program.graph().input(i).name() == "x") continue;
    program.inputs[i].kind = ir::InputKind::parameter;
    program.inputs[i].target = program.graph().input(i).name();
    const auto& type = std::get<TensorType>(program.graph().input(i).type());
    program.inputs[i].data = numbers(evaluate(type.sizes, {}), i);
  }
  return Executable(std::move(program), {.threads = 1});
}

int64_t allocations_of_warm_call(Executable& executable, const std::vector<Leaf>& inputs) {
  for (int i = 0; i < 3; ++i) executable.run(inputs);
  constexpr int kCalls = 10;
  const int64_t before = allocations;
  for (int i = 0; i < kCalls; ++i) executable.run(inputs);
  const int64_t all = allocations - before;
  EXPECT_EQ(all % kCalls, 0);
  return all / kCalls;
}

std::string layers(int count, const std::string& rows) {
  std::string inputs;
  std::string body;
  std::string last = "x";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    inputs += "%w" + n + ": f32[16, 16], %b" + n + ": f32[16], ";
    body += "  %h" + n + " = aten.linear(%" + last + ", %w" + n + ", %b" + n + ")\n";
    body += "  %s" + n + " = aten.softmax.int(%h" + n + ", 1)\n";
    last = "s" + n;
  }
  return "graph @main(" + inputs + "%x: f32[" + rows + ", 16]) -> (f32[" + rows + ", 16]) {\n" +
         body + "  return %" + last + "\n}";
}

TEST(Allocations, DoNotGrowWithWeightsAndCalls) {
  const std::vector<Leaf> inputs{numbers({8, 16}, 7)};
  for (const int count : {1, 3, 12}) {
    Executable executable = executable_of(layers(count, "8"));
    // The first product reads the memory of the caller, whose tensor is made for the call.
    EXPECT_LE(allocations_of_warm_call(executable, inputs), kForOneResult + 2) << count;
  }
}

TEST(Allocations, OfASizeThatIsKnownAreFew) {
  Executable executable = executable_of("sym s0 in [1, 64]\n" + layers(4, "s0"));
  // One more for the values of symbols.
  EXPECT_LE(allocations_of_warm_call(executable, {numbers({8, 16}, 7)}), kForOneResult + 3);
}

int64_t allocations_into(Executable& executable, std::span<const Leaf> inputs, Tensor output) {
  std::vector<Leaf> into{std::move(output)};
  for (int i = 0; i < 3; ++i) executable.run_into(executable.calls(), inputs, into);
  const int64_t before = allocations;
  for (int i = 0; i < 10; ++i) executable.run_into(executable.calls(), inputs, into);
  return allocations - before;
}

TEST(Allocations, DoNotGrowWithInputs) {
  constexpr int kInputs = 50;
  std::string inputs;
  std::string body;
  std::string last = "x0";
  for (int i = 0; i < kInputs; ++i) {
    const std::string n = std::to_string(i);
    inputs += (i > 0 ? ", %x" : "%x") + n + ": f32[4]";
    if (i == 0) continue;
    body += "  %s" + n + " = aten.add.Tensor(%" + last + ", %x" + n + ")\n";
    last = "s" + n;
  }
  Executable executable(text_program("graph @main(" + inputs + ") -> (f32[4]) {\n" + body +
                                     "  return %" + last + "\n}"),
                        {.threads = 1});
  std::vector<Leaf> given;
  for (uint64_t i = 0; i < kInputs; ++i) given.emplace_back(numbers({4}, i));
  EXPECT_EQ(allocations_into(executable, given, Tensor::empty(DType::f32, {4})), 0);
}

// Sizes that come again are known from one of the last calls.
TEST(Allocations, AreNoneIntoMemoryOfTheCaller) {
  for (const char* rows : {"8", "s0"}) {
    Executable executable = executable_of("sym s0 in [1, 64]\n" + layers(4, rows));
    const std::vector<Leaf> inputs{numbers({8, 16}, 7)};
    EXPECT_EQ(allocations_into(executable, inputs, numbers({8, 16}, 1)), 0) << rows;
  }
}

TEST(Allocations, OfConvolutionsAreFew) {
  Executable executable = executable_of(R"(
graph @main(%w: f32[8, 8, 3, 3], %d: f32[8, 1, 3, 3], %b: f32[8], %x: f32[1, 8, 9, 9]) -> (
    f32[1, 8, 9, 9]) {
  %e = aten.exp(%x)
  %y = aten.convolution(%e, %w, %b, [1, 1], [1, 1], [1, 1], False, [0, 0], 1)
  %s = aten.sin(%y)
  %z = aten.convolution(%s, %d, none, [1, 1], [1, 1], [1, 1], False, [0, 0], 8)
  %c = aten.cos(%z)
  return %c
})");
  EXPECT_LE(allocations_of_warm_call(executable, {numbers({1, 8, 9, 9}, 7)}), kForOneResult + 2);
}

TEST(Allocations, OfBatchedProductsAreFew) {
  Executable executable = executable_of(R"(
graph @main(%k: f32[2, 3, 8, 4], %x: f32[2, 3, 5, 4]) -> (f32[2, 3, 5, 5]) {
  %e = aten.exp(%x)
  %t = aten.transpose.int(%k, 2, 3)
  %m = aten.matmul(%e, %t)
  %s = aten.softmax.int(%m, 3)
  %u = aten.matmul(%s, %k)
  %v = aten.transpose.int(%e, 2, 3)
  %y = aten.matmul(%u, %v)
  %z = aten.sin(%y)
  return %z
})");
  EXPECT_LE(allocations_of_warm_call(executable, {numbers({2, 3, 5, 4}, 7)}), kForOneResult + 2);
}

}  // namespace
}  // namespace litz::compiler
