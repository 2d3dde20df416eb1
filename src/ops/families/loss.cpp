// Elementwise losses: squared and absolute errors, cross entropies of probabilities, divergences
// and margins, with a reduction over all elements.
//
// A reduced loss is one nest. Every term is rounded to the result's dtype before the sum, as if the
// terms were a separate tensor.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/loss_reduction.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

std::vector<TensorType> tensor_operands(const Call& call) {
  std::vector<TensorType> types;
  for (const ir::SchemaArgument& argument : call.op().schema.arguments) {
    if (call.is_tensor(argument.name)) types.push_back(call.type(argument.name));
  }
  return types;
}

enum class Integers : uint8_t { refused, as_f32 };

template <Integers kIntegers>
TensorType loss_meta(const Call& call) {
  const std::vector<TensorType> operands = tensor_operands(call);
  const DType promoted = promoted_dtype(operands);
  const DType dtype = kIntegers == Integers::as_f32 ? floating_dtype(promoted) : promoted;
  require(!is_complex(dtype), ErrorCode::unsupported,
          "this loss takes real numbers:", call.op().name(), name(dtype));
  require(is_floating(dtype), "this loss is for floating dtypes only:", call.op().name(),
          name(dtype));
  // Halves are computed in f32.
  TensorType terms = elementwise_in(compute_dtype(dtype), operands);
  terms.dtype = dtype;
  return loss_reduction(call) == LossReduction::none ? terms
                                                     : contiguous_type(dtype, {}, terms.device);
}

// The result has self's dtype, whatever the targets have.
TensorType own_dtype_meta(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require(is_floating(dtype), "this loss is for floating dtypes only:", call.op().name(),
          name(dtype));
  TensorType type = loss_meta<Integers::refused>(call);
  type.dtype = dtype;
  return type;
}

// Losses that are not reduced have the layout of the steps by which exported programs state them.
TensorType laid_out(const Call& call, TensorType type, const TensorType& steps) {
  if (loss_reduction(call) == LossReduction::none) type.strides = steps.strides;
  return type;
}

// What a function of one operand has.
TensorType dense_type(const Call& call, std::string_view name) {
  return elementwise_type(compute_dtype(promoted_dtype(call)), call, {name});
}

TensorType step_type(const Call& call, const TensorType& a, const TensorType& b) {
  return joined_type(compute_dtype(promoted_dtype(call)), a, b);
}

// Rejects integer operands. A function of the target, and its product with self.
TensorType divergence_meta(const Call& call) {
  for (const TensorType& operand : tensor_operands(call)) {
    require(is_floating(operand.dtype), "this loss is for floating dtypes only:", call.op().name(),
            name(operand.dtype));
  }
  const TensorType product = step_type(call, call.type("target"), call.type("self"));
  return laid_out(call, loss_meta<Integers::refused>(call),
                  step_type(call, dense_type(call, "target"), product));
}

// One element of every argument, broadcast, in the compute dtype.
class LossElement {
 public:
  LossElement(NestCall& call, DType compute, Exprs index)
      : call_(call), compute_(compute), index_(index) {}

  Scalar operator[](std::string_view name) const {
    return call_.builder().cast(element(name), compute_);
  }

  /// An element less 1, in its own dtype: the number before the least integer is the largest one.
  Scalar less_one(std::string_view name) const {
    if (!is_integer(call_.type(name).dtype)) return (*this)[name] - 1;
    return call_.builder().cast(element(name) - 1, compute_);
  }

  /// The product of two arguments in their own dtype, in which integers wrap.
  Scalar product(std::string_view a, std::string_view b) const {
    const DType dtype = promoted_dtype(std::array{call_.type(a), call_.type(b)});
    if (!is_integer(dtype)) return (*this)[a] * (*this)[b];
    KernelBuilder& builder = call_.builder();
    return builder.cast(builder.cast(element(a), dtype) * builder.cast(element(b), dtype),
                        compute_);
  }

  const NestCall& call() const { return call_; }

