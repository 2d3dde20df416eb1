// Functions over tensors, compiled: litz::compile; and their gradients.
//
//   auto step = litz::compile([&](litz::Tensor x) { return relu(linear(x, model.w, model.b)); });
//   litz::Tensor y = step(x);
//
// The first call with arguments of certain dtypes, sizes and strides runs the function once with tensors
// that have no data, to see which operators it calls. Later calls run one program and never the function.
// Tensors that the function uses without being given them are captured by reference: the program reads
// their contents of each call, and writes those that the function changes in place. Everything else that
// the function reads (numbers, conditions) is as it was at the first call.

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "litz/litz.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {
namespace detail {

/// The result of a traced function: its tensors, and the tree that they belong in, without them.
struct TracedResult {
  std::vector<Tensor> tensors;
  std::shared_ptr<const void> tree = nullptr;
};

using TracedBody = std::function<TracedResult(std::span<const Tensor> arguments)>;

/// The programs of one compiled function, by the signatures of calls. Thread-safe.
class LITZ_API FunctionPrograms {
 public:
  explicit FunctionPrograms(const Options& options);
  ~FunctionPrograms();
  FunctionPrograms(FunctionPrograms&&) noexcept;
  FunctionPrograms& operator=(FunctionPrograms&&) noexcept;

  /// Runs the program for these tensors and other values; `body` makes it at the first such call.
  /// Returns the results with the tree of that trace. Throws Error.
  TracedResult call(std::span<const Tensor> tensors, std::string_view values,
                    const TracedBody& body);

  /// The number of programs.
  size_t count() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// True while this thread traces a function.
LITZ_API bool is_tracing();

/// The results of `body` and then, for each of `leaves`, the gradient of result 0, which must be one
/// number. Leaves that are the same tensor have one gradient, of both uses. Leaves that it does not depend on, or that are not floating, get zeros. Throws Error.
LITZ_API std::vector<Tensor> differentiate(std::span<const Tensor> leaves, const TracedBody& body);

template <typename F, typename... Arguments>
auto with_tensors(F& function, std::tuple<Arguments...> arguments,
                  std::span<const Tensor> tensors) {
  replace_tensors(arguments, tensors);
  return std::apply(function, std::move(arguments));
}

}  // namespace detail

/// A compiled function. Copies share its programs. Calls from several threads are safe if the function's
/// own trace is.
template <typename F>
class Compiled {
 public:
  Compiled(F function, const Options& options)
      : shared_(std::make_shared<Shared>(std::move(function), options)) {}

  /// The result of the function. Throws Error, and what the function throws while it is traced.
  template <typename... Arguments>
  auto operator()(Arguments&&... arguments) const {
    using Result = std::invoke_result_t<F&, std::decay_t<Arguments>...>;
    std::tuple<std::decay_t<Arguments>...> tree(std::forward<Arguments>(arguments)...);
    if constexpr (std::is_void_v<Result>) {
      const auto without_result = [&](auto&&... given) {
        shared_->function(std::forward<decltype(given)>(given)...);
        return std::tuple<>();
      };
      run<std::tuple<>>(without_result, std::move(tree));
    } else {
      return run<Result>(shared_->function, std::move(tree));
    }
  }

  /// The number of programs: one for each signature of calls so far.
  size_t program_count() const { return shared_->programs.count(); }

 private:
  struct Shared {
    Shared(F given, const Options& options) : function(std::move(given)), programs(options) {}

    F function;
    detail::FunctionPrograms programs;
  };

  template <typename Result, typename Body, typename Tree>
  Result run(Body& function, Tree tree) const {
    if (detail::is_tracing()) return std::apply(function, std::move(tree));
    detail::Flattened flat;
    detail::flatten(tree, flat);
    flat.values += typeid(Tree).name();
    const auto body = [&](std::span<const Tensor> arguments) -> detail::TracedResult {
      auto result = std::make_shared<Result>(detail::with_tensors(function, tree, arguments));
      std::vector<Tensor> tensors = tensors_of(*result);
      detail::replace_tensors(*result, std::vector<Tensor>(tensors.size()));
      return {std::move(tensors), std::move(result)};
    };
    const detail::TracedResult outcome = shared_->programs.call(flat.tensors, flat.values, body);
    Result result = *static_cast<const Result*>(outcome.tree.get());
    detail::replace_tensors(result, outcome.tensors);
    return result;
  }

  std::shared_ptr<Shared> shared_;
};

/// Compiles a function whose arguments and result are trees of tensors (litz/tree.h). Of the options,
/// `executor`, `threads`, `pool` and those of the cache are used.
template <typename F>
Compiled<std::decay_t<F>> compile(F&& function, const Options& options = {}) {
  return {std::forward<F>(function), options};
}

/// Turns a function of one tree, which returns one number as a tensor, into one that returns a pair: that
/// number, and the tree of its gradients. Can be used inside of compiled functions and outside.
template <typename F>
auto value_and_grad(F function) {
  return [function = std::move(function)](const auto& tree) mutable {
    using Tree = std::decay_t<decltype(tree)>;
    const std::vector<Tensor> leaves = tensors_of(tree);
    const std::vector<Tensor> results =
        detail::differentiate(leaves, [&](std::span<const Tensor> arguments) {
          Tree traced = tree;
          detail::replace_tensors(traced, arguments);
          return detail::TracedResult{{function(std::as_const(traced))}};
        });
    Tree gradients = tree;
    detail::replace_tensors(gradients, std::span(results).subspan(1));
    return std::pair<Tensor, Tree>(results[0], std::move(gradients));
  };
}

/// The same without the number.
template <typename F>
auto grad(F function) {
  return [both = value_and_grad(std::move(function))](const auto& tree) mutable {
    return both(tree).second;
  };
}

}  // namespace v1
}  // namespace litz
