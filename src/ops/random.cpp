// Random numbers: counter-based, so an element's number depends on the call's seed, the operator
// and the element's place only, never on threads or order.
//
// The seed is a host scalar of the module (kSeedSymbol) that a runner binds anew for each call.
// Numbers follow the distributions PyTorch documents; they are not PyTorch's numbers.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/random_seed.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

// Draws of one operator at one element; draw k of element i uses counter (i * kMostDraws + k).
class Stream {
 public:
  Stream(NestCall& call, Exprs index) : b_(call.builder()) {
    const Sizes& sizes = call.result().sizes;
    Expr flat = 0;
    for (size_t d = 0; d < index.size(); ++d) flat = flat * sizes[d] + index[d];
    counter_ = b_.index(flat * kMostDraws);
    // Operators of one program must not repeat each other's numbers: the symbol count grows with
    // every kernel and is the same whenever the program is compiled.
    const auto stream = static_cast<int64_t>(call.module().exprs().symbol_count()) << 32;
    seed_ = b_.index(seed_symbol(call.module())) + b_.constant(DType::i64, stream);
  }

  Scalar bits() {
    check(next_ < kMostDraws, "an element draws few numbers:", next_);
    return philox(seed_, counter_ + b_.constant(DType::i64, next_++));
  }

  // Uniform in [0, 1), with the digits that the dtype holds.
  Scalar uniform(DType dtype) {
    const int digits = dtype == DType::f64 ? 53 : 24;
    const Scalar mask = b_.constant(DType::i64, (int64_t{1} << digits) - 1);
    const Scalar kept = shift_right(bits(), b_.constant(DType::i64, int64_t{64 - digits})) & mask;
    return b_.cast(kept, dtype) * std::ldexp(1.0, -digits);
  }

  Scalar normal(DType dtype) {
    const Scalar radius = sqrt(log(1.0 - uniform(dtype)) * -2.0);
    return radius * cos(uniform(dtype) * (2 * std::numbers::pi));
  }

 private:
  static constexpr int64_t kMostDraws = 4;
  KernelBuilder& b_;
  Scalar counter_;
  Scalar seed_;
  int64_t next_ = 0;
};

using Draw = Scalar (*)(NestCall& call, Stream& stream, Exprs index, DType compute);

template <Draw kDraw>
void random_nest(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType result = call.result().dtype;
  DType compute = compute_dtype(result);
  if (!is_floating(compute)) compute = DType::f32;
  b.loop(call.result().sizes, [&](Exprs index) {
    Stream stream(call, index);
    b.store(call.out(), index, b.cast(kDraw(call, stream, index, compute), result));
  });
}

// --- what is drawn ---

Scalar draw_uniform(NestCall& call, Stream& stream, Exprs, DType compute) {
  const Scalar u = stream.uniform(compute);
  if (call.op().schema.find("from") < 0) return u;
  const double low = call.real("from");
  return u * (call.real("to") - low) + low;
}

Scalar draw_normal(NestCall& call, Stream& stream, Exprs index, DType compute) {
  const Scalar n = stream.normal(compute);
  if (call.op().schema.find("mean") < 0) return n;
  KernelBuilder& b = call.builder();
  const auto parameter = [&](std::string_view name) {
    if (!call.is_tensor(name)) return b.constant(compute, call.real(name));
    const TensorType& type = call.type(name);
    loops::IndexVector place;
    const size_t added = index.size() - type.rank();
    for (size_t d = 0; d < type.rank(); ++d) {
      place.emplace_back(known_equal(type.sizes[d], Expr(1)) ? Expr(0) : index[added + d]);
    }
    return b.cast(b.load(call.in(name), place), compute);
  };
  return n * parameter("std") + parameter("mean");
}

Scalar draw_log_normal(NestCall& call, Stream& stream, Exprs, DType compute) {
  return exp(stream.normal(compute) * call.real("std") + call.real("mean"));
}

Scalar draw_cauchy(NestCall& call, Stream& stream, Exprs, DType compute) {
  const Scalar angle = (stream.uniform(compute) - 0.5) * std::numbers::pi;
  return tan(angle) * call.real("sigma") + call.real("median");
}

Scalar draw_exponential(NestCall& call, Stream& stream, Exprs, DType compute) {
  return log(1.0 - stream.uniform(compute)) * (-1 / call.real("lambd"));
}

