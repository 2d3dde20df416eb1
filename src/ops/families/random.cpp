// Random numbers: an element's number depends only on the key of the call, the stream of the node
// and the element's index (random_streams.h), never on threads or order.
//
// Numbers follow the distributions that PyTorch documents, but are not PyTorch's numbers.

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/random_streams.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

// The draws of one operator at one element. First draws of all elements are consecutive in the
// stream, and so are second ones, from kSecond on: lanes that draw for adjacent elements share
// work.
class Draws {
 public:
  Draws(NestCall& call, Exprs index) : b_(call.builder()) {
    const Sizes& sizes = call.result().sizes;
    for (size_t d = 0; d < index.size(); ++d) place_ = place_ * sizes[d] + index[d];
    // The same computation as sub_key.
    const Scalar bits = b_.philox(b_.index(seed_symbol(call.module())),
                                  b_.constant(DType::i64, ~stream_of(call)), DType::i64);
    key_ = shift_right(bits, b_.constant(DType::i64, int64_t{2})) &
           b_.constant(DType::i64, INT64_MAX >> 1);
  }

  Scalar bits() { return next(DType::i64); }

  // From 0 to INT64_MAX.
  Scalar positive_bits() {
    return shift_right(bits(), b_.constant(DType::i64, int64_t{1})) &
           b_.constant(DType::i64, INT64_MAX);
  }

  // Uniform in [0, 1), a multiple of 2^-digits.
  Scalar uniform(DType compute, int digits) {
    const DType dtype = compute == DType::f64 ? DType::i64 : DType::i32;
    const int64_t unused = 8 * item_size(dtype) - digits;
    const Scalar mask = b_.constant(dtype, (int64_t{1} << digits) - 1);
    const Scalar kept = shift_right(next(dtype), b_.constant(dtype, unused)) & mask;
    return b_.cast(kept, compute) * std::ldexp(1.0, -digits);
  }

  Scalar uniform(DType compute) { return uniform(compute, compute == DType::f64 ? 53 : 24); }

  // Uniform in (0, 1]: small numbers have as many digits as large ones, so that logarithms have a
  // long tail.
  Scalar fine_uniform(DType compute) {
    const Scalar odd = positive_bits() | b_.constant(DType::i64, int64_t{1});
    return b_.cast(odd, compute) * std::ldexp(1.0, -63);
  }

  // Two independent normal numbers (Box and Muller, 1958).
  std::array<Scalar, 2> normals(DType compute) {
    const Scalar radius = sqrt(log(1.0 - uniform(compute)) * -2.0);
    const Scalar angle = uniform(compute) * (2 * std::numbers::pi);
    return {radius * cos(angle), radius * sin(angle)};
  }

  Scalar normal(DType compute) { return normals(compute)[0]; }

 private:
  // A word or a number; an operator draws only one of these kinds, since both use the same bits.
  Scalar next(DType dtype) {
    check(taken_ < 2 && (taken_ == 0 || dtype == drawn_), "draws of an element are of one dtype");
    drawn_ = dtype;
    return b_.philox(key_, b_.index(place_ + kSecond * taken_++), dtype);
  }

  static constexpr int64_t kSecond = int64_t{1} << 40;
  KernelBuilder& b_;
  Expr place_ = 0;
  Scalar key_;
  DType drawn_ = DType::i64;
  int64_t taken_ = 0;
};

using Draw = Scalar (*)(NestCall& call, Draws& draws, Exprs index, DType compute);

// Computes in f32 for halves and integers; parts of complex numbers use their own dtype.
template <Draw kDraw>
void random_nest(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType result = call.result().dtype;
  DType compute = compute_dtype(result);
  if (is_complex(compute)) compute = real_dtype(compute);
  if (!is_floating(compute)) compute = DType::f32;
  b.loop(call.result().sizes, [&](Exprs index) {
    Draws draws(call, index);
    b.store(call.out(), index, b.cast(kDraw(call, draws, index, compute), result));
  });
}

