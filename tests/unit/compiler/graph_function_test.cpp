// Compiled programs in one context: they share memory, and results of each are those of a program alone.

#include "compiler/execution/graph_function.h"

#include <array>
#include <memory>
#include <ostream>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "runtime/placement.h"
#include "support/check.h"
#include "text_program.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

using runtime::trees::Context;
using runtime::trees::ContextOptions;
using runtime::trees::OutputPolicy;

// Their temporaries differ in size: a product between two wide layers, and a softmax.
constexpr const char* kWide = R"(
sym s0 in [1, 512]
graph @main(%x: f32[s0, 16], %w: f32[16, 512], %v: f32[512, 16]) -> (f32[s0, 16]) {
  %a = aten.mm(%x, %w)
  %b = aten.relu(%a)
  %c = aten.mm(%b, %v)
  %d = aten.tanh(%c)
  return %d
})";

constexpr const char* kSoftmax = R"(
sym s0 in [1, 512]
graph @main(%x: f32[s0, 16]) -> (f32[s0, 16], f32[16, 16]) {
  %a = aten._softmax(%x, -1, false)
  %t = aten.t(%a)
  %b = aten.mm(%t, %a)
  %c = aten.mm(%a, %b)
  return %c, %b
})";

Tensor numbers(std::vector<int64_t> sizes, uint64_t seed) {
  return fill_floats(DType::f32, std::move(sizes), seed, 0.3, 0);
}

std::shared_ptr<Context> make_context(std::optional<Device> device = {},
                                      OutputPolicy policy = OutputPolicy::fresh) {
  ContextOptions options;
  options.policy = policy;
  return std::make_shared<Context>(runtime::make_device(device, nullptr), options);
}

std::unique_ptr<Executable> compiled(const char* text, std::shared_ptr<Context> context,
                                     std::optional<Device> device = {}) {
  Options options;
  options.threads = 1;
  options.device = device;
  options.graphs = std::move(context);
  return std::make_unique<Executable>(text_program(text), options);
}

std::vector<Leaf> wide_inputs(int64_t rows, uint64_t seed) {
  return {numbers({rows, 16}, seed), numbers({16, 512}, 1), numbers({512, 16}, 2)};
}

