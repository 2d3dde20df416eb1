#include "ops/gradients/term.h"

#include <complex>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

ir::Graph* graph_of(const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    for (const ir::Value value : argument.values()) {
      if (value) return value.graph();
    }
  }
  fail(ErrorCode::internal, "a term needs a tensor, which has a graph");
}

/// The value of a constant, real or complex.
std::optional<std::complex<double>> constant(const Term& term) {
  if (const std::optional<double> real = term.number()) return std::complex<double>(*real);
  if (!term.argument().is_attribute()) return std::nullopt;
  const auto* value = std::get_if<std::complex<double>>(&term.argument().attribute());
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// Two constants give a constant, for which no graph is needed.
template <typename Fold>
Term binary(std::string_view name, const Term& a, const Term& b, Fold fold) {
  const std::optional<std::complex<double>> x = constant(a);
  const std::optional<std::complex<double>> y = constant(b);
  if (!x || !y) return aten(name, {a, b});
  const std::complex<double> value = fold(*x, *y);
  if (a.number() && b.number()) return value.real();
  return Argument(ir::Attribute(value));
}

Term unary(std::string_view name, const Term& x) { return aten(name, {x}); }

}  // namespace

std::optional<double> Term::number() const {
  if (!argument_.is_attribute()) return std::nullopt;
  const auto* value = std::get_if<Expr>(&argument_.attribute());
  if (value == nullptr || !value->is_constant()) return std::nullopt;
  switch (value->domain()) {
    case ExprDomain::integer:
      return static_cast<double>(value->constant());
    case ExprDomain::real:
      return value->real_constant();
    case ExprDomain::boolean:
      return value->boolean_constant() ? 1 : 0;
  }
  return std::nullopt;
}

std::vector<Term> aten_all(std::string_view name, std::vector<Argument> arguments) {
  return call_op("aten." + std::string(name), std::move(arguments));
}

std::vector<Term> call_op(std::string_view name, std::vector<Argument> arguments) {
  ir::Graph* graph = graph_of(arguments);
  const ir::Node* node = graph->create(name, std::move(arguments));
  std::vector<Term> results;
  for (const ir::Value output : node->outputs()) results.emplace_back(output);
  return results;
}

Term aten(std::string_view name, std::vector<Argument> arguments) {
  return aten_all(name, std::move(arguments)).front();
}

Term operator+(const Term& a, const Term& b) { return binary("add.Tensor", a, b, std::plus<>()); }

Term operator-(const Term& a, const Term& b) { return binary("sub.Tensor", a, b, std::minus<>()); }

Term operator*(const Term& a, const Term& b) {
  // Gradients are floating, so a factor of 1 does not even promote.
  if (b.is_tensor() && a.number() == 1.0) return b;
  if (a.is_tensor() && b.number() == 1.0) return a;
  return binary("mul.Tensor", a, b, std::multiplies<>());
}

Term operator/(const Term& a, const Term& b) {
  return binary("div.Tensor", a, b, std::divides<>());
}

Term operator-(const Term& a) {
  if (const std::optional<double> x = a.number()) return -*x;
  return unary("neg", a);
}

Term operator<(const Term& a, const Term& b) { return aten("lt.Tensor", {a, b}); }

Term operator<=(const Term& a, const Term& b) { return aten("le.Tensor", {a, b}); }

Term operator>(const Term& a, const Term& b) { return aten("gt.Tensor", {a, b}); }

Term operator>=(const Term& a, const Term& b) { return aten("ge.Tensor", {a, b}); }

Term operator==(const Term& a, const Term& b) { return aten("eq.Tensor", {a, b}); }

Term operator!=(const Term& a, const Term& b) { return aten("ne.Tensor", {a, b}); }

Term operator&(const Term& a, const Term& b) { return aten("logical_and", {a, b}); }

Term operator|(const Term& a, const Term& b) { return aten("logical_or", {a, b}); }

Term operator~(const Term& a) { return unary("logical_not", a); }

Term abs(const Term& x) { return unary("abs", x); }

Term exp(const Term& x) { return unary("exp", x); }

Term log(const Term& x) { return unary("log", x); }

Term sqrt(const Term& x) { return unary("sqrt", x); }

Term square(const Term& x) { return x * x; }

Term reciprocal(const Term& x) { return unary("reciprocal", x); }

