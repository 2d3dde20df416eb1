// Conditions and loops on values that a compiled function computes, as parts of its program.
//
//   litz::Tensor y = litz::cond(sum(x) > 0, [](auto x) { return x * 2; }, [](auto x) { return neg(x); }, x);
//
// The functions are called once while a compiled function is traced, and must not write tensors from outside.
// What they use from outside is captured. Outside of compiled functions they run as ordinary C++. PyTorch's
// operators of these names (torch.cond, torch._higher_order_ops) are the same.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "litz/compile.h"
#include "litz/ops.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {
namespace detail {

LITZ_API TracedResult trace_cond(const Tensor& predicate, std::span<const Tensor> operands,
                                 const TracedBody& yes, const TracedBody& no);
LITZ_API TracedResult trace_while(const TracedBody& condition, const TracedBody& body,
                                  std::span<const Tensor> carried);
/// `combine` takes what is carried and a row of each of `xs`, and returns what is carried, then rows.
LITZ_API TracedResult trace_scan(const TracedBody& combine, std::span<const Tensor> carried,
                                 std::span<const Tensor> xs);
LITZ_API TracedResult trace_map(const TracedBody& body, std::span<const Tensor> xs);
/// `combine` takes two rows of each of `xs`.
LITZ_API TracedResult trace_associative_scan(const TracedBody& combine, std::span<const Tensor> xs);

/// The function on a tree of these tensors; its result as tensors and a tree without them.
template <typename Result, typename F, typename... Trees>
TracedBody body_of(F& function, const std::tuple<Trees...>& trees) {
  return [&function, &trees](std::span<const Tensor> tensors) {
    auto result = std::make_shared<Result>(with_tensors(function, trees, tensors));
    std::vector<Tensor> own = tensors_of(*result);
    replace_tensors(*result, std::vector<Tensor>(own.size()));
    return TracedResult{std::move(own), std::move(result)};
  };
}

template <typename Result>
Result restored(const TracedResult& traced) {
  Result result = *static_cast<const Result*>(traced.tree.get());
  replace_tensors(result, traced.tensors);
  return result;
}

/// The rows of all tensors at a place.
template <typename Tree>
Tree row_of(const Tree& tree, int64_t place) {
  std::vector<Tensor> rows = tensors_of(tree);
  for (Tensor& row : rows) row = select(row, 0, place);
  Tree result = tree;
  replace_tensors(result, rows);
  return result;
}

template <typename Tree>
int64_t row_count(const Tree& tree) {
  const std::vector<Tensor> tensors = tensors_of(tree);
  if (tensors.empty() || tensors[0].dim() == 0) {
    throw Error(ErrorKind::invalid_argument, "a loop must have a tensor with rows to walk along");
  }
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() == 0 || tensor.size(0) != tensors[0].size(0)) {
      throw Error(ErrorKind::invalid_argument,
                  "the tensors that a loop walks along must have equally many rows");
    }
  }
  return tensors[0].size(0).value();
}

/// Trees of rows as one tree of tensors.
template <typename Tree>
Tree stacked(const std::vector<Tree>& rows) {
  if (rows.empty()) {
    throw Error(ErrorKind::unsupported, "a loop without rows cannot tell the sizes of its results");
  }
  std::vector<std::vector<Tensor>> columns(tensors_of(rows[0]).size());
  for (const Tree& row : rows) {
    const std::vector<Tensor> tensors = tensors_of(row);
    for (size_t i = 0; i < columns.size(); ++i) columns[i].push_back(tensors[i]);
  }
  std::vector<Tensor> whole;
  whole.reserve(columns.size());
  for (const std::vector<Tensor>& column : columns) whole.push_back(stack(column));
  Tree result = rows[0];
  replace_tensors(result, whole);
  return result;
}

}  // namespace detail

