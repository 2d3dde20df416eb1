// Random numbers with tensor parameters, which are checked at run time. Also choices among
// categories, and, through library calls, numbers that need a varying number of draws.

#include <array>

#include "ops/bodies.h"
#include "ops/families/random_families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Attribute;
using ir::Value;

constexpr ir::Trait kRandom = ir::Trait::random;

void assert_all(DecomposeCall& call, Value condition, const std::string& message) {
  call.graph().create("aten._assert_async.msg",
                      {call.aten("all", {condition}), Attribute(message)});
}

// Draws numbers of `op` with the result's shape.
Value drawn(DecomposeCall& call, std::string_view op, DType dtype) {
  const TensorType& type = call.result();
  return call.aten(
      op, {Attribute(ir::Scalars(type.sizes)), Attribute(dtype), {}, Attribute(type.device)});
}

// --- bernoulli and normal ---

void require_real(const Call& call, std::string_view argument) {
  if (!call.is_tensor(argument)) return;
  const DType dtype = call.type(argument).dtype;
  require(is_floating(dtype), "parameters of this distribution are real:", call.op().name(),
          argument, name(dtype));
}

TensorType bernoulli_meta(const Call& call) {
  require_real(call, "self");
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, self.sizes, self.device);
}

TensorType bernoulli_tensor_meta(const Call& call) {
  require_real(call, "p");
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, MemoryFormat::preserve);
}

std::vector<Value> bernoulli_nodes(DecomposeCall& call) {
  const Value given = call[call.op().schema.find("p") >= 0 ? "p" : "self"];
  const DType dtype = compute_dtype(given.tensor().dtype);
  const Value p = call.to(given, dtype);
  assert_all(call,
             call.aten("logical_and", {call.aten("ge.Scalar", {p, Expr(0)}),
                                       call.aten("le.Scalar", {p, Expr(1)})}),
             "a probability lies in [0, 1]");
  return {call.to(call.aten("lt.Tensor", {drawn(call, "rand", dtype), p}), call.result().dtype)};
}

TensorType normal_meta(const Call& call) {
  std::vector<TensorType> operands;
  for (const std::string_view argument : {"mean"sv, "std"sv}) {
    require_real(call, argument);
    if (call.is_tensor(argument)) operands.push_back(call.type(argument));
  }
  return elementwise_type(promoted_dtype(call, {"mean", "std"}), operands);
}

std::vector<Value> normal_nodes(DecomposeCall& call) {
  const Value deviation = call["std"];
  assert_all(call, call.aten("ge.Scalar", {deviation, Expr(0)}),
             "normal expects all elements of std >= 0.0");
  const Value scaled =
      call.aten("mul.Tensor", {drawn(call, "randn", call.result().dtype), deviation});
  if (call.is_tensor("mean")) return {call.aten("add.Tensor", {scaled, call["mean"]})};
  return {call.aten("add.Scalar", {scaled, Expr::real(call.real("mean"))})};
}

// --- multinomial ---

TensorType multinomial_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 1 || self.rank() == 2,
          "multinomial C1: self must be one list of probabilities, or a list of those:", self);
  require(is_floating(self.dtype), "multinomial C2: probabilities are real:", name(self.dtype));
  const Expr count = call.expr("num_samples");
  call.require_sizes(lt(Expr(0), count), "multinomial C3: there must be samples to draw:", count);
  if (!call.flag("replacement")) {
    call.require_sizes(le(count, self.sizes.back()),
                       "multinomial C4: without replacement, no more can be drawn than there are:",
                       count, self.sizes.back());
  }
  Sizes sizes(self.sizes.begin(), self.sizes.end() - 1);
  sizes.push_back(count);
  return contiguous_type(DType::i64, std::move(sizes), self.device);
}

void assert_distribution(DecomposeCall& call, Value p) {
  const Expr infinity = Expr::real(std::numeric_limits<double>::infinity());
  const Value is_finite = call.aten("lt.Scalar", {p, infinity});
  const Value is_positive = call.aten("ge.Scalar", {p, Expr(0)});
  assert_all(call, call.aten("logical_and", {is_finite, is_positive}),
             "probability tensor contains either `inf`, `nan` or element < 0");
  const Value sums = call.aten("sum.dim_IntList", {p, ir::Scalars{Expr(-1)}});
  assert_all(call, call.aten("gt.Scalar", {sums, Expr(0)}),
             "invalid multinomial distribution (sum of probabilities <= 0)");
}

// Each category gets an exponential waiting time with its own rate; the first ones are drawn.
std::vector<Value> draw_first(DecomposeCall& call, Value p) {
  constexpr double kLeast = 1e-35;  // A wait of 0 would select impossible categories.
  const Value waits = call.aten("clamp_min", {call.aten("exponential", {p}), Expr::real(kLeast)});
  const Value order = call.aten("div.Tensor", {p, waits});
  const Expr count = call.expr("num_samples");
  if (count.is(1)) return {call.aten("argmax", {order, Expr(-1), Expr::boolean(true)})};
  return {call.aten_all("topk", {order, count, Expr(-1)})[1]};
}

