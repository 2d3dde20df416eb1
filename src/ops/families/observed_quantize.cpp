// Fake quantization with an observer: running extremes of a tensor or of its rows follow the data,
// scale and zero point follow the extremes, and the tensor is quantized and dequantized with them.

#include <array>
#include <cmath>

#include "ops/bodies.h"
#include "ops/families/training_families.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

constexpr std::array kStatistics{"running_min"sv, "running_max"sv, "scale"sv, "zero_point"sv};
constexpr std::string_view kParameters = "litz.moving_average_parameters";

bool by_row(const Call& call) { return call.flag("per_row_fake_quant"); }

void require_observable(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.dtype == DType::f32, "observed fake quantization C1: of f32 tensors:", self);
  const int64_t axis = call.integer("ch_axis");
  require(axis < static_cast<int64_t>(self.rank()),
          "observed fake quantization C2: the axis is one of the tensor's:", axis, self);
  require(!by_row(call) || (axis == 0 && self.rank() > 1),
          "observed fake quantization C2: rows are of axis 0 and have elements:", axis, self);
  require(call.integer("quant_min") < call.integer("quant_max"),
          "observed fake quantization C3: the range of integers has more than one:",
          call.integer("quant_min"), call.integer("quant_max"));
  for (const std::string_view name : {"observer_on"sv, "fake_quant_on"sv}) {
    require(
        !known_not_equal(call.type(name).numel(), Expr(1)) && !is_complex(call.type(name).dtype),
        "observed fake quantization C4: a switch is one real number:", name, call.type(name));
  }
  const Expr count = by_row(call) ? self.sizes[0] : Expr(1);
  for (const std::string_view name : kStatistics) {
    const TensorType& type = call.type(name);
    const bool is_integer = name == "zero_point";
    require(is_integer ? type.dtype == DType::i32 || type.dtype == DType::i64
                       : type.dtype == DType::f32,
            "observed fake quantization C5: extremes and scales are f32, zero points i32 or i64:",
            name, type);
    require(type.rank() == 1, "observed fake quantization C5: statistics are lists:", name, type);
    call.require_sizes(eq(type.sizes[0], count),
                       "observed fake quantization C5: statistics are one number, or one a row:",
                       name, type, self);
  }
  call.require_sizes(ne(self.numel(), 0),
                     "observed fake quantization C6: nothing has no extremes:", self);
}

Types statistics(const Call& call) {
  Types types;
  for (const std::string_view name : kStatistics) {
    const TensorType& type = call.type(name);
    types.emplace_back(contiguous_type(type.dtype, type.sizes, type.device));
  }
  return types;
}

Types parameters_meta(const Call& call) {
  require_observable(call);
  return statistics(call);
}

Types functional_meta(const Call& call) {
  require_observable(call);
  const TensorType operands[] = {call.type("self")};
  TensorType mask = elementwise_type(DType::f32, operands);
  mask.dtype = DType::bool_;
  Types types{elementwise_type(DType::f32, operands), mask};
  for (ir::ValueType& type : statistics(call)) types.push_back(std::move(type));
  return types;
}

Types helper_meta(const Call& call) {
  Types types = functional_meta(call);
  types.resize(2);
  return types;
}

TensorType outer_meta(const Call& call) { return std::get<TensorType>(functional_meta(call)[0]); }

// --- parameters from extremes ---

struct Extremes {
  Scalar low;
  Scalar high;
};

// NaN stays.
Extremes with_zero(Extremes x) {
  return {select(x.low > 0, 0.0, x.low), select(x.high < 0, 0.0, x.high)};
}

// Symmetric around 0 in steps of the integer range.
Extremes symmetric(Extremes x, double span) {
  const double below = -(std::floor(span / 2) + 1);
  const double above = std::floor(span / 2);
  const Scalar down = abs(x.low / below);
  const Scalar up = abs(x.high / above);
  const Scalar step = select(down < up, up, down);
  return {step * below, step * above};
}

struct Parameters {
  Scalar scale;       // f64
  Scalar zero_point;  // f64, a whole number
};