// --- distributions ---

// The number of digits below 1 in the dtype, since rounding must not give 1.
int digits_of(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::c128:
      return 53;
    case DType::f16:
    case DType::c32:
      return 11;
    case DType::bf16:
      return 8;
    default:
      return 24;
  }
}

// 2^24 for f32; for integers the largest one.
int64_t largest_exact_integer(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return 1;
    case DType::u8:
      return UINT8_MAX;
    case DType::i8:
      return INT8_MAX;
    case DType::u16:
      return UINT16_MAX;
    case DType::i16:
      return INT16_MAX;
    case DType::u32:
      return UINT32_MAX;
    case DType::i32:
      return INT32_MAX;
    default:
      return is_floating(dtype) ? int64_t{1} << digits_of(dtype) : INT64_MAX;
  }
}

Scalar draw_uniform(NestCall& call, Draws& draws, Exprs, DType compute) {
  const DType result = call.result().dtype;
  const int digits = digits_of(result);
  const Scalar u = draws.uniform(compute, digits);
  if (is_complex(result)) return make_complex(u, draws.uniform(compute, digits));
  if (call.op().schema.find("from") < 0) return u;
  const double low = call.real("from");
  return u * (call.real("to") - low) + low;
}

Scalar draw_normal(NestCall& call, Draws& draws, Exprs index, DType compute) {
  KernelBuilder& b = call.builder();
  const bool has_mean = call.op().schema.find("mean") >= 0;
  const double deviation = has_mean ? call.real("std") : 1;
  if (is_complex(call.result().dtype)) {
    // The variance of a complex number is the sum over both parts.
    const auto [real, imag] = draws.normals(compute);
    const double scale = deviation * std::numbers::sqrt2 / 2;
    return make_complex(real * scale + (has_mean ? call.real("mean") : 0), imag * scale);
  }
  const Scalar n = draws.normal(compute);
  if (!has_mean) return n;
  if (!call.is_tensor("mean")) return n * deviation + call.real("mean");
  return n * deviation + b.cast(b.load(call.in("mean"), index), compute);
}

Scalar draw_log_normal(NestCall& call, Draws& draws, Exprs, DType compute) {
  return exp(draws.normal(compute) * call.real("std") + call.real("mean"));
}

Scalar draw_cauchy(NestCall& call, Draws& draws, Exprs, DType compute) {
  const Scalar angle = (draws.uniform(compute) - 0.5) * std::numbers::pi;
  return tan(angle) * call.real("sigma") + call.real("median");
}

Scalar draw_exponential(NestCall& call, Draws& draws, Exprs, DType compute) {
  return log(draws.fine_uniform(compute)) * (-1 / call.real("lambd"));
}

Scalar draw_geometric(NestCall& call, Draws& draws, Exprs, DType compute) {
  const Scalar trials = ceil(log(draws.fine_uniform(compute)) / std::log1p(-call.real("p")));
  return max(trials, 1.0);
}

Scalar draw_integer(NestCall& call, Draws& draws, Exprs, DType) {
  KernelBuilder& b = call.builder();
  const Expr low = call.op().schema.find("low") >= 0 ? call.expr("low") : Expr(0);
  return mod(draws.positive_bits(), b.index(call.expr("high") - low)) + b.index(low);
}

// Integers from `from` on, below `to` or else up to the largest integer such that the dtype
// represents it and all smaller ones exactly.
Scalar draw_any_integer(NestCall& call, Draws& draws, Exprs, DType) {
  KernelBuilder& b = call.builder();
  const DType result = call.result().dtype;
  const bool has_from = call.op().schema.find("from") >= 0;
  const bool has_to = call.has("to");
  const int64_t from = has_from ? call.integer("from") : 0;
  const int64_t last = has_to ? call.integer("to") - 1 : largest_exact_integer(result);
  const auto range = static_cast<uint64_t>(last) - static_cast<uint64_t>(from) + 1;
  // All 64-bit numbers, or more than half of them: uses the bits directly.
  if (range == 0) return draws.bits();
  if (range > static_cast<uint64_t>(INT64_MAX)) {
    return draws.positive_bits() + b.constant(DType::i64, from);
  }
  return mod(draws.positive_bits(), b.constant(DType::i64, static_cast<int64_t>(range))) +
         b.constant(DType::i64, from);
}

