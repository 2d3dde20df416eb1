// Comparisons, logic, classification of numbers, maximum and minimum.
//
// Operands are first promoted to their common dtype and rounded to it: an int64 tensor compared
// with 0.5 is compared as f32.

#include <array>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/vector_choice.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using loops::Exprs;
using loops::ReduceKind;
using loops::Scalar;
using loops::ScalarOp;

struct Pair {
  Scalar self;
  Scalar other;
};

Pair operands(const PointwiseCall& call) {
  const DType common = promoted_dtype(call);
  loops::KernelBuilder& b = call.builder();
  // Casts through the common dtype, which may be narrower than the compute dtype.
  return {b.cast(call.as("self", common), call.compute()),
          b.cast(call.as("other", common), call.compute())};
}

TensorType ordered_meta(const Call& call) {
  require(!is_complex(promoted_dtype(call)), "complex numbers have no order:", call.op().name());
  return meta::elementwise_bool(call);
}

Scalar equal(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.self == x.other;
}

Scalar not_equal(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.self != x.other;
}

Scalar less(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.self < x.other;
}

Scalar less_equal(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.self <= x.other;
}

Scalar greater(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.other < x.self;
}

Scalar greater_equal(const PointwiseCall& call) {
  const Pair x = operands(call);
  return x.other <= x.self;
}

constexpr std::string_view kTensorCalls[] = {"(f32[2, 3], f32[3])", "(i64[4], 0.5)",
                                             "(bf16[s0], bf16[s0])"};
constexpr std::string_view kScalarCalls[] = {"(f32[2, 3], 1)", "(i64[4], 0.5)"};

constexpr OpDef comparison(ir::SchemaText schema, std::string_view doc,
                           Scalar (*body)(const PointwiseCall&), Meta meta = ordered_meta) {
  const bool is_scalar = schema.text().find(".Scalar") != std::string_view::npos;
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::inputs,
          .impl = Pointwise{body},
          .inplace = true,
          .samples = {.calls = is_scalar ? std::span<const std::string_view>(kScalarCalls)
                                         : std::span<const std::string_view>(kTensorCalls)}};
}

// Logic: anything but 0 is true, NaN included.

Scalar logical_and(const PointwiseCall& call) {
  return call.as("self", DType::bool_) & call.as("other", DType::bool_);
}

Scalar logical_or(const PointwiseCall& call) {
  return call.as("self", DType::bool_) | call.as("other", DType::bool_);
}

Scalar logical_xor(const PointwiseCall& call) {
  return call.as("self", DType::bool_) ^ call.as("other", DType::bool_);
}

Scalar logical_not(const PointwiseCall& call) { return !call.as("self", DType::bool_); }

constexpr OpDef logic(ir::SchemaText schema, std::string_view doc, Meta meta,
                      Scalar (*body)(const PointwiseCall&)) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::inputs,
          .impl = Pointwise{body},
          .inplace = true};
}

// Classification.

bool has_infinities(DType dtype) { return is_floating(dtype) || is_complex(dtype); }

Scalar truth(const PointwiseCall& call, bool value) {
  return call.builder().constant(DType::bool_, static_cast<int64_t>(value));
}

Scalar isnan(const PointwiseCall& call) {
  return has_infinities(call.compute()) ? is_nan(call["self"]) : truth(call, false);
}

Scalar isinf(const PointwiseCall& call) {
  return has_infinities(call.compute()) ? is_inf(call["self"]) : truth(call, false);
}

Scalar isfinite(const PointwiseCall& call) {
  if (!has_infinities(call.compute())) return truth(call, true);
  const Scalar x = call["self"];
  return !(is_nan(x) | is_inf(x));
}

Scalar isposinf(const PointwiseCall& call) {
  if (!has_infinities(call.compute())) return truth(call, false);
  const Scalar x = call["self"];
  return is_inf(x) & (x > 0);
}

Scalar isneginf(const PointwiseCall& call) {
  if (!has_infinities(call.compute())) return truth(call, false);
  const Scalar x = call["self"];
  return is_inf(x) & (x < 0);
}

