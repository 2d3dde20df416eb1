// The arguments of operators (litz/ops.h): numbers, lists, and tensors that may be absent.
//
// Lists are views: they are made for a call and do not own their elements.

#pragma once

#include <complex>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "litz/litz.h"
#include "litz/size.h"

namespace litz {
inline namespace v1 {

/// Thrown by operators, by compiled functions and by functions of tensors that cannot be done.
class LITZ_API Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message);
  ~Error() override;

  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// The order of the dimensions of an image in memory.
enum class MemoryFormat : uint8_t { contiguous, channels_last, channels_last_3d, preserve };

/// A number. Its kind takes part in the promotion of dtypes: a real number makes integers floating.
class Scalar {
 public:
  enum class Kind : uint8_t { boolean, integer, real, complex };

  template <std::same_as<bool> T>
  Scalar(T value) : kind_(Kind::boolean), integer_(value ? 1 : 0) {}  // NOLINT: x + true

  template <std::integral T>

  requires(!std::same_as<T, bool>) Scalar(T value)  // NOLINT: x + 1
      : kind_(Kind::integer), integer_(value) {}

  template <std::floating_point T>
  Scalar(T value) : kind_(Kind::real), real_(static_cast<double>(value)) {}  // NOLINT: x + 0.5

  Scalar(std::complex<double> value) : kind_(Kind::complex), real_(value) {}  // NOLINT

  Scalar(const Size& value) : kind_(Kind::integer), integer_(value) {}  // NOLINT: x / x.size(0)

  Kind kind() const { return kind_; }

  /// Of a boolean or an integer.
  const Size& integer() const { return integer_; }

  /// Of a real or complex number.
  std::complex<double> number() const { return real_; }

 private:
  Kind kind_;
  Size integer_;
  std::complex<double> real_;
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winit-list-lifetime"  // Lists live for a call.
#endif

/// A list of integers, such as sizes and dimensions: {2, 3}, {x.size(0), -1}, a vector, or one number.
class IntList {
 public:
  IntList() = default;

  IntList(std::initializer_list<int64_t> list) : data_(list.begin()), size_(list.size()) {}

  IntList(std::initializer_list<Size> list) : sizes_(list.begin()), size_(list.size()) {}

  IntList(const std::vector<Size>& list) : sizes_(list.data()), size_(list.size()) {}  // NOLINT

  IntList(const Size& one) : sizes_(&one), size_(1) {}  // NOLINT

  IntList(const std::vector<int64_t>& list) : data_(list.data()), size_(list.size()) {}  // NOLINT

  IntList(std::span<const int64_t> list) : data_(list.data()), size_(list.size()) {}  // NOLINT

  template <std::integral T>
  IntList(T one) : one_(static_cast<int64_t>(one)), size_(1) {}  // NOLINT: sum(x, 1)

  /// The numbers; none if the list has sizes.
  std::span<const int64_t> numbers() const {
    if (sizes_ != nullptr) return {};
    return {data_ == nullptr ? &one_ : data_, size_};
  }

  std::span<const Size> sizes() const { return {sizes_, sizes_ == nullptr ? 0 : size_}; }

 private:
  const int64_t* data_ = nullptr;
  const Size* sizes_ = nullptr;
  int64_t one_ = 0;
  size_t size_ = 0;
};

/// A list of integers that may be absent: also std::nullopt.
class MaybeIntList {
 public:
  MaybeIntList(std::nullopt_t) {}  // NOLINT

  MaybeIntList(std::initializer_list<int64_t> list) : list_(list) {}

  MaybeIntList(std::initializer_list<Size> list) : list_(list) {}

  MaybeIntList(const std::vector<Size>& list) : list_(list) {}  // NOLINT

  MaybeIntList(const Size& one) : list_(one) {}  // NOLINT

  MaybeIntList(const std::vector<int64_t>& list) : list_(list) {}  // NOLINT

  MaybeIntList(std::span<const int64_t> list) : list_(list) {}  // NOLINT

  MaybeIntList(const IntList& list) : list_(list) {}  // NOLINT

  template <std::integral T>
  MaybeIntList(T one) : list_(one) {}  // NOLINT

  const std::optional<IntList>& get() const { return list_; }

 private:
  std::optional<IntList> list_;
};

/// A list of real numbers.
class RealList {
 public:
  RealList(std::initializer_list<double> list) : data_(list.begin()), size_(list.size()) {}

  RealList(const std::vector<double>& list) : data_(list.data()), size_(list.size()) {}  // NOLINT

  std::span<const double> get() const { return {data_, size_}; }

 private:
  const double* data_;
  size_t size_;
};

/// A list of tensors: {a, b} or a vector.
class TensorList {
 public:
  TensorList(std::initializer_list<Tensor> list) : data_(list.begin()), size_(list.size()) {}

  TensorList(const std::vector<Tensor>& list) : data_(list.data()), size_(list.size()) {}  // NOLINT

  TensorList(std::span<const Tensor> list) : data_(list.data()), size_(list.size()) {}  // NOLINT

  std::span<const Tensor> get() const { return {data_, size_}; }

 private:
  const Tensor* data_;
  size_t size_;
};

/// A tensor that may be absent: a tensor, std::nullopt or {}.
class MaybeTensor {
 public:
  MaybeTensor() = default;

  MaybeTensor(std::nullopt_t) {}  // NOLINT

