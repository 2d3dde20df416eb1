#include "graph_tools/subgraph_match.h"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/tiny_ops.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// Bodies: "in %x %y; %a = aten.relu(%x); ...; return %a", all values f32[2, 2].
std::string graph_text(const std::string& name, std::string_view body) {
  std::string text = "graph @" + name + "(";
  size_t at = body.find("in ") + 3;
  size_t end = body.find(';');
  std::string_view inputs = body.substr(at, end - at);
  size_t count = 0;
  while (!inputs.empty()) {
    const size_t blank = std::min(inputs.find(' '), inputs.size());
    text += (count++ == 0 ? "" : ", ") + std::string(inputs.substr(0, blank)) + ": f32[2, 2]";
    inputs.remove_prefix(std::min(blank + 1, inputs.size()));
  }
  const std::string_view results = body.substr(body.find("return"));
  text += ") -> (";
  for (size_t i = 0, n = static_cast<size_t>(std::ranges::count(results, '%')); i < n; ++i) {
    text += i == 0 ? "f32[2, 2]" : ", f32[2, 2]";
  }
  text += ") {\n";
  for (at = end + 1; at < body.size(); at = end + 1) {
    end = std::min(body.find(';', at), body.size());
    text += std::string(body.substr(at, end - at)) + "\n";
  }
  return text + "}\n";
}

size_t count_matches(std::string_view graph, std::string_view pattern,
                     const MatchOptions& options = {}) {
  const auto module = module_of(graph_text("main", graph) + graph_text("pattern", pattern));
  return find_matches(graph_of(*module), graph_of(*module, "pattern"), options).size();
}

// By (at_outputs, at_inputs): neither, outputs, inputs, both.
std::array<size_t, 4> counts(std::string_view graph, std::string_view pattern) {
  return {count_matches(graph, pattern), count_matches(graph, pattern, {.at_outputs = true}),
          count_matches(graph, pattern, {.at_inputs = true}),
          count_matches(graph, pattern, {.at_inputs = true, .at_outputs = true})};
}

using Counts = std::array<size_t, 4>;

TEST(SubgraphMatch, SingleNode) {
  EXPECT_EQ(counts("in %x; %a = aten.relu(%x); %b = aten.add.Tensor(%a, %a); return %b",
                   "in %p; %a = aten.relu(%p); return %a"),
            (Counts{1, 0, 1, 0}));
}

TEST(SubgraphMatch, Repeats) {
  EXPECT_EQ(counts("in %x %v %w;"
                   "%1 = aten.mm(%v, %w); %2 = aten.relu(%1);"
                   "%3 = aten.mm(%w, %v); %4 = aten.relu(%3);"
                   "%5 = aten.mm(%2, %4); %6 = aten.relu(%5);"
                   "%7 = aten.add.Tensor(%x, %6); return %7",
                   "in %p %q; %a = aten.mm(%p, %q); %b = aten.relu(%a); return %b"),
            (Counts{3, 0, 2, 0}));
}

TEST(SubgraphMatch, WholeGraph) {
  const char* graph = "in %x; %a = aten.relu(%x); %b = aten.add.Tensor(%a, %a); return %b";
  EXPECT_EQ(counts(graph, graph), (Counts{1, 1, 1, 1}));
}

TEST(SubgraphMatch, DiamondBehindANode) {
  EXPECT_EQ(counts("in %x; %0 = aten.clone(%x); %a = aten.relu(%0); %l = aten.gelu(%a);"
                   "%r = aten.relu(%a); %o = aten.add.Tensor(%l, %r); return %o",
                   "in %p; %a = aten.relu(%p); %l = aten.gelu(%a); %r = aten.relu(%a);"
                   "%o = aten.add.Tensor(%l, %r); return %o"),
            (Counts{1, 1, 0, 0}));
}

TEST(SubgraphMatch, InnerValuesMustNotLeak) {
  const char* graph =
      "in %x %v %w;"
      "%a = aten.gelu(%v); %b = aten.mm(%a, %w); %s = aten.clone(%b);"
      "%c = aten.gelu(%v); %d = aten.mm(%c, %w); %t = aten.clone(%c);"
      "return %s, %d, %t";
  const char* pattern = "in %p %q; %a = aten.gelu(%p); %b = aten.mm(%a, %q); return %b";
  EXPECT_EQ(count_matches(graph, pattern), 1u);
  EXPECT_EQ(count_matches(graph, pattern, {.at_outputs = true}), 0u);
  EXPECT_EQ(count_matches(graph, pattern, {.at_inputs = true}), 1u);
}

