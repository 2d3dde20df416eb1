// Gradients of complex numbers: their parts, conjugates, magnitudes and angles.
//
// The gradient of a real loss by z = x + iy is d/dx + i d/dy, as in PyTorch. So a holomorphic
// function passes the gradient times the conjugate of its derivative.

#include <array>
#include <complex>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

const ir::Argument& imaginary_unit() {
  static const ir::Argument unit{ir::Attribute(std::complex<double>(0, 1))};
  return unit;
}

void conj_of(GradientCall& call) { call.give("self", conj(call.grad())); }

void identity(GradientCall& call) { call.give("self", call.grad()); }

void imag(GradientCall& call) {
  const Term unit = imaginary_unit();
  call.give("self", call["self"].is_complex() ? call.grad() * unit : zeros_like(call["self"]));
}

// Of real numbers the angle is a step; 0 stays without a direction.
void angle(GradientCall& call) {
  const Term z = call["self"];
  if (!z.is_complex()) return zero_gradient(call);
  const Term x = real(z);
  const Term y = aten("imag", {z});
  const Term size = x * x + y * y;
  const Term scaled = where(size == 0, 0, call.grad() / size);
  call.give("self", aten("complex", {-y * scaled, x * scaled}));
}

void complex_of(GradientCall& call) {
  call.give("real", real(call.grad()));
  if (call.wants("imag")) call.give("imag", aten("imag", {call.grad()}));
}

void polar(GradientCall& call) {
  const Term result = call.result();
  const Term unit = imaginary_unit();
  call.give("abs", real(conj(call.grad()) * sgn(result)));
  if (call.wants("angle")) call.give("angle", real(conj(call.grad()) * (result * unit)));
}

void view_as_real(GradientCall& call) {
  call.give("self", aten("view_as_complex", {aten("clone", {call.grad()})}));
}

void view_as_complex(GradientCall& call) { call.give("self", aten("view_as_real", {call.grad()})); }

constexpr std::array kGradients{
    Gradient{"aten._conj aten._conj_physical aten.conj aten.conj_physical", conj_of},
    Gradient{"aten.angle", angle},
    Gradient{"aten.complex", complex_of},
    Gradient{"aten.imag", imag},
    Gradient{"aten.polar", polar},
    Gradient{"aten.real aten.resolve_conj aten.resolve_neg", identity},
    Gradient{"aten.view_as_complex", view_as_complex},
    Gradient{"aten.view_as_real", view_as_real},
};

}  // namespace

std::span<const Gradient> complex_gradients() { return kGradients; }

}  // namespace litz::ops
