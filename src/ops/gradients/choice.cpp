// Gradients of choices: where, clamps, the larger and the smaller of two tensors, fills by masks.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

void where_of(GradientCall& call) {
  const Term condition = call["condition"];
  if (call.wants("self")) call.give("self", where(condition, call.grad(), 0));
  if (call.wants("other")) call.give("other", where(condition, 0, call.grad()));
}

// Both operands share the gradient where they are equal, and NaN passes it to both.
void larger(GradientCall& call, std::string_view other) {
  const Term a = call["self"];
  const Term b = call[other];
  const Term shared = where(a == b, call.grad() / 2, call.grad());
  if (call.wants("self")) call.give("self", where(a < b, 0, shared));
  if (call.wants(other)) call.give(other, where(a > b, 0, shared));
}

void smaller(GradientCall& call, std::string_view other) {
  const Term a = call["self"];
  const Term b = call[other];
  const Term shared = where(a == b, call.grad() / 2, call.grad());
  if (call.wants("self")) call.give("self", where(a > b, 0, shared));
  if (call.wants(other)) call.give(other, where(a < b, 0, shared));
}

void maximum(GradientCall& call) { larger(call, "other"); }

void minimum(GradientCall& call) { smaller(call, "other"); }

void clamp_min_by_tensor(GradientCall& call) { larger(call, "min"); }

void clamp_max_by_tensor(GradientCall& call) { smaller(call, "max"); }

Term is_nan(const Term& x) { return aten("isnan", {x}); }

void fmax(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["other"];
  const Term shared = where(a == b, call.grad() / 2, call.grad());
  call.give("self", where((a >= b) | is_nan(b), shared, 0));
  call.give("other", where((a > b) | is_nan(b), 0, shared));
}

void fmin(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["other"];
  const Term shared = where(a == b, call.grad() / 2, call.grad());
  call.give("self", where((a <= b) | is_nan(b), shared, 0));
  call.give("other", where((a < b) | is_nan(b), 0, shared));
}

void clamp(GradientCall& call) {
  const Term x = call["self"];
  Term inside;
  if (call.has("min")) inside = x >= call["min"];
  if (call.has("max")) inside = inside ? inside & (x <= call["max"]) : x <= call["max"];
  call.give("self", masked(call.grad(), inside));
}

void clamp_by_tensors(GradientCall& call) {
  const Term x = call["self"];
  const Term low = call["min"];
  const Term high = call["max"];
  if (call.wants("self")) clamp(call);
  if (call.wants("min")) {
    call.give("min", masked(call.grad(), high ? (low < high) & (x < low) : x < low));
  }
  if (call.wants("max")) {
    call.give("max", masked(call.grad(), low ? (x > high) | (high < low) : x > high));
  }
}

void clamp_min(GradientCall& call) {
  call.give("self", where(call["self"] > call["min"], call.grad(), 0));
}

void clamp_max(GradientCall& call) {
  call.give("self", where(call["self"] < call["max"], call.grad(), 0));
}

void masked_fill(GradientCall& call) {
  const Term mask = call["mask"];
  if (call.wants("self")) call.give("self", where(mask, 0, call.grad()));
  if (call.wants("value")) call.give("value", sum(masked(call.grad(), mask)));
}

void copysign(GradientCall& call) {
  const Term x = call["self"];
  call.give("self", where(x == 0, 0, call.grad() * (call.result() / x)));
  if (call.wants("other")) call.give("other", zeros_like(call["other"]));
}

void nextafter(GradientCall& call) {
  call.give("self", where(call["self"] != call["other"], call.grad(), 0));
  if (call.wants("other")) call.give("other", zeros_like(call["other"]));
}

void frexp(GradientCall& call) { call.give("self", call.grad() / aten("exp2", {call.result(1)})); }

void ldexp(GradientCall& call) {
  call.give("self", call.grad() * conj(pow(2.0, call["other"])));
  if (call.wants("other")) {
    call.give("other", call.grad() * conj(call.result()) * 0.69314718055994530942);
  }
}

constexpr std::array kGradients{
    Gradient{"aten.clamp aten.clip", clamp},
    Gradient{"aten.clamp.Tensor aten.clip.Tensor", clamp_by_tensors},
    Gradient{"aten.clamp_max", clamp_max},
    Gradient{"aten.clamp_max.Tensor", clamp_max_by_tensor},
    Gradient{"aten.clamp_min", clamp_min},
    Gradient{"aten.clamp_min.Tensor", clamp_min_by_tensor},
    Gradient{"aten.copysign.Scalar aten.copysign.Tensor", copysign},
    Gradient{"aten.fmax", fmax},
    Gradient{"aten.fmin", fmin},
    Gradient{"aten.frexp.Tensor", frexp},
    Gradient{"aten.ldexp.Tensor", ldexp},
    Gradient{"aten.masked_fill.Scalar aten.masked_fill.Tensor", masked_fill},
    Gradient{"aten.maximum aten.max.other", maximum},
    Gradient{"aten.minimum aten.min.other", minimum},
    Gradient{"aten.nextafter", nextafter},
    Gradient{"aten.where.self aten.where.ScalarOther aten.where.ScalarSelf", where_of},
};

}  // namespace

std::span<const Gradient> choice_gradients() { return kGradients; }

}  // namespace litz::ops
