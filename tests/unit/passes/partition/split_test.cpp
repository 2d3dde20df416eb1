#include "passes/partition/split.h"

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/graph_outline.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::passes {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::unique_ptr<ir::Module> parse(std::string_view text) {
  return ir::read_module(text, ops::standard_ops());
}

ir::Graph& main_of(const ir::Module& module) { return *module.find_graph("main"); }

// "ab|c": node %a and %b in part 0, %c in part 1; others outside.
PartOf parts(const std::string& text) {
  return [text](const ir::Node& node) -> int64_t {
    int64_t part = 0;
    for (const char c : text) {
      if (c == '|') ++part;
      if (node.output_count() > 0 && node.output().name() == std::string(1, c)) return part;
    }
    return -1;
  };
}

void inline_parts(std::span<const SplitPart> split) {
  for (const SplitPart& part : split) {
    const std::span<const ir::Value> given = part.call->argument("operands").values();
    const std::vector<ir::Value> operands(given.begin(), given.end());
    ir::inline_call(part.call, *part.graph, operands);
  }
}

constexpr const char* kChain = R"(
graph @main(%x: f32[4, 4], %w: f32[4, 4]) -> (f32[4, 4]) {
  %a = aten.mm(%x, %w) : f32[4, 4] loc("net.py":3, "layer") #{recompute = "must_save"}
  %b = aten.relu(%a) : f32[4, 4]
  %c = aten.add.Tensor(%b, %x) : f32[4, 4]
  %d = aten.exp(%a) : f32[4, 4]
  %e = aten.mul.Tensor(%c, %d) : f32[4, 4]
  return %e
})";

TEST(Split, PartsAreCalledWithWhatTheyReadInOrderOfUse) {
  const auto module = parse(kChain);
  ir::Graph& graph = main_of(*module);
  const std::vector<SplitPart> split = split_graph(graph, parts("a|bc|de"));
  EXPECT_EQ(ir::to_string(graph, {.types = false}),
            R"(graph @main(%x: f32[4, 4], %w: f32[4, 4]) -> (f32[4, 4]) {
  %a = higher_order.invoke_subgraph(body=@main.part_0, operands=[%x, %w]) loc("net.py":3, "layer")
  %c = higher_order.invoke_subgraph(body=@main.part_1, operands=[%a, %x])
  %e = higher_order.invoke_subgraph(body=@main.part_2, operands=[%a, %c])
  return %e
}
)");
  EXPECT_THAT(split[1].nodes, ElementsAre("b", "c"));
  EXPECT_THAT(ir::to_string(*split[0].graph), HasSubstr("#{recompute = \"must_save\"}"))
      << "what is known of a node moves with it";
  ir::verify(*module);
  inline_parts(split);
  EXPECT_TRUE(ir::structurally_equal(graph, main_of(*parse(kChain))));
}

TEST(Split, ResultsComeInOrderOfFirstUseByLaterParts) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4], f32[4]) {
  %a = aten.relu(%x) : f32[4]
  %b = aten.exp(%x) : f32[4]
  %c = aten.sin(%x) : f32[4]
  %d = aten.add.Tensor(%c, %b) : f32[4]
  %e = aten.mul.Tensor(%d, %c) : f32[4]
  return %a, %e, %b
})");
  ir::Graph& graph = main_of(*module);
  const std::vector<SplitPart> split = split_graph(graph, parts("abc|d|e"));
  EXPECT_THAT(ir::to_string(*split[0].graph, {.types = false}), HasSubstr("return %c, %b, %a"));
  EXPECT_THAT(ir::to_string(graph, {.types = false}), HasSubstr("operands=[%d, %c]"))
      << "a result goes straight to every part that reads it";
  ir::verify(*module);
}

TEST(Split, DependencyOrderMovesPartsOriginalOrderRefuses) {
  const char* text = R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %a = aten.relu(%x) : f32[4]
  %b = aten.exp(%x) : f32[4]
  %c = aten.add.Tensor(%a, %b) : f32[4]
  return %c
})";
  {
    const auto module = parse(text);
    const std::vector<SplitPart> split = split_graph(main_of(*module), parts("ac|b"));
    EXPECT_EQ(split[0].name, "1");
    EXPECT_EQ(split[1].name, "0");
    ir::verify(*module);
  }
  const auto module = parse(text);
  const std::string before = ir::to_string(*module);
  try {
    split_graph(main_of(*module), parts("ac|b"), {.order = SplitOrder::original});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("part 0 depends on 1"));
  }
  EXPECT_EQ(ir::to_string(*module), before);
}

TEST(Split, CirclesAreNamed) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %a = aten.relu(%x) : f32[4]
  %b = aten.exp(%a) : f32[4]
  %c = aten.sin(%b) : f32[4]
  %d = aten.relu(%c) : f32[4]
  return %c, %d
})");
  const std::string before = ir::to_string(*module);
  try {
    split_graph(main_of(*module), parts("ac|b|d"));
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::AnyOf(HasSubstr("0 -> 1 -> 0"), HasSubstr("1 -> 0 -> 1")));
  }
  EXPECT_EQ(ir::to_string(*module), before);
}