Scalar draw_bernoulli(NestCall& call, Draws& draws, Exprs, DType compute) {
  return call.builder().cast(draws.uniform(compute) < call.real("p"), compute);
}

// --- result types ---

TensorType factory_meta(const Call& call) {
  const bool integers = call.op().name().find("randint") != std::string_view::npos;
  return contiguous_type(call.dtype().value_or(integers ? DType::i64 : DType::f32),
                         call.sizes("size"), call.device().value_or(Device{}));
}

TensorType like_meta(const Call& call) {
  const TensorType& self = call.type("self");
  TensorType type = preserved_type(call.dtype().value_or(self.dtype), self, call.memory_format());
  type.device = call.device().value_or(self.device);
  return type;
}

TensorType self_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return preserved_type(self.dtype, self, MemoryFormat::preserve);
}

// Rejects integers that the dtype cannot represent. Symbolic ones are not checked.
void require_held(const Call& call, DType dtype, Expr number, std::string_view what) {
  if (!number.is_constant() || dtype == DType::f64 || dtype == DType::f32 || dtype == DType::bf16) {
    return;
  }
  const int64_t value = number.constant();
  const bool is_signed = !(dtype == DType::bool_ || dtype == DType::u8 || dtype == DType::u16 ||
                           dtype == DType::u32 || dtype == DType::u64);
  const int64_t highest = dtype == DType::f16 ? 65504 : largest_exact_integer(dtype);
  const int64_t lowest = !is_signed ? 0 : dtype == DType::f16 ? -65504 : -highest - 1;
  require(value >= lowest && value <= highest,
          "random whole numbers must fit their dtype:", call.op().name(), what, value, name(dtype));
}

void require_range(const Call& call, std::string_view low, std::string_view high) {
  const bool has_low = call.op().schema.find(low) >= 0;
  const Expr first = has_low ? call.expr(low) : Expr(0);
  call.require_sizes(lt(first, call.expr(high)),
                     "random numbers need a range that is not empty:", call.op().name(), first,
                     call.expr(high));
}

TensorType in_range(const Call& call, TensorType type, std::string_view low,
                    std::string_view high) {
  if (call.has(low)) require_held(call, type.dtype, call.expr(low), low);
  if (!call.has(high)) return type;
  require_range(call, low, high);
  require_held(call, type.dtype, call.expr(high) - 1, "the largest");
  return type;
}

TensorType randint_meta(const Call& call) {
  return in_range(call, factory_meta(call), "low", "high");
}

TensorType randint_like_meta(const Call& call) {
  return in_range(call, like_meta(call), "low", "high");
}

TensorType any_integer_meta(const Call& call) {
  return in_range(call, self_meta(call), "from", "to");
}

TensorType real_type(const Call& call, TensorType type) {
  require(is_floating(type.dtype), "numbers of this distribution are real:", call.op().name(),
          name(type.dtype));
  return type;
}

TensorType fractional_type(const Call& call, TensorType type) {
  require(is_floating(type.dtype) || is_complex(type.dtype),
          "numbers of this distribution are real or complex:", call.op().name(), name(type.dtype));
  return type;
}

TensorType fractional_factory_meta(const Call& call) {
  return fractional_type(call, factory_meta(call));
}

TensorType fractional_like_meta(const Call& call) { return fractional_type(call, like_meta(call)); }

TensorType uniform_meta(const Call& call) {
  require(call.real("from") <= call.real("to"),
          "uniform numbers need from <= to:", call.real("from"), call.real("to"));
  return fractional_type(call, self_meta(call));
}

