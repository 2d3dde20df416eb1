// Reductions: one result element from the elements along some dimensions.
//
// Sums and products of halves use f32, those of integers and bool int64; variances take two passes
// in f64, the mean first. NaN wins in extremes.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using loops::ReduceKind;
using loops::Scalar;

Scalar same(Scalar x) { return x; }

void require_summable(const Call& call, DType dtype) {
  require(is_floating(dtype) || litz::is_complex(dtype),
          "the mean and deviation need a floating or complex dtype (give dtype= to cast), got",
          name(dtype), "in", call.op().name());
}

TensorType with_dtype(TensorType type, DType dtype) {
  type.dtype = dtype;
  return type;
}

// --- sums ---

// Sums and products in bool, if `dtype` requests it, return whether any or all elements are true.

ReduceKind sum_kind(const ReductionCall& call) {
  return call.result() == DType::bool_ ? ReduceKind::any : ReduceKind::sum;
}

Scalar sum_body(const ReductionCall& call) { return call.reduce(sum_kind(call), same); }

Scalar prod_body(const ReductionCall& call) {
  return call.reduce(call.result() == DType::bool_ ? ReduceKind::all : ReduceKind::prod, same);
}

TensorType mean_meta(const Call& call) {
  const DType dtype = call.dtype().value_or(call.type("self").dtype);
  require_summable(call, dtype);
  return with_dtype(meta::reduction(call), dtype);
}

Scalar mean_body(const ReductionCall& call) {
  return call.reduce(ReduceKind::sum, same) / call.count(call.compute());
}

Scalar zero_like(Scalar x) {
  return x.builder().cast(x.builder().constant(DType::i64, int64_t{0}), x.dtype());
}

Scalar without_nan(Scalar x) {
  return is_floating(x.dtype()) ? select(is_nan(x), zero_like(x), x) : x;
}

Scalar nansum_body(const ReductionCall& call) { return call.reduce(sum_kind(call), without_nan); }

Scalar nanmean_body(const ReductionCall& call) {
  const Scalar total = call.reduce(ReduceKind::sum, without_nan);
  const Scalar count = call.reduce(
      ReduceKind::sum, [](Scalar x) { return x.builder().cast(!is_nan(x), x.dtype()); });
  return total / count;
}

TensorType count_meta(const Call& call) { return with_dtype(meta::reduction(call), DType::i64); }

Scalar count_nonzero_body(const ReductionCall& call) {
  return call.reduce_raw(ReduceKind::sum, [](Scalar x) {
    return x.builder().cast(x.builder().cast(x, DType::bool_), DType::i64);
  });
}

// --- extremes and logic ---

// Reductions without an identity need elements, even if they have no results.
void require_elements(const Call& call) {
  const TensorType& self = call.type("self");
  const bool has_dim = call.op().schema.find("dim") >= 0 && call.has("dim");
  if (!has_dim || self.rank() == 0) {
    call.require_sizes(ne(self.numel(), 0),
                       "a reduction of nothing has no result:", call.op().name(), self);
    return;
  }
  for (const int64_t dim : call.dims("dim", self.rank())) {
    call.require_sizes(
        ne(self.sizes[static_cast<size_t>(dim)], 0),
        "a reduction along a dimension without elements has no result:", call.op().name(), self);
  }
}

TensorType extreme_meta(const Call& call) {
  require_elements(call);
  require(!litz::is_complex(call.type("self").dtype),
          "complex numbers have no order:", call.op().name());
  return meta::reduction(call);
}

template <bool kMax>
Scalar extreme_body(const ReductionCall& call) {
  if (call.result() == DType::bool_) {
    return call.reduce_raw(kMax ? ReduceKind::any : ReduceKind::all, same);
  }
  return call.reduce(kMax ? ReduceKind::max : ReduceKind::min, same);
}

Types aminmax_meta(const Call& call) { return {extreme_meta(call), extreme_meta(call)}; }

