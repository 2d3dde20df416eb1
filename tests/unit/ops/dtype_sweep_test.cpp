// Every pointwise operator in dtypes that its samples do not name: it runs, or refuses with an
// error meant for people, but never fails a check.

#include <string>

#include <gtest/gtest.h>

#include "op_runner.h"
#include "ops/samples.h"
#include "support/check.h"

namespace litz::ops {
namespace {

std::string replace_all(std::string text, std::string_view from, std::string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Values 0 and 1 fit every dtype.
Tensor ones_and_zeros(const TensorType& type, const Bindings& bindings) {
  std::vector<int64_t> sizes = evaluate(type.sizes, bindings);
  Tensor bits = Tensor::zeros(DType::i64, sizes);
  if (bits.numel() > 0) {
    const Tensor row = bits.view({bits.numel()}, {1}, 0);
    for (int64_t i = 0; i < bits.numel(); i += 2) {
      row.view({}, {}, i).copy_from(Tensor::scalar_int(DType::i64, 1));
    }
  }
  return bits.to(type.dtype).clone(evaluate(type.strides, bindings));
}

void run_sample(const ir::OpInfo& op, const std::string& text) {
  GraphRunner runner;
  const SampleCall sample = parse_sample(op, text, runner.graph());
  Bindings bindings;
  const ExprPool& pool = runner.graph().module().exprs();
  for (SymbolId id = 0; id < pool.symbol_count(); ++id) {
    bindings.set(id, pool.symbol(id).hint.value_or(3));
    runner.bind(id, pool.symbol(id).hint.value_or(3));
  }
  for (const SampleInput& input : sample.inputs) {
    runner.bind(input.value, ones_and_zeros(input.value.tensor(), bindings));
  }
  ir::Node* node = runner.graph().create(op, sample.arguments);
  for (const ir::Value& output : node->outputs()) {
    if (output.is_tensor()) runner.evaluate(output);
  }
}

class DtypeSweep : public ::testing::TestWithParam<const char*> {};

TEST_P(DtypeSweep, RunsOrRefuses) {
  for (const ir::OpInfo* op : test_ops()->all()) {
    const OpDef& op_definition = definition(*op);
    if (op->functional != nullptr) continue;
    if (!std::holds_alternative<Pointwise>(op_definition.impl) &&
        !std::holds_alternative<Reduction>(op_definition.impl)) {
      continue;
    }
    for (const std::string& sample : sample_texts(*op)) {
      const std::string text =
          replace_all(replace_all(sample, "f32[", std::string(GetParam()) + "["), "i64[",
                      std::string(GetParam()) + "[");
      try {
        run_sample(*op, text);
      } catch (const Error& error) {
        EXPECT_NE(error.code(), ErrorCode::internal) << op->name() << text << "\n" << error.what();
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Dtypes, DtypeSweep,
                         ::testing::Values("bool", "u8", "i8", "i16", "i32", "i64", "f16", "bf16",
                                           "f64", "c64", "c128"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace litz::ops
