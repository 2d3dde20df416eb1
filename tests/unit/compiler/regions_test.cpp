// Regional compilation end to end: results, what is compiled and what is not, sizes and weights at
// the borders, equal regions, failures.

#include "passes/regions.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/execution/region_set.h"
#include "compiler/kernels/kernel_store.h"
#include "compiler/region_program.h"
#include "compiler/report/compile_report.h"
#include "compiler/text_program.h"
#include "import/import.h"
#include "lowering/lower.h"
#include "ops/op_table.h"
#include "support/check.h"
#include "types/compare.h"
#include "types/fill.h"
#include "types/npz.h"

namespace litz::compiler {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kMark = " #{compile_with_inductor = \"0\"}\n";

std::string with_options(const std::string& options) {
  return " #{compile_with_inductor = \"{\\\"inductor_configs\\\":{" + options + "}}\"}\n";
}

Options regional(ExecutorKind executor = ExecutorKind::cpu) {
  Options options;
  options.executor = executor;
  options.threads = 1;
  options.regional = true;
  options.verify = true;
  return options;
}

Tensor floats(std::vector<int64_t> sizes) {
  return fill_floats(DType::f32, std::move(sizes), 3, 1, 0);
}

/// All results agree with those of the program as a whole, interpreted.
void expect_same(const std::string& text, const std::vector<Leaf>& inputs,
                 const Options& options = regional()) {
  Options plain;
  plain.executor = ExecutorKind::interpreter;
  plain.threads = 1;
  plain.optimize = false;
  plain.fuse = false;
  const std::vector<Leaf> expected = Executable(text_program(text), plain).run(inputs);
  const std::vector<Leaf> actual = Executable(text_program(text), options).run(inputs);
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const auto& tensor = std::get<Tensor>(actual[i]);
    const auto& wanted = std::get<Tensor>(expected[i]);
    EXPECT_EQ(tensor.sizes(), wanted.sizes());
    EXPECT_EQ(tensor.strides(), wanted.strides());
    EXPECT_TRUE(compare(tensor, wanted, 1e-5, 1e-6).matches()) << i;
  }
}

