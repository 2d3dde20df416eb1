// Gradients of code that runs at once: Tensor::requires_grad_ marks the leaves, operators record what
// gradients need, Tensor::backward computes them as one program and adds them to Tensor::grad.
//
//   w.requires_grad_();
//   litz::Tensor loss = sum(pow(w * x, 2));
//   loss.backward();
//   { litz::NoGrad scope; sub_(w, *w.grad() * 0.1); }
//
// Compiled functions are recorded as one call. A tensor whose gradient is recorded must not be written in
// place outside of a NoGrad.

#pragma once

#include <vector>

#include "litz/tree.h"

namespace litz {
inline namespace v1 {

/// While it lives, operators of this thread record nothing for gradients. They nest.
class LITZ_API NoGrad {
 public:
  NoGrad();
  ~NoGrad();
  NoGrad(const NoGrad&) = delete;
  NoGrad& operator=(const NoGrad&) = delete;
};

/// Marks all floating and complex tensors of a tree as leaves. The tree itself has to be used then:
/// copies of its tensors that were made before are not marked.
template <typename Tree>
void require_grad(Tree& tree) {
  std::vector<Tensor> leaves = tensors_of(tree);
  for (Tensor& leaf : leaves) {
    if (leaf.is_differentiable()) leaf.requires_grad_();
  }
  detail::replace_tensors(tree, leaves);
}

/// The gradients of the leaves of a tree, as a tree for an optimizer; zeros where there is none. The
/// leaves start with none again.
template <typename Tree>
Tree take_grads(const Tree& tree) {
  std::vector<Tensor> gradients;
  for (const Tensor& leaf : tensors_of(tree)) gradients.push_back(leaf.take_grad());
  Tree taken = tree;
  detail::replace_tensors(taken, gradients);
  return taken;
}

}  // namespace v1
}  // namespace litz