class GraphFunctions : public testing::TestWithParam<const char*> {
 protected:
  std::optional<Device> device() const { return runtime::parse_placement(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(Devices, GraphFunctions, testing::Values("cpu", "sim"));

TEST_P(GraphFunctions, results_are_those_of_programs_alone) {
  const auto alone_wide = compiled(kWide, nullptr, device());
  const auto alone_softmax = compiled(kSoftmax, nullptr, device());
  for (const auto policy : {OutputPolicy::fresh, OutputPolicy::clone}) {
    const auto context = make_context(device(), policy);
    const auto wide = compiled(kWide, context, device());
    const auto softmax = compiled(kSoftmax, context, device());
    std::mt19937 random(7);
    std::vector<std::pair<std::vector<Leaf>, std::string>> held;
    for (int i = 0; i < 40; ++i) {
      const int64_t rows = 1 + static_cast<int64_t>(random() % 60);
      const std::vector<Leaf> inputs = wide_inputs(rows, random());
      const std::vector<Leaf> made = wide->run(inputs);
      const std::vector<Leaf> chained = softmax->run(made);
      held.emplace_back(made, bytes_of(alone_wide->run(inputs)));
      held.emplace_back(chained, bytes_of(alone_softmax->run(made)));
      if (random() % 2 == 0) held.erase(held.begin());
    }
    for (const auto& [results, expected] : held) EXPECT_EQ(bytes_of(results), expected);
  }
}

TEST_P(GraphFunctions, share_one_arena) {
  const auto context = make_context(device());
  const auto wide = compiled(kWide, context, device());
  const auto softmax = compiled(kSoftmax, context, device());
  const auto other = compiled(kWide, context, device());
  size_t alone = 0;
  for (int i = 0; i < 3; ++i) {
    const std::vector<Leaf> made = wide->run(wide_inputs(300, 5));
    if (i == 0) alone = context->report().temporary_bytes;
    other->run(wide_inputs(300, 6));
    softmax->run(made);
  }
  EXPECT_GT(alone, 0U);
  EXPECT_EQ(context->report().temporary_bytes, alone);
}

TEST_P(GraphFunctions, are_counted_with_their_parts) {
  const auto context = make_context(device());
  const auto wide = compiled(kWide, context, device());
  for (int i = 0; i < 3; ++i) wide->run(wide_inputs(3, 5));
  const auto report = context->report();
  ASSERT_EQ(report.functions.size(), 1U);
  EXPECT_EQ(report.functions[0].name, "main");
  EXPECT_EQ(report.functions[0].calls, 3);
  ASSERT_EQ(report.functions[0].parts.size(), 1U);
  EXPECT_GE(report.functions[0].parts[0].launches, 2);
}

TEST(GraphFunction, results_may_outlive_program_and_context) {
  std::vector<Leaf> results;
  std::string expected;
  {
    const auto context = make_context();
    const auto wide = compiled(kWide, context);
    results = wide->run(wide_inputs(3, 5));
    expected = bytes_of(compiled(kWide, nullptr)->run(wide_inputs(3, 5)));
  }
  EXPECT_EQ(bytes_of(results), expected);
}

TEST(GraphFunction, a_trap_names_the_program) {
  const auto context = make_context({}, OutputPolicy::trap);
  const auto wide = compiled(kWide, context);
  const std::vector<Leaf> results = wide->run(wide_inputs(3, 5));
  wide->run(wide_inputs(3, 6));
  try {
    bytes_of(results);
    FAIL() << "the result was overwritten";
  } catch (const Error& error) {
    EXPECT_NE(error.message().find("output 0 of main"), std::string::npos) << error.message();
  }
}

TEST(GraphFunction, calls_of_threads_take_turns) {
  const auto context = make_context();
  const auto wide = compiled(kWide, context);
  const auto softmax = compiled(kSoftmax, context);
  const std::vector<Leaf> inputs = wide_inputs(20, 5);
  const std::string expected = bytes_of(wide->run(inputs));
  std::array<std::thread, 4> threads;
  for (std::thread& thread : threads) {
    thread = std::thread([&] {
      for (int i = 0; i < 50; ++i) {
        const std::vector<Leaf> made = wide->run(inputs);
        softmax->run(made);
        EXPECT_EQ(bytes_of(made), expected);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

constexpr const char* kBranches = R"(sym u0 in [0, 8]
graph @main(%x: f32[4], %k: i64[1]) -> (f32[4]) {
  %a = aten.sin(%x)
  %n = aten._local_scalar_dense(%k) : int(u0)
  %y = aten.mul.Scalar(%a, u0)
  return %y
})";

std::vector<Leaf> branch_inputs() {
  return {numbers({4}, 3), Tensor::of<int64_t>(DType::i64, {1}, {3})};
}

TEST(GraphFunction, a_program_with_steps_of_the_host_says_so) {
  const auto context = make_context();
  Options options{.threads = 1};
  options.graphs = context;
  Executable program(text_program(kBranches), options);
  program.run(branch_inputs());
  const auto report = context->report();
  EXPECT_GE(report.functions[0].parts.size(), 2U);
  const std::string text = to_string(report);
  EXPECT_NE(text.find("not recorded: the host reads a number"), std::string::npos) << text;
  ContextOptions strict;
  strict.requires_recordings = true;
  options.graphs = std::make_shared<Context>(runtime::make_device({}, nullptr), strict);
  Executable refused(text_program(kBranches), options);
  EXPECT_THROW(refused.run(branch_inputs()), Error);
}

TEST(GraphFunction, a_program_that_dies_leaves_the_context) {
  const auto context = make_context();
  auto wide = compiled(kWide, context);
  wide->run(wide_inputs(3, 5));
  EXPECT_EQ(context->report().functions.size(), 1U);
  wide.reset();
  EXPECT_TRUE(context->report().functions.empty());
  EXPECT_EQ(context.use_count(), 1);
}

/// Programs whose host steps lie between recorded parts, for the rows of docs/graph_trees.md that name
/// this suite.
struct PartitionCase {
  const char* name;
  const char* text;
  int64_t parts;  ///< The least number of recorded ones.
  int64_t unrecorded;
};

void PrintTo(const PartitionCase& row, std::ostream* out) { *out << row.name; }

const PartitionCase kPartitions[] = {
    {"nonzero", R"(sym u0 in [0, 8]
graph @main(%x: f32[8], %k: i64[1]) -> (f32[8], i64[u0, 1]) {
  %a = aten.sin(%x)
  %g = aten.gt.Scalar(%a, 0.0)
  %n = aten.nonzero(%g) : i64[u0, 1]
  %t = aten.sum.dim_IntList(%n, [0, 1], false)
  %c = aten.mul.Tensor(%a, %t)
  return %c, %n
})",
     2, 1},
    {"masked_index", R"(sym u0 in [0, 8]
graph @main(%x: f32[8], %k: i64[1]) -> (f32[u0], f32[8]) {
  %a = aten.exp(%x)
  %g = aten.gt.Scalar(%a, 1.0)
  %n = aten.nonzero(%g) : i64[u0, 1]
  %s = aten.squeeze.dim(%n, 1) : i64[u0]
  %t = aten.index.Tensor(%a, [%s]) : f32[u0]
  %u = aten.sin(%t) : f32[u0]
  return %u, %a
})",
     2, 1},
    {"item", R"(sym u0 in [0, 8]
graph @main(%x: f32[8], %k: i64[1]) -> (f32[8], f32[u0]) {
  %a = aten.sin(%x)
  %n = aten._local_scalar_dense(%k) : int(u0)
  %b = aten.mul.Scalar(%a, u0)
  %c = aten.full([u0], 2.0) : f32[u0]
  return %b, %c
})",
     1, 1},
    {"two_items", R"(sym u0 in [0, 8]
sym u1 in [0, 20]
graph @main(%x: f32[8], %k: i64[1]) -> (f32[8]) {
  %a = aten.sin(%x)
  %n = aten._local_scalar_dense(%k) : int(u0)
  %b = aten.mul.Scalar(%a, u0)
  %l = aten.add.Tensor(%k, %k)
  %m = aten._local_scalar_dense(%l) : int(u1)
  %c = aten.add.Scalar(%b, u1)
  return %c
})",
     2, 2},
    {"condition", R"(
graph @f(%x: f32[8]) -> (f32[8]) {
  %s = aten.sin(%x)
  return %s
}
graph @g(%x: f32[8]) -> (f32[8]) {
  %s = aten.cos(%x)
  return %s
}
graph @main(%x: f32[8], %k: i64[1]) -> (f32[8]) {
  %a = aten.exp(%x)
  %z = aten.sum(%k)
  %p = aten.gt.Scalar(%z, 2)
  %b = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%a]) : f32[8]
  %c = aten.neg(%b)
  return %c
})",
     3, 1},
};