Scalar isreal(const PointwiseCall& call) {
  return is_complex(call.compute()) ? imag(call["self"]) == 0 : truth(call, true);
}

TensorType real_bool(const Call& call) {
  require(!is_complex(call.type("self").dtype),
          "complex infinities have no sign:", call.op().name());
  return meta::bool_like_self(call);
}

constexpr OpDef classification(ir::SchemaText schema, std::string_view doc,
                               Scalar (*body)(const PointwiseCall&),
                               Meta meta = meta::bool_like_self) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .compute = Compute::inputs,
          .impl = Pointwise{body}};
}

TensorType isclose_meta(const Call& call) {
  const DType self = call.type("self").dtype;
  require(self == call.type("other").dtype, "isclose C1: operands must have one dtype:", name(self),
          name(call.type("other").dtype));
  require(call.real("rtol") >= 0 && call.real("atol") >= 0,
          "isclose C2: tolerances must not be negative");
  return meta::elementwise_bool(call);
}

Scalar isclose(const PointwiseCall& call) {
  loops::KernelBuilder& b = call.builder();
  const DType dtype = floating_dtype(call.type("self").dtype);
  // PyTorch rounds every step to the dtype of the operands.
  const auto rounded = [&](Scalar x) {
    return is_complex(x.dtype()) ? x : b.cast(b.cast(x, real_dtype(dtype)), x.dtype());
  };
  const auto no_number = [&](Scalar x) {
    return is_complex(x.dtype()) ? is_nan(real(x)) | is_nan(imag(x)) : is_nan(x);
  };
  const Scalar x = call["self"];
  const Scalar y = call["other"];
  Scalar close = x == y;
  if (call.flag("equal_nan")) close = close | (no_number(x) & no_number(y));
  const Scalar allowed = rounded(abs(rounded(y * call.real("rtol"))) + call.real("atol"));
  const Scalar distance = abs(rounded(x - y));
  const Scalar finite = !(is_nan(distance) | is_inf(distance));
  return close | (finite & (distance <= allowed));
}

TensorType isin_meta(const Call& call) {
  const TensorType& elements = call.type("elements");
  return contiguous_type(DType::bool_, elements.sizes, elements.device);
}

void isin(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& elements = call.type("elements");
  const TensorType& tests = call.type("test_elements");
  const DType common = promoted_dtype(call);
  b.loop(elements.sizes, [&](Exprs i) {
    const Scalar x = b.cast(b.load(call.in("elements"), i), common);
    const Scalar found = b.reduce(ReduceKind::any, tests.sizes, [&](Exprs j) {
      return x == b.cast(b.load(call.in("test_elements"), j), common);
    });
    b.store(call.out(), i, call.flag("invert") ? !found : found);
  });
}

std::vector<ir::Value> number_in(DecomposeCall& call) {
  const ir::Value same = call.aten("eq.Scalar", {call["test_elements"], call.pass("element")});
  const ir::Value found = call.aten("any", {same});
  return {call.flag("invert") ? call.aten("logical_not", {found}) : found};
}

std::vector<ir::Value> is_number(DecomposeCall& call) {
  const char* compare = call.flag("invert") ? "ne.Scalar" : "eq.Scalar";
  return {call.aten(compare, {call["elements"], call.pass("test_element")})};
}

constexpr std::string_view kNumberInCalls[] = {"(2, i64[5] in [0, 4))", "(2, i64[2], invert=True)"};
constexpr std::string_view kIsNumberCalls[] = {"(i64[5] in [0, 4), 2)", "(f32[2], 2, invert=True)"};

// Maximum and minimum.

TensorType extremum_meta(const Call& call) {
  TensorType type = meta::elementwise(call);
  require(!is_complex(type.dtype), "complex numbers have no order:", call.op().name());
  return type;
}

// For zeros of both signs, max and min return the second operand, as in PyTorch's vector code.
Scalar maximum(const PointwiseCall& call) {
  if (fills_no_vectors(call, {"self", "other"})) return max(call["other"], call["self"]);
  return max(call["self"], call["other"]);
}

Scalar minimum(const PointwiseCall& call) {
  if (fills_no_vectors(call, {"self", "other"})) return min(call["other"], call["self"]);
  return min(call["self"], call["other"]);
}