// Scales are f32; zero points are computed in f64.
Parameters parameters(const Call& call, Extremes x) {
  KernelBuilder& b = x.low.builder();
  const double lowest = call.real("quant_min");
  const double highest = call.real("quant_max");
  const double span = highest - lowest;
  const bool is_symmetric = call.flag("symmetric_quant");
  constexpr double kSmallest = 6.1e-5F;  // Smaller scales could not be inverted in halves.
  const auto wide = [&](Scalar value) { return b.cast(value, DType::f64); };
  x = with_zero(x);
  if (is_symmetric) {
    const Scalar has_both = (x.low < 0) & (x.high > 0);
    const Extremes even = symmetric(x, span);
    x = {select(has_both, even.low, x.low), select(has_both, even.high, x.high)};
  }
  Scalar scale = wide(b.cast((wide(x.high) - wide(x.low)) / span, DType::f32));
  const Scalar single = b.cast(scale, DType::f32);
  scale = select((single == 0) | is_inf(1.0 / single), static_cast<double>(0.1F), scale);
  // Small scales are raised, and the extremes with them.
  const Scalar is_small = scale < kSmallest;
  const Scalar factor = b.constant(DType::f32, kSmallest) / b.cast(scale, DType::f32);
  const double reach =
      static_cast<double>(static_cast<float>(kSmallest) * static_cast<float>(span));
  const Scalar low =
      select(is_small & (x.low != 0), select(x.high == 0, -reach, x.low * factor), x.low);
  const Scalar high = select(is_small & ((x.high != 0) | (x.low == 0)),
                             select(x.low == 0, reach, x.high * factor), x.high);
  scale = select(is_small, kSmallest, scale);
  const Scalar from_low = lowest - wide(low) / scale;
  const Scalar from_high = highest - wide(high) / scale;
  const Scalar low_error = std::abs(lowest) - abs(wide(low) / scale);
  const Scalar high_error = std::abs(highest) - abs(wide(high) / scale);
  Scalar zero_point = select(low_error < high_error, from_low, from_high);
  if (is_symmetric) {
    zero_point = select((low < 0) & (high > 0), (lowest + highest) / 2, zero_point);
  }
  zero_point = select(zero_point < lowest, lowest,
                      select(zero_point > highest, highest, round_even(zero_point)));
  return {scale, zero_point};
}

Scalar is_on(NestCall& call, std::string_view name) {
  KernelBuilder& b = call.builder();
  const Sizes first(call.type(name).rank(), Expr(0));
  return b.cast(b.cast(b.load(call.in(name), Exprs(first)), DType::i64), DType::i64) != 0;
}

void moving_average(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  Sizes rest = self.sizes;
  Sizes rows{Expr(1)};
  if (by_row(call)) {
    rows = {self.sizes[0]};
    rest.erase(rest.begin());
  }
  const double share = static_cast<float>(call.real("averaging_const"));
  b.loop(rows, [&](Exprs row) {
    const auto extreme = [&](ReduceKind kind) {
      return b.reduce(kind, rest, [&](Exprs i) {
        Sizes index(i.begin(), i.end());
        if (by_row(call)) index.insert(index.begin(), row[0]);
        return b.load(call.in("self"), Exprs(index));
      });
    };
    const Scalar observes = is_on(call, "observer_on");
    const Scalar quantizes = is_on(call, "fake_quant_on");
    // An infinite extreme means that nothing was observed yet.
    const auto moved = [&](std::string_view name, ReduceKind kind) {
      const Scalar before = b.load(call.in(name), row);
      const Scalar now = extreme(kind);
      const Scalar after = select(is_inf(before), now, before + share * (now - before));
      return select(observes, after, before);
    };
    const Extremes extremes{moved("running_min", ReduceKind::min),
                            moved("running_max", ReduceKind::max)};
    b.store(call.out(0), row, extremes.low);
    b.store(call.out(1), row, extremes.high);
    const Parameters chosen = parameters(call, extremes);
    const Scalar scale = b.load(call.in("scale"), row);
    const Scalar zero_point = b.load(call.in("zero_point"), row);
    b.store(call.out(2), row, select(quantizes, b.cast(chosen.scale, DType::f32), scale));
    b.store(call.out(3), row,
            select(quantizes, b.cast(b.cast(chosen.zero_point, DType::i32), zero_point.dtype()),
                   zero_point));
  });
}

std::vector<Value> functional_nodes(DecomposeCall& call) {
  std::vector<ir::Argument> arguments(call.arguments().begin(), call.arguments().end());
  std::vector<Value> updated = call.graph().create(kParameters, std::move(arguments))->outputs();
  const Value scale = updated[2];
  const Value zero_point = updated[3];
  std::vector<Value> results;
  if (by_row(call)) {
    const Value flat = call.aten("reshape", {call["fake_quant_on"], Sizes{}});
    const Value on = call.aten("ne.Scalar", {call.to(flat, DType::i64), Expr(0)});
    // Unused zero points need not be in the integer range.
    const Value safe = call.aten("where.ScalarOther", {on, zero_point, call.pass("quant_min")});
    const std::vector<Value> quantized =
        call.aten_all("fake_quantize_per_channel_affine_cachemask",
                      {call["self"], scale, call.to(safe, zero_point.tensor().dtype), Expr(0),
                       call.pass("quant_min"), call.pass("quant_max")});
    results = {call.aten("where.self", {on, quantized[0], call["self"]}),
               call.aten("logical_or", {quantized[1], call.aten("logical_not", {on})})};
  } else {
    results = call.aten_all("_fake_quantize_per_tensor_affine_cachemask_tensor_qparams",
                            {call["self"], scale, zero_point, call["fake_quant_on"],
                             call.pass("quant_min"), call.pass("quant_max")});
  }
  results.insert(results.end(), updated.begin(), updated.end());
  return results;
}