  /// The value rounded as in a tensor of the result's dtype.
  Scalar rounded(Scalar value) const {
    KernelBuilder& b = call_.builder();
    return b.cast(b.cast(value, result()), compute_);
  }

  Scalar constant(double value) const { return call_.builder().constant(compute_, value); }

  DType compute() const { return compute_; }

  DType result() const { return call_.result().dtype; }

 private:
  Scalar element(std::string_view name) const {
    const TensorType& type = call_.type(name);
    const size_t skipped = index_.size() - type.rank();
    IndexVector index;
    for (size_t i = 0; i < type.rank(); ++i) {
      index.emplace_back(type.sizes[i].is(1) ? Expr(0) : index_[skipped + i]);
    }
    return call_.builder().load(call_.in(name), index);
  }

  NestCall& call_;
  DType compute_;
  Exprs index_;
};

enum class Terms : uint8_t { promoted, of_self };  // The dtype in which terms are computed.

template <Scalar (*kTerm)(const LossElement&), Terms kTerms = Terms::promoted>
void loss_nest(NestCall& call) {
  const std::vector<TensorType> operands = tensor_operands(call);
  const Sizes sizes = elementwise_type(DType::f32, operands).sizes;
  const DType terms = kTerms == Terms::of_self ? call.type("self").dtype : promoted_dtype(operands);
  const DType compute = compute_dtype(floating_dtype(terms));
  reduce_loss(call, sizes, [&](Exprs index) { return kTerm(LossElement(call, compute, index)); });
}

Scalar squared_error(const LossElement& at) {
  const Scalar difference = at["self"] - at["target"];
  return difference * difference;
}

// PyTorch's kernels of these two losses round every step to one of the halves and compute in f32 for
// the other.
Scalar smooth_l1(const LossElement& at) {
  const auto step = [&](Scalar x) { return at.result() == DType::f16 ? at.rounded(x) : x; };
  const Scalar size = step(abs(at["self"] - at["target"]));
  const double number = at.call().real("beta");
  require(number >= 0, "smooth_l1_loss needs a beta that is not negative:", number);
  if (number == 0) return size;
  const Scalar beta = step(at.constant(number));
  return select(size < beta, step(0.5 * size * size) / beta, size - step(0.5 * beta));
}

Scalar huber(const LossElement& at) {
  const auto step = [&](Scalar x) { return at.result() == DType::bf16 ? at.rounded(x) : x; };
  const Scalar size = step(abs(at["self"] - at["target"]));
  const double number = at.call().real("delta");
  require(number > 0, "huber_loss needs a positive delta:", number);
  const Scalar delta = step(at.constant(number));
  const Scalar square = step(0.5 * size) * size;
  return select(size <= delta, square, delta * step(size - step(0.5 * delta)));
}

Scalar weighted(const LossElement& at, Scalar loss) {
  return at.call().has("weight") ? loss * at["weight"] : loss;
}

// 0 for a probability; otherwise fails the call.
Scalar checked_probability(const LossElement& at, Scalar x, const char* name) {
  KernelBuilder& b = x.builder();
  const Scalar is_outside = !((x >= 0) & (x <= 1));
  const Scalar found = b.bound_index(b.cast(is_outside, DType::i64), 1, false,
                                     std::string(name) +
                                         " of binary_cross_entropy is between 0 "
                                         "and 1; whether an element is not");
  return b.cast(found, at.compute());
}

Scalar binary_cross_entropy(const LossElement& at) {
  const Scalar x = at["self"] + checked_probability(at, at["self"], "self");
  const Scalar target = at["target"] + checked_probability(at, at["target"], "target");
  // Logarithms are clamped to -100, which keeps the loss of wrong certainties finite.
  constexpr double kLowest = -100;
  const Scalar loss = (target - 1) * max(log1p(-x), kLowest) - target * max(log(x), kLowest);
  return weighted(at, loss);
}

Scalar log_sigmoid(Scalar x) { return min(x, 0.0) - log1p(exp(-abs(x))); }