TEST(SubgraphMatch, ChainsOverlap) {
  const char* graph =
      "in %x; %a = aten.gelu(%x); %b = aten.gelu(%a); %c = aten.gelu(%b); %d = aten.gelu(%c);"
      "return %d";
  const char* pattern = "in %p; %a = aten.gelu(%p); %b = aten.gelu(%a); return %b";
  EXPECT_EQ(count_matches(graph, pattern, {.overlapping = true}), 3u);
  EXPECT_EQ(counts(graph, pattern), (Counts{2, 1, 1, 0}));
}

TEST(SubgraphMatch, ChainOfCallsBehindANode) {
  EXPECT_EQ(counts("in %x; %0 = aten.add.Tensor(%x, %x); %a = aten.clone(%0);"
                   "%b = aten.gelu(%a); %c = aten.relu(%b); return %c",
                   "in %p; %a = aten.clone(%p); %b = aten.gelu(%a); %c = aten.relu(%b); return %c"),
            (Counts{1, 1, 0, 0}));
}

TEST(SubgraphMatch, SeveralResultsThatDependOnEachOther) {
  EXPECT_EQ(counts("in %x; %y = aten.gelu(%x); %z = aten.gelu(%y); return %z, %y",
                   "in %p; %b = aten.gelu(%p); %c = aten.gelu(%b); return %b, %c"),
            (Counts{1, 0, 1, 0}));
}

TEST(SubgraphMatch, SeveralResultsFromOneSource) {
  EXPECT_EQ(counts("in %x; %0 = aten.add.Tensor(%x, %x); %a = aten.relu(%0);"
                   "%z = aten.clone(%a); %y = aten.gelu(%a); %1 = aten.gelu(%y);"
                   "%2 = aten.clone(%z); %o = aten.add.Tensor(%1, %2); return %o",
                   "in %p; %a = aten.relu(%p); %b = aten.gelu(%a); %c = aten.clone(%a);"
                   "return %b, %c"),
            (Counts{1, 0, 0, 0}));
}

TEST(SubgraphMatch, ChoicesForEverySink) {
  const char* graph =
      "in %x; %0 = aten.add.Tensor(%x, %x); %a = aten.relu(%0);"
      "%z = aten.clone(%a); %z1 = aten.clone(%a); %y = aten.gelu(%a); %y1 = aten.gelu(%a);"
      "return %z, %z1, %y, %y1";
  const char* pattern =
      "in %p; %a = aten.relu(%p); %b = aten.gelu(%a); %c = aten.clone(%a); return %a, %b, %c";
  EXPECT_EQ(count_matches(graph, pattern, {.overlapping = true}), 4u);
  EXPECT_EQ(count_matches(graph, pattern), 1u);
}

// The first copy leaks its source to the second.
TEST(SubgraphMatch, CopiesInARow) {
  EXPECT_EQ(count_matches("in %x; %0 = aten.add.Tensor(%x, %x); %a = aten.relu(%0);"
                          "%z = aten.clone(%a); %y = aten.gelu(%a); %b = aten.relu(%a);"
                          "%z1 = aten.clone(%b); %y1 = aten.gelu(%b); return %z, %y, %z1, %y1",
                          "in %p; %a = aten.relu(%p); %b = aten.gelu(%a); %c = aten.clone(%a);"
                          "return %b, %c"),
            1u);
}

TEST(SubgraphMatch, EqualSinksMatchDifferentNodes) {
  const char* graph =
      "in %x; %0 = aten.add.Tensor(%x, %x); %a = aten.relu(%0); %y = aten.gelu(%a);"
      "%y1 = aten.gelu(%a); return %y, %y1";
  const char* pattern =
      "in %p; %a = aten.relu(%p); %b = aten.gelu(%a); %b1 = aten.gelu(%a); return %b, %b1";
  EXPECT_EQ(count_matches(graph, pattern, {.at_outputs = true}), 1u);
  EXPECT_EQ(count_matches(graph, pattern, {.at_inputs = true}), 0u);
  EXPECT_EQ(count_matches("in %x; %a = aten.relu(%x); %y = aten.gelu(%a); return %y, %y", pattern),
            0u)
      << "one node is not two";
}

