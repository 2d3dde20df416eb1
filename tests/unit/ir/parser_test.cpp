#include "ir/parser.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/printer.h"
#include "ir/structural_equal.h"
#include "ir/verifier.h"
#include "random_graph.h"
#include "support/check.h"
#include "tiny_ops.h"

namespace litz::ir {
namespace {

using ::testing::HasSubstr;

void expect_fixpoint(const std::string& text) {
  const auto module = module_of(text);
  EXPECT_EQ(to_string(*module), text);
}

TEST(Parser, ReadsBackWhatThePrinterWrites) {
  expect_fixpoint(R"(sym s0 in [2, 4096] hint 128
sym b boolean in [0, 1]
sym u0
sym u1 in [0, inf]
sym zuf0

graph @main(%x: f32[4, s0]{1, 4}+s0 + 1@cuda:0, %0: int(s0), %t: token) -> (f32[4, s0], _, _, _) {
  %a = aten.relu(%x) : f32[4, s0] #{region = "1", "two words" = "a\nb"} loc("f.py":12, "net.fc")
  %q:2 = aten.std_mean(%a, unbiased=false) : (f32[], none)
  %1, %mean = aten.std_mean(%a) : (f32[], f32[])
  %2 = aten.item(%mean) : int(u0)
  %3:0 = aten._assert_scalar(%2, assert_msg="\"\\\x7f")
  %4 = aten.index.Tensor(%q#0, [none, %a, none]) : f32[u1, 2*u0 + 1] after(%3, %q)
  %5 = aten.add.Tensor(%a, other=complex(1.0, -inf), alpha=zuf0) : f32[4, s0]
  test.attributes(a=[1, 2.5, true, s0//2], b=@body, s=max(1, u0), f=1e-05, fs=[0.5, 1.0], m=[true, false, b], names=["x", ""], dtype=bool, device=cuda:1, layout=strided, format=channels_last, op=op(aten.relu), n=s0)
  test.attributes(a=f16, b=cpu)
  %6:2 = higher_order.call(body=@body, operands=[%a, %5]) : (f32[4, s0], real(zuf0))
  return %6#0, none, 3, [1, s0]
}

graph @body(%x: f32[4, s0], %y: f32[4, s0]) -> (f32[4, s0]) {
  return %x
}
)");
}

TEST(Parser, AcceptsWhatPeopleWrite) {
  const auto module = module_of(R"(
// A comment.
sym s0   // sizes
graph @main(
    %x: f32[s0, 4],   // one per line
    %y: f32[s0, 4]
) -> f32[s0, 4] {
  // No types: they are inferred.
  %a = aten.add.Tensor(%x,
                       other=%y, alpha=2)

  %b = aten.permute(%a, [1, 0])
  %c = aten.permute(self=%b, dims=[1, 0])
  return %c
})");
  EXPECT_EQ(to_string(*module), R"(sym s0

graph @main(%x: f32[s0, 4], %y: f32[s0, 4]) -> (f32[s0, 4]) {
  %a = aten.add.Tensor(%x, %y, alpha=2) : f32[s0, 4]
  %b = aten.permute(%a, dims=[1, 0]) : f32[4, s0]{1, 4}
  %c = aten.permute(%b, dims=[1, 0]) : f32[s0, 4]
  return %c
}
)");
  verify(*module);
}

TEST(Parser, NamesManyArgumentsOnePerLine) {
  std::string text = "graph @main(";
  for (int i = 0; i < 12; ++i) {
    text += (i == 0 ? "\n    %argument_" : ",\n    %argument_") + std::to_string(i) + ": f32[2]";
  }
  expect_fixpoint(text + ") -> () {\n  return\n}\n");
}

TEST(Parser, RoundTripsRandomGraphs) {
  for (uint32_t seed = 0; seed < 200; ++seed) {
    Module module(tiny_ops());
    Graph& graph = random_graph(module, seed, 40);
    const std::string text = to_string(module);
    const auto parsed = module_of(text);
    ASSERT_EQ(to_string(*parsed), text) << seed;
    EXPECT_EQ(structural_difference(graph, graph_of(*parsed)), "");
    EXPECT_EQ(structural_hash(graph), structural_hash(graph_of(*parsed)));
    verify(*parsed);
  }
}

struct Mistake {
  const char* line;
  size_t column;
  const char* message;
};

TEST(Parser, PointsAtMistakes) {
  const Mistake mistakes[] = {
      {"%a = aten.rel(%x)", 8, "unknown operator aten.rel; did you mean"},
      {"%a = aten.relu(%y)", 18, "%y is used before it is defined"},
      {"%x = aten.relu(%x)", 3, "%x is defined already"},
      {"%a = aten.relu(%x", 20, "expected ')'"},
      {"%a = aten.relu(%x) : f33[2]", 24, "expected a type such as"},
      {"%a = aten.relu(%x) : f32[2", 29, "expected ']'"},
      {"%a = aten.relu(%x) : f32[s9]", 28, "s9"},
      {"%a = aten.relu(%x) : f32[2]{1, 1}", 36, "as many strides"},
      {"%a = aten.relu(%x) : f32[2]@tpu", 31, "device"},
      {"%a = aten.relu(%x) extra", 22, "expected the end of the line, found 'extra'"},
      {"%a = aten.relu(%x, %x)", 22, "too many arguments"},
      {"%a = aten.relu(%x, self=%x)", 22, "self is given twice"},
      {"%a = aten.relu(%x, other=1)", 22, "has no argument other"},
      {"%a = aten.relu()", 8, "needs self"},
      {"%a, %b = aten.relu(%x)", 12, "has 1 results, but 2"},
      {"%a = aten.mm(%x, %x)", 8, "mm takes matrices"},
      {"%a = aten.gelu(%x, approximate=\"tanh)", 34, "must end on its line"},
      {"%a = aten.gelu(%x, approximate=\"\\q\")", 36, "after a backslash"},
      {"%a = aten.relu(%x) #{k = x}", 28, "expected an integer"},
      {"%a = aten.relu(%x) #{k = \"\", k = \"\"}", 32, "may stand once"},
      {"%a = aten.relu(%x) after(%z)", 28, "another node"},
      {"%a = aten.relu(%x) after(%x)", 28, "another node"},
      {"%a = higher_order.call(body=@nope)", 32, "name of a graph"},
      {"%a = aten.cat([%x, %x], dim=99999999999999999999)", 31, ""},
      {"relu(%x)", 3, "unknown operator relu"},
      {"= 3", 3, "expected an operator"},
  };
  for (const Mistake& mistake : mistakes) {
    const std::string text =
        std::string("graph @main(%x: f32[2]) {\n  ") + mistake.line + "\n  return %x\n}\n";
    const ParseResult result = parse_module(text, tiny_ops());
    ASSERT_EQ(result.errors.size(), 1u) << mistake.line;
    const Diagnostic& error = result.errors.front();
    EXPECT_THAT(error.message, HasSubstr(mistake.message)) << mistake.line;
    if (error.line == 2) {
      EXPECT_EQ(error.column, mistake.column) << error.to_string();
    }
  }
}

TEST(Parser, ReportsSeveralMistakesButNoEchoes) {
  const ParseResult result = parse_module(R"(graph @main(%x: f32[2]) {
  %a = aten.rel(%x)
  %b = aten.relu(%a)
  %c = aten.relu(%x) oops
  %d = aten.add.Tensor(%b, %c)
  return %d
}
graph @main(%x: f32[2]) {
  return
}
graph @other(x) {
  %y = anything goes here
}
what
sym s0 in [3, 2]
)",
                                          tiny_ops());
  std::vector<size_t> lines;
  for (const Diagnostic& error : result.errors) lines.push_back(error.line);
  EXPECT_THAT(lines, ::testing::ElementsAre(8, 2, 4, 11, 14, 15)) << [&] {
    std::string all;
    for (const Diagnostic& error : result.errors) all += error.to_string();
    return all;
  }();
}

TEST(Parser, ShowsLineAndCaret) {
  const ParseResult result =
      parse_module("graph @main(%x: f32[2]) {\n  return %y\n}\n", tiny_ops());
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0].to_string("a.ir"),
            "a.ir:2:10: %y is used before it is defined\n"
            "    return %y\n"
            "           ^\n");
}

TEST(Parser, NeedsReturnAndClosingBrace) {
  EXPECT_FALSE(parse_module("graph @main() {\n}\n", tiny_ops()).ok());
  EXPECT_FALSE(parse_module("graph @main() {\n  return\n", tiny_ops()).ok());
  EXPECT_FALSE(parse_module("graph @main() {\n  return\n  return\n}", tiny_ops()).ok());
  EXPECT_FALSE(
      parse_module("graph @main(%x: f32[2]) -> f32[3] {\n  return %x\n}", tiny_ops()).ok());
  EXPECT_TRUE(parse_module("", tiny_ops()).ok());
}

TEST(Parser, StopsAtLimits) {
  std::string text = "graph @main() {\n";
  for (int i = 0; i < 100; ++i) text += "  nonsense\n";
  EXPECT_EQ(parse_module(text, tiny_ops(), {.max_errors = 5}).errors.size(), 5u);
  EXPECT_FALSE(parse_module(text, tiny_ops(), {.max_bytes = 10}).ok());
}

TEST(Parser, ReadModuleThrowsWithEveryDiagnostic) {
  try {
    read_module("graph @a() {\n  x\n  y\n  return\n}\n", tiny_ops(), "f.ir");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.message(), HasSubstr("f.ir:2:3"));
    EXPECT_THAT(error.message(), HasSubstr("f.ir:3:3"));
  }
}

}  // namespace
}  // namespace litz::ir
