// Operators of one's own, as C++ functions: called like Litz's operators, at once and in compiled functions.
//
//   const auto stamp = litz::custom_op(
//       "demo::stamp(Tensor x, int at) -> Tensor",
//       [](const litz::CustomCall& call) {
//         litz::Tensor y = call.result(0);
//         copy_(y, call.tensor(0));
//         y.as<float>()[call.integer(1)] = 1;
//       },
//       {.results_like = "x"});
//   litz::Tensor y = stamp(x, 3);
//
// Exported programs that call torch.ops.demo.stamp find it, too, if it is made before they are loaded. A
// gradient is given around it, by litz::custom_gradient (litz/gradients.h).

#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "litz/arguments.h"

struct litz_call;

namespace litz {
inline namespace v1 {

/// One call of an operator. Arguments are counted as in the schema; absent ones have their defaults. Throws
/// Error for an argument of another kind. What it returns lasts as long as the call.
class LITZ_API CustomCall {
 public:
  explicit CustomCall(const litz_call& call) : call_(&call) {}

  /// False for None.
  bool has(size_t i) const;
  /// The caller's memory, with its strides; written if the schema says so. While result types are asked
  /// for, it must not be read.
  Tensor tensor(size_t i) const;
  std::vector<Tensor> tensors(size_t i) const;
  DType dtype(size_t i) const;
  std::vector<int64_t> sizes(size_t i) const;
  int64_t integer(size_t i) const;
  std::vector<int64_t> integers(size_t i) const;
  /// Also of an integer.
  double real(size_t i) const;
  bool flag(size_t i) const;
  std::string_view text(size_t i) const;
  /// The memory to write a result to. Results that are arguments are not counted.
  Tensor result(size_t i) const;
  /// Makes a result whose sizes depend on data, row-major, with unspecified contents.
  Tensor make_result(size_t i, DType dtype, const std::vector<int64_t>& sizes) const;
  /// For random operators: differs for every node and call.
  uint64_t seed() const;
  /// While result types are asked for: states one; a size of -1 depends on data.
  void set_type(size_t i, DType dtype, const std::vector<int64_t>& sizes) const;

 private:
  const litz_call* call_;
};

using CustomFunction = std::function<void(const CustomCall& call)>;

struct CustomOpOptions {
  /// The tensor argument whose dtype and sizes all results have.
  std::string results_like = {};
  /// Otherwise: states the type of each result. Operators without results need neither.
  CustomFunction result_types = {};
  bool is_random = false;
  bool unsafe_to_capture = false;  ///< Must not run while a device graph is captured.
  bool has_effects = false;        ///< Effects beyond the schema: every call is kept, in order.
  bool thread_safe = true;         ///< Otherwise at most one thread at a time runs it.
  bool row_major = false;          ///< Takes row-major tensors only; others are copied first.
};

namespace detail {

/// An argument of any type that the schema may ask for.
template <typename T>
Argument argument_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return Flag(value);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
    return std::string_view(value);
  } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
    return TensorList(value);
  } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
    return IntList(value);
  } else {
    return value;
  }
}

}  // namespace detail

/// An operator that custom_op made.
class LITZ_API CustomOp {
 public:
  /// The result, for operators with one tensor. Arguments are those of the schema, or the first of them.
  template <typename... Arguments>
  Tensor operator()(const Arguments&... arguments) const {
    return std::move(call({detail::argument_of(arguments)...}).at(0));
  }

  /// All results, in the order of the schema: also those that are written arguments.
  std::vector<Tensor> call(std::initializer_list<detail::Argument> arguments) const;

  const std::string& name() const { return name_; }

 private:
  friend LITZ_API CustomOp custom_op(const std::string& schema, CustomFunction run,
                                     CustomOpOptions options);

  explicit CustomOp(std::string name) : name_(std::move(name)) {}

  std::string name_;
};

/// Registers an operator by its schema in PyTorch's notation, such as
/// "demo::scale(Tensor(a!) x, float by=1.0) -> (Tensor, int)". It stays until the process ends. What `run`
/// throws becomes the error of the call. Throws Error for a schema that cannot be read and for names that
/// exist. Thread-safe.
LITZ_API CustomOp custom_op(const std::string& schema, CustomFunction run,
                            CustomOpOptions options = {});

}  // namespace v1
}  // namespace litz
