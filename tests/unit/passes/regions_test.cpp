// Regions as graphs: which nodes come together, what crosses their borders, what stays outside.

#include "passes/regions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// `mark` stands for an annotation: "" or "-" for none, else the id of a region.
std::string marked(const std::string& mark) {
  if (mark.empty() || mark == "-") return "\n";
  if (mark == "1") return " #{compile_with_inductor = \"0\"}\n";
  return " #{compile_with_inductor = \"{\\\"inductor_region\\\":\\\"" + mark + "\\\"}\"}\n";
}

struct Outlined {
  std::unique_ptr<ir::Module> module;
  std::vector<Region> regions;

  /// "sin cos": the operators of each region.
  std::vector<std::string> operators() const {
    std::vector<std::string> all;
    for (const Region& region : regions) {
      std::string names;
      for (const ir::Node* node : region.graph->in_order()) {
        const std::string_view name = node->op().name();
        names += (names.empty() ? "" : " ") + std::string(name.substr(name.find('.') + 1));
      }
      all.push_back(std::move(names));
    }
    return all;
  }

  std::string text() const { return ir::to_string(*module); }
};

Outlined outlined(const std::string& text) {
  Outlined result;
  result.module = ir::read_module(text, ops::standard_ops());
  result.regions = outline_regions(*result.module->find_graph("main"));
  ir::verify(*result.module);
  return result;
}

/// A chain of sines, one a character; '1' marks.
Outlined chain(const std::string& marks) {
  std::string text = "graph @main(%x: f32[4]) -> (f32[4]) {\n";
  std::string last = "%x";
  for (size_t i = 0; i < marks.size(); ++i) {
    const std::string next = "%v" + std::to_string(i);
    text += "  " + next + " = aten.sin(" + last + ") : f32[4]" + marked(std::string(1, marks[i]));
    last = next;
  }
  return outlined(text + "  return " + last + "\n}\n");
}

class LinearChain : public testing::TestWithParam<std::pair<const char*, size_t>> {};

TEST_P(LinearChain, HasARegionARun) {
  std::string marks = GetParam().first;
  std::ranges::replace(marks, '0', '-');
  EXPECT_EQ(chain(marks).regions.size(), GetParam().second);
}

INSTANTIATE_TEST_SUITE_P(Tags, LinearChain,
                         testing::Values(std::pair{"01110", 1u}, std::pair{"11011", 2u},
                                         std::pair{"10101", 3u}, std::pair{"1010101", 4u},
                                         std::pair{"000", 0u}));

Outlined two(const std::string& first, const std::string& second, bool dependent) {
  return outlined(
      "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
      "  %a = aten.sin(%x) : f32[4]" +
      marked(first) + "  %gap = aten.exp(%y) : f32[4]\n  %b = aten.cos(" +
      (dependent ? "%a" : "%y") + ") : f32[4]" + marked(second) + "  return %a, %gap, %b\n}\n");
}

TEST(Regions, ParallelBranchesAreOneRegion) {
  EXPECT_THAT(two("1", "1", false).operators(), ElementsAre("sin cos"));
}

TEST(Regions, ReachAcrossAGapOfTheSameRegion) {
  EXPECT_THAT(two("r", "r", false).operators(), ElementsAre("sin cos"));
  EXPECT_THAT(two("r", "r", true).operators(), ElementsAre("sin cos"));
}

TEST(Regions, OfDifferentIdsStayApart) {
  EXPECT_THAT(two("r", "s", false).operators(), ElementsAre("sin", "cos"));
  EXPECT_THAT(two("r", "s", true).operators(), ElementsAre("sin", "cos"));
}

TEST(Regions, ChainsOfMergesEndInOneRegion) {
  const Outlined result = outlined(
      "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4], f32[4]) {\n"
      "  %a = aten.sin(%x) : f32[4]" +
      marked("1") +
      "  %g = aten.exp(%y) : f32[4]\n"
      "  %b = aten.cos(%a) : f32[4]" +
      marked("1") +
      "  %h = aten.exp(%g) : f32[4]\n"
      "  %c = aten.tanh(%b) : f32[4]" +
      marked("1") + "  return %g, %h, %c\n}\n");
  EXPECT_THAT(result.operators(), ElementsAre("sin cos tanh"));
}