Scalar draw_geometric(NestCall& call, Stream& stream, Exprs, DType compute) {
  return ceil(log(1.0 - stream.uniform(compute)) * (1 / std::log1p(-call.real("p"))));
}

Scalar draw_integer(NestCall& call, Stream& stream, Exprs, DType) {
  KernelBuilder& b = call.builder();
  const Expr low = call.op().schema.find("low") >= 0 ? call.expr("low") : Expr(0);
  const Scalar range = b.index(call.expr("high") - low);
  const Scalar positive = shift_right(stream.bits(), b.constant(DType::i64, int64_t{1})) &
                          b.constant(DType::i64, INT64_MAX);
  return mod(positive, range) + b.index(low);
}

Scalar draw_bernoulli(NestCall& call, Stream& stream, Exprs index, DType compute) {
  KernelBuilder& b = call.builder();
  const Scalar p = call.op().schema.find("p") >= 0
                       ? b.constant(compute, call.real("p"))
                       : b.cast(b.load(call.in("self"), index), compute);
  return b.cast(stream.uniform(compute) < p, compute);
}

// --- result types ---

TensorType factory_meta(const Call& call) {
  const bool integers = call.op().name().find("randint") != std::string_view::npos;
  return contiguous_type(call.dtype().value_or(integers ? DType::i64 : DType::f32),
                         call.sizes("size"), call.device().value_or(Device{}));
}

TensorType like_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(call.dtype().value_or(self.dtype), self, call.memory_format());
}

TensorType self_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, MemoryFormat::preserve);
}

TensorType normal_meta(const Call& call) {
  std::vector<TensorType> operands{call.type("mean")};
  if (call.is_tensor("std")) operands.push_back(call.type("std"));
  return elementwise_type(promoted_dtype(call, {"mean", "std"}), operands);
}

TensorType bernoulli_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, self.sizes, self.device);
}

// --- dropout ---

bool drops(const Call& call) {
  return call.has("train") && call.flag("train") && call.real("p") > 0;
}

TensorType dropout_meta(const Call& call) {
  const double p = call.real("p");
  require(p >= 0 && p <= 1, "a dropout probability lies in [0, 1], got", p);
  const TensorType& input = call.type("input");
  // Outside training the result is the input itself.
  return drops(call) ? preserved_type(input.dtype, input, MemoryFormat::preserve) : input;
}

// Whole channels drop together: the mask has size 1 in every later dimension.
bool by_channel(const Call& call) {
  return call.op().name().find("feature") != std::string_view::npos;
}

ir::Value keep_mask(DecomposeCall& call) {
  const TensorType& input = call.type("input");
  ir::Scalars sizes = input.sizes;
  if (by_channel(call)) {
    require(sizes.size() >= 2, "feature dropout needs rank 2 or more, got", sizes.size());
    std::fill(sizes.begin() + 2, sizes.end(), Expr(1));
  }
  const ir::Value zeros =
      call.aten("zeros", {ir::Attribute(sizes), ir::Attribute(compute_dtype(input.dtype))});
  return call.aten("bernoulli.p", {zeros, Expr::real(1 - call.real("p"))});
}

std::vector<ir::Value> dropout(DecomposeCall& call) {
  if (!drops(call)) return {call["input"]};
  const double p = call.real("p");
  const DType dtype = call.type("input").dtype;
  if (p == 1) return {call.aten("mul.Scalar", {call["input"], Expr::real(0)})};
  const ir::Value scaled = call.aten("mul.Scalar", {keep_mask(call), Expr::real(1 / (1 - p))});
  return {call.to(call.aten("mul.Tensor", {call["input"], scaled}), dtype)};
}

// Keeps mean and variance for inputs of mean 0 and variance 1: dropped elements become the negative
// saturation value of SELU and the whole is rescaled (Klambauer et al., 2017).
std::vector<ir::Value> alpha_dropout(DecomposeCall& call) {
  if (!drops(call)) return {call["input"]};
  constexpr double kAlpha = 1.7580993408473766;
  const double p = call.real("p");
  const DType dtype = call.type("input").dtype;
  if (p == 1) return {call.aten("mul.Scalar", {call["input"], Expr::real(0)})};
  const double a = 1 / std::sqrt((kAlpha * kAlpha * p + 1) * (1 - p));
  const ir::Value mask = keep_mask(call);
  const ir::Value kept = call.aten("mul.Tensor", {call["input"], mask});
  // Dropped elements: -alpha, kept ones: unchanged; then the affine correction.
  const ir::Value filler =
      call.aten("mul.Scalar", {call.aten("sub.Scalar", {mask, Expr::real(1)}), Expr::real(kAlpha)});
  const ir::Value mixed = call.aten("add.Tensor", {kept, filler});
  const ir::Value scaled = call.aten("mul.Scalar", {mixed, Expr::real(a)});
  return {call.to(call.aten("add.Scalar", {scaled, Expr::real(kAlpha * a * p)}), dtype)};
}