// Each sample is the category whose part of the cumulative sum contains a uniform number.
std::vector<Value> draw_shares(DecomposeCall& call, Value p) {
  const Value ends = call.aten("cumsum", {call.to(p, DType::f64), Expr(-1)});
  const Expr categories = call.type("self").sizes.back();
  const Value total = call.aten("slice.Tensor", {ends, Expr(-1), categories - 1, categories});
  const Value places = drawn(call, "rand", DType::f64);
  const Value found = call.aten(
      "searchsorted.Tensor",
      {ends, call.aten("mul.Tensor", {places, total}), Expr::boolean(false), Expr::boolean(true)});
  return {call.aten("clamp_max", {found, categories - 1})};
}

std::vector<Value> multinomial_nodes(DecomposeCall& call) {
  const Value p = call.to(call["self"], compute_dtype(call.type("self").dtype));
  assert_distribution(call, p);
  const bool is_one = call.expr("num_samples").is(1);
  return call.flag("replacement") && !is_one ? draw_shares(call, p) : draw_first(call, p);
}

// --- by library ---

TensorType dense_meta(const Call& call) {
  const TensorType& self = call.type(call.op().schema.arguments[0].name);
  require(is_floating(self.dtype), "parameters of this distribution are real:", call.op().name(),
          name(self.dtype));
  return contiguous_type(self.dtype, self.sizes, self.device);
}

TensorType binomial_meta(const Call& call) {
  const TensorType& count = call.type("count");
  const TensorType& prob = call.type("prob");
  require(count.dtype == prob.dtype,
          "binomial C1: count and prob must have one dtype:", name(count.dtype), name(prob.dtype));
  require(is_floating(count.dtype), "binomial C2: count must be real:", name(count.dtype));
  const std::vector<TensorType> operands{count, prob};
  TensorType type = elementwise_type(count.dtype, operands);
  require(type.sizes == count.sizes, "binomial C3: prob must be broadcastable to count:", count,
          prob);
  return contiguous_type(type.dtype, type.sizes, type.device);
}

constexpr std::array kMultinomialCalls{"(f32[5] in [0.5, 1), 3)"sv, "(f64[2, 5] in [0.5, 1), 1)"sv,
                                       "(f32[2, 3] in [0.5, 1), 7, True)"sv};
constexpr std::array kPositiveCalls{"(f32[2, 3] in [0.5, 20))"sv};
constexpr std::array kBinomialCalls{"(f32[2, 3] in [1, 40), f32[2, 3] in [0, 1))"sv,
                                    "(f32[2, 3] in [1, 40), f32[3] in [0, 1))"sv};
constexpr std::array kUnitCalls{"(f32[2, 3] in [0, 1))"sv};
constexpr std::array kProbabilityCalls{"(i64[2, 3] in [0, 2), f32[3] in [0, 1))"sv};
constexpr std::array kNormalCalls{"(f32[2, 1], f32[3] in [0.5, 1))"sv};
constexpr std::array kDeviationCalls{"(2.0, f32[2, 3] in [0.5, 1))"sv};

constexpr OpDef sampled(ir::SchemaText schema, std::string_view doc, Meta meta,
                        std::string_view function, std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Library{function},
          .traits = kRandom,
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    sampled("aten._sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor",
            "Shares that sum to 1 along the last dimension, self being their concentrations.",
            dense_meta, "sample_dirichlet", kPositiveCalls),
    sampled("aten._standard_gamma(Tensor self, Generator? generator=None) -> Tensor",
            "Gamma distributed numbers of shape self and scale 1.", dense_meta, "sample_gamma",
            kPositiveCalls),
    OpDef{.schema = "aten.bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
          .doc = "1 with probability self, else 0.",
          .meta = bernoulli_meta,
          .impl = Decompose{bernoulli_nodes},
          .traits = kRandom,
          .samples = {.calls = kUnitCalls}},
    OpDef{.schema = "aten.bernoulli.Tensor(Tensor self, Tensor p, *, Generator? generator=None) -> "
                    "Tensor",
          .doc = "1 with probability p, else 0, in the shape of self; p is broadcast.",
          .meta = bernoulli_tensor_meta,
          .impl = Decompose{bernoulli_nodes},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kProbabilityCalls}},
    sampled("aten.binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor",
            "How many of count trials succeed, each with probability prob.", binomial_meta,
            "sample_binomial", kBinomialCalls),
    OpDef{.schema = "aten.multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, "
                    "Generator? generator=None) -> Tensor",
          .doc = "Categories drawn with the probabilities of self, which need not sum to 1.\n"
                 "C1: self is a list, or a list of lists. C2: self is real. C3: num_samples is "
                 "positive. C4: without replacement, it is no more than there are.",
          .meta = multinomial_meta,
          .impl = Decompose{multinomial_nodes},
          .traits = kRandom,
          .samples = {.calls = kMultinomialCalls}},
    OpDef{.schema = "aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers by elementwise mean and deviation.",
          .meta = normal_meta,
          .impl = Decompose{normal_nodes},
          .traits = kRandom,
          .samples = {.calls = kNormalCalls}},
    OpDef{.schema = "aten.normal.float_Tensor(float mean, Tensor std, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers by elementwise deviation.",
          .meta = normal_meta,
          .impl = Decompose{normal_nodes},
          .traits = kRandom,
          .samples = {.calls = kDeviationCalls}},
    sampled("aten.poisson(Tensor self, Generator? generator=None) -> Tensor",
            "Poisson distributed numbers of the rates in self.", dense_meta, "sample_poisson",
            kPositiveCalls),
};

}  // namespace

std::span<const OpDef> sampling_ops() { return kOps; }

}  // namespace litz::ops