Term pow(const Term& x, const Term& exponent) {
  const bool is_scalar = !exponent.is_tensor();
  if (!x.is_tensor()) return aten("pow.Scalar", {x, exponent});
  return aten(is_scalar ? "pow.Tensor_Scalar" : "pow.Tensor_Tensor", {x, exponent});
}

Term sgn(const Term& x) { return unary("sgn", x); }

Term conj(const Term& x) {
  if (x.is_complex()) return unary("conj_physical", x);
  if (x.is_tensor() || !x.argument().is_attribute()) return x;
  const auto* number = std::get_if<std::complex<double>>(&x.argument().attribute());
  return number == nullptr ? x : Term(Argument(ir::Attribute(std::conj(*number))));
}

Term real(const Term& x) { return x.is_complex() ? unary("real", x) : x; }

Term where(const Term& condition, const Term& a, const Term& b) {
  return aten("where.self", {condition, a, b});
}

Term masked(const Term& x, const Term& condition) { return where(condition, x, 0); }

Term to(const Term& x, DType dtype) {
  return x.dtype() == dtype ? x : aten("_to_copy", {x, ir::Attribute(dtype)});
}

Argument list(const Dims& dims) { return ir::Scalars(dims.begin(), dims.end()); }

Term sum(const Term& x, const Dims& dims, bool keepdim) {
  if (dims.empty()) return x;
  return aten("sum.dim_IntList", {x, list(dims), Expr::boolean(keepdim)});
}

Term sum(const Term& x) { return unary("sum", x); }

Term sum_to(const Term& x, const Sizes& sizes) {
  if (same_sizes(x.sizes(), sizes)) return x;
  check(sizes.size() <= x.rank(), "a sum has no more dimensions than what is summed:", x.type());
  const size_t added = x.rank() - sizes.size();
  Dims dims;
  for (size_t d = 0; d < x.rank(); ++d) {
    const bool is_repeated =
        d >= added && sizes[d - added].is(1) && !known_equal(x.sizes()[d], Expr(1));
    if (d < added || is_repeated) dims.push_back(static_cast<int64_t>(d));
  }
  const Term total = sum(x, dims, true);
  const Term result = added > 0 ? reshape(total, sizes) : total;
  for (size_t d = 0; d < sizes.size(); ++d) {
    check(!known_not_equal(result.sizes()[d], sizes[d]),
          "a gradient must have the shape of its operand, or one that broadcasting gave it:",
          x.type(), result.type());
  }
  return result;
}

Term expand(const Term& x, const Sizes& sizes) {
  return same_sizes(x.sizes(), sizes) ? x : aten("expand", {x, sizes});
}

Term reshape(const Term& x, const Sizes& sizes) {
  return same_sizes(x.sizes(), sizes) ? x : aten("reshape", {x, sizes});
}

Term permute(const Term& x, const Dims& dims) { return aten("permute", {x, list(dims)}); }

Term transpose(const Term& x, int64_t a, int64_t b) { return aten("transpose.int", {x, a, b}); }

Term unsqueeze(const Term& x, int64_t dim) { return aten("unsqueeze", {x, dim}); }

Term squeeze(const Term& x, int64_t dim) { return aten("squeeze.dim", {x, dim}); }

Term narrow(const Term& x, int64_t dim, Expr start, Expr length) {
  return aten("slice.Tensor", {x, dim, start, start + length});
}

Term cat(const std::vector<Term>& parts, int64_t dim) {
  std::vector<ir::Value> values;
  for (const Term& part : parts) values.push_back(part.value());
  return aten("cat", {std::move(values), dim});
}

Term matmul(const Term& a, const Term& b) { return aten("matmul", {a, b}); }

Term adjoint(const Term& x) { return conj(transpose(x, -2, -1)); }

Term zeros_like(const Term& x) { return unary("zeros_like", x); }

Term ones_like(const Term& x) { return unary("ones_like", x); }

Term new_zeros(const Term& x, const Sizes& sizes) { return aten("new_zeros", {x, sizes}); }

Term range_like(const Term& x, Expr size) {
  const Argument none;
  const ir::Node* node =
      x.value().graph()->create("aten.arange", {size, none, none, ir::Attribute(x.type().device)});
  return node->output();
}

bool same_sizes(const Sizes& a, const Sizes& b) {
  if (a.size() != b.size()) return false;
  for (size_t d = 0; d < a.size(); ++d) {
    if (!known_equal(a[d], b[d])) return false;
  }
  return true;
}

}  // namespace litz::ops