class PartitionRows : public testing::TestWithParam<PartitionCase> {};

INSTANTIATE_TEST_SUITE_P(All, PartitionRows, testing::ValuesIn(kPartitions),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(PartitionRows, equal_programs_alone) {
  const auto alone = compiled(GetParam().text, nullptr);
  for (const auto policy : {OutputPolicy::fresh, OutputPolicy::clone, OutputPolicy::trap}) {
    const auto context = make_context({}, policy);
    const auto shared = compiled(GetParam().text, context);
    std::vector<std::pair<std::vector<Leaf>, std::string>> held;
    for (int64_t i = 0; i < 6; ++i) {
      const std::vector<Leaf> inputs{numbers({8}, static_cast<uint64_t>(i)),
                                     Tensor::of<int64_t>(DType::i64, {1}, {i})};
      std::vector<Leaf> results = shared->run(inputs);
      std::string expected = bytes_of(alone->run(inputs));
      EXPECT_EQ(bytes_of(results), expected);
      if (policy != OutputPolicy::trap) held.emplace_back(std::move(results), std::move(expected));
    }
    for (const auto& [results, expected] : held) EXPECT_EQ(bytes_of(results), expected);
    int64_t recorded = 0;
    int64_t unrecorded = 0;
    for (const auto& part : context->report().functions[0].parts) {
      ++(part.reason.empty() ? recorded : unrecorded);
    }
    EXPECT_GE(recorded, GetParam().parts);
    EXPECT_GE(unrecorded, GetParam().unrecorded);
  }
}

TEST(GraphFunction, refuses_another_device_and_test_modes) {
  const auto context = make_context();
  EXPECT_THROW(compiled(kWide, context, Device{DeviceKind::sim, 0}), Error);
  Options options{.threads = 1};
  options.graphs = context;
  options.test_modes.poison = true;
  EXPECT_THROW(Executable(text_program(kWide), options), Error);
}

TEST(GraphFunction, graphs_need_not_be_kept) {
  Options options{.threads = 1};
  options.keeps_graphs = false;
  Executable program(text_program(kWide), options);
  const std::string expected = bytes_of(compiled(kWide, nullptr)->run(wide_inputs(3, 5)));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(bytes_of(program.run(wide_inputs(3, 5))), expected);
}

}  // namespace
}  // namespace litz::compiler