Types native_dropout_meta(const Call& call) {
  const TensorType& input = call.type("input");
  TensorType mask = preserved_type(DType::bool_, input, MemoryFormat::preserve);
  return {preserved_type(input.dtype, input, MemoryFormat::preserve), mask};
}

bool always_drops(const Call& call) { return !call.has("train") || call.flag("train"); }

std::vector<ir::Value> native_dropout(DecomposeCall& call) {
  const ir::Value input = call["input"];
  if (!always_drops(call)) {
    const ir::Value ones = call.aten("ones_like", {input, ir::Attribute(DType::bool_)});
    return {call.aten("clone", {input}), ones};
  }
  const double p = call.real("p");
  const ir::Value mask = keep_mask(call);
  const double scale = p == 1 ? 0 : 1 / (1 - p);
  const ir::Value scaled = call.aten("mul.Scalar", {mask, Expr::real(scale)});
  return {call.to(call.aten("mul.Tensor", {input, scaled}), input.tensor().dtype),
          call.to(mask, DType::bool_)};
}

TensorType native_dropout_backward_meta(const Call& call) {
  const TensorType& grad = call.type("grad_output");
  // The scale is a float, and promotes integers.
  return preserved_type(floating_dtype(grad.dtype), grad, MemoryFormat::preserve);
}

Scalar native_dropout_backward(const PointwiseCall& call) {
  return call["grad_output"] * (call["mask"] * call.real("scale"));
}

// --- permutations ---

TensorType randperm_meta(const Call& call) {
  return contiguous_type(call.dtype().value_or(DType::i64), {call.expr("n")});
}

// Positions in the order of random keys.
void randperm(NestCall& call) {
  KernelBuilder& b = call.builder();
  const Expr n = call.expr("n");
  b.sort(
      n, false, n,
      [&](Expr i) {
        Stream stream(call, std::array{i});
        return stream.bits();
      },
      [&](Expr position, Scalar, Scalar from) {
        b.store(call.out(), std::array{position}, b.cast(from, call.result().dtype));
      });
}

constexpr std::array kSizesSample{"([2, 3])"sv};
constexpr std::array kSelfSample{"(f32[2, 3])"sv};
constexpr std::array kProbabilitySample{"(f32[2, 3], 0.5)"sv};
constexpr std::array kUnitSample{"(f32[2, 3] in [0, 1))"sv};
constexpr std::array kRandintSample{"(10, [2, 3])"sv};
constexpr std::array kRandintLowSample{"(2, 10, [2, 3])"sv};
constexpr std::array kRandintLikeSample{"(f32[2, 3], 10)"sv};
constexpr std::array kRandintLikeLowSample{"(f32[2, 3], 2, 10)"sv};
constexpr std::array kNormalTensorsSample{"(f32[2, 3], f32[2, 3] in [0.5, 1))"sv};
constexpr std::array kNormalTensorSample{"(f32[2, 3], 2.0)"sv};
constexpr std::array kNormalSizesSample{"(0.0, 1.0, [2, 3])"sv};
constexpr std::array kDropoutSample{"(f32[2, 3], 0.5, False)"sv, "(f32[2, 3], 0.5, True)"sv};
constexpr std::array kDropoutBackwardSample{"(f32[2, 3], bool[2, 3], 2.0)"sv};
constexpr std::array kPermSample{"(5)"sv};

constexpr ir::Trait kRandom = ir::Trait::random;

