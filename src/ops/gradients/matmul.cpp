// Gradients of products of matrices.

#include <array>

#include "ops/gradients/families.h"

namespace litz::ops {
namespace {

Term with_rows(const Term& x) {
  const Sizes& sizes = x.sizes();
  return reshape(x, {product(Sizes(sizes.begin(), sizes.end() - 1)), sizes.back()});
}

// a @ b for any ranks: vectors become matrices of one row or column.
void matmul(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["other"];
  Term grad = call.grad();
  if (b.rank() == 1) grad = unsqueeze(grad, -1);
  if (a.rank() == 1) grad = unsqueeze(grad, -2);
  const Term left = a.rank() == 1 ? unsqueeze(a, 0) : a;
  const Term right = b.rank() == 1 ? unsqueeze(b, 1) : b;
  if (call.wants("self")) {
    const Term whole = matmul(grad, adjoint(right));
    call.give("self", reshape(sum_to(whole, left.sizes()), a.sizes()));
  }
  if (!call.wants("other")) return;
  // One product, instead of one for each entry of the batch and a sum of them.
  const bool is_shared = b.rank() <= 2 && a.rank() > 2;
  const Term whole =
      is_shared ? matmul(adjoint(with_rows(left)), with_rows(grad)) : matmul(adjoint(left), grad);
  call.give("other", reshape(sum_to(whole, right.sizes()), b.sizes()));
}

void product(GradientCall& call) {
  const Term a = call["self"];
  const Term b = call["mat2"];
  if (call.wants("self")) call.give("self", matmul(call.grad(), adjoint(b)));
  if (call.wants("mat2")) call.give("mat2", matmul(adjoint(a), call.grad()));
}

void mv(GradientCall& call) {
  const Term grad = call.grad();
  if (call.wants("self")) {
    call.give("self", unsqueeze(grad, 1) * unsqueeze(conj(call["vec"]), 0));
  }
  if (call.wants("vec")) call.give("vec", matmul(adjoint(call["self"]), grad));
}

void dot(GradientCall& call) {
  if (call.wants("self")) call.give("self", call.grad() * conj(call["tensor"]));
  if (call.wants("tensor")) call.give("tensor", call.grad() * conj(call["self"]));
}

// beta * self + alpha * a @ b.
void scaled_product(GradientCall& call, std::string_view first, std::string_view second) {
  const Term grad = call.grad();
  const Term alpha = conj(call["alpha"]);
  if (call.wants("self")) call.give("self", grad * conj(call["beta"]));
  if (call.wants(first)) call.give(first, matmul(grad, adjoint(call[second])) * alpha);
  if (call.wants(second)) call.give(second, matmul(adjoint(call[first]), grad) * alpha);
}

void addmm(GradientCall& call) { scaled_product(call, "mat1", "mat2"); }

void baddbmm(GradientCall& call) { scaled_product(call, "batch1", "batch2"); }

void addmv(GradientCall& call) {
  const Term grad = call.grad();
  const Term alpha = conj(call["alpha"]);
  if (call.wants("self")) call.give("self", grad * conj(call["beta"]));
  if (call.wants("mat")) {
    call.give("mat", unsqueeze(grad, 1) * unsqueeze(conj(call["vec"]), 0) * alpha);
  }
  if (call.wants("vec")) call.give("vec", matmul(adjoint(call["mat"]), grad) * alpha);
}

void addr(GradientCall& call) {
  const Term grad = call.grad();
  const Term alpha = conj(call["alpha"]);
  if (call.wants("self")) call.give("self", grad * conj(call["beta"]));
  if (call.wants("vec1")) call.give("vec1", matmul(grad, conj(call["vec2"])) * alpha);
  if (call.wants("vec2")) {
    call.give("vec2", matmul(transpose(grad, 0, 1), conj(call["vec1"])) * alpha);
  }
}

void linear(GradientCall& call) {
  const Term grad = call.grad();
  const Term x = call["input"];
  const Term weight = call["weight"];
  if (weight.rank() == 1) {
    const Term column = unsqueeze(grad, -1);
    if (call.wants("input")) call.give("input", column * conj(weight));
    if (call.wants("weight")) call.give("weight", column * conj(x));
  } else {
    if (call.wants("input")) call.give("input", matmul(grad, conj(weight)));
    if (call.wants("weight")) {
      call.give("weight", matmul(transpose(with_rows(grad), 0, 1), conj(with_rows(x))));
    }
  }
  if (call.wants("bias")) call.give("bias", grad);
}

constexpr std::array kGradients{
    Gradient{"aten.addmm", addmm},
    Gradient{"aten.addmv", addmv},
    Gradient{"aten.addr", addr},
    Gradient{"aten.baddbmm", baddbmm},
    Gradient{"aten.bmm aten.mm", product},
    Gradient{"aten.dot", dot},
    Gradient{"aten.linear", linear},
    Gradient{"aten.matmul aten.linalg_matmul litz.wide_matmul", matmul},
    Gradient{"aten.mv", mv},
};

}  // namespace

std::span<const Gradient> matmul_gradients() { return kGradients; }

}  // namespace litz::ops
