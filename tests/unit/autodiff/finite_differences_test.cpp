// Gradients by value: of small programs, and of every operator by finite differences.

#include <algorithm>
#include <array>
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "autodiff/reverse.h"
#include "compiler/execution/run_graph.h"
#include "ir/parser.h"
#include "ops/gradients/gradient_table.h"
#include "ops/op_table.h"
#include "ops/samples.h"
#include "passes/differentiable_form.h"
#include "passes/pass_driver.h"
#include "support/check.h"
#include "support/text.h"
#include "types/fill.h"

namespace litz::autodiff {
namespace {

using ::testing::DoubleNear;
using ::testing::Pointwise;

const std::shared_ptr<const ops::OpTable>& table() {
  static const std::shared_ptr<const ops::OpTable> ops = ops::standard_ops();
  return ops;
}

Tensor doubles(std::vector<int64_t> sizes, std::initializer_list<double> values) {
  return Tensor::of<double>(DType::f64, std::move(sizes), values);
}

std::vector<double> values(const Tensor& tensor) {
  const Tensor dense = tensor.to(DType::f64).contiguous();
  const auto* data = reinterpret_cast<const double*>(dense.data());
  return {data, data + dense.numel()};
}

void make_differentiable(ir::Module& module) {
  passes::PassContext context;
  passes::run_pipeline(passes::differentiable_pipeline(), module, context);
}

// The derivative of the given order of the sum of the result, by the first input.
std::vector<double> derivative(std::string_view text, const std::vector<Tensor>& inputs,
                               int order) {
  const auto module = ir::read_module(text, table());
  ir::Graph& graph = *module->find_graph("main");
  size_t output = 0;
  for (int k = 0; k < order; ++k) {
    make_differentiable(*module);
    output =
        *add_gradients(graph, {.inputs = {0}, .outputs = {output}, .cotangents = Cotangents::ones})
             .gradients[0];
  }
  return values(compiler::run_graph(graph, inputs)[output]);
}

TEST(Gradients, ThirdDerivatives) {
  constexpr const char* kText =
      "graph @main(%x: f64[2]) -> (f64[2]) {\n"
      "  %y = aten.pow.Tensor_Scalar(%x, 4)\n"
      "  return %y\n"
      "}\n";
  const Tensor x = doubles({2}, {1, 2});
  EXPECT_THAT(derivative(kText, {x}, 1), Pointwise(DoubleNear(1e-12), {4.0, 32.0}));
  EXPECT_THAT(derivative(kText, {x}, 2), Pointwise(DoubleNear(1e-12), {12.0, 48.0}));
  EXPECT_THAT(derivative(kText, {x}, 3), Pointwise(DoubleNear(1e-12), {24.0, 48.0}));
}

TEST(Gradients, WritesThroughViews) {
  // The first row is overwritten, so only the second one has a gradient.
  EXPECT_THAT(derivative("graph @main(%x: f64[2, 2], %y: f64[2]) -> (f64[2, 2]) {\n"
                         "  %c = aten.clone(%x)\n"
                         "  %v = aten.select.int(%c, 0, 0)\n"
                         "  %w = aten.copy_(%v, %y)\n"
                         "  %s = aten.square(%c)\n"
                         "  return %s\n"
                         "}\n",
                         {doubles({2, 2}, {1, 2, 3, 4}), doubles({2}, {5, 6})}, 1),
              Pointwise(DoubleNear(1e-12), {0.0, 0.0, 6.0, 8.0}));
}

TEST(Gradients, ZerosInProducts) {
  EXPECT_THAT(derivative("graph @main(%x: f64[3]) -> (f64[]) {\n"
                         "  %p = aten.prod(%x)\n"
                         "  return %p\n"
                         "}\n",
                         {doubles({3}, {2, 0, 3})}, 1),
              Pointwise(DoubleNear(1e-12), {0.0, 6.0, 0.0}));
}

TEST(Gradients, EqualExtremesShare) {
  EXPECT_THAT(derivative("graph @main(%x: f64[3]) -> (f64[]) {\n"
                         "  %m = aten.amax(%x)\n"
                         "  return %m\n"
                         "}\n",
                         {doubles({3}, {2, 1, 2})}, 1),
              Pointwise(DoubleNear(1e-12), {0.5, 0.0, 0.5}));
}

// --- Finite differences of the sample calls, in double precision.

bool is_double(const ir::Value value) {
  return value.is_tensor() && value.tensor().dtype == DType::f64;
}

struct SampleGraph {
  std::unique_ptr<ir::Module> module = std::make_unique<ir::Module>(table());
  ir::Graph* graph = &module->add_graph("main");
  std::vector<ops::SampleInput> inputs;
  Request request;

