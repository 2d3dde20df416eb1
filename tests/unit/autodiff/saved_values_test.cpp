// What splits of joint graphs keep, after PyTorch's tests of its partitioners. The names of tests
// in lower case are those of the counterparts there.

#include "autodiff/saved_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autodiff/reverse.h"
#include "autodiff/split.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "support/check.h"

namespace litz::autodiff {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Parts {
  std::unique_ptr<ir::Module> module;
  Split split;

  std::vector<std::string> saved() const {
    std::vector<std::string> names;
    for (const ir::Value value : split.saved) names.push_back(value.name());
    return names;
  }

  /// Inputs and outputs.
  static std::pair<size_t, size_t> counts(const ir::Graph& graph) {
    return {graph.input_count(), graph.outputs().size()};
  }

  std::pair<size_t, size_t> forward() const { return counts(*split.forward); }

  std::pair<size_t, size_t> backward() const { return counts(*split.backward); }

  std::string backward_text() const { return ir::to_string(*split.backward); }
};

/// Differentiates the first output by all inputs.
Parts parts_of(std::string_view text, const SavedOptions& options = {}) {
  Parts parts{ir::read_module(text, ops::standard_ops()), {}};
  ir::Graph& graph = *parts.module->find_graph("main");
  Request request{.outputs = {0}};
  for (size_t i = 0; i < graph.input_count(); ++i) request.inputs.push_back(i);
  const size_t outputs = graph.outputs().size();
  const Joint joint = add_gradients(graph, request);
  const JointGraph view(graph, joint.cotangents);
  parts.split = split(graph, joint.cotangents, outputs, choose_saved(graph, view, options));
  ir::verify(*parts.module, {});
  return parts;
}

using Counts = std::pair<size_t, size_t>;

constexpr std::string_view kCosines =
    "graph @main(%x: f32[64]) -> (f32[64]) {\n"
    "  %a = aten.cos(%x)\n"
    "  %b = aten.cos(%a)\n"
    "  %c = aten.cos(%b)\n"
    "  return %c\n"
    "}\n";

constexpr std::string_view kCube =
    "graph @main(%x: f32[64]) -> (f32[64]) {\n"
    "  %a = aten.mul.Tensor(%x, %x)\n"
    "  %b = aten.mul.Tensor(%a, %x)\n"
    "  return %b\n"
    "}\n";

TEST(SavedValues, default_partitioner_getitem) {
  const Parts parts = parts_of(
      "graph @main(%x: f32[4, 8], %w: f32[8], %b: f32[8]) -> (f32[4, 8]) {\n"
      "  %y:3 = aten.native_layer_norm(%x, [8], %w, %b, 1e-05)\n"
      "  return %y#0\n"
      "}\n",
      {.keeps_all = true});
  EXPECT_EQ(parts.forward(), Counts(3, 6));
  EXPECT_EQ(parts.backward(), Counts(6, 3));
}

TEST(SavedValues, KeepsAllThatIsRead) {
  const Parts parts = parts_of(kCosines, {.keeps_all = true});
  EXPECT_THAT(parts.backward_text(), Not(HasSubstr("aten.cos")));
  EXPECT_THAT(parts.saved(), ElementsAre("x", "a", "b"));
}

TEST(SavedValues, min_cut_cos_chain) {
  const Parts parts = parts_of(kCosines);
  EXPECT_EQ(parts.forward(), Counts(1, 2));
  EXPECT_EQ(parts.backward(), Counts(2, 1));
  EXPECT_THAT(parts.saved(), ElementsAre("x"));
}

TEST(SavedValues, min_cut_sum_of_four_then_cos) {
  const Parts parts = parts_of(
      "graph @main(%a: f32[64], %b: f32[64], %c: f32[64], %d: f32[64]) -> (f32[64]) {\n"
      "  %ab = aten.add.Tensor(%a, %b)\n"
      "  %abc = aten.add.Tensor(%ab, %c)\n"
      "  %sum = aten.add.Tensor(%abc, %d)\n"
      "  %e = aten.cos(%sum)\n"
      "  %f = aten.cos(%e)\n"
      "  return %f\n"
      "}\n");
  EXPECT_EQ(parts.forward(), Counts(4, 2));
  EXPECT_EQ(parts.backward(), Counts(2, 4));
  EXPECT_THAT(parts.saved(), ElementsAre("sum"));
}

TEST(SavedValues, min_cut_mm_then_tanh) {
  const Parts parts = parts_of(
      "graph @main(%x: f32[16, 16]) -> (f32[16, 16]) {\n"
      "  %mm = aten.mm(%x, %x)\n"
      "  %a = aten.tanh(%mm)\n"
      "  %b = aten.tanh(%a)\n"
      "  return %b\n"
      "}\n");
  EXPECT_EQ(parts.forward(), Counts(1, 3));
  EXPECT_THAT(parts.saved(), ElementsAre("x", "mm"));
}

TEST(SavedValues, recomputable_ops_empty) {
  const Parts parts =
      parts_of(kCube, {.is_recomputable = [](const ir::Node& /*node*/) { return false; }});
  EXPECT_EQ(parts.forward(), Counts(1, 3));
  EXPECT_EQ(parts.backward(), Counts(3, 1));
}

TEST(SavedValues, recomputable_ops_mul) {
  const Parts parts = parts_of(
      kCube, {.is_recomputable = [](const ir::Node& node) { return node.is("aten.mul.Tensor"); }});
  EXPECT_EQ(parts.forward(), Counts(1, 2));
  EXPECT_EQ(parts.backward(), Counts(2, 1));
}

// The sizes come with the cotangent, or as numbers; not the input itself.
TEST(SavedValues, save_shape) {
  const Parts parts = parts_of(
      "sym s0 in [2, 64] hint 8\n"
      "sym s1 in [2, 64] hint 4\n"
      "graph @main(%x: f32[s0, s1]) -> (f32[s0]) {\n"
      "  %y = aten.sum.dim_IntList(%x, [1])\n"
      "  return %y\n"
      "}\n");
  EXPECT_THAT(parts.saved(), IsEmpty());
  ASSERT_EQ(parts.split.sizes.size(), 1U);
  EXPECT_EQ(to_string(parts.split.sizes[0]), "s1");
  EXPECT_EQ(parts.forward(), Counts(1, 2));
  EXPECT_EQ(parts.backward(), Counts(2, 1));
}

// Gradients of views of views are views.
TEST(SavedValues, contiguous) {
  const Parts parts = parts_of(
      "graph @main(%x: f32[4, 6]) -> (f32[3, 8]) {\n"
      "  %t = aten.permute(%x, [1, 0])\n"
      "  %c = aten.clone(%t, memory_format=contiguous_format)\n"
      "  %v = aten.view(%c, [3, 8])\n"
      "  return %v\n"
      "}\n");
  EXPECT_THAT(parts.saved(), IsEmpty());
  EXPECT_EQ(parts.backward(), Counts(1, 1));
}

constexpr std::string_view kNoise =
    "graph @main(%x: f32[64]) -> (f32[64]) {\n"
    "  %r = aten.rand_like(%x) #{random_stream = \"1\"}\n"
    "  %m = aten.mul.Tensor(%x, %r)\n"
    "  %s = aten.sin(%m)\n"
    "  return %s\n"
    "}\n";

TEST(SavedValues, rng_min_cut) {
  for (const double budget : {1.0, 0.5, 0.0}) {
    const Parts parts = parts_of(kNoise, {.memory_budget = budget});
    EXPECT_THAT(ir::to_string(*parts.split.forward), HasSubstr("aten.rand_like"));
    EXPECT_THAT(parts.backward_text(), Not(HasSubstr("aten.rand_like"))) << budget;
  }
}

TEST(SavedValues, CheckpointedRandomNumbersAreKept) {
  std::string text(kNoise);
  text.replace(text.find("random_stream"), 13, "recompute = \"must_recompute\", random_stream");
  const Parts parts = parts_of(text, {.keeps_all = true});
  EXPECT_THAT(parts.backward_text(), Not(HasSubstr("aten.rand_like")));
}

TEST(SavedValues, BudgetsAreShares) {
  for (const double budget : {-0.1, 1.1}) {
    try {
      parts_of(kCosines, {.memory_budget = budget});
      FAIL();
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("a share from 0 to 1, not"));
    }
  }
}

