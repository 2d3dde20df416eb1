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
//
// A size that differs in a later call is left open by the program that is compiled then (litz/size.h),
// with the conditions on it that the function's operators and its own comparisons need.
//
// A function that reads elements of what it computes (item, to_vector, data) has parts: what was stated up
// to there runs as a program, and the code goes on with its results. Such a function runs in every call,
// and each part is compiled when it is new.

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "litz/litz.h"
#include "litz/size.h"
#include "litz/tree.h"

namespace litz {
inline namespace v1 {

/// Which sizes of its arguments a program of a compiled function leaves open.
enum class DynamicSizes : uint8_t {
  automatic,  ///< Those that differed between two calls, and those that are marked.
  never,      ///< None: each combination of sizes has a program.
  always,     ///< All of 2 and more, except marked ones.
};

/// What a call does for which no program is known.
enum class NewProgram : uint8_t {
  compile,      ///< Traces the function and compiles what it states.
  run_eagerly,  ///< Runs the function, operator by operator, unless it is the first call.
  refuse,       ///< Throws Error with the reason, unless it is the first call.
};

struct CompileOptions {
  /// `executor`, `threads`, `pool`, `graphs` and those of the cache are used.
  Options run = {};
  DynamicSizes dynamic = DynamicSizes::automatic;
  /// Reading elements and graph_break() are errors inside of the function.
  bool full_graph = false;
  NewProgram new_program = NewProgram::compile;
  /// A function would otherwise fill memory with programs for arguments that always differ.
  size_t most_programs = 256;
};

/// Says of a size of this handle's tensor that it differs from call to call (or that it does not), before
/// a compiled function has seen that. Sizes of 0 and 1 have programs of their own all the same. Negative
/// dimensions count from the last. Throws Error for dimensions that it has not.
LITZ_API void mark_dynamic(Tensor& tensor, int64_t dim);
LITZ_API void mark_static(Tensor& tensor, int64_t dim);

/// Ends a part of the compiled function around it: what was stated so far runs now. Does nothing outside
/// of compiled functions. Throws Error inside of one that must be a whole.
LITZ_API void graph_break(std::string_view reason = "graph_break()");

/// What became of a compiled function so far.
struct FunctionReport {
  struct Program {
    std::string arguments;            ///< "f32[s0, 8], f32[8]"
    std::vector<std::string> guards;  ///< Conditions on sizes besides, with who needed them.
    size_t captured = 0;              ///< Tensors that the function uses without being given them.
    uint64_t calls = 0;
  };

  /// Calls of arguments that differ at most in sizes, of a function that reads what it computes.
  struct Parts {
    std::string arguments;
    std::vector<std::string> breaks;  ///< Why each part ended, in the first such call.
    uint64_t calls = 0;
  };

  std::vector<Program> programs;
  std::vector<Parts> parts;
  size_t part_programs = 0;             ///< Programs of parts that were compiled.
  std::vector<std::string> fixed;       ///< Why sizes that differ were not left open.
  std::vector<std::string> recompiles;  ///< Why programs after the first one were made.
};

/// As lines of text.
LITZ_API std::string to_string(const FunctionReport& report);

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
  explicit FunctionPrograms(const CompileOptions& options);
  ~FunctionPrograms();
  FunctionPrograms(FunctionPrograms&&) noexcept;
  FunctionPrograms& operator=(FunctionPrograms&&) noexcept;

  /// Runs the program for these tensors and other values; `body` makes it at the first such call.
  /// Returns the results with the tree of that trace. Throws Error.
  TracedResult call(std::span<const Tensor> tensors, std::string_view values,
                    const TracedBody& body);

  /// The number of programs, without those of parts.
  size_t count() const;
  FunctionReport report() const;

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
  Compiled(F function, const CompileOptions& options)
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

  /// The number of programs, without those of parts.
  size_t program_count() const { return shared_->programs.count(); }

  /// Programs, parts and recompiles so far.
  FunctionReport report() const { return shared_->programs.report(); }

 private:
  struct Shared {
    Shared(F given, const CompileOptions& options)
        : function(std::move(given)), programs(options) {}

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

/// Compiles a function whose arguments and result are trees of tensors (litz/tree.h).
template <typename F>
Compiled<std::decay_t<F>> compile(F&& function, const CompileOptions& options = {}) {
  return {std::forward<F>(function), options};
}

/// The same as compiled.report(): what an explanation of slow or repeated compilation needs.
template <typename F>
FunctionReport explain(const Compiled<F>& compiled) {
  return compiled.report();
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
