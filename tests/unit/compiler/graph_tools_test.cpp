// Tools on graphs must not change what a graph computes: random programs, interpreted before and
// after, bit for bit.

#include <cstring>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compiler/execution/run_graph.h"
#include "graph_tools/culprit_search.h"
#include "graph_tools/subgraph_rewrite.h"
#include "graph_tools/type_propagation.h"
#include "ir/parser.h"
#include "ir/printer.h"
#include "ir/verifier.h"
#include "ops/op_table.h"
#include "passes/graph_passes.h"
#include "passes/partition/split.h"
#include "random_graph.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

constexpr uint32_t kSeeds = 20;

struct Subject {
  std::unique_ptr<ir::Module> module;
  ir::Graph* graph = nullptr;
  std::vector<Tensor> inputs;

  explicit Subject(std::string_view text)
      : module(ir::read_module(text, ops::standard_ops())), graph(module->find_graph("main")) {
    for (const ir::Value input : graph->inputs()) {
      std::vector<int64_t> sizes;
      // Symbols are 3: any number will do.
      for (const Expr& size : input.tensor().sizes) {
        std::vector<std::pair<SymbolId, Expr>> numbers;
        for (const SymbolId symbol : free_symbols(size)) numbers.emplace_back(symbol, Expr(3));
        sizes.push_back(substitute(size, numbers).constant());
      }
      const DType dtype = input.tensor().dtype;
      const uint64_t seed = fill_seed(input.name());
      inputs.push_back(is_floating(dtype) ? fill_floats(dtype, sizes, seed, 1.5F, 0.0F)
                                          : fill_integers(dtype, sizes, seed, 2));
    }
  }
};

void expect_same(const std::vector<Tensor>& a, const std::vector<Tensor>& b, uint32_t seed) {
  ASSERT_EQ(a.size(), b.size()) << seed;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor left = a[i].contiguous();
    const Tensor right = b[i].contiguous();
    ASSERT_EQ(left.dtype(), right.dtype()) << "seed " << seed << ", result " << i;
    ASSERT_EQ(left.sizes(), right.sizes()) << "seed " << seed << ", result " << i;
    const auto bytes = static_cast<size_t>(left.numel()) * item_size(left.dtype());
    EXPECT_EQ(std::memcmp(left.data(), right.data(), bytes), 0)
        << "seed " << seed << ", result " << i << ": " << to_string(left) << " and "
        << to_string(right);
  }
}

void expect_unchanged(const std::function<void(Subject&, uint32_t seed)>& edit) {
  for (uint32_t seed = 0; seed < kSeeds; ++seed) {
    const std::string text = random_graph(seed);
    Subject before(text);
    Subject after(text);
    edit(after, seed);
    ir::verify(*after.module, {.infer_types = false});
    expect_same(run_graph(*after.graph, after.inputs), run_graph(*before.graph, before.inputs),
                seed);
  }
}

TEST(GraphTools, SplitGraphsComputeTheSame) {
  expect_unchanged([](Subject& subject, uint32_t seed) {
    // Running a graph decomposes it, but not what it calls.
    passes::PassContext context;
    passes::decompose(*subject.graph, context);
    int64_t at = 0;
    const int64_t length = 1 + seed % 5;
    passes::split_graph(*subject.graph, [&](const ir::Node&) { return at++ / length; });
  });
}

TEST(GraphTools, InferredTypesComputeTheSame) {
  expect_unchanged([](Subject& subject, uint32_t) {
    EXPECT_EQ(ir::infer_types(*subject.graph).fresh_symbols, 0u);
    std::vector<ir::ValueType> types;
    for (const Tensor& input : subject.inputs) {
      Sizes sizes(input.sizes().begin(), input.sizes().end());
      types.emplace_back(contiguous_type(input.dtype(), std::move(sizes)));
    }
    ir::propagate_types(*subject.graph, types);
    EXPECT_EQ(ir::infer_types(*subject.graph).changed, 0u);
  });
}

TEST(GraphTools, MergedNodesComputeTheSame) {
  expect_unchanged([](Subject& subject, uint32_t) {
    passes::PassContext context;
    passes::merge_equal_nodes(*subject.graph, context);
  });
}

// Two signs cancel exactly.
TEST(GraphTools, ReplacedPatternsComputeTheSame) {
  const auto patterns = ir::read_module(R"(
graph @pattern(%x: f32[2]) -> (f32[2]) {
  %a = aten.sigmoid(%x)
  return %a
}
graph @replacement(%x: f32[2]) -> (f32[2]) {
  %n = aten.neg(%x)
  %m = aten.neg(%n)
  %a = aten.sigmoid(%m)
  return %a
})",
                                        ops::standard_ops());
  size_t replaced = 0;
  expect_unchanged([&](Subject& subject, uint32_t) {
    replaced += ir::replace_matches(*subject.graph, *patterns->find_graph("pattern"),
                                    *patterns->find_graph("replacement"),
                                    {.match = {}, .may_change = ir::TypeChange::layout});
  });
  EXPECT_GT(replaced, 0u);
}

std::vector<Tensor> interpret(ir::Graph& graph, std::span<const Tensor> inputs) {
  const auto module = ir::read_module(ir::to_string(graph), ops::standard_ops());
  return run_graph(*module->graphs().front(), inputs);
}

TEST(GraphTools, CulpritsAreFoundInRealRuns) {
  const char* text = R"(
graph @main(%x: f32[4]) -> (f32[4]) {
  %a = aten.sin(%x)
  %b = aten.exp(%a)
  %c = aten.tanh(%b)
  %d = aten.add.Tensor(%c, %a)
  return %d
})";
  Subject subject(text);
  EXPECT_EQ(ir::find_culprits(*subject.graph, subject.inputs, interpret, interpret).outcome,
            ir::SearchOutcome::passes);
  // A back end that takes tanh for sin.
  const ir::RunGraph wrong = [](ir::Graph& graph, std::span<const Tensor> inputs) {
    std::string changed = ir::to_string(graph);
    const size_t at = changed.find("aten.tanh");
    if (at != std::string::npos) changed.replace(at, 9, "aten.sin");
    const auto module = ir::read_module(changed, ops::standard_ops());
    return run_graph(*module->graphs().front(), inputs);
  };
  for (const auto strategy : {ir::SearchStrategy::sequential, ir::SearchStrategy::binary,
                              ir::SearchStrategy::accumulate, ir::SearchStrategy::block}) {
    const ir::Culprits found =
        ir::find_culprits(*subject.graph, subject.inputs, interpret, wrong, {.strategy = strategy});
    ASSERT_EQ(found.nodes.size(), 1u);
    EXPECT_EQ(found.nodes[0]->output().name(), "c");
    EXPECT_EQ(found.outcome, ir::SearchOutcome::mismatch);
  }
}

}  // namespace
}  // namespace litz::compiler