constexpr std::array kCalls{
    "(f32[2, 3], i64[1] in [0, 2), i64[1] in [1, 2), f32[1] in [-2, -1), f32[1] in [1, 2), f32[1] "
    "in "
    "[0.1, 0.2), i32[1] in [0, 3), 0.01, 0, 255, 0)"sv,
    "(f32[3, s0], i64[1] in [1, 2), i64[1] in [0, 2), f32[3] in [-2, -1), f32[3] in [1, 2), f32[3] "
    "in [0.1, 0.2), i32[3] in [0, 3), 0.1, -128, 127, 0, True, True)"sv};

constexpr std::string_view kDoc =
    "Quantized and dequantized again by running extremes, which the data moves; and where nothing "
    "was clamped.\n"
    "C1: of f32 tensors. C2: the axis is one of the tensor's, that of rows 0. C3: there is more "
    "than "
    "one integer. C4: a switch is one number. C5: statistics are one number or one a row, f32, "
    "zero "
    "points i32 or i64. C6: the tensor has elements.";

// PyTorch excludes them from its recordings.
constexpr ir::Trait kUnsafe = ir::Trait::capture_unsafe;

constexpr std::array kOps{
    OpDef{.schema = "aten._fused_moving_avg_obs_fq_helper(Tensor self, Tensor observer_on, Tensor "
                    "fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) "
                    "scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int "
                    "quant_max, int ch_axis, bool per_row_fake_quant=False, bool "
                    "symmetric_quant=False) -> (Tensor output, Tensor mask)",
          .doc = kDoc,
          .meta = helper_meta,
          .impl = Structural{},
          .traits = kUnsafe},
    OpDef{.schema = "aten._fused_moving_avg_obs_fq_helper_functional(Tensor self, Tensor "
                    "observer_on, Tensor fake_quant_on, Tensor running_min, Tensor running_max, "
                    "Tensor scale, Tensor zero_point, float averaging_const, int quant_min, int "
                    "quant_max, int ch_axis, bool per_row_fake_quant=False, bool "
                    "symmetric_quant=False) -> (Tensor output, Tensor mask, Tensor "
                    "running_min_out, Tensor running_max_out, Tensor scale_out, Tensor "
                    "zero_point_out)",
          .doc = kDoc,
          .meta = functional_meta,
          .impl = Decompose{functional_nodes},
          .traits = kUnsafe,
          .samples = {.calls = kCalls}},
    OpDef{.schema = "aten.fused_moving_avg_obs_fake_quant(Tensor self, Tensor observer_on, Tensor "
                    "fake_quant_on, Tensor(a!) running_min, Tensor(b!) running_max, Tensor(c!) "
                    "scale, Tensor(d!) zero_point, float averaging_const, int quant_min, int "
                    "quant_max, int ch_axis, bool per_row_fake_quant=False, bool "
                    "symmetric_quant=False) -> Tensor",
          .doc = kDoc,
          .meta = outer_meta,
          .impl = Structural{},
          .traits = kUnsafe,
          .stands_for = "aten._fused_moving_avg_obs_fq_helper_functional"},
    OpDef{.schema = "litz.moving_average_parameters(Tensor self, Tensor observer_on, Tensor "
                    "fake_quant_on, Tensor running_min, Tensor running_max, Tensor scale, Tensor "
                    "zero_point, float averaging_const, int quant_min, int quant_max, int ch_axis, "
                    "bool per_row_fake_quant=False, bool symmetric_quant=False) -> (Tensor, "
                    "Tensor, Tensor, Tensor)",
          .doc = "Extremes moved by a share of the data's, and the scale and zero point that they "
                 "give.\nC1 to C6 as in fused_moving_avg_obs_fake_quant.",
          .meta = parameters_meta,
          .impl = LoopNest{moving_average},
          .samples = {.calls = kCalls}},
};

}  // namespace

std::span<const OpDef> observed_quantize_ops() { return kOps; }

}  // namespace litz::ops