Scalar binary_cross_entropy_with_logits(const LossElement& at) {
  const Scalar x = at["self"];
  const Scalar target = at["target"];
  Scalar certainty = log_sigmoid(x);
  if (at.call().has("pos_weight")) {
    certainty = certainty * (at.less_one("pos_weight") * target + 1);
  }
  return weighted(at, (1 - target) * x - certainty);
}

// Rounds every step: the terms cancel, which is visible in sums of halves.
Scalar kl_divergence(const LossElement& at) {
  const Scalar x = at["self"];
  const Scalar target = at["target"];
  if (at.call().flag("log_target")) return at.rounded(exp(target)) * at.rounded(target - x);
  // 0 log 0 is 0, but NaN stays.
  const Scalar entropy = select(target == 0, 0.0, target * log(target));
  return at.rounded(entropy) - at.rounded(target * x);
}

TensorType soft_margin_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(broadcast_sizes(self.sizes, call.type("target").sizes) == self.sizes,
          "soft_margin_loss takes targets that broadcast to self:", call.type("target"), self);
  return laid_out(call, own_dtype_meta(call), dense_type(call, "self"));
}

// Rounds every step: intermediate halves overflow, which is visible in the result.
Scalar soft_margin(const LossElement& at) {
  return log1p(at.rounded(exp(at.rounded(-(at["self"] * at["target"])))));
}

TensorType hinge_embedding_meta(const Call& call) {
  // Self is chosen by a comparison of the target, both in layouts of their own.
  return laid_out(call, own_dtype_meta(call),
                  step_type(call, dense_type(call, "target"), dense_type(call, "self")));
}

Scalar hinge_embedding(const LossElement& at) {
  const Scalar x = at["self"];
  const Scalar target = at["target"];
  const Scalar margin = max(at.call().real("margin") - x, 0.0);
  return select(target != 1, margin, 0.0) + select(target != -1, x, 0.0);
}

// A function of the input less its product with the target, or the other way round.
TensorType poisson_nll_meta(const Call& call) {
  const TensorType& input = call.type("input");
  const TensorType& target = call.type("target");
  const TensorType dense = dense_type(call, "input");
  const TensorType steps = call.flag("log_input")
                               ? step_type(call, dense, step_type(call, target, input))
                               : step_type(call, input, step_type(call, target, dense));
  return laid_out(call, loss_meta<Integers::as_f32>(call), steps);
}

Scalar poisson_nll(const LossElement& at) {
  const Scalar x = at["input"];
  const Scalar target = at["target"];
  Scalar loss = at.call().flag("log_input") ? exp(x) - at.product("target", "input")
                                            : x - target * log(x + at.call().real("eps"));
  if (at.call().flag("full")) {
    // Stirling's formula for the logarithm of the target's factorial.
    const Scalar stirling =
        target * log(target) - target + 0.5 * log(target * (2 * std::numbers::pi));
    loss = loss + select(target <= 1, 0.0, stirling);
  }
  return loss;
}

// --- losses decomposed into other operators ---

Value reduced(const DecomposeCall& call, Value terms) {
  switch (loss_reduction(call)) {
    case LossReduction::none:
      return terms;
    case LossReduction::mean:
      return call.aten("mean", {terms});
    case LossReduction::sum:
      return call.aten("sum", {terms});
  }
  return terms;
}

TensorType l1_meta(const Call& call) {
  TensorType type = elementwise_in(promoted_dtype(call), tensor_operands(call));
  const LossReduction reduction = loss_reduction(call);
  type.dtype = real_dtype(type.dtype);
  require(is_floating(type.dtype) || reduction != LossReduction::mean,
          "the mean of an l1_loss needs a floating dtype, got", name(type.dtype));
  if (reduction == LossReduction::none) return type;
  return contiguous_type(is_floating(type.dtype) ? type.dtype : DType::i64, {}, type.device);
}

std::vector<Value> l1(DecomposeCall& call) {
  const Value difference = call.aten("sub.Tensor", {call["self"], call["target"]});
  return {reduced(call, call.aten("abs", {difference}))};
}