// True for a signalling NaN. Halves are converted to f32 first, which makes those of f16 quiet.
Scalar is_signalling(Scalar x) {
  const bool is_double = x.dtype() == DType::f64;
  const DType word = is_double ? DType::i64 : DType::i32;
  loops::KernelBuilder& b = x.builder();
  const Scalar bits = b.bitcast(x, word);
  const Scalar quiet = b.constant(word, int64_t{1} << (is_double ? 51 : 22));
  return is_nan(x) & ((bits & quiet) == 0);
}

// The C library adds the operands if one is a signalling NaN.
template <ScalarOp kOp>
Scalar other_of_nan(const PointwiseCall& call) {
  const Scalar a = call["self"];
  const Scalar b = call["other"];
  const Scalar extremum = call.builder().op(kOp, std::array{a, b});
  if (!is_floating(a.dtype())) return extremum;
  return select(is_signalling(a) | is_signalling(b), a + b, extremum);
}

constexpr std::string_view kExtremumCalls[] = {"(f32[2, 3], f32[3])", "(bool[3], i64[3])"};

constexpr OpDef extremum(ir::SchemaText schema, std::string_view doc,
                         Scalar (*body)(const PointwiseCall&)) {
  return {.schema = schema,
          .doc = doc,
          .meta = extremum_meta,
          .impl = Pointwise{body},
          .samples = {.calls = kExtremumCalls}};
}

constexpr std::string_view kEq = "self == other.";
constexpr std::string_view kNe = "self != other.";
constexpr std::string_view kLt = "self < other; false for NaN.";
constexpr std::string_view kLe = "self <= other; false for NaN.";
constexpr std::string_view kGt = "self > other; false for NaN.";
constexpr std::string_view kGe = "self >= other; false for NaN.";
constexpr std::string_view kMax = "The larger of two; NaN if either is NaN.";
constexpr std::string_view kMin = "The smaller of two; NaN if either is NaN.";
constexpr std::string_view kIsinCalls[] = {"(i64[2, 3], i64[4])", "(f32[3], f32[3], invert=True)"};
constexpr std::string_view kCloseCalls[] = {"(f32[2, 3], f32[3])", "(i64[3], i64[3])",
                                            "(bf16[3], bf16[3], equal_nan=True)"};