TensorType exponential_meta(const Call& call) {
  require(call.real("lambd") > 0, "the rate of exponential numbers is positive, got",
          call.real("lambd"));
  return real_type(call, self_meta(call));
}

TensorType cauchy_meta(const Call& call) {
  require(call.real("sigma") > 0, "the scale of Cauchy numbers is positive, got",
          call.real("sigma"));
  return real_type(call, self_meta(call));
}

TensorType log_normal_meta(const Call& call) {
  require(call.real("std") > 0, "the deviation of log-normal numbers is positive, got",
          call.real("std"));
  return real_type(call, self_meta(call));
}

TensorType geometric_meta(const Call& call) {
  const double p = call.real("p");
  require(p > 0 && p < 1, "the probability of geometric numbers lies in (0, 1), got", p);
  return self_meta(call);
}

void require_deviation(const Call& call) {
  require(call.real("std") >= 0, "a standard deviation must not be negative, got",
          call.real("std"));
}

TensorType normal_self_meta(const Call& call) {
  require_deviation(call);
  return fractional_type(call, self_meta(call));
}

TensorType normal_sizes_meta(const Call& call) {
  require_deviation(call);
  return fractional_factory_meta(call);
}

TensorType normal_meta(const Call& call) {
  require_deviation(call);
  return real_type(
      call, preserved_type(call.type("mean").dtype, call.type("mean"), MemoryFormat::preserve));
}

TensorType bernoulli_p_meta(const Call& call) {
  const double p = call.real("p");
  require(p >= 0 && p <= 1, "a probability lies in [0, 1], got", p);
  return self_meta(call);
}

// --- permutations ---

TensorType randperm_meta(const Call& call) {
  require_held(call, call.dtype().value_or(DType::i64), call.expr("n"), "n");
  return contiguous_type(call.dtype().value_or(DType::i64), {call.expr("n")},
                         call.device().value_or(Device{}));
}

// Indices in the order of random keys.
void randperm(NestCall& call) {
  KernelBuilder& b = call.builder();
  const Expr n = call.expr("n");
  b.sort(
      n, false, n,
      [&](Expr i) {
        Draws draws(call, std::array{i});
        return draws.bits();
      },
      [&](Expr position, Scalar, Scalar from) {
        b.store(call.out(), std::array{position}, b.cast(from, call.result().dtype));
      });
}

constexpr std::array kSizesSample{"([2, 3])"sv};
constexpr std::array kSelfSample{"(f32[2, 3])"sv};
constexpr std::array kProbabilitySample{"(f32[2, 3], 0.5)"sv};
constexpr std::array kRandintSample{"(10, [2, 3])"sv};
constexpr std::array kRandintLowSample{"(2, 10, [2, 3])"sv};
constexpr std::array kRandintLikeSample{"(f32[2, 3], 10)"sv};
constexpr std::array kRandintLikeLowSample{"(f32[2, 3], 2, 10)"sv};
constexpr std::array kNormalTensorSample{"(f32[2, 3], 2.0)"sv};
constexpr std::array kNormalSizesSample{"(0.0, 1.0, [2, 3])"sv};
constexpr std::array kFromSample{"(f32[2, 3], 2, 10)"sv, "(i64[2, 3] in [0, 2), -5, None)"sv};
constexpr std::array kToSample{"(f32[2, 3], 10)"sv};
constexpr std::array kPermSample{"(5)"sv};
// Streams belong to the program: a generator argument has no effect.
constexpr std::array kSizesGeneratorSample{"([2, 3], generator=None)"sv};
constexpr std::array kSelfGeneratorSample{"(f32[2, 3], generator=None)"sv};
constexpr std::array kRandintGeneratorSample{"(10, [2, 3], generator=None)"sv};
constexpr std::array kRandintLowGeneratorSample{"(2, 10, [2, 3], generator=None)"sv};
constexpr std::array kRandintLikeGeneratorSample{"(f32[2, 3], 10, generator=None)"sv};
constexpr std::array kRandintLikeLowGeneratorSample{"(f32[2, 3], 2, 10, generator=None)"sv};
constexpr std::array kPermGeneratorSample{"(5, generator=None)"sv};