// A convex set each, and yet each would wait for the other.
TEST(Regions, DoNotWaitForEachOther) {
  const Outlined result = outlined(
      "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %a1 = aten.sin(%x) : f32[4]" +
      marked("A") + "  %b1 = aten.cos(%a1) : f32[4]" + marked("B") +
      "  %b2 = aten.exp(%y) : f32[4]" + marked("B") + "  %a2 = aten.tanh(%b2) : f32[4]" +
      marked("A") + "  return %b1, %a2\n}\n");
  EXPECT_EQ(result.regions.size(), 3u);
}

TEST(Regions, WithOtherOptionsStayApart) {
  const Outlined result = outlined(
      "graph @main(%x: f32[4]) -> (f32[4]) {\n"
      "  %a = aten.sin(%x) : f32[4] #{compile_with_inductor = "
      "\"{\\\"inductor_configs\\\":{\\\"max_autotune\\\":true}}\"}\n"
      "  %b = aten.cos(%a) : f32[4] #{compile_with_inductor = "
      "\"{\\\"inductor_configs\\\":{\\\"max_autotune\\\":false}}\"}\n"
      "  return %b\n}\n");
  ASSERT_EQ(result.regions.size(), 2u);
  EXPECT_EQ(to_string(result.regions[0].key), "{max_autotune: true}");
  EXPECT_EQ(to_string(result.regions[1].key), "{max_autotune: false}");
}

TEST(Regions, AreCallsThatTakeOperandsInTheirOuterOrder) {
  const Outlined result = outlined(
      "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {\n"
      "  %a = aten.sub.Tensor(%y, %x) : f32[4]" +
      marked("1") + "  return %a, %x\n}\n");
  EXPECT_THAT(result.text(), HasSubstr("%a = litz.region(body=@main.region_0, operands=[%x, %y])"));
  EXPECT_EQ(result.regions[0].nodes, 1u);
}

TEST(Regions, InChildGraphsAreMadeOnce) {
  const Outlined result = outlined(
      "graph @main(%p: bool[], %x: f32[4]) -> (f32[4]) {\n"
      "  %a = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%x]) : f32[4]\n"
      "  %b = higher_order.cond(%p, true_graph=@g, false_graph=@f, operands=[%a]) : f32[4]\n"
      "  return %b\n}\n"
      "graph @f(%x: f32[4]) -> (f32[4]) {\n  %s = aten.sin(%x) : f32[4]" +
      marked("1") +
      "  return %s\n}\n"
      "graph @g(%x: f32[4]) -> (f32[4]) {\n  %s = aten.cos(%x) : f32[4]\n  return %s\n}\n");
  EXPECT_THAT(result.operators(), ElementsAre("sin"));
  EXPECT_EQ(result.regions[0].graph->name(), "f.region_0");
}

TEST(Regions, HoldTheGraphsOfMarkedCalls) {
  const Outlined result = outlined(
      "graph @main(%p: bool[], %x: f32[4]) -> (f32[4]) {\n"
      "  %a = higher_order.cond(%p, true_graph=@f, false_graph=@g, operands=[%x]) : f32[4]" +
      marked("1") +
      "  return %a\n}\n"
      "graph @f(%x: f32[4]) -> (f32[4]) {\n  %s = aten.sin(%x) : f32[4]" +
      marked("inner") +
      "  return %s\n}\n"
      "graph @g(%x: f32[4]) -> (f32[4]) {\n  %s = aten.cos(%x) : f32[4]\n  return %s\n}\n");
  EXPECT_THAT(result.operators(), ElementsAre("cond"));
}

// Sizes that a region finds out are wanted outside, where only twice the size is seen.
TEST(Regions, ReturnTheSizesThatTheyDefine) {
  const Outlined result = outlined(
      "sym u0 in [0, 8]\n"
      "graph @main(%x: f32[8]) -> (i64[2*u0, 1], f32[u0]) {\n"
      "  %n = aten.nonzero(%x) : i64[u0, 1]{1, u0}" +
      marked("1") + "  %c = aten.cat([%n, %n]) : i64[2*u0, 1]" + marked("1") +
      "  %f = aten.ones([u0]) : f32[u0]\n"
      "  return %c, %f\n}\n");
  EXPECT_THAT(result.operators(), ElementsAre("nonzero cat"));
  EXPECT_EQ(result.regions[0].call->output_count(), 2u);
}

