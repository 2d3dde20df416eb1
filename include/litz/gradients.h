// Gradients besides value_and_grad (litz/compile.h): products with Jacobians in both directions, whole
// Jacobians and Hessians, functions whose gradients are stated or stopped, and parts of a function that
// are computed again instead of being kept.
//
//   auto block = litz::checkpoint([&](const litz::Tensor& x) { return layer(x); });
//   auto [y, change] = litz::jvp(f)(x, direction);

#pragma once

#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "litz/compile.h"
#include "litz/index.h"

namespace litz {
inline namespace v1 {
namespace detail {

/// The operators that a traced function calls while this lives: their results are computed again for
/// gradients. Does nothing outside of traced functions.
class LITZ_API CheckpointedCalls {
 public:
  CheckpointedCalls();
  CheckpointedCalls(const CheckpointedCalls&) = delete;
  CheckpointedCalls& operator=(const CheckpointedCalls&) = delete;

  /// Ends the region. Its results are kept if gradients need them.
  void end(std::span<const Tensor> results);

 private:
  const void* graph_ = nullptr;
  const void* last_ = nullptr;  ///< The node before the region.
};

/// The results of `body`, whose gradient is what `backward` states: from the leaves, the results and the
/// gradients of the results to the gradients of the leaves. Throws Error.
LITZ_API std::vector<Tensor> call_with_gradient(std::span<const Tensor> leaves,
                                                const TracedBody& body, const TracedBody& backward);

/// The results of `body` and then, for each of `leaves`, the gradient of the sum of all results times
/// their cotangents. Throws Error.
LITZ_API std::vector<Tensor> pull_back(std::span<const Tensor> leaves,
                                       std::span<const Tensor> cotangents, const TracedBody& body);

/// The results of `body` and then, for each of them, its derivative when each of `leaves` moves along
/// its tangent. Throws Error.
LITZ_API std::vector<Tensor> push_forward(std::span<const Tensor> leaves,
                                          std::span<const Tensor> tangents, const TracedBody& body);

/// A body that calls `function` with the traced tree and leaves its result's tree in `result`.
template <typename F, typename Tree, typename Result>
TracedBody tree_body(F& function, const Tree& tree, std::optional<Result>& result) {
  return [&](std::span<const Tensor> arguments) {
    Tree traced = tree;
    replace_tensors(traced, arguments);
    result.emplace(function(std::as_const(traced)));
    return TracedResult{tensors_of(*result)};
  };
}

}  // namespace detail

/// Turns a function of one tree into one of a tree and the cotangents of its result, a tree like that. It
/// returns a pair: the result, and the gradients of the argument, weighted by the cotangents: the product
/// of the cotangents and the Jacobian. Real and complex tensors have gradients, all others zeros.
template <typename F>
auto vjp(F function) {
  return [function = std::move(function)](const auto& tree, const auto& cotangents) mutable {
    using Tree = std::decay_t<decltype(tree)>;
    using Result = std::decay_t<std::invoke_result_t<F&, const Tree&>>;
    std::optional<Result> result;
    const std::vector<Tensor> all = detail::pull_back(tensors_of(tree), tensors_of(cotangents),
                                                      detail::tree_body(function, tree, result));
    const size_t results = detail::replace_tensors(*result, all);
    Tree gradients = tree;
    detail::replace_tensors(gradients, std::span(all).subspan(results));
    return std::pair<Result, Tree>(std::move(*result), std::move(gradients));
  };
}

/// Forward mode: turns a function of one tree into one of a tree and a tangent, a tree like that. It
/// returns a pair: the result, and how it changes when the argument moves along the tangent: the product
/// of the Jacobian and the tangent. Needs gradients that can be differentiated again.
template <typename F>
auto jvp(F function) {
  return [function = std::move(function)](const auto& tree, const auto& tangents) mutable {
    using Tree = std::decay_t<decltype(tree)>;
    using Result = std::decay_t<std::invoke_result_t<F&, const Tree&>>;
    std::optional<Result> result;
    const std::vector<Tensor> all = detail::push_forward(tensors_of(tree), tensors_of(tangents),
                                                         detail::tree_body(function, tree, result));
    Result change = *result;
    const size_t results = detail::replace_tensors(*result, all);
    detail::replace_tensors(change, std::span(all).subspan(results));
    return std::pair<Result, Result>(std::move(*result), std::move(change));
  };
}

/// Turns a function of one tensor that returns one real tensor into one that returns all derivatives,
/// [sizes of the result, sizes of the argument]. Costs a backward pass per element of the result.
template <typename F>
auto jacobian(F function) {
  return [function = std::move(function)](const Tensor& x) mutable {
    const Tensor y = function(x);
    const Tensor directions = eye(y.numel(), y.dtype());
    std::vector<Tensor> rows;
    auto pull = vjp(function);
    for (int64_t i = 0; i < y.numel(); ++i) {
      rows.push_back(pull(x, reshape(select(directions, 0, i), y.sizes())).second);
    }
    std::vector<int64_t> sizes = y.sizes();
    sizes.insert(sizes.end(), x.sizes().begin(), x.sizes().end());
    return rows.empty() ? zeros(sizes, y.dtype()) : reshape(stack(rows), sizes);
  };
}

/// Turns a function of one tensor that returns one real number into one that returns the matrix of its
/// second derivatives, [sizes of the argument, sizes of the argument].
template <typename F>
auto hessian(F function) {
  return jacobian(grad(std::move(function)));
}

/// Like value_and_grad, for a function that returns a pair: the number, and a tree of other results. The
/// pair's second part is the tree of gradients, its first the pair that the function returned.
template <typename F>
auto value_and_grad_with_aux(F function) {
  return [function = std::move(function)](const auto& tree) mutable {
    using Tree = std::decay_t<decltype(tree)>;
    using Result = std::decay_t<std::invoke_result_t<F&, const Tree&>>;
    std::optional<Result> result;
    const std::vector<Tensor> all =
        detail::differentiate(tensors_of(tree), detail::tree_body(function, tree, result));
    const size_t results = detail::replace_tensors(*result, all);
    Tree gradients = tree;
    detail::replace_tensors(gradients, std::span(all).subspan(results));
    return std::pair<Result, Tree>(std::move(*result), std::move(gradients));
  };
}

/// Turns a function of one tree into one whose gradient is stated: `backward(argument, result, gradient of
/// the result)` returns the tree of the argument's gradients. Tensors that the functions capture get none.
/// The stated gradient takes the place of that of the function's operators in `grad` and the other
/// functions here, inside of compiled functions and outside. Code that is recorded operator by operator
/// (litz/tape.h) refuses it: compile the function around it.
template <typename F, typename B>
auto custom_gradient(F function, B backward) {
  return
      [function = std::move(function), backward = std::move(backward)](const auto& tree) mutable {
        using Tree = std::decay_t<decltype(tree)>;
        using Result = std::decay_t<std::invoke_result_t<F&, const Tree&>>;
        std::optional<Result> result;
        const auto stated = [&](std::span<const Tensor> given) {
          Tree argument = tree;
          given = given.subspan(detail::replace_tensors(argument, given));
          Result made = *result;
          given = given.subspan(detail::replace_tensors(made, given));
          Result gradient = *result;
          detail::replace_tensors(gradient, given);
          const Tree gradients =
              backward(std::as_const(argument), std::as_const(made), std::as_const(gradient));
          return detail::TracedResult{tensors_of(gradients)};
        };
        const std::vector<Tensor> all = detail::call_with_gradient(
            tensors_of(tree), detail::tree_body(function, tree, result), stated);
        detail::replace_tensors(*result, all);
        return std::move(*result);
      };
}

/// The tree without its gradients: for them, it is a constant.
template <typename Tree>
Tree stop_gradient(const Tree& tree) {
  std::vector<Tensor> stopped;
  for (const Tensor& tensor : tensors_of(tree)) stopped.push_back(detach(tensor));
  Tree result = tree;
  detail::replace_tensors(result, stopped);
  return result;
}

/// Turns a function into one whose intermediate values are not kept for gradients: the backward part
/// computes them again from the arguments, with the same random numbers. This costs the time of a second
/// run and saves the memory of all values inside. Like torch.utils.checkpoint, for a part of a compiled
/// or differentiated function, such as a block of a transformer.
template <typename F>
auto checkpoint(F function) {
  return [function = std::move(function)](auto&&... arguments) mutable {
    using Result = std::invoke_result_t<F&, decltype(arguments)...>;
    detail::CheckpointedCalls calls;
    if constexpr (std::is_void_v<Result>) {
      function(std::forward<decltype(arguments)>(arguments)...);
      calls.end({});
    } else {
      Result result = function(std::forward<decltype(arguments)>(arguments)...);
      calls.end(tensors_of(result));
      return result;
    }
  };
}

}  // namespace v1
}  // namespace litz