/// Two products whose results both are needed again: the time decides which one is repeated.
constexpr std::string_view kProducts =
    "graph @main(%x: f32[32, 32], %w: f32[32, 32]) -> (f32[32, 32]) {\n"
    "  %a = aten.mm(%x, %w)\n"
    "  %b = aten.mm(%a, %w)\n"
    "  %c = aten.mm(%b, %w)\n"
    "  %d = aten.mm(%c, %w)\n"
    "  return %d\n"
    "}\n";

TEST(SavedValues, LowerBudgetsRepeatProducts) {
  const auto cheap_b = [](const ir::Node& node) {
    return node.output().name() == "b" ? 1.0 : 10.0;
  };
  EXPECT_THAT(parts_of(kProducts).saved(), ElementsAre("x", "w", "a", "b", "c"));
  const SavedOptions most{.memory_budget = 0.7, .time = cheap_b};
  EXPECT_THAT(parts_of(kProducts, most).saved(), ElementsAre("x", "w", "a", "c"));
  const SavedOptions none{.memory_budget = 0};
  EXPECT_THAT(parts_of(kProducts, none).saved(), ElementsAre("x", "w"));
}

TEST(SavedValues, RefusesToRepeatEffects) {
  try {
    parts_of(
        "graph @main(%x: f32[4]) -> (f32[4]) {\n"
        "  %n = aten.nonzero(%x) #{recompute = \"must_recompute\"}\n"
        "  %y = aten.sin(%x)\n"
        "  return %y\n"
        "}\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("a checkpointed region must not have effects"));
  }
}

}  // namespace
}  // namespace litz::autodiff
