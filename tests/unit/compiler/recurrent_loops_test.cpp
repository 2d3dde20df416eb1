// Recurrent networks along long sequences, and along those whose length a call decides, are loops: they
// compute what the unrolled steps of short ones do.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/executable.h"
#include "compiler/text_program.h"
#include "types/compare.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

struct Network {
  std::string name;  ///< "lstm", "gru", "rnn_tanh"
  int64_t gates = 1;
  bool is_bidirectional = false;
  bool has_projection = false;
};

constexpr int64_t kBatch = 2;
constexpr int64_t kFeatures = 3;
constexpr int64_t kHidden = 5;
constexpr int64_t kProjected = 4;

/// A program of one call. Steps are a number or a symbol.
std::string text_of(const Network& net, const std::string& steps) {
  const std::string seen = std::to_string(net.has_projection ? kProjected : kHidden);
  const std::string hidden = std::to_string(kHidden);
  const std::string rows = std::to_string(net.gates * kHidden);
  const std::string sides = net.is_bidirectional ? "2" : "1";
  const bool is_lstm = net.name == "lstm";
  const std::string state = "f32[" + sides + ", 2, " + seen + "]";
  const std::string cell = "f32[" + sides + ", 2, " + hidden + "]";
  std::string inputs;
  std::string weights;
  for (int side = 0; side < (net.is_bidirectional ? 2 : 1); ++side) {
    const std::string s = std::to_string(side);
    inputs += ", %wi" + s + ": f32[" + rows + ", 3], %wh" + s + ": f32[" + rows + ", " + seen +
              "], %bi" + s + ": f32[" + rows + "], %bh" + s + ": f32[" + rows + "]";
    weights += (side == 0 ? "%wi" : ", %wi") + s + ", %wh" + s + ", %bi" + s + ", %bh" + s;
    if (net.has_projection) {
      inputs += ", %wp" + s + ": f32[" + seen + ", " + hidden + "]";
      weights += ", %wp" + s;
    }
  }
  const std::string width =
      std::to_string((net.has_projection ? kProjected : kHidden) * (net.is_bidirectional ? 2 : 1));
  const std::string output = "f32[" + steps + ", 2, " + width + "]";
  const std::string results = output + ", " + state + (is_lstm ? ", " + cell : "");
  return (steps[0] == 's' ? "sym " + steps + " in [1, 1000]\n" : "") + "graph @main(%x: f32[" +
         steps + ", 2, 3], %h: " + state + (is_lstm ? ", %c: " + cell : "") + inputs + ") -> (" +
         results + ") {\n  %y, %last" + (is_lstm ? ", %cells" : "") + " = aten." + net.name +
         ".input(%x, " + (is_lstm ? "[%h, %c]" : "%h") + ", [" + weights +
         "], true, 1, 0.0, false, " + (net.is_bidirectional ? "true" : "false") + ", false) : (" +
         results + ")\n  return %y, %last" + (is_lstm ? ", %cells" : "") + "\n}\n";
}

Tensor filled(std::vector<int64_t> sizes, int seed) {
  return fill_floats(DType::f32, std::move(sizes), seed, 0.5, 0);
}

std::vector<Leaf> inputs_of(const Network& net, int64_t steps) {
  const int64_t sides = net.is_bidirectional ? 2 : 1;
  const int64_t seen = net.has_projection ? kProjected : kHidden;
  std::vector<Leaf> inputs{filled({steps, kBatch, kFeatures}, 1), filled({sides, kBatch, seen}, 2)};
  if (net.name == "lstm") inputs.emplace_back(filled({sides, kBatch, kHidden}, 3));
  for (int side = 0; side < sides; ++side) {
    inputs.emplace_back(filled({net.gates * kHidden, kFeatures}, 4 + side));
    inputs.emplace_back(filled({net.gates * kHidden, seen}, 14 + side));
    inputs.emplace_back(filled({net.gates * kHidden}, 24 + side));
    inputs.emplace_back(filled({net.gates * kHidden}, 34 + side));
    if (net.has_projection) inputs.emplace_back(filled({seen, kHidden}, 44 + side));
  }
  return inputs;
}