// The shape of the targets of a cosine embedding, or of a distance of a triplet.
TensorType row_loss_type(const Call& call, std::initializer_list<std::string_view> names,
                         Sizes terms) {
  const DType dtype = floating_dtype(promoted_dtype(call, names));
  if (loss_reduction(call) != LossReduction::none) terms.clear();
  return contiguous_type(dtype, std::move(terms), call.type(*names.begin()).device);
}

TensorType cosine_embedding_meta(const Call& call) {
  const TensorType& target = call.type("target");
  require(target.rank() <= 1 && call.type("input1").rank() == target.rank() + 1 &&
              call.type("input2").rank() == target.rank() + 1,
          "cosine_embedding_loss takes vectors with one target, or a matrix with one a row:",
          call.type("input1"), call.type("input2"), target);
  return row_loss_type(call, {"input1", "input2"}, target.sizes);
}

std::vector<Value> cosine_embedding(DecomposeCall& call) {
  const Expr dim(static_cast<int64_t>(call.type("target").rank()));
  const auto product = [&](std::string_view a, std::string_view b) {
    return call.aten("sum.dim_IntList", {call.aten("mul.Tensor", {call[a], call[b]}),
                                         ir::Attribute(ir::Scalars{dim}), Expr::boolean(false)});
  };
  // Keeps the cosine of a zero vector finite.
  const Expr tiny = Expr::real(1e-12);
  const Value square1 = call.aten("add.Scalar", {product("input1", "input1"), tiny});
  const Value square2 = call.aten("add.Scalar", {product("input2", "input2"), tiny});
  const Value length = call.aten("sqrt", {call.aten("mul.Tensor", {square1, square2})});
  const Value cosine = call.aten("div.Tensor", {product("input1", "input2"), length});
  const Value apart = call.aten("rsub.Scalar", {cosine, Expr(1)});
  const Value close =
      call.aten("clamp_min", {call.aten("sub.Scalar", {cosine, call.pass("margin")}), Expr(0)});
  const auto where_target_is = [&](int64_t label, Value loss) {
    const Value chosen = call.aten("eq.Scalar", {call["target"], Expr(label)});
    return call.aten("where.ScalarOther", {chosen, loss, Expr(0)});
  };
  const Value terms =
      call.aten("add.Tensor", {where_target_is(1, apart), where_target_is(-1, close)});
  return {reduced(call, terms)};
}

// Computes in the operands' dtype, where integers overflow, up to the margin.
std::vector<Value> margin_ranking(DecomposeCall& call) {
  const Value difference = call.aten("sub.Tensor", {call["input1"], call["input2"]});
  const Value lead = call.aten("mul.Tensor", {call.aten("neg", {call["target"]}), difference});
  const Value lack = call.aten("add.Scalar", {lead, Expr::real(call.real("margin"))});
  return {reduced(call, call.aten("clamp_min", {lack, Expr(0)}))};
}

TensorType triplet_meta(const Call& call) {
  const Sizes shapes[] = {call.type("anchor").sizes, call.type("positive").sizes,
                          call.type("negative").sizes};
  Sizes rows = broadcast_sizes(shapes);
  for (const Sizes& shape : shapes) {
    require(shape.size() == rows.size(),
            "triplet_margin_loss compares tensors of one rank:", shape.size(), rows.size());
  }
  require(!rows.empty(), "triplet_margin_loss compares vectors, not single numbers");
  rows.pop_back();
  TensorType type = row_loss_type(call, {"anchor", "positive", "negative"}, std::move(rows));
  type.dtype = real_dtype(type.dtype);
  return type;
}

std::vector<Value> triplet(DecomposeCall& call) {
  const auto distance = [&](std::string_view a, std::string_view b) {
    return call.aten("pairwise_distance", {call[a], call[b], call.pass("p"), call.pass("eps")});
  };
  const Value near = distance("anchor", "positive");
  Value far = distance("anchor", "negative");
  if (call.flag("swap")) {
    far = call.aten("minimum", {far, distance("positive", "negative")});
  }
  const Value excess = call.aten(
      "sub.Tensor", {call.aten("add.Scalar", {near, Expr::real(call.real("margin"))}), far});
  return {reduced(call, call.aten("clamp_min", {excess, Expr(0)}))};
}