  MaybeTensor(const Tensor& tensor) : tensor_(&tensor) {}  // NOLINT

  MaybeTensor(const std::optional<Tensor>& tensor)  // NOLINT
      : tensor_(tensor ? &*tensor : nullptr) {}

  const Tensor* get() const { return tensor_; }

 private:
  const Tensor* tensor_ = nullptr;
};

/// A list of tensors some of which are absent, such as the indices of `index`.
class MaybeTensorList {
 public:
  MaybeTensorList(std::initializer_list<MaybeTensor> list)
      : data_(list.begin()), size_(list.size()) {}

  MaybeTensorList(const std::vector<MaybeTensor>& list)  // NOLINT
      : data_(list.data()), size_(list.size()) {}

  std::span<const MaybeTensor> get() const { return {data_, size_}; }

 private:
  const MaybeTensor* data_;
  size_t size_;
};

/// Seeds the random numbers of operators and compiled functions that begin from now on, in all threads.
LITZ_API void manual_seed(uint64_t seed);

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace detail {

/// Takes bool only, so that sort(x, 1) is a dimension.
class Flag {
 public:
  template <std::same_as<bool> T>
  Flag(T value) : value_(value) {}  // NOLINT

  operator bool() const { return value_; }  // NOLINT

 private:
  bool value_;
};

/// A list of bools.
class FlagList {
 public:
  FlagList(std::initializer_list<bool> list) : list_(list) {}

  const std::vector<bool>& get() const { return list_; }

 private:
  std::vector<bool> list_;
};

/// One argument of a call, by reference.
struct Argument {
  enum class Kind : uint8_t {
    none,
    tensor,
    tensors,
    maybe_tensors,
    scalar,
    integer,
    integers,
    size,
    sizes,
    real,
    reals,
    boolean,
    booleans,
    text,
    dtype,
    memory_format,
  };

  Argument(std::nullopt_t) {}  // NOLINT

  Argument(const Tensor& x) : kind(Kind::tensor), tensor(&x) {}  // NOLINT

  Argument(const MaybeTensor& x)  // NOLINT
      : kind(x.get() == nullptr ? Kind::none : Kind::tensor), tensor(x.get()) {}

  Argument(const TensorList& x) : kind(Kind::tensors), tensors(x.get()) {}  // NOLINT

  Argument(const MaybeTensorList& x)  // NOLINT
      : kind(Kind::maybe_tensors), maybe_tensors(x.get()) {}

  Argument(const Scalar& x) : kind(Kind::scalar), scalar(&x) {}  // NOLINT

  Argument(int64_t x) : kind(Kind::integer), integer(x) {}  // NOLINT

  Argument(const Size& x) : kind(Kind::size), size(&x) {}  // NOLINT

  Argument(const IntList& x)  // NOLINT
      : kind(x.sizes().empty() ? Kind::integers : Kind::sizes),
        integers(x.numbers()),
        sizes(x.sizes()) {}

  Argument(const MaybeIntList& x) : Argument(x.get()) {}  // NOLINT

  Argument(double x) : kind(Kind::real), real(x) {}  // NOLINT

  Argument(const RealList& x) : kind(Kind::reals), reals(x.get()) {}  // NOLINT

  Argument(Flag x) : kind(Kind::boolean), integer(x ? 1 : 0) {}  // NOLINT

  Argument(const FlagList& x) : kind(Kind::booleans), booleans(&x) {}  // NOLINT

  Argument(std::string_view x) : kind(Kind::text), text(x) {}  // NOLINT

  Argument(DType x) : kind(Kind::dtype), dtype(x) {}  // NOLINT

  Argument(MemoryFormat x) : kind(Kind::memory_format), format(x) {}  // NOLINT

  template <typename T>
  Argument(const std::optional<T>& x)  // NOLINT
      : Argument(x ? Argument(*x) : Argument(std::nullopt)) {}

  Kind kind = Kind::none;

  union {
    const Tensor* tensor;
    const Scalar* scalar;
    const Size* size;
    const FlagList* booleans;
    int64_t integer = 0;
    double real;
    DType dtype;
    MemoryFormat format;
  };

  std::span<const Tensor> tensors;
  std::span<const MaybeTensor> maybe_tensors;
  std::span<const int64_t> integers;
  std::span<const Size> sizes;
  std::span<const double> reals;
  std::string_view text;
};

/// Calls an operator of the table by name. Inside of a function that is being compiled, the call
/// becomes part of its program; elsewhere it runs at once, by code that is compiled at its first call
/// with operands of these dtypes and sizes. Results that the operator's schema says are its operands
/// are not returned. Throws Error.
LITZ_API std::vector<Tensor> call(std::string_view op, std::initializer_list<Argument> arguments);

/// The same for an operator with one tensor result.
LITZ_API Tensor call_for_one(std::string_view op, std::initializer_list<Argument> arguments);

/// For each tensor the first of them with the same memory and layout, or the same traced value.
LITZ_API std::vector<size_t> first_equals(std::span<const Tensor> tensors);

template <size_t... I>
auto as_tuple(std::vector<Tensor> results, std::index_sequence<I...> /*unused*/) {
  return std::tuple(std::move(results[I])...);
}

/// The same for an operator with `N` tensor results.
template <size_t N>
auto call_for_many(std::string_view op, std::initializer_list<Argument> arguments) {
  return as_tuple(call(op, arguments), std::make_index_sequence<N>());
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