constexpr ir::Trait kRandom = ir::Trait::random;

constexpr std::array kOps{
    OpDef{.schema = "aten.bernoulli.p(Tensor self, float p=0.5, *, Generator? generator=None) -> "
                    "Tensor",
          .doc = "1 with probability p, else 0, in the shape of self.",
          .meta = bernoulli_p_meta,
          .impl = LoopNest{random_nest<draw_bernoulli>},
          .traits = kRandom,
          .inplace = true,
          .inplace_name = "aten.bernoulli_.float",
          .samples = {.calls = kProbabilitySample}},
    OpDef{.schema = "aten.cauchy(Tensor self, float median=0.0, float sigma=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Cauchy distributed numbers in the shape of self.",
          .meta = cauchy_meta,
          .impl = LoopNest{random_nest<draw_cauchy>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.exponential(Tensor self, float lambd=1.0, *, Generator? generator=None) "
                    "-> Tensor",
          .doc = "Exponentially distributed numbers in the shape of self.",
          .meta = exponential_meta,
          .impl = LoopNest{random_nest<draw_exponential>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.geometric(Tensor self, float p, *, Generator? generator=None) -> Tensor",
          .doc = "Geometrically distributed numbers in the shape of self.",
          .meta = geometric_meta,
          .impl = LoopNest{random_nest<draw_geometric>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kProbabilitySample}},
    OpDef{.schema = "aten.log_normal(Tensor self, float mean=1.0, float std=2.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Log-normally distributed numbers in the shape of self.",
          .meta = log_normal_meta,
          .impl = LoopNest{random_nest<draw_log_normal>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.normal(Tensor self, float mean=0.0, float std=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = normal_self_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
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
          .meta = normal_sizes_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kNormalSizesSample}},
    OpDef{.schema = "aten.normal_functional(Tensor self, float mean=0.0, float std=1.0, *, "
                    "Generator? generator=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = normal_self_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.rand(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1).",
          .meta = fractional_factory_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSizesSample}},
    OpDef{.schema = "aten.rand.generator(SymInt[] size, *, Generator? generator, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1).",
          .meta = fractional_factory_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSizesGeneratorSample}},
    OpDef{.schema = "aten.rand_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None, MemoryFormat? "
                    "memory_format=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1) in the shape of self.",
          .meta = fractional_like_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.rand_like.generator(Tensor self, *, Generator? generator, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Uniform numbers in [0, 1) in the shape of self.",
          .meta = fractional_like_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .samples = {.calls = kSelfGeneratorSample}},
    OpDef{.schema = "aten.randint(SymInt high, SymInt[] size, *, ScalarType? dtype=int64, Layout? "
                    "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [0, high).",
          .meta = randint_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintSample}},
    OpDef{.schema = "aten.randint.generator(SymInt high, SymInt[] size, *, Generator? "
                    "generator, ScalarType? dtype=int64, Layout? layout=None, Device? "
                    "device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [0, high).",
          .meta = randint_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintGeneratorSample}},
    OpDef{.schema = "aten.randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? "
                    "dtype=int64, Layout? layout=None, Device? device=None, bool? "
                    "pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [low, high).",
          .meta = randint_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLowSample}},
    OpDef{.schema = "aten.randint.low_generator(SymInt low, SymInt high, SymInt[] size, *, "
                    "Generator? generator, ScalarType? dtype=int64, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Uniform integers in [low, high).",
          .meta = randint_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLowGeneratorSample}},
    OpDef{.schema = "aten.randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, "
                    "Layout? layout=None, Device? device=None, bool? pin_memory=None, "
                    "MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Uniform integers in [0, high) in the shape of self.",
          .meta = randint_like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeSample}},
    OpDef{.schema = "aten.randint_like.generator(Tensor self, SymInt high, *, Generator? "
                    "generator, ScalarType? dtype=None, Layout? layout=None, Device? "
                    "device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) "
                    "-> Tensor",
          .doc = "Uniform integers in [0, high) in the shape of self.",
          .meta = randint_like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeGeneratorSample}},
    OpDef{.schema = "aten.randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
                    "pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Uniform integers in [low, high) in the shape of self.",
          .meta = randint_like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeLowSample}},
    OpDef{.schema = "aten.randint_like.low_generator_dtype(Tensor self, SymInt low, SymInt "
                    "high, *, Generator? generator, ScalarType? dtype=None, Layout? "
                    "layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? "
                    "memory_format=None) -> Tensor",
          .doc = "Uniform integers in [low, high) in the shape of self.",
          .meta = randint_like_meta,
          .impl = LoopNest{random_nest<draw_integer>},
          .traits = kRandom,
          .samples = {.calls = kRandintLikeLowGeneratorSample}},
    OpDef{.schema = "aten.randn(SymInt[] size, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "Normally distributed numbers.",
          .meta = fractional_factory_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSizesSample}},
    OpDef{.schema = "aten.randn.generator(SymInt[] size, *, Generator? generator, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None) -> Tensor",
          .doc = "Normally distributed numbers.",
          .meta = fractional_factory_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSizesGeneratorSample}},
    OpDef{.schema = "aten.randn_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None, MemoryFormat? "
                    "memory_format=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = fractional_like_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.randn_like.generator(Tensor self, *, Generator? generator, "
                    "ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
                    "bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
          .doc = "Normally distributed numbers in the shape of self.",
          .meta = fractional_like_meta,
          .impl = LoopNest{random_nest<draw_normal>},
          .traits = kRandom,
          .samples = {.calls = kSelfGeneratorSample}},
    OpDef{.schema = "aten.random(Tensor self, *, Generator? generator=None) -> Tensor",
          .doc = "Uniform whole numbers from 0 on, as large as self's dtype holds exactly.",
          .meta = any_integer_meta,
          .impl = LoopNest{random_nest<draw_any_integer>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
    OpDef{.schema = "aten.random.from(Tensor self, int from, int? to, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Uniform whole numbers in [from, to), or as large as the dtype holds exactly.",
          .meta = any_integer_meta,
          .impl = LoopNest{random_nest<draw_any_integer>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kFromSample}},
    OpDef{.schema = "aten.random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor",
          .doc = "Uniform whole numbers in [0, to).",
          .meta = any_integer_meta,
          .impl = LoopNest{random_nest<draw_any_integer>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kToSample}},
    OpDef{.schema = "aten.randperm(SymInt n, *, ScalarType? dtype=int64, Layout? layout=None, "
                    "Device? device=None, bool? pin_memory=None) -> Tensor",
          .doc = "The numbers below n in random order.",
          .meta = randperm_meta,
          .impl = LoopNest{randperm},
          .traits = kRandom,
          .samples = {.calls = kPermSample}},
    OpDef{.schema = "aten.randperm.generator(SymInt n, *, Generator? generator, ScalarType? "
                    "dtype=int64, Layout? layout=None, Device? device=None, bool? "
                    "pin_memory=None) -> Tensor",
          .doc = "The numbers below n in random order.",
          .meta = randperm_meta,
          .impl = LoopNest{randperm},
          .traits = kRandom,
          .samples = {.calls = kPermGeneratorSample}},
    OpDef{.schema = "aten.uniform(Tensor self, float from=0.0, float to=1.0, *, Generator? "
                    "generator=None) -> Tensor",
          .doc = "Uniform numbers in [from, to) in the shape of self.",
          .meta = uniform_meta,
          .impl = LoopNest{random_nest<draw_uniform>},
          .traits = kRandom,
          .inplace = true,
          .samples = {.calls = kSelfSample}},
};

}  // namespace

std::span<const OpDef> random_ops() { return kOps; }

}  // namespace litz::ops