constexpr std::array kPairCalls{"(f32[2, 3], f32[2, 3])"sv, "(f32[s0, 3], f32[3], reduction=1)"sv,
                                "(bf16[s0, 4], bf16[s0, 4], reduction=0)"sv};
constexpr std::array kBinaryCalls{"(f32[2, 3], f32[2, 3], f32[2, 3])"sv, "(f32[4], f32[4])"sv};
constexpr std::array kLogitCalls{"(f32[2, 3], f32[2, 3], f32[3], f32[3])"sv,
                                 "(f32[4], f32[4], reduction=0)"sv};
constexpr std::array kDivergenceCalls{"(f32[2, 3], f32[2, 3])"sv,
                                      "(f32[4], f32[4], log_target=True)"sv};
constexpr std::array kRankingCalls{"(f32[2, 3], f32[2, 3], f32[3], margin=0.5)"sv,
                                   "(i64[4], i64[4], i64[4])"sv};
constexpr std::array kPoissonCalls{"(f32[4], f32[4], True, True, 1e-08, 1)"sv,
                                   "(f32[4], f32[4], False, False, 1e-08, 0)"sv};
constexpr std::array kEmbeddingCalls{"(f32[2, 3], f32[2, 3], i64[2] in [0, 2))"sv,
                                     "(f32[s0, 3], f32[s0, 3], i64[s0] in [0, 2))"sv};
constexpr std::array kTripletCalls{
    "(f32[2, 3], f32[2, 3], f32[2, 3])"sv,
    "(f32[s0, 3], f32[s0, 3], f32[s0, 3], swap=True, reduction=0)"sv};

// Requires the last sizes of a type.
void require_tail(const Call& call, const TensorType& type, const Sizes& sizes, const char* text) {
  require(sizes.size() <= type.rank(), text, type);
  const size_t first = type.rank() - sizes.size();
  for (size_t d = 0; d < sizes.size(); ++d) {
    call.require_sizes(eq(type.sizes[first + d], sizes[d]), text, type, sizes[d]);
  }
}

// PyTorch's kernel matches the sizes that are not 1, and weighs its losses in place.
TensorType probability_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const TensorType& target = call.type("target");
  constexpr const char* kText = "binary_cross_entropy: targets have the sizes of the scores:";
  const auto is_one = [](const Expr& size) { return size.is(1); };
  const auto first = std::ranges::find_if_not(target.sizes, is_one);
  require_tail(call, self, Sizes(first, target.sizes.end()), kText);
  if (call.has("weight")) {
    const Sizes weighted = broadcast_sizes(self.sizes, call.type("weight").sizes);
    require(weighted.size() == self.rank(), kText, self, call.type("weight"));
    require_tail(call, self, weighted, kText);
  }
  require_same_dtypes(call, {"self", "target"});
  // The target times a logarithm of self.
  TensorType steps = step_type(call, call.type("target"), dense_type(call, "self"));
  if (call.has("weight")) steps = step_type(call, steps, call.type("weight"));
  return laid_out(call, own_dtype_meta(call), steps);
}

// Logarithms are multiplied in place, so operands expand to the target.
TensorType logit_meta(const Call& call) {
  const TensorType& target = call.type("target");
  std::vector<Sizes> shapes;
  for (const TensorType& operand : tensor_operands(call)) shapes.push_back(operand.sizes);
  const Sizes sizes = broadcast_sizes(shapes);
  const char* const text = "binary_cross_entropy_with_logits: operands expand to the target:";
  require(sizes.size() == target.rank(), text, target);
  for (size_t d = 0; d < sizes.size(); ++d) {
    call.require_sizes(eq(sizes[d], target.sizes[d]), text, target, "dimension", d, "must be",
                       sizes[d]);
  }
  // Those of the scores are multiplied with the weights of positives.
  if (call.has("pos_weight")) {
    const TensorType& self = call.type("self");
    const Sizes weighted = broadcast_sizes(sizes, self.sizes);
    require(weighted.size() == self.rank(), text, self);
    require_tail(call, self, weighted, text);
  }
  // They are computed in place of the target.
  TensorType type = loss_meta<Integers::refused>(call);
  require(is_floating(target.dtype), text, target);
  type.dtype = target.dtype;
  return laid_out(call, type, dense_type(call, "target"));
}