constexpr std::array kOps{
    comparison("aten.eq.Scalar(Tensor self, Scalar other) -> Tensor", kEq, equal,
               meta::elementwise_bool),
    comparison("aten.eq.Tensor(Tensor self, Tensor other) -> Tensor", kEq, equal,
               meta::elementwise_bool),
    extremum("aten.fmax(Tensor self, Tensor other) -> Tensor",
             "The larger of two; the other where one is a quiet NaN.",
             other_of_nan<ScalarOp::fmax>),
    extremum("aten.fmin(Tensor self, Tensor other) -> Tensor",
             "The smaller of two; the other where one is a quiet NaN.",
             other_of_nan<ScalarOp::fmin>),
    comparison("aten.ge.Scalar(Tensor self, Scalar other) -> Tensor", kGe, greater_equal),
    comparison("aten.ge.Tensor(Tensor self, Tensor other) -> Tensor", kGe, greater_equal),
    comparison("aten.greater.Scalar(Tensor self, Scalar other) -> Tensor", kGt, greater),
    comparison("aten.greater.Tensor(Tensor self, Tensor other) -> Tensor", kGt, greater),
    comparison("aten.greater_equal.Scalar(Tensor self, Scalar other) -> Tensor", kGe,
               greater_equal),
    comparison("aten.greater_equal.Tensor(Tensor self, Tensor other) -> Tensor", kGe,
               greater_equal),
    comparison("aten.gt.Scalar(Tensor self, Scalar other) -> Tensor", kGt, greater),
    comparison("aten.gt.Tensor(Tensor self, Tensor other) -> Tensor", kGt, greater),
    OpDef{.schema = "aten.isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, "
                    "bool equal_nan=False) -> Tensor",
          .doc = "|self - other| <= atol + rtol * |other|.\n"
                 "C1: one dtype. C2: tolerances are not negative.",
          .meta = isclose_meta,
          .compute = Compute::at_least_f32,
          .impl = Pointwise{isclose},
          .samples = {.calls = kCloseCalls}},
    classification("aten.isfinite(Tensor self) -> Tensor", "Neither NaN nor infinite.", isfinite),
    composite("aten.isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, "
              "bool assume_unique=False, bool invert=False) -> Tensor",
              "Whether a number is among others.", number_in, {.calls = kNumberInCalls}),
    composite("aten.isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, "
              "bool assume_unique=False, bool invert=False) -> Tensor",
              "Whether each element is a number.", is_number, {.calls = kIsNumberCalls}),
    OpDef{.schema = "aten.isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, "
                    "bool assume_unique=False, bool invert=False) -> Tensor",
          .doc = "Whether each element occurs in test_elements (does not occur: invert).",
          .meta = isin_meta,
          .impl = LoopNest{isin},
          .samples = {.calls = kIsinCalls}},
    classification("aten.isinf(Tensor self) -> Tensor",
                   "Infinite; a complex number if either part is.", isinf),
    classification("aten.isnan(Tensor self) -> Tensor", "NaN; a complex number if either part is.",
                   isnan),
    classification("aten.isneginf(Tensor self) -> Tensor", "Minus infinity.", isneginf, real_bool),
    classification("aten.isposinf(Tensor self) -> Tensor", "Plus infinity.", isposinf, real_bool),
    classification("aten.isreal(Tensor self) -> Tensor", "Without imaginary part.", isreal),
    comparison("aten.le.Scalar(Tensor self, Scalar other) -> Tensor", kLe, less_equal),
    comparison("aten.le.Tensor(Tensor self, Tensor other) -> Tensor", kLe, less_equal),
    comparison("aten.less.Scalar(Tensor self, Scalar other) -> Tensor", kLt, less),
    comparison("aten.less.Tensor(Tensor self, Tensor other) -> Tensor", kLt, less),
    comparison("aten.less_equal.Scalar(Tensor self, Scalar other) -> Tensor", kLe, less_equal),
    comparison("aten.less_equal.Tensor(Tensor self, Tensor other) -> Tensor", kLe, less_equal),
    logic("aten.logical_and(Tensor self, Tensor other) -> Tensor", "Both are not 0.",
          meta::elementwise_bool, logical_and),
    logic("aten.logical_not(Tensor self) -> Tensor", "Whether self is 0.", meta::bool_like_self,
          logical_not),
    logic("aten.logical_or(Tensor self, Tensor other) -> Tensor", "One or both are not 0.",
          meta::elementwise_bool, logical_or),
    logic("aten.logical_xor(Tensor self, Tensor other) -> Tensor", "Exactly one is not 0.",
          meta::elementwise_bool, logical_xor),
    comparison("aten.lt.Scalar(Tensor self, Scalar other) -> Tensor", kLt, less),
    comparison("aten.lt.Tensor(Tensor self, Tensor other) -> Tensor", kLt, less),
    extremum("aten.max.other(Tensor self, Tensor other) -> Tensor", kMax, maximum),
    extremum("aten.maximum(Tensor self, Tensor other) -> Tensor", kMax, maximum),
    extremum("aten.min.other(Tensor self, Tensor other) -> Tensor", kMin, minimum),
    extremum("aten.minimum(Tensor self, Tensor other) -> Tensor", kMin, minimum),
    comparison("aten.ne.Scalar(Tensor self, Scalar other) -> Tensor", kNe, not_equal,
               meta::elementwise_bool),
    comparison("aten.ne.Tensor(Tensor self, Tensor other) -> Tensor", kNe, not_equal,
               meta::elementwise_bool),
    comparison("aten.not_equal.Scalar(Tensor self, Scalar other) -> Tensor", kNe, not_equal,
               meta::elementwise_bool),
    comparison("aten.not_equal.Tensor(Tensor self, Tensor other) -> Tensor", kNe, not_equal,
               meta::elementwise_bool),
};

}  // namespace

std::span<const OpDef> comparison_ops() { return kOps; }

}  // namespace litz::ops