std::string refusal(const std::string& text, const Options& options) {
  try {
    const Executable executable(text_program(text), options);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

const std::string kMiddle = std::string("sym s0 in [1, 64]\n") +
                            "graph @main(%x: f32[s0, 8]) -> (f32[s0, 8]) {\n"
                            "  %a = aten.sin(%x) : f32[s0, 8]\n"
                            "  %b = aten.cos(%a) : f32[s0, 8]" +
                            kMark + "  %c = aten.exp(%b) : f32[s0, 8]" + kMark +
                            "  %d = aten.tanh(%c) : f32[s0, 8]\n"
                            "  %e = aten.relu(%d) : f32[s0, 8]\n"
                            "  return %e\n}\n";

TEST(RegionalCompile, GivesTheSameResults) {
  for (const int64_t rows : {1, 5, 64}) {
    expect_same(kMiddle, {floats({rows, 8})});
    expect_same(kMiddle, {floats({rows, 8})}, regional(ExecutorKind::interpreter));
  }
}

TEST(RegionalCompile, FusesInsideOnly) {
  const Executable executable(text_program(kMiddle), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  const ReportedRegion& region = executable.regions()[0];
  EXPECT_EQ(region.nodes, 2);
  EXPECT_EQ(region.kernels, 1) << "cos and exp are one kernel";
  EXPECT_EQ(region.interpreted, 0);
  EXPECT_EQ(executable.launch_counts().kernels, 3) << "sin, tanh and relu are not";
  EXPECT_EQ(executable.launch_counts().interpreted, 0);
}

// What cannot be compiled elsewhere does not matter to a region that is asked for.
TEST(RegionalCompile, CompilesOneRegionAlone) {
  const std::string text =
      "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4]) {\n"
      "  %a = aten.tanh(%x) : f32[4]" +
      with_options("\\\"target\\\":\\\"neon\\\"") + "  %b = aten.sin(%y) : f32[4]" + kMark +
      "  %c = aten.cos(%b) : f32[4]" + kMark +
      "  %d = aten.add.Tensor(%a, %c) : f32[4]\n"
      "  return %d\n}\n";
  EXPECT_THAT(refusal(text, regional()), HasSubstr("region_0"));
  const auto region = Executable::compile_region(text_program(text), regional(), 1);
  const std::vector<Leaf> inputs{floats({4})};
  const auto result = std::get<Tensor>(region->run(inputs).at(0));
  const double given = std::get<Tensor>(inputs[0]).at({1});
  EXPECT_NEAR(result.at({1}), std::cos(std::sin(given)), 1e-5);
  const auto refused = [&](const std::string& of, size_t i) {
    try {
      Executable::compile_region(text_program(of), regional(), i);
      return std::string();
    } catch (const Error& error) {
      return std::string(error.what());
    }
  };
  EXPECT_THAT(refused(text, 0), HasSubstr("region_0"));
  EXPECT_THAT(refused(text, 2), HasSubstr("must be a number from 0 to 1 here, got 2"));
  EXPECT_THAT(refused("graph @main(%x: f32[4]) -> (f32[4]) {\n  %a = aten.sin(%x) : f32[4]\n"
                      "  return %a\n}\n",
                      0),
              HasSubstr("no annotation marks any"));
}

TEST(RegionalCompile, WithoutMarksRunsOperatorByOperator) {
  const std::string text =
      "graph @main(%x: f32[4]) -> (f32[4]) {\n  %a = aten.sin(%x) : f32[4]\n"
      "  %b = aten.cos(%a) : f32[4]\n  return %b\n}\n";
  const Executable executable(text_program(text), regional());
  EXPECT_TRUE(executable.regions().empty());
  EXPECT_EQ(executable.launch_counts().kernels, 2);
  expect_same(text, {floats({4})});
}

// Scenario: block 1 with an option, block 2 with another, adjacent.
TEST(RegionalCompile, RegionsHaveOptionsOfTheirOwn) {
  const std::string text =
      "graph @main(%x: f32[4]) -> (f32[4]) {\n"
      "  %a = aten.sin(%x) : f32[4]" +
      with_options("\\\"fuse\\\":false") + "  %b = aten.cos(%a) : f32[4]" +
      with_options("\\\"fuse\\\":false") + "  %c = aten.sin(%b) : f32[4]" +
      with_options("\\\"executor\\\":\\\"interpreter\\\"") + "  %d = aten.cos(%c) : f32[4]" +
      with_options("\\\"executor\\\":\\\"interpreter\\\"") + "  return %d\n}\n";
  const Executable executable(text_program(text), regional());
  ASSERT_EQ(executable.regions().size(), 2u);
  EXPECT_EQ(executable.regions()[0].kernels, 2);
  EXPECT_EQ(executable.regions()[0].interpreted, 0);
  EXPECT_EQ(executable.regions()[1].kernels, 1);
  EXPECT_EQ(executable.regions()[1].interpreted, 1);
  EXPECT_EQ(executable.regions()[0].key, "{fuse: false}");
  expect_same(text, {floats({4})});
}

TEST(RegionalCompile, OptionsOfARegionChangeThoseOfTheProgram) {
  Options program;
  program.threads = 3;
  const auto own = [&](const std::string& options) {
    return options_of_region(program,
                             passes::parse_region_key("{\"inductor_configs\":{" + options + "}}"));
  };
  EXPECT_EQ(own("").threads, 3);
  EXPECT_EQ(own("\"threads\":1").threads, 1);
  EXPECT_FALSE(own("\"optimize\":false").optimize);
  EXPECT_TRUE(own("\"verify\":true").verify);
  EXPECT_EQ(own("\"target\":\"avx2\"").target, "avx2");
  EXPECT_EQ(own("\"executor\":\"interpreter\"").executor, ExecutorKind::interpreter);
}

// Scenario: a size that is twice an unknown number, while the region needs the number itself.
TEST(RegionalCompile, SizesThatNoOperandHasAreInputs) {
  const std::string text =
      "sym u0 in [0, 8]\n"
      "graph @main(%x: f32[8]) -> (i64[2*u0, 1], i64[u0]) {\n"
      "  %n = aten.nonzero(%x) : i64[u0, 1]\n"
      "  %c = aten.cat([%n, %n]) : i64[2*u0, 1]\n"
      "  %m = aten.mul.Tensor(%c, other=2) : i64[2*u0, 1]" +
      std::string(kMark) + "  %o = aten.ones([u0], dtype=i64) : i64[u0]" + kMark +
      "  return %m, %o\n}\n";
  const Executable executable(text_program(text), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  EXPECT_EQ(executable.regions()[0].inputs, 2) << "the operand and u0";
  const std::vector<float> values{1, 0, 2, 0, 0, 3, 0, 0};
  expect_same(text, {Tensor::of<float>(DType::f32, {8}, values)});
  expect_same(text, {Tensor::zeros(DType::f32, {8})});
}

TEST(RegionalCompile, SizesThatARegionFindsOutAreKnownOutside) {
  const std::string text =
      "sym u0 in [0, 8]\n"
      "graph @main(%x: f32[8]) -> (i64[2*u0, 1], f32[u0]) {\n"
      "  %n = aten.nonzero(%x) : i64[u0, 1]" +
      std::string(kMark) + "  %c = aten.cat([%n, %n]) : i64[2*u0, 1]" + kMark +
      "  %f = aten.ones([u0]) : f32[u0]\n"
      "  return %c, %f\n}\n";
  const std::vector<float> values{1, 0, 2, 0, 0, 3, 0, 0};
  expect_same(text, {Tensor::of<float>(DType::f32, {8}, values)});
}

// Scenario: saved values must not have the strides that code inside would like.
TEST(RegionalCompile, BordersHaveTheStridesOfTheProgram) {
  const std::string text =
      "graph @main(%x: bf16[2, 2056]) -> (bf16[2056, 2]{1, 2056}, bf16[2, 2056]) {\n"
      "  %a = aten.relu(%x) : bf16[2, 2056]" +
      std::string(kMark) + "  %t = aten.permute(%a, [1, 0]) : bf16[2056, 2]{1, 2056}" + kMark +
      "  %b = aten.neg(%t) : bf16[2056, 2]{1, 2056}" + kMark +
      "  %c = aten.abs(%b) : bf16[2056, 2]{1, 2056}\n"
      "  return %c, %a\n}\n";
  expect_same(text, {floats({2, 2056}).to(DType::bf16)});
}

TEST(RegionalCompile, WorksInsideOfControlFlow) {
  const std::string text =
      "graph @main(%p: bool[], %x: f32[4], %w: f32[4]) -> (f32[4]) {\n"
      "  %a = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%x, %w]) : f32[4]\n"
      "  return %a\n}\n"
      "graph @f(%x: f32[4], %w: f32[4]) -> (f32[4]) {\n  %s = aten.sin(%x) : f32[4]" +
      std::string(kMark) + "  %t = aten.mul.Tensor(%s, %w) : f32[4]" + kMark +
      "  return %t\n}\n"
      "graph @g(%x: f32[4], %w: f32[4]) -> (f32[4]) {\n  %s = aten.cos(%x) : f32[4]\n"
      "  return %s\n}\n";
  for (const bool flag : {true, false}) {
    Tensor predicate = Tensor::zeros(DType::bool_, {});
    predicate.mutable_data()[0] = std::byte{flag};
    expect_same(text, {predicate, floats({4}), floats({4})});
  }
}

TEST(RegionalCompile, HoldsCallsOfGraphsThatAreMarkedThemselves) {
  const std::string text =
      "graph @main(%p: bool[], %x: f32[4]) -> (f32[4]) {\n"
      "  %a = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%x]) : f32[4]" +
      std::string(kMark) +
      "  %b = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%a]) : f32[4]\n"
      "  return %b\n}\n"
      "graph @f(%x: f32[4]) -> (f32[4]) {\n  %s = aten.sin(%x) : f32[4]" +
      kMark +
      "  return %s\n}\n"
      "graph @g(%x: f32[4]) -> (f32[4]) {\n  %s = aten.cos(%x) : f32[4]\n  return %s\n}\n";
  Tensor predicate = Tensor::zeros(DType::bool_, {});
  predicate.mutable_data()[0] = std::byte{1};
  expect_same(text, {predicate, floats({4})});
}

TEST(RegionalCompile, WorksInsideOfLoops) {
  const std::string text =
      "graph @main(%n: i64[], %x: f32[4], %w: f32[4]) -> (i64[], f32[4]) {\n"
      "  %a:2 = higher_order.while_loop(cond=@c, body=@b, carried=[%n, %x], additional=[%w]) "
      ": (i64[], f32[4])\n"
      "  return %a#0, %a#1\n}\n"
      "graph @c(%n: i64[], %x: f32[4], %w: f32[4]) -> (bool[]) {\n"
      "  %p = aten.lt.Scalar(%n, other=5) : bool[]\n  return %p\n}\n"
      "graph @b(%n: i64[], %x: f32[4], %w: f32[4]) -> (i64[], f32[4]) {\n"
      "  %m = aten.add.Tensor(%n, other=1) : i64[]\n"
      "  %s = aten.sin(%x) : f32[4]" +
      std::string(kMark) + "  %t = aten.mul.Tensor(%s, %w) : f32[4]" + kMark +
      "  return %m, %t\n}\n";
  const Executable executable(text_program(text), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  EXPECT_EQ(executable.regions()[0].name, "b.region_0");
  expect_same(text, {Tensor::scalar_int(DType::i64, 1), floats({4}), floats({4})});
}

// Numbers that are read from tensors outside are given to regions, whatever their kind.
TEST(RegionalCompile, ScalarsReachRegions) {
  const std::string text =
      "sym u0 in [0, 100]\nsym zuf0\n"
      "graph @main(%i: i64[], %r: f32[], %x: f32[4]) -> (f32[4]) {\n"
      "  %n = aten.item(%i) : int(u0)\n"
      "  %s = aten.item(%r) : real(zuf0)\n"
      "  %a = aten.mul.Tensor(%x, other=u0) : f32[4]" +
      std::string(kMark) + "  %b = aten.add.Tensor(%a, other=zuf0) : f32[4]" + kMark +
      "  return %b\n}\n";
  const Executable executable(text_program(text), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  EXPECT_EQ(executable.regions()[0].inputs, 3);
  expect_same(text,
              {Tensor::scalar_int(DType::i64, 3), Tensor::scalar(DType::f32, 0.5), floats({4})});
}

// Marks go along when writes become values and operators become others.
TEST(RegionalCompile, WritesAndDecompositionsKeepTheirMarks) {
  const std::string text =
      "graph @main(%x: f32[4, 8]) -> (f32[4, 8]) {\n"
      "  %a = aten.clone(%x) : f32[4, 8]" +
      std::string(kMark) + "  %b = aten.add_.Tensor(%a, other=1) : f32[4, 8]" + kMark +
      "  %v = aten.select.int(%b, 0, 1) : f32[8]+8" + kMark +
      "  %w = aten.mul_.Tensor(%v, other=2) : f32[8]+8" + kMark +
      "  %c = aten.dropout(%b, 0.5, train=false) : f32[4, 8]" + kMark + "  return %c\n}\n";
  ir::Program program = text_program(text);
  program.functional = false;
  Executable executable(std::move(program), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  EXPECT_EQ(executable.launch_counts().kernels, 0) << "nothing is left outside";
  const std::vector<Leaf> inputs{Tensor::zeros(DType::f32, {4, 8})};
  const auto result = std::get<Tensor>(executable.run(inputs).at(0));
  EXPECT_EQ(result.at({0, 7}), 1);
  EXPECT_EQ(result.at({1, 7}), 2);
}

/// The same block over and over, each with weights of its own.
ir::Program blocks(int count) {
  std::string text = "graph @main(%x: f32[4, 8]";
  for (int i = 0; i < count; ++i) text += ", %w" + std::to_string(i) + ": f32[8]";
  text += ") -> (f32[4, 8]) {\n";
  std::string last = "%x";
  for (int i = 0; i < count; ++i) {
    const std::string n = std::to_string(i);
    text += "  %a" + n + " = aten.mul.Tensor(" + last + ", %w" + n + ") : f32[4, 8]" + kMark;
    text += "  %b" + n + " = aten.sigmoid(%a" + n + ") : f32[4, 8]" + kMark;
    text += "  %c" + n + " = aten.neg(%b" + n + ") : f32[4, 8]\n";
    last = "%c" + n;
  }
  ir::Program program = text_program(text + "  return " + last + "\n}\n");
  for (int i = 0; i < count; ++i) {
    ir::InputSpec& spec = program.inputs[static_cast<size_t>(i) + 1];
    spec.kind = ir::InputKind::parameter;
    spec.target = "w" + std::to_string(i);
    spec.data = fill_floats(DType::f32, {8}, static_cast<uint64_t>(i), 1, 0);
  }
  return program;
}

TEST(RegionalCompile, RepeatedBlocksCompileOnce) {
  KernelTable codes;
  const Executable executable(blocks(4), regional(), {.kernels = &codes});
  EXPECT_EQ(executable.regions().size(), 4u);
  EXPECT_EQ(codes.stored_count(), 2u) << "one for the regions, one for the negations";
  for (const ReportedRegion& region : executable.regions()) {
    EXPECT_EQ(region.constants, 1);
    EXPECT_EQ(region.inputs, 1);
    EXPECT_EQ(region.kernels, 1);
  }
}

TEST(RegionalCompile, WeightsOfRegionsAreThoseOfTheProgram) {
  const ir::Program program = blocks(1);
  const Storage* storage = program.inputs[1].data.storage().get();
  const std::vector<passes::Region> regions = passes::outline_regions(program.graph());
  ASSERT_EQ(regions.size(), 1u);
  const RegionProgram made = make_region_program(*program.module, {{regions[0].graph->id()}, {}},
                                                 program, ConstantValues(program));
  ASSERT_EQ(made.program.inputs.size(), 2u);
  EXPECT_EQ(made.program.inputs[1].kind, ir::InputKind::constant);
  EXPECT_EQ(made.program.inputs[1].data.storage().get(), storage);
  EXPECT_THAT(made.operands, ElementsAre(0u));
}

TEST(RegionalCompile, WeightsThatTheProgramChangesAreInputs) {
  ir::Program program = blocks(1);
  program.outputs[0] = {ir::OutputKind::parameter_mutation, 1, ""};
  EXPECT_FALSE(ConstantValues(program).input_of(program.graph().input(1)));
}

TEST(RegionalCompile, AFailureNamesTheRegion) {
  // Code for another kind of processor cannot be loaded here.
  const std::string text = "graph @main(%x: f32[4]) -> (f32[4]) {\n  %a = aten.sin(%x) : f32[4]" +
                           with_options("\\\"target\\\":\\\"neon\\\"") + "  return %a\n}\n";
#if defined(__x86_64__)
  EXPECT_THAT(refusal(text, regional()), HasSubstr("while compiling main.region_0: 1 nodes"));
  Options tolerant = regional();
  tolerant.region_failure = RegionFailure::run_plain;
  const Executable executable(text_program(text), tolerant);
  EXPECT_TRUE(executable.regions()[0].is_plain);
  expect_same(text, {floats({4})}, tolerant);
#endif
}

TEST(RegionalCompile, ARegionIsAProgram) {
  Executable executable(text_program(kMiddle), regional());
  const std::shared_ptr<Executable> region = executable.region(0);
  const std::vector<Leaf> inputs{Tensor::zeros(DType::f32, {3, 8})};
  const std::vector<Leaf> outputs = region->run(inputs);
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_NEAR(std::get<Tensor>(outputs[0]).at({2, 7}), 2.718281828, 1e-5);
  EXPECT_THROW(executable.region(1), Error);
}

TEST(RegionalCompile, RandomNumbersOfRegionsDiffer) {
  const std::string text =
      "graph @main(%x: f32[64]) -> (f32[64], f32[64]) {\n"
      "  %a = aten.rand_like(%x) : f32[64]" +
      std::string(kMark) +
      "  %g = aten.sin(%a) : f32[64]\n"
      "  %h = aten.cos(%g) : f32[64]" +
      with_options("") + "  %b = aten.rand_like(%h) : f32[64]" + with_options("\\\"fuse\\\":true") +
      "  return %a, %b\n}\n";
  Executable executable(text_program(text), regional());
  const std::vector<Leaf> inputs{floats({64})};
  const std::vector<Leaf> first = executable.run(inputs);
  const std::vector<Leaf> second = executable.run(inputs);
  EXPECT_FALSE(compare(std::get<Tensor>(first[0]), std::get<Tensor>(first[1]), 0, 0).matches());
  EXPECT_FALSE(compare(std::get<Tensor>(first[0]), std::get<Tensor>(second[0]), 0, 0).matches());
}

TEST(RegionalCompile, ReportsListRegions) {
  Options options = regional();
  options.keep_report = true;
  Executable executable(text_program(kMiddle), options);
  const std::vector<Leaf> inputs{floats({3, 8})};
  const CompileReport report = executable.report(inputs);
  ASSERT_EQ(report.regions.size(), 1u);
  EXPECT_THAT(to_text(report), HasSubstr("1 region\n"));
  EXPECT_THAT(regions_text(report), HasSubstr("main.region_0"));
  EXPECT_THAT(to_json(report), HasSubstr("\"regions\":[{\"name\":\"main.region_0\""));
}

// A transformer block with a batch of any size, marked when it was exported.
class ExportedModel : public testing::Test {
 protected:
  static ir::Program program() {
    return import_::import_program("tests/data/pt2/region_transformer.raw.pt2",
                                   ops::standard_ops());
  }

  static void expect_recorded(Executable& executable) {
    const std::vector<NamedTensor> recorded = read_npz("tests/data/pt2/region_transformer.npz");
    for (const std::string call : {"0", "1"}) {
      const std::vector<Leaf> inputs{*find_tensor(recorded, "in0_" + call)};
      const std::vector<Leaf> outputs = executable.run(inputs);
      const Comparison comparison = compare(std::get<Tensor>(outputs.at(0)),
                                            *find_tensor(recorded, "out0_" + call), 1e-4, 1e-5);
      EXPECT_TRUE(comparison.matches()) << comparison.message();
    }
  }
};

TEST_F(ExportedModel, CompilesTheMarkedBlock) {
  Executable executable(program(), regional());
  ASSERT_EQ(executable.regions().size(), 1u);
  const ReportedRegion& region = executable.regions()[0];
  EXPECT_EQ(region.key, "region middle {max_autotune: true}");
  EXPECT_EQ(region.constants, 12);
  EXPECT_EQ(region.inputs, 1);
  EXPECT_EQ(region.outputs, 1);
  EXPECT_GT(region.nodes, 10);
  EXPECT_EQ(region.interpreted, 0);
  EXPECT_THAT(region.sources, testing::Each(HasSubstr("transformer.py:")));
  expect_recorded(executable);
}

TEST_F(ExportedModel, LeavesTheRestAsItIs) {
  const Executable executable(program(), regional());
  const LaunchCounts outside = executable.launch_counts();
  EXPECT_EQ(outside.library_calls, 2) << "the linear layers before and behind";
  EXPECT_EQ(outside.kernels, 2) << "tanh and softmax";
}

}  // namespace
}  // namespace litz::compiler