constexpr std::array kOps{
    OpDef{.schema = "aten.alpha_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Dropout that keeps mean and variance of SELU networks.",
          .meta = dropout_meta,
          .impl = Decompose{alpha_dropout},
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.bernoulli(Tensor self, *, Generator? generator=None) -> Tensor",
          .doc = "1 with probability self, else 0.",
          .meta = bernoulli_meta,
          .impl = LoopNest{random_nest<draw_bernoulli>},
          .traits = kRandom,
          .samples = {.calls = kUnitSample}},
    OpDef{.schema = "aten.bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> "
                    "Tensor",
          .doc = "1 with probability p, else 0, in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_bernoulli>},
          .traits = kRandom,
          .inplace = true,
          .inplace_name = "aten.bernoulli_.float",
          .samples = {.calls = kProbabilitySample}},
    OpDef{.schema = "aten.cauchy(Tensor self, float median=0.0, float sigma=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Cauchy distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_cauchy>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "In training: zero with probability p, else scaled by 1 / (1 - p).",
          .meta = dropout_meta,
          .impl = Decompose{dropout},
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.exponential(Tensor self, float lambd=1.0, *, Generator? generator=None) "
                    "-> Tensor",
          .doc = "Exponentially distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_exponential>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Alpha dropout of whole channels.",
          .meta = dropout_meta,
          .impl = Decompose{alpha_dropout},
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.feature_dropout(Tensor input, float p, bool train) -> Tensor",
          .doc = "Dropout of whole channels.",
          .meta = dropout_meta,
          .impl = Decompose{dropout},
          .inplace = true,
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor",
          .doc = "Geometrically distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_geometric>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kProbabilitySample}},
    OpDef{.schema = "aten.log_normal(Tensor self, float mean=1.0, float std=2.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Log-normally distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_log_normal>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)",
          .doc = "Dropout and the mask of what was kept.",
          .meta = native_dropout_meta,
          .impl = Decompose{native_dropout},
          .samples = {.calls = kDropoutSample}},
    OpDef{.schema = "aten.native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> "
                    "Tensor",
          .doc = "grad_output * mask * scale.",
          .meta = native_dropout_backward_meta,
          .impl = Pointwise{native_dropout_backward},
          .samples = {.calls = kDropoutBackwardSample}},
    OpDef{.schema = "aten.normal(Tensor self, float mean=0.0, float std=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers by elementwise mean and deviation.",
          .meta = normal_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kNormalTensorsSample}},
    OpDef{.schema = "aten.normal.Tensor_float(Tensor mean, float std=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers by elementwise mean.",
          .meta = normal_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kNormalTensorSample}},
    OpDef{.schema = "aten.normal.float_float(float mean, float std, SymInt[] size, *, Generator? "
                    "generator=None, ScalarType? dtype=None, Layout? layout=None, Device? "
                    "device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Normally distributed numbers.",
          .meta = factory_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kNormalSizesSample}},
    OpDef{.schema = "aten.normal_functional(Tensor self, float mean=0.0, float std=1.0, *, "
                    "Generator? generator=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1).",
          .meta = factory_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSizesSample}},
    OpDef{.schema = "aten.rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None, MemoryFormat? "
                    "memory_format=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1) in the shape of self.",
          .meta = like_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.randint(SymInt high, SymInt[] size, *, ScalarType? dtype=int64, Layout? "
                    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [0, high).",
          .meta = factory_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintSample}},
    OpDef{.schema = "aten.randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? "
                    "dtype=int64, Layout? layout=None, Device? device=None, bool? "
                    "pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [low, high).",
          .meta = factory_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLowSample}},
    OpDef{.schema = "aten.randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, "
                    "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
                    "MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Uniform integers in [0, high) in the shape of self.",
          .meta = like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeSample}},
    OpDef{.schema = "aten.randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Uniform integers in [low, high) in the shape of self.",
          .meta = like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeLowSample}},
    OpDef{.schema = "aten.randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Normally distributed numbers.",
          .meta = factory_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSizesSample}},
    OpDef{.schema = "aten.randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None, MemoryFormat? "
                    "memory_format=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = like_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.randperm(SymInt n, *, ScalarType? dtype=int64, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "The numbers below n in random order.",
          .meta = randperm_meta,
          .impl = LoopNest{randperm},
          .traits = kRandom,
          .samples = {.calls = kPermSample}},
    OpDef{.schema = "aten.uniform(Tensor self, float from=0.0, float to=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Uniform numbers in [from, to) in the shape of self.",
          .meta = self_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
};

}  // namespace

std::span<const OpDef> random_ops() { return kOps; }

}  // namespace litz::ops