constexpr OpDef element_loss(ir::SchemaText schema, std::string_view doc, void (*nest)(NestCall&),
                             std::span<const std::string_view> calls, double lo = -4, double hi = 4,
                             Meta meta = loss_meta<Integers::refused>) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = LoopNest{nest},
          .samples = {.lo = lo, .hi = hi, .calls = calls}};
}

constexpr std::array kOps{
    element_loss("aten.binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int "
                 "reduction=1) -> Tensor",
                 "Cross entropy of probabilities of yes; logarithms count as at least -100.",
                 loss_nest<binary_cross_entropy>, kBinaryCalls, 0.05, 0.95, probability_meta),
    element_loss("aten.binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? "
                 "weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor",
                 "Cross entropy of the logits of yes; pos_weight multiplies the yes part.",
                 loss_nest<binary_cross_entropy_with_logits>, kLogitCalls, -4, 4, logit_meta),
    OpDef{.schema = "aten.cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float "
                    "margin=0.0, int reduction=1) -> Tensor",
          .doc = "1 - cosine where the target is 1, cosine above the margin where it is -1.",
          .meta = cosine_embedding_meta,
          .impl = Decompose{cosine_embedding},
          .samples = {.calls = kEmbeddingCalls}},
    element_loss("aten.hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int "
                 "reduction=1) -> Tensor",
                 "Self where the target is 1, what is short of the margin where it is -1.",
                 loss_nest<hinge_embedding, Terms::of_self>, kPairCalls, -4, 4,
                 hinge_embedding_meta),
    element_loss("aten.huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.0) "
                 "-> Tensor",
                 "Half the squared error up to delta, linear beyond.", loss_nest<huber>, kPairCalls,
                 -4, 4, own_dtype_meta),
    element_loss("aten.kl_div(Tensor self, Tensor target, int reduction=1, *, bool "
                 "log_target=False) -> Tensor",
                 "Divergence of the target from probabilities given by their logarithms.",
                 loss_nest<kl_divergence>, kDivergenceCalls, 0.05, 0.95, divergence_meta),
    OpDef{.schema = "aten.l1_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
          .doc = "Absolute error.",
          .meta = l1_meta,
          .impl = Decompose{l1},
          .samples = {.calls = kPairCalls}},
    composite("aten.margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float "
              "margin=0.0, int reduction=1) -> Tensor",
              "How far input1 is from leading input2 by the margin, in the target's direction.",
              margin_ranking, {.calls = kRankingCalls}),
    element_loss("aten.mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                 "Squared error.", loss_nest<squared_error>, kPairCalls),
    element_loss("aten.poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, "
                 "float eps, int reduction) -> Tensor",
                 "Negative logarithm of a Poisson probability; full adds Stirling's term.",
                 loss_nest<poisson_nll>, kPoissonCalls, 0.1, 4, poisson_nll_meta),
    element_loss("aten.smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float "
                 "beta=1.0) -> Tensor",
                 "Squared error up to beta, absolute error beyond.", loss_nest<smooth_l1>,
                 kPairCalls),
    element_loss("aten.soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor",
                 "log(1 + exp(-self * target)).", loss_nest<soft_margin>, kPairCalls, -4, 4,
                 soft_margin_meta),
    OpDef{.schema = "aten.triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, "
                    "float margin=1.0, float p=2.0, float eps=1e-06, bool swap=False, int "
                    "reduction=1) -> Tensor",
          .doc = "How far the negative is from being farther than the positive by the margin.",
          .meta = triplet_meta,
          .impl = Decompose{triplet},
          .samples = {.calls = kTripletCalls}},
};

}  // namespace

std::span<const OpDef> loss_ops() { return kOps; }

}  // namespace litz::ops
