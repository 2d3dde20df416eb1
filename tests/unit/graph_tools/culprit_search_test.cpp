#include "graph_tools/culprit_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/tiny_ops.h"
#include "support/check.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFiveNodes = R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.relu(%x) : f32[2]
  %b = aten.gelu(%a) : f32[2]
  %c = aten.add.Tensor(%b, %a) : f32[2]
  %d = aten.relu(%c) : f32[2]
  %e = aten.relu(%d) : f32[2]
  return %e
})";

std::vector<Tensor> filled(const Graph& graph, double value) {
  std::vector<Tensor> results;
  for (size_t i = 0; i < graph.outputs().size(); ++i) {
    results.push_back(Tensor::of<float>(DType::f32, {2}, {static_cast<float>(value), 0.0F}));
  }
  return results;
}

std::vector<Tensor> right(Graph& graph, std::span<const Tensor>) { return filled(graph, 1); }

size_t count_of(const Graph& graph, std::string_view names) {
  size_t count = 0;
  for (const Node* node : graph.in_order()) {
    count += names.find(node->output().name()) != std::string_view::npos ? 1 : 0;
  }
  return count;
}

// Goes wrong when all of these nodes are in one range.
RunGraph wrong_with(std::string names) {
  return [names](Graph& graph, std::span<const Tensor>) {
    const bool wrong = !names.empty() && count_of(graph, names) == names.size();
    return filled(graph, wrong ? 2 : 1);
  };
}

// Goes wrong when any of them is.
RunGraph wrong_at(std::string names) {
  return [names](Graph& graph, std::span<const Tensor>) {
    return filled(graph, count_of(graph, names) > 0 ? 2 : 1);
  };
}

std::string names_of(const Culprits& culprits) {
  std::string names;
  for (const Node* node : culprits.nodes) names += node->output().name();
  return names;
}

Culprits searched(const RunGraph& candidate, const SearchOptions& options,
                  const RunGraph& reference = right) {
  const auto module = module_of(kFiveNodes);
  Graph& graph = graph_of(*module);
  const std::string before = to_string(*module);
  const std::vector<Tensor> inputs{Tensor::zeros(DType::f32, {2})};
  Culprits found = find_culprits(graph, inputs, reference, candidate, options);
  EXPECT_EQ(to_string(*module), before);
  found.message += " " + names_of(found);
  return found;
}

std::string culprits(const RunGraph& candidate, const SearchOptions& options) {
  const std::string message = searched(candidate, options).message;
  return message.substr(message.rfind(' ') + 1);
}

std::string block(const std::string& names, size_t begin = 0, size_t end = SIZE_MAX) {
  return culprits(wrong_with(names),
                  {.strategy = SearchStrategy::block, .begin = begin, .end = end});
}

TEST(CulpritSearch, BlockIsTheShortestRangeThatFails) {
  EXPECT_EQ(block(""), "");
  EXPECT_EQ(block("abcde"), "abcde");
  EXPECT_EQ(block("a"), "a");
  EXPECT_EQ(block("e"), "e");
  EXPECT_EQ(block("bcd"), "bcd");
  EXPECT_EQ(block("bd"), "bcd") << "what lies between belongs to it";
  EXPECT_EQ(block("de", 2), "de") << "from a later beginning";
  EXPECT_EQ(block("ab", 0, 3), "ab") << "to an earlier end";
  EXPECT_EQ(block("ab", 1), "") << "the range does not hold all of it";
}

TEST(CulpritSearch, SequentialFindsLoneNodes) {
  EXPECT_EQ(culprits(wrong_at("bd"), {.strategy = SearchStrategy::sequential}), "b");
  EXPECT_EQ(culprits(wrong_at("bd"), {.strategy = SearchStrategy::sequential, .find_all = true}),
            "bd");
  EXPECT_EQ(culprits(wrong_with("bd"), {.strategy = SearchStrategy::sequential}), "");
}

TEST(CulpritSearch, BinaryHalvesAndKeepsWhatFailsOnlyTogether) {
  EXPECT_EQ(culprits(wrong_at("d"), {.strategy = SearchStrategy::binary}), "d");
  EXPECT_EQ(culprits(wrong_at("ad"), {.strategy = SearchStrategy::binary}), "a");
  EXPECT_EQ(culprits(wrong_at("ad"), {.strategy = SearchStrategy::binary, .find_all = true}), "ad");
  EXPECT_EQ(culprits(wrong_with("bc"), {.strategy = SearchStrategy::binary}), "abcde");
}

TEST(CulpritSearch, AccumulateNamesTheNodeThatTipsIt) {
  EXPECT_EQ(culprits(wrong_at("c"), {.strategy = SearchStrategy::accumulate}), "c");
  EXPECT_EQ(culprits(wrong_with("bd"), {.strategy = SearchStrategy::accumulate}), "d");
  EXPECT_EQ(culprits(wrong_at("bd"), {.strategy = SearchStrategy::accumulate, .find_all = true}),
            "bd");
}

TEST(CulpritSearch, OutcomesAreTold) {
  EXPECT_EQ(searched(right, {}).outcome, SearchOutcome::passes);
  const Culprits wrong = searched(wrong_at("c"), {});
  EXPECT_EQ(wrong.outcome, SearchOutcome::mismatch);
  EXPECT_THAT(wrong.message, HasSubstr("%c = aten.add.Tensor"));
  EXPECT_GT(wrong.runs, 1u);

  const RunGraph throws = [](Graph& graph, std::span<const Tensor>) -> std::vector<Tensor> {
    require(count_of(graph, "c") == 0, "no kernel for add");
    return filled(graph, 1);
  };
  const Culprits failure = searched(throws, {});
  EXPECT_EQ(failure.outcome, SearchOutcome::run_failure);
  EXPECT_EQ(failure.nodes.size(), 1u);
  EXPECT_THAT(failure.message, HasSubstr("no kernel for add"));

  const Culprits bad = searched(right, {}, throws);
  EXPECT_EQ(bad.outcome, SearchOutcome::bad_graph);
  EXPECT_EQ(bad.runs, 0u);
}

TEST(CulpritSearch, ToleranceAndResultCountsMatter) {
  const RunGraph near = [](Graph& graph, std::span<const Tensor>) { return filled(graph, 1.001); };
  EXPECT_EQ(searched(near, {.rtol = 0.01}).outcome, SearchOutcome::passes);
  EXPECT_EQ(searched(near, {}).outcome, SearchOutcome::mismatch);
  const RunGraph none = [](Graph&, std::span<const Tensor>) { return std::vector<Tensor>(); };
  EXPECT_THAT(searched(none, {}).message, HasSubstr("0 results, not 1"));
}

TEST(CulpritSearch, EffectsCannotBeRunAgain) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[2]) {
  %a = aten.add_.Tensor(%x, %x) : f32[2]
  return %a
})");
  const std::vector<Tensor> inputs{Tensor::zeros(DType::f32, {2})};
  const Culprits found = find_culprits(graph_of(*module), inputs, right, right);
  EXPECT_EQ(found.outcome, SearchOutcome::bad_graph);
  EXPECT_THAT(found.message, HasSubstr("must have no effects"));
}

}  // namespace
}  // namespace litz::ir