TEST(Regions, NeedAMark) {
  EXPECT_THAT(chain("---").regions, IsEmpty());
  EXPECT_THAT(chain("---").text(), testing::Not(HasSubstr("litz.region")));
}

TEST(Regions, AreRefusedBeforeAnythingChanges) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[4]) -> (f32[4]) {\n"
      "  %a = aten.sin(%x) : f32[4]" +
          marked("1") +
          "  %b = aten.cos(%a) : f32[4] #{compile_with_inductor = "
          "\"{\\\"inductor_configs\\\":{\\\"fuze\\\":true}}\"}\n"
          "  return %b\n}\n",
      ops::standard_ops());
  const std::string before = ir::to_string(*module);
  EXPECT_THROW(outline_regions(*module->find_graph("main")), Error);
  EXPECT_EQ(ir::to_string(*module), before);
}

// Whatever passes make of marked nodes is marked.
TEST(Regions, KeepMarksThroughTheImportPipeline) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[2, 4]) -> (f32[8]) {\n"
      "  %a = aten.reshape(%x, [8]) : f32[8]" +
          marked("1") + "  %b = aten.add_.Tensor(%a, 1) : f32[8]" + marked("1") +
          "  %c = aten.clone(%b) : f32[8]" + marked("1") + "  return %c\n}\n",
      ops::standard_ops());
  ir::Program program;
  program.inputs.resize(1);
  program.outputs.resize(1);
  PassContext context;
  context.program = nullptr;
  run_pipeline(std::array{*find_pass("decompose")}, *module, context);
  for (const ir::Node* node : module->find_graph("main")->in_order()) {
    EXPECT_TRUE(region_key(*node)) << ir::to_string(*node);
  }
}

// A marked call of a repeated graph, with one marked node inside of it.
TEST(Regions, OfCallsGoOverToTheirBodies) {
  const auto module = ir::read_module(
      "graph @main(%x: f32[4]) -> (f32[4]) {\n"
      "  %a = higher_order.invoke_subgraph(body=@f, operands=[%x]) : f32[4] "
      "#{compile_with_inductor = "
      "\"{\\\"inductor_configs\\\":{\\\"threads\\\":2,\\\"fuse\\\":false}}\"}\n"
      "  return %a\n}\n"
      "graph @f(%x: f32[4]) -> (f32[4]) {\n"
      "  %s = aten.sin(%x) : f32[4]\n"
      "  %c = aten.cos(%s) : f32[4] #{compile_with_inductor = "
      "\"{\\\"inductor_configs\\\":{\\\"threads\\\":4}}\"}\n"
      "  return %c\n}\n",
      ops::standard_ops());
  PassContext context;
  run_pipeline(std::array{*find_pass("inline-wrappers")}, *module, context);
  const std::vector<Region> regions = outline_regions(*module->find_graph("main"));
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(to_string(regions[0].key), "{fuse: false, threads: 2}");
  EXPECT_EQ(to_string(regions[1].key), "{fuse: false, threads: 4}");
}

TEST(Regions, AnnotationScopesNestAndEnd) {
  ir::Module module(ops::standard_ops());
  ir::Graph& graph = module.add_graph("main");
  const ir::Value x = graph.add_input("x", contiguous_type(DType::f32, {4}));
  const auto annotation = [](std::string value) {
    return ir::Annotations{{std::string(kRegionAnnotation), std::move(value)}};
  };
  ir::Value last = x;
  try {
    const std::string outer = R"({"inductor_configs": {"threads": 2, "fuse": false}})";
    const auto around = graph.annotate(annotation(outer));
    last = graph.create("aten.sin", {ir::Argument(last)})->output();
    const auto within =
        graph.annotate(annotation(nested_region(outer, R"({"inductor_configs": {"threads": 4}})")));
    last = graph.create("aten.cos", {ir::Argument(last)})->output();
    throw std::runtime_error("left by an exception");
  } catch (const std::runtime_error&) {
  }
  last = graph.create("aten.tanh", {ir::Argument(last)})->output();
  graph.set_outputs({ir::Argument(last)});
  const std::vector<Region> regions = outline_regions(graph);
  ASSERT_EQ(regions.size(), 2u);
  EXPECT_EQ(to_string(regions[0].key), "{fuse: false, threads: 2}");
  EXPECT_EQ(to_string(regions[1].key), "{fuse: false, threads: 4}");
}

}  // namespace
}  // namespace litz::passes
