// Attention as one call gives what its spelling gives, in rows that are masked whole, too.

#include <cmath>

#include <gtest/gtest.h>

#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "ops/op_table.h"
#include "passes/pass_driver.h"
#include "types/compare.h"
#include "types/fill.h"

namespace litz::compiler {
namespace {

struct Both {
  Tensor spelled;
  Tensor whole;
};

Both run_both(const std::string& text, const std::vector<Tensor>& inputs) {
  Both both;
  for (Tensor* result : {&both.spelled, &both.whole}) {
    const auto module = ir::read_module(text, ops::standard_ops());
    ir::Graph& graph = *module->find_graph("main");
    passes::PassContext context;
    passes::decompose(graph, context);
    if (result == &both.whole) {
      passes::run_pipeline(passes::inference_pipeline(), *module, context, {.verify_each = true});
      EXPECT_EQ(graph.in_order("litz.attention").size(), 1U) << text;
    }
    *result = run_graph(graph, inputs)[0];
  }
  return both;
}

void expect_equal(const std::string& text, const std::vector<Tensor>& inputs) {
  const Both both = run_both(text, inputs);
  const Comparison comparison = compare(both.whole, both.spelled, 1e-5, 1e-6);
  EXPECT_TRUE(comparison.matches()) << text << comparison.message();
}

Tensor numbers(std::vector<int64_t> sizes, uint64_t seed, DType dtype = DType::f32) {
  return fill_floats(dtype, std::move(sizes), seed, 1, 0);
}

// Rows 1 and 150 keep nothing.
Tensor mask(int64_t rows, int64_t keys, bool additive) {
  const Tensor keep = fill_integers(DType::bool_, {rows, keys}, 7, 2);
  for (int64_t j = 0; j < keys; ++j) {
    for (const int64_t row : {int64_t{1}, int64_t{150}}) {
      const Tensor entry = keep.view({}, {}, row * keys + j);
      Tensor(entry).copy_from(Tensor::scalar_int(DType::bool_, 0));
    }
  }
  if (!additive) return keep;
  Tensor added = Tensor::zeros(DType::f32, {rows, keys});
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      if (keep.int_at({i, j}) != 0) continue;
      added.view({}, {}, i * keys + j).copy_from(Tensor::scalar(DType::f32, -INFINITY));
    }
  }
  return added;
}

std::string operators(const std::string& mask_type, const std::string& more, DType dtype) {
  const std::string t(name(dtype));
  const std::string argument = mask_type.empty() ? "" : ", %m: " + mask_type + "[160, 7]";
  return "graph @main(%q: " + t + "[2, 3, 160, 8], %k: " + t + "[2, 3, 7, 8], %v: " + t +
         "[2, 3, 7, 5]" + argument + ") -> (" + t + "[2, 3, 160, 5]) {\n" +
         "  %y = aten.scaled_dot_product_attention(%q, %k, %v" + more + ")\n  return %y\n}\n";
}

std::vector<Tensor> operands(DType dtype) {
  return {numbers({2, 3, 160, 8}, 1, dtype), numbers({2, 3, 7, 8}, 2, dtype),
          numbers({2, 3, 7, 5}, 3, dtype)};
}

TEST(Attention, EqualsItsSpellingUnderMasks) {
  for (const DType dtype : {DType::f32, DType::f64}) {
    std::vector<Tensor> inputs = operands(dtype);
    expect_equal(operators("", "", dtype), inputs);
    expect_equal(operators("", ", is_causal=True", dtype), inputs);
    inputs.push_back(mask(160, 7, false));
    expect_equal(operators("bool", ", %m", dtype), inputs);
    inputs.back() = mask(160, 7, true);
    expect_equal(operators("f32", ", %m", dtype), inputs);
  }
}

TEST(Attention, RoundsHalvesOnce) {
  const Both both = run_both(operators("", "", DType::bf16), operands(DType::bf16));
  EXPECT_EQ(both.whole.dtype(), DType::bf16);
  EXPECT_TRUE(compare(both.whole, both.spelled, 1e-2, 1e-3).matches());
}

TEST(Attention, UnsafeRowsStayNan) {
  const std::string text =
      "graph @main(%q: f32[160, 8], %k: f32[8, 7], %v: f32[7, 5], %m: bool[160, 7]) -> (f32[160, "
      "5]) {\n"
      "  %s = aten.matmul(%q, %k)\n"
      "  %n = aten.where.ScalarOther(%m, %s, -inf)\n"
      "  %w = aten._softmax(%n, -1, false)\n"
      "  %y = aten.matmul(%w, %v)\n"
      "  return %y\n"
      "}\n";
  const std::vector<Tensor> inputs{numbers({160, 8}, 1), numbers({8, 7}, 2), numbers({7, 5}, 3),
                                   mask(160, 7, false)};
  expect_equal(text, inputs);
  EXPECT_TRUE(std::isnan(run_both(text, inputs).whole.at({1, 0})));
}

}  // namespace
}  // namespace litz::compiler