std::vector<ir::Value> aminmax(DecomposeCall& call) {
  ir::Attribute dims = ir::Scalars{};
  if (call.has("dim")) dims = ir::Scalars{call.expr("dim")};
  return {call.aten("amin", {call["self"], dims, call.pass("keepdim")}),
          call.aten("amax", {call["self"], dims, call.pass("keepdim")})};
}

// uint8 stays uint8: in PyTorch it is an older form of bool.
TensorType truth_meta(const Call& call) {
  const bool bytes = call.type("self").dtype == DType::u8;
  return with_dtype(meta::reduction(call), bytes ? DType::u8 : DType::bool_);
}

Scalar as_truth(Scalar x) { return x.builder().cast(x, DType::bool_); }

Scalar any_body(const ReductionCall& call) { return call.reduce_raw(ReduceKind::any, as_truth); }

Scalar all_body(const ReductionCall& call) { return call.reduce_raw(ReduceKind::all, as_truth); }

// --- variance ---

TensorType deviation_meta(const Call& call) {
  const DType dtype = call.type("self").dtype;
  require_summable(call, dtype);
  return with_dtype(meta::reduction(call), real_dtype(dtype));
}

double correction(const Call& call) {
  if (call.op().schema.find("unbiased") >= 0) return call.flag("unbiased") ? 1 : 0;
  return call.has("correction") ? call.real("correction") : 1;
}

Scalar squared_magnitude(Scalar x) {
  if (!litz::is_complex(x.dtype())) return x * x;
  return real(x) * real(x) + imag(x) * imag(x);
}

// f32 has too few digits for the mean of values far from 0; PyTorch uses f64 too.
Scalar wide(Scalar x) {
  return x.builder().cast(x, litz::is_complex(x.dtype()) ? DType::c128 : DType::f64);
}

Scalar variance_body(const ReductionCall& call) {
  const Scalar sum = call.reduce(ReduceKind::sum, wide);
  const Scalar mean = sum / call.count(sum.dtype());
  const Scalar squares =
      call.reduce(ReduceKind::sum, [&](Scalar x) { return squared_magnitude(wide(x) - mean); });
  // With as many corrections as elements the result is 0 / 0 or x / 0, as in PyTorch. Without
  // elements there is no variance, whatever the correction is.
  const Scalar count = call.count(squares.dtype());
  const double corrections = correction(call);
  const Scalar left = select(count > corrections, count - corrections, 0.0);
  return squares / select(count == 0, count, left);
}

Scalar deviation_body(const ReductionCall& call) { return sqrt(variance_body(call)); }

Types deviation_mean_meta(const Call& call) {
  return {deviation_meta(call), with_dtype(meta::reduction(call), call.type("self").dtype)};
}

std::vector<ir::Value> deviation_mean(DecomposeCall& call) {
  const bool is_std = call.op().name().find("std") != std::string_view::npos;
  const ir::Argument dim = call.op().schema.find("dim") >= 0 ? call.pass("dim") : ir::Argument();
  const ir::Argument keepdim =
      call.op().schema.find("keepdim") >= 0 ? call.pass("keepdim") : Expr::boolean(false);
  return {call.aten(is_std ? "std.correction" : "var.correction",
                    {call["self"], dim, Expr::real(correction(call)), keepdim}),
          call.aten("mean.dim", {call["self"], dim, keepdim})};
}

// --- logarithm of a sum of exponentials ---

TensorType logsumexp_meta(const Call& call) {
  const size_t rank = call.type("self").rank();
  require(
      rank == 0 || call.flag("keepdim") || !call.dims("dim", rank, Call::WhenEmpty::none).empty(),
      "logsumexp takes the dimensions to reduce:", call.type("self"));
  return with_dtype(meta::reduction(call), floating_dtype(call.type("self").dtype));
}

Scalar logsumexp_body(const ReductionCall& call) {
  // The real part determines the magnitude of an exponential.
  const Scalar largest = call.reduce(
      ReduceKind::max, [](Scalar x) { return litz::is_complex(x.dtype()) ? real(x) : x; },
      loops::OfNothing::infinity);
  // An infinite maximum would cancel itself into NaN.
  const Scalar shift = call.builder().cast(select(is_inf(largest), 0.0, largest), call.compute());
  return log(call.reduce(ReduceKind::sum, [&](Scalar x) { return exp(x - shift); })) + shift;
}