TEST(SubgraphMatch, SinksThatShareAnArgumentOnly) {
  EXPECT_EQ(counts("in %x; %0 = aten.add.Tensor(%x, %x); %y1 = aten.relu(%0);"
                   "%y2 = aten.gelu(%0); return %y1, %y2",
                   "in %p; %b = aten.relu(%p); %c = aten.gelu(%p); return %b, %c"),
            (Counts{1, 1, 0, 0}));
}

// One node for both would need its own result: gelu stands between them.
TEST(SubgraphMatch, ContractionsMustNotCloseACycle) {
  EXPECT_EQ(counts("in %x %w; %0 = aten.mm(%x, %w); %1 = aten.gelu(%0);"
                   "%2 = aten.add.Tensor(%0, %1); %3 = aten.relu(%2); return %3",
                   "in %p %q %r; %l = aten.mm(%p, %q); %m = aten.add.Tensor(%l, %r);"
                   "return %l, %m"),
            (Counts{0, 0, 0, 0}));
}

TEST(SubgraphMatch, SinksThatDoNotOccur) {
  EXPECT_EQ(counts("in %x; %a = aten.add.Tensor(%x, %x); return %a",
                   "in %p; %a = aten.relu(%p); return %a"),
            (Counts{0, 0, 0, 0}));
}

TEST(SubgraphMatch, LiteralsAreComparedBoundOrIgnored) {
  const std::string text = R"(
sym s0

graph @main(%x: f32[2]) -> (f32[2], f32[2]) {
  %a = aten.add.Tensor(%x, %x, alpha=3)
  %b = aten.add.Tensor(%x, %x)
  return %a, %b
}
graph @three(%x: f32[2]) -> (f32[2]) {
  %a = aten.add.Tensor(%x, %x, alpha=3)
  return %a
}
graph @any(%x: f32[2], %s: int(s0)) -> (f32[2]) {
  %a = aten.add.Tensor(%x, %x, alpha=%s)
  return %a
}
)";
  const auto module = module_of(text);
  const Graph& graph = graph_of(*module);
  EXPECT_EQ(find_matches(graph, graph_of(*module, "three")).size(), 1u);
  EXPECT_EQ(find_matches(graph, graph_of(*module, "three"), {.any_literal = true}).size(), 2u);
  const std::vector<Match> bound = find_matches(graph, graph_of(*module, "any"));
  ASSERT_EQ(bound.size(), 2u);
  EXPECT_EQ(bound[0].inputs[1], Argument(3));
  EXPECT_EQ(bound[1].inputs[1], Argument(1)) << "the default of the schema";
}

TEST(SubgraphMatch, ListsMatchElementByElement) {
  EXPECT_EQ(count_matches("in %x %y; %a = aten.relu(%x); %b = aten.index.Tensor(%x, [none, %a]) : "
                          "f32[2, 2]; return %b",
                          "in %x; %a = aten.relu(%x); %b = aten.index.Tensor(%x, [none, %a]) : "
                          "f32[2, 2]; return %b"),
            1u);
  EXPECT_EQ(count_matches("in %x %y; %a = aten.relu(%x); %b = aten.index.Tensor(%x, [%a, none]) : "
                          "f32[2, 2]; return %b",
                          "in %x; %a = aten.relu(%x); %b = aten.index.Tensor(%x, [none, %a]) : "
                          "f32[2, 2]; return %b"),
            0u);
}

TEST(SubgraphMatch, DifferentArgumentsStandForDifferentValues) {
  const char* graph = "in %x; %a = aten.add.Tensor(%x, %x); return %a";
  const char* pattern = "in %p %q; %a = aten.add.Tensor(%p, %q); return %a";
  EXPECT_EQ(count_matches(graph, pattern), 0u);
  EXPECT_EQ(count_matches(graph, pattern, {.distinct_inputs = false}), 1u);
  EXPECT_EQ(count_matches("in %x %y; %a = aten.add.Tensor(%x, %y); return %a",
                          "in %p; %a = aten.add.Tensor(%p, %p); return %a"),
            0u);
}

TEST(SubgraphMatch, WhichResultMatters) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[], f32[]) {
  %q:2 = aten.std_mean(%x)
  %a = aten.relu(%q#0)
  %p:2 = aten.std_mean(%x)
  %b = aten.relu(%p#1)
  return %a, %b
}
graph @pattern(%x: f32[2]) -> (f32[]) {
  %q:2 = aten.std_mean(%x)
  %a = aten.relu(%q#1)
  return %a
})");
  const std::vector<Match> found = find_matches(graph_of(*module), graph_of(*module, "pattern"));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].outputs[0].name(), "b");
}