/// `yes(operands...)` if the one bool is true, else `no(operands...)`. Both must return tensors of the same
/// dtypes and ranks; sizes that differ depend on data.
template <typename Yes, typename No, typename... Operands>
auto cond(const Tensor& predicate, Yes yes, No no, const Operands&... operands) {
  using Result = std::decay_t<std::invoke_result_t<Yes&, Operands...>>;
  if (!detail::is_tracing()) {
    return predicate.item<bool>() ? Result(yes(operands...)) : Result(no(operands...));
  }
  const std::tuple<Operands...> trees(operands...);
  return detail::restored<Result>(detail::trace_cond(predicate, tensors_of(trees),
                                                     detail::body_of<Result>(yes, trees),
                                                     detail::body_of<Result>(no, trees)));
}

/// Replaces the tree `carried` by `body(carried)`, of the same dtypes and sizes, as long as
/// `condition(carried)`, one bool, is true.
template <typename Condition, typename Body, typename Tree>
Tree while_loop(Condition condition, Body body, Tree carried) {
  if (!detail::is_tracing()) {
    while (condition(std::as_const(carried)).template item<bool>()) {
      carried = body(std::as_const(carried));
    }
    return carried;
  }
  const std::tuple<Tree> trees(carried);
  return detail::restored<Tree>(detail::trace_while(detail::body_of<Tensor>(condition, trees),
                                                    detail::body_of<Tree>(body, trees),
                                                    tensors_of(trees)));
}

/// Walks along dimension 0 of all tensors of `xs`: `combine(carried, row)` returns a pair of what is carried
/// on, of the same dtypes and sizes, and a tree of tensors. Returns what is carried in the end, and those
/// trees as rows of one.
template <typename Combine, typename Carried, typename Xs>
auto scan(Combine combine, Carried carried, const Xs& xs) {
  using Result = std::decay_t<std::invoke_result_t<Combine&, Carried, Xs>>;
  if (!detail::is_tracing()) {
    std::vector<typename Result::second_type> rows;
    const int64_t count = detail::row_count(xs);
    for (int64_t i = 0; i < count; ++i) {
      Result step = combine(std::as_const(carried), detail::row_of(xs, i));
      carried = std::move(step.first);
      rows.push_back(std::move(step.second));
    }
    return Result(std::move(carried), detail::stacked(rows));
  }
  const std::tuple<Carried, Xs> trees(carried, xs);
  return detail::restored<Result>(detail::trace_scan(detail::body_of<Result>(combine, trees),
                                                     tensors_of(carried), tensors_of(xs)));
}

/// `body` of each row of all tensors of `xs`, as rows of one tree.
template <typename Body, typename Xs>
auto map(Body body, const Xs& xs) {
  using Result = std::decay_t<std::invoke_result_t<Body&, Xs>>;
  if (!detail::is_tracing()) {
    std::vector<Result> rows;
    const int64_t count = detail::row_count(xs);
    for (int64_t i = 0; i < count; ++i) rows.push_back(body(detail::row_of(xs, i)));
    return detail::stacked(rows);
  }
  const std::tuple<Xs> trees(xs);
  return detail::restored<Result>(
      detail::trace_map(detail::body_of<Result>(body, trees), tensors_of(xs)));
}

/// Row i of the result is what `combine` makes of rows 0 to i; it must be associative.
template <typename Combine, typename Xs>
Xs associative_scan(Combine combine, const Xs& xs) {
  if (!detail::is_tracing()) {
    std::vector<Xs> rows;
    const int64_t count = detail::row_count(xs);
    for (int64_t i = 0; i < count; ++i) {
      Xs row = detail::row_of(xs, i);
      rows.push_back(i == 0 ? std::move(row) : Xs(combine(rows.back(), std::move(row))));
    }
    return detail::stacked(rows);
  }
  const std::tuple<Xs, Xs> trees(xs, xs);
  return detail::restored<Xs>(
      detail::trace_associative_scan(detail::body_of<Xs>(combine, trees), tensors_of(xs)));
}

}  // namespace v1
}  // namespace litz