// --- norms ---

double order(const Call& call) {
  const std::string_view argument = call.op().schema.find("ord") >= 0 ? "ord" : "p";
  return call.has(argument) ? call.real(argument) : 2;
}

TensorType power_sum_meta(const Call& call) {
  const DType dtype = call.dtype().value_or(call.type("self").dtype);
  require(is_floating(dtype) || litz::is_complex(dtype),
          "norms need a floating or complex tensor, got", name(dtype));
  require(litz::is_complex(dtype) == litz::is_complex(call.type("self").dtype),
          "the dtype of a norm is complex where its elements are:", name(dtype), call.type("self"));
  return with_dtype(meta::reduction(call), real_dtype(dtype));
}

TensorType norm_meta(const Call& call) {
  const DType own = call.type("self").dtype;
  require(is_floating(own) || litz::is_complex(own), "norms need a floating or complex tensor, got",
          name(own));
  if (const std::optional<DType> dtype = call.dtype()) {
    const TensorType both[] = {contiguous_type(own, {}, {}), contiguous_type(*dtype, {}, {})};
    require(promoted_dtype(both) == *dtype,
            "the dtype of a norm must hold all numbers of its tensor:", name(own), name(*dtype));
  }
  if (order(call) < 0 || std::isinf(order(call))) require_elements(call);
  return power_sum_meta(call);
}

Scalar magnitude(Scalar x) { return abs(x); }

Scalar norm_body(const ReductionCall& call) {
  const double p = order(call);
  if (p == 0) {
    return call.reduce(ReduceKind::sum, [](Scalar x) {
      const Scalar size = magnitude(x);
      return x.builder().cast(size != 0.0, size.dtype());
    });
  }
  // A single element is its own norm, however large it is.
  if (p == 1 || known_equal(call.count(), Expr(1))) return call.reduce(ReduceKind::sum, magnitude);
  if (p == 2) return sqrt(call.reduce(ReduceKind::sum, squared_magnitude));
  if (std::isinf(p)) {
    // Without elements, the largest magnitude is 0 if there is a result.
    return call.reduce(p > 0 ? ReduceKind::max : ReduceKind::min, magnitude);
  }
  return pow(call.reduce(ReduceKind::sum, [&](Scalar x) { return pow(magnitude(x), p); }), 1 / p);
}

// A norm without its root.
Scalar power_sum_body(const ReductionCall& call) {
  const double p = order(call);
  return call.reduce(ReduceKind::sum, [&](Scalar x) {
    return p == 2 ? squared_magnitude(x) : pow(magnitude(x), p);
  });
}