TEST(Split, WritesDoNotPassReads) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %a = aten.clone(%x) : f32[4]
  %b = aten.relu(%a) : f32[4]
  %w = aten.add_.Tensor(%a, 1) : f32[4]
  %c = aten.exp(%a) : f32[4]
  return %b, %c
})");
  EXPECT_THROW(split_graph(main_of(*module), parts("aw|bc")), Error);
  const auto other = parse(R"(
graph @main(%x: f32[4]) -> (f32[4], f32[4]) {
  %a = aten.clone(%x) : f32[4]
  %b = aten.relu(%a) : f32[4]
  %w = aten.add_.Tensor(%a, 1) : f32[4]
  %c = aten.exp(%a) : f32[4]
  return %b, %c
})");
  const std::vector<SplitPart> split = split_graph(main_of(*other), parts("a|b|w|c"));
  ASSERT_EQ(split.size(), 4u);
  EXPECT_EQ(split[2].name, "2") << "the read goes first though nothing is read of it";
  ir::verify(*other);
}

TEST(Split, GraphsWithoutNodesAndPartsStay) {
  const auto module = parse("graph @main(%x: f32[4]) -> (f32[4]) {\n  return %x\n}\n");
  EXPECT_TRUE(split_graph(main_of(*module), parts("a")).empty());
  EXPECT_TRUE(split_graph(main_of(*module), parts("a"), {.order = SplitOrder::original}).empty());
  const auto chain = parse(kChain);
  const std::string before = ir::to_string(*chain);
  EXPECT_TRUE(split_graph(main_of(*chain), parts("")).empty());
  EXPECT_EQ(ir::to_string(*chain), before);
}

TEST(Split, NodesMayStayOutside) {
  const auto module = parse(kChain);
  ir::Graph& graph = main_of(*module);
  const std::vector<SplitPart> split = split_graph(graph, parts("ab|e"));
  EXPECT_EQ(graph.node_count(), 4u);
  ir::verify(*module);
  inline_parts(split);
  EXPECT_TRUE(ir::structurally_equal(graph, main_of(*parse(kChain))));
}

TEST(Split, PartsWithoutResultsStayWhenTheyHaveEffects) {
  const auto module = parse(R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %w = aten.add_.Tensor(%x, 1) : f32[4]
  return %x
})");
  ir::Graph& graph = main_of(*module);
  const std::vector<SplitPart> split = split_graph(graph, parts("w"));
  ASSERT_EQ(split.size(), 1u);
  EXPECT_EQ(split[0].call->output_count(), 0u);
  ir::verify(*module);
}

TEST(Split, TagsMustBeKnownAndMustNotDecrease) {
  const std::vector<std::string> tags{"front", "middle", "empty", "back"};
  const std::map<std::string, std::string> tag{
      {"a", "front"}, {"b", "middle"}, {"c", "middle"}, {"d", "back"}, {"e", "back"}};
  const auto tag_of = [&](const ir::Node& node) -> std::string_view {
    return tag.at(node.output().name());
  };
  const auto module = parse(kChain);
  const std::vector<SplitPart> split = split_by_tags(main_of(*module), tags, tag_of);
  ASSERT_EQ(split.size(), 3u) << "a tag without nodes has no part";
  EXPECT_EQ(split[1].name, "middle");
  EXPECT_THAT(split[1].nodes, ElementsAre("b", "c"));
  EXPECT_EQ(split[2].graph->name(), "main.part_back");
  ir::verify(*module);

  const auto other = parse(kChain);
  const auto decreases = [](const ir::Node& node) -> std::string_view {
    return node.output().name() == "b" ? "front" : "middle";
  };
  EXPECT_THROW(split_by_tags(main_of(*other), tags, decreases), Error);
  const auto unknown = [](const ir::Node&) -> std::string_view { return "side"; };
  EXPECT_THROW(split_by_tags(main_of(*other), tags, unknown), Error);
}

// Any contiguous split, taken back, gives the graph that was.
TEST(Split, InliningUndoesIt) {
  for (uint32_t seed = 0; seed < 40; ++seed) {
    std::mt19937 random(seed);
    std::string text = "graph @main(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {\n";
    const size_t count = 2 + random() % 40;
    const auto value = [&](size_t end) {
      const size_t pick = random() % (end + 2);
      return pick == end ? std::string("%x") : pick == end + 1 ? "%y" : "%v" + std::to_string(pick);
    };
    for (size_t i = 0; i < count; ++i) {
      text += "  %v" + std::to_string(i) + " = aten.add.Tensor(" + value(i) + ", " + value(i) +
              ") : f32[4]\n";
    }
    text += "  return " + value(count) + ", " + value(count) + "\n}\n";
    const auto module = parse(text);
    ir::Graph& graph = main_of(*module);
    const int64_t length = 1 + static_cast<int64_t>(random() % 7);
    int64_t at = 0;
    const std::vector<SplitPart> split =
        split_graph(graph, [&](const ir::Node&) { return at++ / length; });
    ASSERT_EQ(split.size(),
              (count + static_cast<size_t>(length) - 1) / static_cast<size_t>(length));
    ir::verify(*module);
    inline_parts(split);
    EXPECT_EQ(ir::structural_difference(graph, main_of(*parse(text))), "") << text;
  }
}

}  // namespace
}  // namespace litz::passes