std::vector<Leaf> run(const std::string& text, const std::vector<Leaf>& inputs,
                      ExecutorKind executor = ExecutorKind::cpu) {
  return Executable(text_program(text), {.executor = executor, .threads = 1, .verify = true})
      .run(inputs);
}

void expect_close(const std::vector<Leaf>& actual, const std::vector<Leaf>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    const Comparison comparison =
        compare(std::get<Tensor>(actual[i]), std::get<Tensor>(expected[i]), 1e-5, 1e-6);
    EXPECT_TRUE(comparison.matches()) << i << ": " << comparison.message();
  }
}

class RecurrentLoops : public testing::TestWithParam<Network> {};

TEST_P(RecurrentLoops, ComputeWhatUnrolledStepsDo) {
  const Network& net = GetParam();
  for (const int64_t steps : {1, 2, 32}) {
    SCOPED_TRACE(steps);
    const std::vector<Leaf> inputs = inputs_of(net, steps);
    const std::vector<Leaf> expected = run(text_of(net, std::to_string(steps)), inputs);
    expect_close(run(text_of(net, "s0"), inputs), expected);
    expect_close(run(text_of(net, "s0"), inputs, ExecutorKind::interpreter), expected);
  }
}

// Of one direction: the other begins at the end.
class ForwardLoops : public testing::TestWithParam<Network> {};

// The first steps of a long sequence, and then the others from the state that they left.
TEST_P(ForwardLoops, LongSequencesAreShortOnesInTurn) {
  const Network& net = GetParam();
  const std::vector<Leaf> inputs = inputs_of(net, 60);
  const std::vector<Leaf> whole = run(text_of(net, "60"), inputs);
  const std::string part = text_of(net, "30");
  std::vector<Leaf> given = inputs;
  const auto& sequence = std::get<Tensor>(inputs[0]);
  std::vector<Leaf> last;
  for (int64_t begin : {0, 30}) {
    given[0] =
        sequence.view({30, kBatch, kFeatures}, sequence.strides(), begin * sequence.strides()[0]);
    last = run(part, given);
    const auto& outputs = std::get<Tensor>(whole[0]);
    std::vector<Leaf> expected{outputs.view({30, kBatch, outputs.sizes()[2]}, outputs.strides(),
                                            begin * outputs.strides()[0])};
    expect_close({last[0]}, expected);
    for (size_t i = 1; i < last.size(); ++i) given[i] = last[i];
  }
  expect_close({last.begin() + 1, last.end()}, {whole.begin() + 1, whole.end()});
}

std::string label(const testing::TestParamInfo<Network>& info) {
  return info.param.name + (info.param.is_bidirectional ? "_both" : "") +
         (info.param.has_projection ? "_projected" : "");
}

const Network kForward[] = {
    {"lstm", 4}, {"lstm", 4, false, true}, {"gru", 3}, {"rnn_tanh", 1}, {"rnn_relu", 1}};
const Network kBoth[] = {{"lstm", 4, true}, {"gru", 3, true}, {"rnn_relu", 1, true}};

INSTANTIATE_TEST_SUITE_P(Forward, RecurrentLoops, testing::ValuesIn(kForward), label);
INSTANTIATE_TEST_SUITE_P(Both, RecurrentLoops, testing::ValuesIn(kBoth), label);
INSTANTIATE_TEST_SUITE_P(Forward, ForwardLoops, testing::ValuesIn(kForward), label);

TEST(RecurrentNetworks, NeedAStep) {
  EXPECT_THAT(
      [] {
        run(text_of({"gru", 3}, "0"), inputs_of({"gru", 3}, 0));
      },
      testing::ThrowsMessage<Error>(testing::HasSubstr("at least one step")));
}

}  // namespace
}  // namespace litz::compiler