constexpr std::array kAllSample{"(f32[2, 3])"sv};
constexpr std::array kDimSample{"(f32[2, 3, 4], 1)"sv, "(f32[2, 3], -1, True)"sv};
constexpr std::array kDimsSample{"(f32[2, 3, 4], [0, 2])"sv, "(f32[2, 3], [1], True)"sv};
constexpr std::array kCountDimsSample{"(f32[2, 3, 4], [0, 2])"sv};
constexpr std::array kAminmaxSample{"(f32[2, 3], dim=1)"sv, "(f32[2, 3])"sv};
constexpr std::array kUnbiasedSample{"(f32[2, 3], False)"sv};
constexpr std::array kUnbiasedDimSample{"(f32[2, 3], [1], True)"sv};
constexpr std::array kCorrectionSample{"(f32[2, 3], [1], correction=0)"sv, "(f32[2, 3])"sv};
constexpr std::array kVectorNormSample{"(f32[2, 3], 2, [1])"sv, "(f32[2, 3], 3.5)"sv};
constexpr std::array kNormDtypeSample{"(f32[2, 3], None, dtype=f64)"sv};
constexpr std::array kNormDtypeDimSample{"(f32[2, 3], 1, [1], False, dtype=f64)"sv};
constexpr std::array kNormDimSample{"(f32[2, 3], 1, [1])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten.all(Tensor self) -> Tensor",
          .doc = "True when every element is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{all_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
          .doc = "True where every element along a dimension is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{all_body},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
          .doc = "True where every element along the dimensions is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{all_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
          .doc = "The largest element along dimensions.",
          .meta = extreme_meta,
          .impl = Reduction{extreme_body<true>},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
          .doc = "The smallest element along dimensions.",
          .meta = extreme_meta,
          .impl = Reduction{extreme_body<false>},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor "
                    "min, Tensor max)",
          .doc = "The smallest and the largest element.",
          .meta = aminmax_meta,
          .impl = Decompose{aminmax},
          .samples = {.calls = kAminmaxSample}},
    OpDef{.schema = "aten.any(Tensor self) -> Tensor",
          .doc = "True when some element is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{any_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor",
          .doc = "True where some element along a dimension is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{any_body},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor",
          .doc = "True where some element along the dimensions is non-zero.",
          .meta = truth_meta,
          .impl = Reduction{any_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.count_nonzero(Tensor self, int? dim=None) -> Tensor",
          .doc = "How many elements are non-zero.",
          .meta = count_meta,
          .impl = Reduction{count_nonzero_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor",
          .doc = "How many elements along the dimensions are non-zero.",
          .meta = count_meta,
          .impl = Reduction{count_nonzero_body},
          .samples = {.calls = kCountDimsSample}},
    OpDef{.schema = "aten.linalg__powsum(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
                    "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The sum of powers of magnitudes.",
          .meta = power_sum_meta,
          .compute = Compute::inputs,
          .impl = Reduction{power_sum_body},
          .samples = {.calls = kVectorNormSample}},
    OpDef{.schema = "aten.linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool "
                    "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The p-norm of the elements along dimensions; p may be 0 or infinite.",
          .meta = norm_meta,
          .compute = Compute::inputs,
          .impl = Reduction{norm_body},
          .samples = {.calls = kVectorNormSample}},
    OpDef{.schema = "aten.logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
          .doc = "log(sum(exp(self))) along dimensions, without overflow.",
          .meta = logsumexp_meta,
          .impl = Reduction{logsumexp_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.max(Tensor self) -> Tensor",
          .doc = "The largest element.",
          .meta = extreme_meta,
          .impl = Reduction{extreme_body<true>},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The mean of all elements.",
          .meta = mean_meta,
          .impl = Reduction{mean_body},
          .unrounded = "self",  // PyTorch's means of halves are f32 up to the quotient.
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? "
                    "dtype=None) -> Tensor",
          .doc = "The mean along dimensions.",
          .meta = mean_meta,
          .impl = Reduction{mean_body},
          .unrounded = "self",  // PyTorch's means of halves are f32 up to the quotient.
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.min(Tensor self) -> Tensor",
          .doc = "The smallest element.",
          .meta = extreme_meta,
          .impl = Reduction{extreme_body<false>},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, "
                    "ScalarType? dtype=None) -> Tensor",
          .doc = "The mean of the elements that are numbers.",
          .meta = mean_meta,
          .impl = Reduction{nanmean_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? "
                    "dtype=None) -> Tensor",
          .doc = "The sum of the elements that are numbers.",
          .meta = meta::accumulation,
          .impl = Reduction{nansum_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
          .doc = "The p-norm of all elements.",
          .meta = norm_meta,
          .compute = Compute::inputs,
          .impl = Reduction{norm_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool "
                    "keepdim=False) -> Tensor",
          .doc = "The p-norm along dimensions.",
          .meta = norm_meta,
          .compute = Compute::inputs,
          .impl = Reduction{norm_body},
          .samples = {.calls = kNormDimSample}},
    OpDef{.schema = "aten.norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool "
                    "keepdim, *, ScalarType dtype) -> Tensor",
          .doc = "The p-norm along dimensions, of elements in another dtype.",
          .meta = norm_meta,
          .impl = Reduction{norm_body},
          .samples = {.calls = kNormDtypeDimSample}},
    OpDef{.schema = "aten.norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> "
                    "Tensor",
          .doc = "The p-norm of all elements, in another dtype.",
          .meta = norm_meta,
          .impl = Reduction{norm_body},
          .samples = {.calls = kNormDtypeSample}},
    OpDef{.schema = "aten.prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The product of all elements.",
          .meta = meta::accumulation,
          .impl = Reduction{prod_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? "
                    "dtype=None) -> Tensor",
          .doc = "The product along a dimension.",
          .meta = meta::accumulation,
          .impl = Reduction{prod_body},
          .samples = {.calls = kDimSample}},
    OpDef{.schema = "aten.std(Tensor self, bool unbiased=True) -> Tensor",
          .doc = "The standard deviation of all elements.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{deviation_body},
          .samples = {.calls = kUnbiasedSample}},
    OpDef{.schema = "aten.std.correction(Tensor self, int[1]? dim=None, *, Scalar? "
                    "correction=None, bool keepdim=False) -> Tensor",
          .doc = "The standard deviation along dimensions.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{deviation_body},
          .samples = {.calls = kCorrectionSample}},
    OpDef{.schema = "aten.std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
                    "keepdim=False) -> Tensor",
          .doc = "The standard deviation along dimensions.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{deviation_body},
          .samples = {.calls = kUnbiasedDimSample}},
    OpDef{.schema = "aten.std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
          .doc = "Standard deviation and mean of all elements.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kUnbiasedSample}},
    OpDef{.schema = "aten.std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? "
                    "correction=None, bool keepdim=False) -> (Tensor, Tensor)",
          .doc = "Standard deviation and mean along dimensions.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kCorrectionSample}},
    OpDef{.schema = "aten.std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
                    "keepdim=False) -> (Tensor, Tensor)",
          .doc = "Standard deviation and mean along dimensions.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kUnbiasedDimSample}},
    OpDef{.schema = "aten.sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
          .doc = "The sum of all elements.",
          .meta = meta::accumulation,
          .impl = Reduction{sum_body},
          .samples = {.calls = kAllSample}},
    OpDef{.schema = "aten.sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, "
                    "ScalarType? dtype=None) -> Tensor",
          .doc = "The sum along dimensions.",
          .meta = meta::accumulation,
          .impl = Reduction{sum_body},
          .samples = {.calls = kDimsSample}},
    OpDef{.schema = "aten.var(Tensor self, bool unbiased=True) -> Tensor",
          .doc = "The variance of all elements.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{variance_body},
          .samples = {.calls = kUnbiasedSample}},
    OpDef{.schema = "aten.var.correction(Tensor self, int[1]? dim=None, *, Scalar? "
                    "correction=None, bool keepdim=False) -> Tensor",
          .doc = "The variance along dimensions.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{variance_body},
          .samples = {.calls = kCorrectionSample}},
    OpDef{.schema = "aten.var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
                    "keepdim=False) -> Tensor",
          .doc = "The variance along dimensions.",
          .meta = deviation_meta,
          .compute = Compute::inputs,
          .impl = Reduction{variance_body},
          .samples = {.calls = kUnbiasedDimSample}},
    OpDef{.schema = "aten.var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)",
          .doc = "Variance and mean of all elements.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kUnbiasedSample}},
    OpDef{.schema = "aten.var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? "
                    "correction=None, bool keepdim=False) -> (Tensor, Tensor)",
          .doc = "Variance and mean along dimensions.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kCorrectionSample}},
    OpDef{.schema = "aten.var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool "
                    "keepdim=False) -> (Tensor, Tensor)",
          .doc = "Variance and mean along dimensions.",
          .meta = deviation_mean_meta,
          .impl = Decompose{deviation_mean},
          .samples = {.calls = kUnbiasedDimSample}},
};

}  // namespace

std::span<const OpDef> reduction_ops() { return kOps; }

}  // namespace litz::ops