  SampleGraph(const ir::OpInfo& op, const std::string& text) {
    ops::SampleCall call = ops::parse_sample(op, text, *graph);
    inputs = call.inputs;
    const ir::Node* node = graph->create(op, std::move(call.arguments));
    std::vector<ir::Argument> outputs;
    for (const ir::Value output : node->outputs()) {
      if (!is_double(output)) continue;
      request.outputs.push_back(outputs.size());
      outputs.emplace_back(output);
    }
    graph->set_outputs(std::move(outputs));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (is_double(inputs[i].value)) request.inputs.push_back(i);
    }
  }

  bool has_known_sizes() const {
    const auto is_known = [](ir::Value value) {
      return std::ranges::all_of(value.tensor().sizes, &Expr::is_constant);
    };
    for (const ops::SampleInput& input : inputs) {
      if (!is_known(input.value)) return false;
    }
    for (const ir::Argument& output : graph->outputs()) {
      if (!is_known(output.value())) return false;
    }
    return true;
  }

  bool has_something_to_differentiate() const {
    return !request.inputs.empty() && !request.outputs.empty() && has_known_sizes();
  }

  Tensor fill(size_t i) const {
    const ops::SampleInput& input = inputs[i];
    const TensorType& type = input.value.tensor();
    const std::vector<int64_t> sizes = evaluate(type.sizes, Bindings());
    if (type.dtype != DType::f64) {
      const auto range = static_cast<uint64_t>(std::max(1.0, input.hi - input.lo));
      Tensor integers = fill_integers(DType::i64, sizes, i, range);
      auto* values = reinterpret_cast<int64_t*>(integers.mutable_data());
      for (int64_t k = 0; k < integers.numel(); ++k) values[k] += static_cast<int64_t>(input.lo);
      return integers.to(type.dtype);
    }
    const double half = (input.hi - input.lo) / 2;
    return fill_floats(type.dtype, sizes, i + 1, static_cast<float>(half),
                       static_cast<float>(input.lo + half));
  }
};

double dot(const Tensor& a, const Tensor& b) {
  const std::vector<double> x = values(a);
  const std::vector<double> y = values(b);
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

Tensor moved(const Tensor& x, const Tensor& direction, double step) {
  Tensor result = Tensor::empty(DType::f64, x.sizes());
  const std::vector<double> from = values(x);
  const std::vector<double> along = values(direction);
  auto* to = reinterpret_cast<double*>(result.mutable_data());
  for (size_t i = 0; i < from.size(); ++i) to[i] = from[i] + step * along[i];
  return result;
}

// The sample call, or its gradients: those of the sum of its results, and so on.
SampleGraph sample_of(const ir::OpInfo& op, const std::string& text, int order) {
  SampleGraph sample(op, text);
  for (int k = 1; k < order; ++k) {
    make_differentiable(*sample.module);
    sample.request.cotangents = Cotangents::ones;
    const Joint joint = add_gradients(*sample.graph, sample.request);
    std::vector<ir::Argument> outputs;
    for (const std::optional<size_t> gradient : joint.gradients) {
      if (gradient) outputs.push_back(sample.graph->outputs()[*gradient]);
    }
    sample.request = {.inputs = sample.request.inputs};
    for (size_t i = 0; i < outputs.size(); ++i) sample.request.outputs.push_back(i);
    sample.graph->set_outputs(std::move(outputs));
  }
  return sample;
}

// Compares the slope of the loss along a random direction with the gradients.
void check_sample(const ir::OpInfo& op, const std::string& text, int order) {
  constexpr uint64_t kDirections = 100;
  constexpr uint64_t kWeights = 200;
  constexpr double kStep = 1e-5;
  SampleGraph joint = sample_of(op, text, order);
  make_differentiable(*joint.module);
  const Joint added = add_gradients(*joint.graph, joint.request);

  std::vector<Tensor> inputs;
  for (size_t i = 0; i < joint.inputs.size(); ++i) inputs.push_back(joint.fill(i));
  std::vector<Tensor> weights;
  for (const size_t i : added.cotangents) {
    const std::vector<int64_t> sizes = evaluate(joint.graph->input(i).tensor().sizes, Bindings());
    weights.push_back(fill_floats(DType::f64, sizes, kWeights + i, 1, 0));
  }
  std::vector<Tensor> all = inputs;
  all.insert(all.end(), weights.begin(), weights.end());
  const std::vector<Tensor> results = compiler::run_graph(*joint.graph, all);

  double expected = 0;
  std::vector<Tensor> directions(inputs.size());
  for (size_t k = 0; k < joint.request.inputs.size(); ++k) {
    const size_t i = joint.request.inputs[k];
    directions[i] = fill_floats(DType::f64, inputs[i].sizes(), kDirections + i, 1, 0);
    if (added.gradients[k]) expected += dot(results[*added.gradients[k]], directions[i]);
  }
  const auto loss_at = [&](double step) {
    SampleGraph forward = sample_of(op, text, order);
    std::vector<Tensor> points = inputs;
    for (const size_t i : joint.request.inputs) points[i] = moved(inputs[i], directions[i], step);
    const std::vector<Tensor> outputs = compiler::run_graph(*forward.graph, points);
    double loss = 0;
    for (size_t k = 0; k < outputs.size(); ++k) loss += dot(outputs[k], weights[k]);
    return loss;
  };
  const double above = loss_at(kStep);
  const double below = loss_at(-kStep);
  const double slope = (above - below) / (2 * kStep);
  if (!std::isfinite(slope)) return;
  EXPECT_NEAR(expected, slope, 1e-5 * (1 + std::abs(slope) + std::abs(above)));
}

std::string in_double_precision(std::string text) {
  for (const std::string_view dtype : {"bf16[", "f32[", "f16["}) {
    for (size_t at = text.find(dtype); at != std::string::npos; at = text.find(dtype)) {
      text.replace(at, dtype.size(), "f64[");
    }
  }
  return text;
}

bool is_checked(const ir::OpInfo& op) {
  if (ops::functional_form(op) != nullptr || ir::has(op.traits, ir::Trait::random)) return false;
  const ops::Gradient* gradient = ops::find_gradient(op.name());
  const bool is_defined = std::holds_alternative<ops::Decompose>(ops::definition(op).impl);
  return gradient != nullptr ? gradient->kind == ops::GradientKind::formula : is_defined;
}

// Samples whose gradient is another one by convention, as in PyTorch.
constexpr std::array<std::string_view, 31> kConventions{
    // Statistics and factors besides the result count as constants.
    "aten._linalg_solve_ex", "aten._native_batch_norm_legit",
    "aten._native_batch_norm_legit.no_stats", "aten._native_batch_norm_legit_functional",
    "aten.native_batch_norm", "aten.native_layer_norm", "aten.native_layer_norm_backward",
    // Symmetric and triangular matrices: the other triangle is not read.
    "aten._linalg_eigh", "aten.cholesky_inverse", "aten.cholesky_solve", "aten.linalg_eigh",
    "aten.linalg_eigvalsh", "aten.linalg_matrix_sqrth",
    // Which of several writes to a place wins is not known.
    "aten._unsafe_index_put", "aten.index_copy", "aten.index_put", "aten.scatter.src",
    "litz.index_put",
    // Full matrices have columns that nothing determines.
    "aten.linalg_svd", "aten.svd",
    // Rounding counts as the identity, and the buffer belongs to another operand.
    "aten._fake_quantize_learnable_per_channel_affine",
    "aten._fake_quantize_learnable_per_tensor_affine",
    "aten._fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
    "aten.fake_quantize_per_channel_affine", "aten.fake_quantize_per_channel_affine_cachemask",
    "aten.fake_quantize_per_tensor_affine", "aten.fake_quantize_per_tensor_affine.tensor_qparams",
    "aten.fake_quantize_per_tensor_affine_cachemask", "aten.log_sigmoid_backward",
    // Corners of regions are not differentiated.
    "torchvision.ps_roi_align", "torchvision.roi_align"};

// True for a sample that runs in double precision and has something to differentiate.
bool can_run(const ir::OpInfo& op, const std::string& text) {
  try {
    SampleGraph sample(op, text);
    if (!sample.has_something_to_differentiate()) return false;
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < sample.inputs.size(); ++i) inputs.push_back(sample.fill(i));
    compiler::run_graph(*sample.graph, inputs);
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Returns how many samples have derivatives of this order.
int check_samples(int order) {
  int checked = 0;
  for (const ir::OpInfo* op : table()->all()) {
    if (!is_checked(*op)) continue;
    if (std::ranges::find(kConventions, op->name()) != kConventions.end()) continue;
    for (const std::string& sample : ops::sample_texts(*op)) {
      const std::string text = in_double_precision(sample);
      SCOPED_TRACE(std::string(op->name()) + text);
      if (!can_run(*op, text)) continue;
      try {
        check_sample(*op, text, order);
        ++checked;
      } catch (const InternalError& error) {
        ADD_FAILURE() << error.what();
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::unsupported) << error.what();
      }
    }
  }
  return checked;
}

TEST(Gradients, AgreeWithFiniteDifferences) { EXPECT_GT(check_samples(1), 900); }

TEST(Gradients, OfGradientsAgreeWithFiniteDifferences) { EXPECT_GT(check_samples(2), 700); }

TEST(Gradients, BelongToOperatorsOfTheTable) {
  for (const std::span<const ops::Gradient> family : ops::all_gradients()) {
    for (const ops::Gradient& row : family) {
      for (const std::string_view name : split(row.ops, ' ')) {
        EXPECT_NE(table()->find(name), nullptr) << name;
      }
    }
  }
}

}  // namespace
}  // namespace litz::autodiff
