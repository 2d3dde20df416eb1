// Terms: tensors and numbers in formulas that build a graph.
//
//   grad * conj(cos(x))   adds aten.cos, aten.conj_physical and aten.mul.Tensor to x's graph
//
// Every operator adds a node at the graph's insertion point; operators of numbers add none.

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace litz::ops {

class Term {
 public:
  Term() = default;  ///< Absent.

  // Implicit, so that formulas read like formulas.
  Term(ir::Value value) : argument_(value) {}  // NOLINT

  Term(double number) : argument_(Expr::real(number)) {}  // NOLINT

  Term(int number) : argument_(Expr(number)) {}  // NOLINT

  Term(Expr number) : argument_(number) {}  // NOLINT

  Term(ir::Argument argument) : argument_(std::move(argument)) {}  // NOLINT

  operator ir::Argument() const { return argument_; }  // NOLINT

  explicit operator bool() const { return !argument_.is_none(); }

  bool is_tensor() const { return argument_.is_value() && argument_.value().is_tensor(); }

  ir::Value value() const { return argument_.value(); }

  const TensorType& type() const { return value().tensor(); }

  const Sizes& sizes() const { return type().sizes; }

  DType dtype() const { return type().dtype; }

  size_t rank() const { return type().rank(); }

  /// The number that it is; nothing for a tensor, a symbol or a complex number.
  std::optional<double> number() const;

  bool is_complex() const { return is_tensor() && litz::is_complex(dtype()); }

  const ir::Argument& argument() const { return argument_; }

 private:
  ir::Argument argument_;
};

/// A call of `aten.<name>` in the graph of its first tensor; trailing arguments may be omitted.
Term aten(std::string_view name, std::vector<ir::Argument> arguments);
std::vector<Term> aten_all(std::string_view name, std::vector<ir::Argument> arguments);
/// A call of an operator by its whole name.
std::vector<Term> call_op(std::string_view name, std::vector<ir::Argument> arguments);

// --- Arithmetic of tensors and numbers, with promotion.
Term operator+(const Term& a, const Term& b);
Term operator-(const Term& a, const Term& b);
Term operator*(const Term& a, const Term& b);
Term operator/(const Term& a, const Term& b);
Term operator-(const Term& a);

// --- Comparisons and logic: bool tensors.
Term operator<(const Term& a, const Term& b);
Term operator<=(const Term& a, const Term& b);
Term operator>(const Term& a, const Term& b);
Term operator>=(const Term& a, const Term& b);
Term operator==(const Term& a, const Term& b);
Term operator!=(const Term& a, const Term& b);
Term operator&(const Term& a, const Term& b);
Term operator|(const Term& a, const Term& b);
Term operator~(const Term& a);

// --- Functions of elements.
Term abs(const Term& x);
Term exp(const Term& x);
Term log(const Term& x);
Term sqrt(const Term& x);
Term square(const Term& x);
Term reciprocal(const Term& x);
Term pow(const Term& x, const Term& exponent);
Term sgn(const Term& x);
/// The complex conjugate; a real operand stays what it is.
Term conj(const Term& x);
Term real(const Term& x);
Term where(const Term& condition, const Term& a, const Term& b);
/// x where the condition holds and 0 elsewhere, whatever x is there.
Term masked(const Term& x, const Term& condition);
/// The same elements in another dtype.
Term to(const Term& x, DType dtype);

// --- Shapes.
using Dims = std::vector<int64_t>;
ir::Argument list(const Dims& dims);
/// x itself without dimensions.
Term sum(const Term& x, const Dims& dims, bool keepdim = false);
Term sum(const Term& x);
/// Sums over dimensions that broadcasting added or repeated.
Term sum_to(const Term& x, const Sizes& sizes);
Term expand(const Term& x, const Sizes& sizes);
Term reshape(const Term& x, const Sizes& sizes);
Term permute(const Term& x, const Dims& dims);
Term transpose(const Term& x, int64_t a, int64_t b);
Term unsqueeze(const Term& x, int64_t dim);
Term squeeze(const Term& x, int64_t dim);
Term narrow(const Term& x, int64_t dim, Expr start, Expr length);
Term cat(const std::vector<Term>& parts, int64_t dim);
Term matmul(const Term& a, const Term& b);
/// The conjugate of the transpose of the last two dimensions.
Term adjoint(const Term& x);
/// A tensor with the sizes and dtype of x.
Term zeros_like(const Term& x);
Term ones_like(const Term& x);
/// Zeros of these sizes, with the dtype of x.
Term new_zeros(const Term& x, const Sizes& sizes);

/// The integers from 0 below `size`, on the device of x.
Term range_like(const Term& x, Expr size);

/// True if the shapes are known to agree.
bool same_sizes(const Sizes& a, const Sizes& b);

}  // namespace litz::ops
