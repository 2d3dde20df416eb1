// Arithmetic and comparisons of tensors by operators of C++, and parts of tensors by indices.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "litz/ops.h"

namespace litz {
inline namespace v1 {

/// The places begin, begin + step, ... before end; a negative end counts from the last place.
struct Slice {
  std::optional<Size> begin;
  std::optional<Size> end;
  Size step = 1;
};

inline Slice slice(std::optional<Size> begin = {}, std::optional<Size> end = {},
                   const Size& step = 1) {
  return {begin, end, step};
}

/// The same with {} for the beginning, which could also be the tensor of the operator of this name.
inline Slice slice(std::nullptr_t /*begin*/, std::nullptr_t /*end*/ = {}, const Size& step = 1) {
  return {{}, {}, step};
}

template <typename End>

requires(std::integral<End> || std::same_as<End, Size>) Slice
    slice(std::nullptr_t /*begin*/, const End& end, const Size& step = 1) {
  return {{}, Size(end), step};
}

struct NewAxis {};

struct Ellipsis {};

inline constexpr NewAxis newaxis;    ///< A new dimension of size 1.
inline constexpr Ellipsis ellipsis;  ///< All dimensions that no other index is for.

/// One index of Tensor::operator[].
class Index {
 public:
  enum class Kind : uint8_t { place, slice, new_axis, others, tensor };

  template <std::integral T>

  requires(!std::same_as<T, bool>) Index(T place)  // NOLINT
      : kind_(Kind::place), slice_{Size(place), {}, 1} {}

  Index(const Size& place) : kind_(Kind::place), slice_{place, {}, 1} {}  // NOLINT

  Index(const Slice& places) : kind_(Kind::slice), slice_(places) {}  // NOLINT

  Index(NewAxis) : kind_(Kind::new_axis) {}  // NOLINT

  Index(Ellipsis) : kind_(Kind::others) {}  // NOLINT

  /// Places as integers, or a mask.
  Index(const Tensor& places) : kind_(Kind::tensor), tensor_(&places) {}  // NOLINT

  Kind kind() const { return kind_; }

  const Size& place() const { return *slice_.begin; }

  const Slice& places() const { return slice_; }

  const Tensor& tensor() const { return *tensor_; }

 private:
  Kind kind_;
  Slice slice_;
  const Tensor* tensor_ = nullptr;
};

inline Tensor operator+(const Tensor& a, const Tensor& b) { return add(a, b); }

inline Tensor operator+(const Tensor& a, const Scalar& b) { return add(a, b); }

inline Tensor operator+(const Scalar& a, const Tensor& b) { return add(b, a); }

inline Tensor operator-(const Tensor& a, const Tensor& b) { return sub(a, b); }

inline Tensor operator-(const Tensor& a, const Scalar& b) { return sub(a, b); }

inline Tensor operator-(const Scalar& a, const Tensor& b) { return rsub(b, a); }

inline Tensor operator*(const Tensor& a, const Tensor& b) { return mul(a, b); }

inline Tensor operator*(const Tensor& a, const Scalar& b) { return mul(a, b); }

inline Tensor operator*(const Scalar& a, const Tensor& b) { return mul(b, a); }

inline Tensor operator/(const Tensor& a, const Tensor& b) { return div(a, b); }

inline Tensor operator/(const Tensor& a, const Scalar& b) { return div(a, b); }

inline Tensor operator/(const Scalar& a, const Tensor& b) { return mul(reciprocal(b), a); }

inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }

inline Tensor operator==(const Tensor& a, const Scalar& b) { return eq(a, b); }

inline Tensor operator==(const Scalar& a, const Tensor& b) { return eq(b, a); }

inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }

inline Tensor operator!=(const Tensor& a, const Scalar& b) { return ne(a, b); }

inline Tensor operator!=(const Scalar& a, const Tensor& b) { return ne(b, a); }

inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }

inline Tensor operator<(const Tensor& a, const Scalar& b) { return lt(a, b); }

inline Tensor operator<(const Scalar& a, const Tensor& b) { return gt(b, a); }

inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }

inline Tensor operator<=(const Tensor& a, const Scalar& b) { return le(a, b); }

inline Tensor operator<=(const Scalar& a, const Tensor& b) { return ge(b, a); }

inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }

inline Tensor operator>(const Tensor& a, const Scalar& b) { return gt(a, b); }

inline Tensor operator>(const Scalar& a, const Tensor& b) { return lt(b, a); }

inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }

inline Tensor operator>=(const Tensor& a, const Scalar& b) { return ge(a, b); }

inline Tensor operator>=(const Scalar& a, const Tensor& b) { return le(b, a); }

inline Tensor operator-(const Tensor& a) { return neg(a); }

inline Tensor operator&(const Tensor& a, const Tensor& b) { return bitwise_and(a, b); }

inline Tensor operator|(const Tensor& a, const Tensor& b) { return bitwise_or(a, b); }

inline Tensor operator^(const Tensor& a, const Tensor& b) { return bitwise_xor(a, b); }

inline Tensor operator~(const Tensor& a) { return bitwise_not(a); }

/// Changes a in place, as PyTorch does: its other views see it.
inline Tensor& operator+=(Tensor& a, const Tensor& b) {
  add_(a, b);
  return a;
}

inline Tensor& operator+=(Tensor& a, const Scalar& b) {
  add_(a, b);
  return a;
}

inline Tensor& operator-=(Tensor& a, const Tensor& b) {
  sub_(a, b);
  return a;
}

inline Tensor& operator-=(Tensor& a, const Scalar& b) {
  sub_(a, b);
  return a;
}

inline Tensor& operator*=(Tensor& a, const Tensor& b) {
  mul_(a, b);
  return a;
}

inline Tensor& operator*=(Tensor& a, const Scalar& b) {
  mul_(a, b);
  return a;
}

inline Tensor& operator/=(Tensor& a, const Tensor& b) {
  div_(a, b);
  return a;
}

inline Tensor& operator/=(Tensor& a, const Scalar& b) {
  div_(a, b);
  return a;
}

}  // namespace v1
}  // namespace litz