TEST(SubgraphMatch, WritesInBetweenForbidAMatch) {
  const char* pattern = "in %p; %a = aten.relu(%p); %b = aten.gelu(%a); return %b";
  EXPECT_EQ(count_matches("in %x %y; %t = aten.clone(%x); %a = aten.relu(%t);"
                          "%w = aten.add_.Tensor(%t, %y); %b = aten.gelu(%a); return %b",
                          pattern),
            0u);
  EXPECT_EQ(count_matches("in %x %y; %t = aten.clone(%x); %a = aten.relu(%t);"
                          "%b = aten.gelu(%a); %w = aten.add_.Tensor(%t, %y); return %b",
                          pattern),
            1u);
}

TEST(SubgraphMatch, CallersMayRefuse) {
  const auto first = [taken = false](const Match&) mutable { return !std::exchange(taken, true); };
  EXPECT_EQ(count_matches("in %x; %a = aten.relu(%x); %b = aten.relu(%a); return %b",
                          "in %p; %a = aten.relu(%p); return %a", {.accept = first}),
            1u);
}

// Found through what the sinks share: without it, every pair of gelus would be tried.
TEST(SubgraphMatch, SinksAreFoundThroughWhatTheyShare) {
  Module module(tiny_ops());
  Graph& graph = module.add_graph("main");
  std::vector<Argument> results;
  Value last = graph.add_input("x", f32({2, 2}));
  for (int i = 0; i < 3000; ++i) {
    last = graph.create("aten.relu", {last})->output();
    results.emplace_back(graph.create("aten.gelu", {last})->output());
    results.emplace_back(graph.create("aten.gelu", {last})->output());
  }
  graph.set_outputs(std::move(results));
  Graph& pattern = module.add_graph("pattern");
  const Value a = pattern.create("aten.relu", {pattern.add_input("p", f32({2, 2}))})->output();
  pattern.set_outputs(
      {a, pattern.create("aten.gelu", {a})->output(), pattern.create("aten.gelu", {a})->output()});
  EXPECT_EQ(find_matches(graph, pattern, {.max_steps = 100000}).size(), 3000u);
}

// The way to the second sink leads through the second result and down a chain.
TEST(SubgraphMatch, SinksFarApartAreFound) {
  const auto module = module_of(R"(
graph @main(%x: f32[2]) -> (f32[], f32[]) {
  %q:2 = aten.std_mean(%x)
  %a = aten.relu(%q#0)
  %b = aten.gelu(%q#1)
  %c = aten.clone(%b)
  %d = aten.add.Tensor(%c, %b)
  return %a, %d
}
graph @pattern(%x: f32[2]) -> (f32[], f32[]) {
  %q:2 = aten.std_mean(%x)
  %a = aten.relu(%q#0)
  %b = aten.gelu(%q#1)
  %c = aten.clone(%b)
  %d = aten.add.Tensor(%c, %b)
  return %a, %d
})");
  EXPECT_EQ(find_matches(graph_of(*module), graph_of(*module, "pattern")).size(), 1u);
}

TEST(SubgraphMatch, UnrelatedPiecesHaveALimit) {
  std::string graph = "in %x;";
  std::string results;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "%v" + std::to_string(i);
    graph += name + " = aten.relu(%x);";
    results += (i == 0 ? "" : ", ") + name;
  }
  graph += "return " + results;
  const char* pattern =
      "in %p %q %r; %a = aten.relu(%p); %b = aten.relu(%q); %c = aten.relu(%r); return %a, %b, %c";
  EXPECT_THROW(count_matches(graph, pattern, {.max_steps = 1000}), Error);
}

TEST(SubgraphMatch, DeepPatternsNeedNoStack) {
  std::string chain = "in %x; %v0 = aten.relu(%x);";
  for (int i = 1; i < 20000; ++i) {
    chain += "%v" + std::to_string(i) + " = aten.relu(%v" + std::to_string(i - 1) + ");";
  }
  chain += "return %v19999";
  EXPECT_EQ(count_matches(chain, chain), 1u);
}

TEST(SubgraphMatch, PatternsMustBeUsable) {
  EXPECT_THROW(count_matches("in %x; return %x", "in %p; return %p"), Error);
  EXPECT_THROW(
      count_matches("in %x; return %x", "in %p; %a = aten.relu(%p); %b = aten.gelu(%p); return %a"),
      Error);
}

}  // namespace
}  // namespace litz::ir
