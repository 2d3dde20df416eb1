// Matrix functions decomposed into other operators: norms, condition numbers, powers, tensor
// equations; also cross products and Vandermonde matrices.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/matrix_types.h"
#include "ops/meta.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;
using Dims = std::vector<int64_t>;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

ir::Attribute list(const Dims& dims) { return ir::Scalars(dims.begin(), dims.end()); }

// --- cross products ---

Sizes cross_sizes(const Call& call) {
  const Sizes shapes[] = {call.type("self").sizes, call.type("other").sizes};
  return broadcast_sizes(shapes);
}

// Without `dim`: the first of self's own dimensions of size 3, even if self broadcasts.
int64_t cross_dim(const Call& call) {
  const Sizes& sizes = call.type("self").sizes;
  const auto is_three = [](const Expr& size) { return size.is(3); };
  const int64_t dim = call.has("dim") ? call.dim("dim", sizes.size())
                                      : std::ranges::find_if(sizes, is_three) - sizes.begin();
  const auto fits = [&](std::string_view name) {
    const Sizes& of = call.type(name).sizes;
    return at(dim) < of.size() && !known_not_equal(of[at(dim)], Expr(3));
  };
  require(fits("self") && fits("other"),
          "a cross product needs a dimension of 3:", call.type("self"), call.type("other"));
  return dim;
}

TensorType cross_meta(const Call& call) {
  require(call.type("self").rank() == call.type("other").rank(),
          "a cross product takes tensors of one rank:", call.type("self"), call.type("other"));
  require(call.type("self").dtype == call.type("other").dtype,
          "a cross product takes tensors of one dtype:", call.type("self"), call.type("other"));
  cross_dim(call);
  return contiguous_type(call.type("self").dtype, cross_sizes(call), call.type("self").device);
}

void cross(NestCall& call) {
  KernelBuilder& b = call.builder();
  const DType dtype = call.result().dtype;
  const int64_t dim = cross_dim(call);
  Sizes others = call.result().sizes;
  others.erase(others.begin() + dim);
  const auto component = [&](std::string_view name, Exprs index, int64_t i) {
    const TensorType& type = call.type(name);
    IndexVector full(index.begin(), index.end());
    full.insert(full.begin() + dim, Expr(i));
    for (size_t d = 0; d < full.size(); ++d) {
      if (type.sizes[d].is(1)) full[d] = Expr(0);
    }
    return b.cast(b.load(call.in(name), full), compute_dtype(dtype));
  };
  b.loop(others, [&](Exprs index) {
    for (int64_t i = 0; i < 3; ++i) {
      const int64_t j = (i + 1) % 3;
      const int64_t k = (i + 2) % 3;
      const Scalar value = component("self", index, j) * component("other", index, k) -
                           component("self", index, k) * component("other", index, j);
      IndexVector full(index.begin(), index.end());
      full.insert(full.begin() + dim, Expr(i));
      b.store(call.out(), full, b.cast(value, dtype));
    }
  });
}

// --- norms ---

// The order of a matrix norm: "fro", "nuc" or a number.
struct Order {
  std::string word;
  double number = 0;
};

Order order_of(const Call& call, std::string_view argument) {
  const std::optional<double> number = [&]() -> std::optional<double> {
    if (std::holds_alternative<Expr>(call.argument(argument).attribute())) {
      return call.real(argument);
    }
    return std::nullopt;
  }();
  Order order;
  if (number) {
    order.number = *number;
    const double size = std::abs(*number);
    require(size == 1 || size == 2 || std::isinf(size),
            "a matrix norm has order 1, 2, inf, -1, -2, -inf, 'fro' or 'nuc':", *number);
  } else {
    order.word = call.str(argument);
    require(order.word == "fro" || order.word == "nuc",
            "a matrix norm has order 1, 2, inf, -1, -2, -inf, 'fro' or 'nuc':", order.word);
  }
  return order;
}

// The reductions that a matrix norm over two dimensions consists of.
class NormSteps {
 public:
  NormSteps(const DecomposeCall& call, Value self, Dims dims, bool keepdim)
      : call_(call), self_(self), dims_(std::move(dims)), keepdim_(keepdim) {}

  Value norm(const Order& order) const {
    if (order.word == "fro") return frobenius();
    if (order.word == "nuc" || std::abs(order.number) == 2) return of_singular_values(order);
    return of_sums(order.number);
  }

 private:
  Value frobenius() const {
    return call_.aten("linalg_vector_norm", {self_, Expr(2), list(dims_), Expr::boolean(keepdim_)});
  }

  // Sums magnitudes along one dimension and takes the maximum or minimum along the other.
  Value of_sums(double order) const {
    const bool by_columns = std::abs(order) == 1;
    int64_t summed = by_columns ? dims_[0] : dims_[1];
    int64_t compared = by_columns ? dims_[1] : dims_[0];
    if (!keepdim_ && compared > summed) --compared;
    const Value sums = call_.aten(
        "sum.dim_IntList", {call_.aten("abs", {self_}), list({summed}), Expr::boolean(keepdim_)});
    return call_.aten(reduction_of(sums, compared, order),
                      {sums, list({compared}), Expr::boolean(keepdim_)});
  }

  // The maximum of no magnitudes is 0, like their sum.
  static std::string_view reduction_of(Value sizes, int64_t dim, double order) {
    if (order < 0) return "amin";
    const Sizes& all = sizes.tensor().sizes;
    const auto d = static_cast<size_t>(dim < 0 ? dim + static_cast<int64_t>(all.size()) : dim);
    return known_equal(all[d], 0) ? "sum.dim_IntList" : "amax";
  }

  Value of_singular_values(const Order& order) const {
    Dims places;
    const auto rank = static_cast<int64_t>(self_.tensor().rank());
    for (int64_t d = 0; d < rank; ++d) {
      if (d != dims_[0] && d != dims_[1]) places.push_back(d);
    }
    places.insert(places.end(), dims_.begin(), dims_.end());
    const Value last = call_.aten("permute", {self_, list(places)});
    const Value values = call_.aten("linalg_svdvals", {last});
    const std::string_view reduction =
        order.word == "nuc" ? "sum.dim_IntList" : reduction_of(values, -1, order.number);
    Value result = call_.aten(reduction, {values, list({-1}), Expr::boolean(false)});
    if (!keepdim_) return result;
    Dims kept = dims_;
    std::ranges::sort(kept);
    for (const int64_t dim : kept) result = call_.aten("unsqueeze", {result, Expr(dim)});
    return result;
  }

  const DecomposeCall& call_;
  Value self_;
  Dims dims_;
  bool keepdim_;
};

TensorType norm_type(const Call& call, const Dims& dims) {
  const TensorType& self = call.type("self");
  const DType dtype = call.dtype().value_or(self.dtype);
  require(is_floating(self.dtype) || is_complex(self.dtype),
          "a norm needs floating or complex numbers, got", name(self.dtype));
  const TensorType both[] = {contiguous_type(self.dtype, {}, {}), contiguous_type(dtype, {}, {})};
  require(is_complex(self.dtype) == is_complex(dtype) && promoted_dtype(both) == dtype,
          "the dtype of a norm must hold all numbers of its tensor:", name(self.dtype),
          name(dtype));
  Dims sorted = dims;
  std::ranges::sort(sorted);
  return contiguous_type(real_dtype(dtype), reduced_sizes(self.sizes, sorted, call.flag("keepdim")),
                         self.device);
}

Dims matrix_dims(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 2, "a matrix norm needs two dimensions or more:", self);
  const Dims dims = call.dims("dim", self.rank(), Call::WhenEmpty::none);
  require(dims.size() == 2, "a matrix norm is over two dimensions:", dims.size());
  return dims;
}

TensorType matrix_norm_meta(const Call& call) {
  order_of(call, "ord");
  return norm_type(call, matrix_dims(call));
}

std::vector<Value> matrix_norm(DecomposeCall& call) {
  const Value self = call.to(call["self"], call.dtype().value_or(call.type("self").dtype));
  const NormSteps steps(call, self, matrix_dims(call), call.flag("keepdim"));
  return {steps.norm(order_of(call, "ord"))};
}

std::vector<Value> nuclear_norm(DecomposeCall& call) {
  const ir::Argument dims = call.has("dim") ? call.pass("dim") : list({-2, -1});
  return {call.aten("linalg_matrix_norm.str_ord",
                    {call["self"], std::string("nuc"), dims, call.pass("keepdim")})};
}

Dims all_dims(const TensorType& type) {
  Dims dims;
  for (size_t d = 0; d < type.rank(); ++d) dims.push_back(static_cast<int64_t>(d));
  return dims;
}

Dims norm_dims(const Call& call) {
  const TensorType& self = call.type("self");
  return call.has("dim") ? call.dims("dim", self.rank()) : all_dims(self);
}

// With an order, a norm over two dimensions is a matrix norm.
bool is_matrix_norm(const Call& call) { return call.has("ord") && norm_dims(call).size() == 2; }

TensorType any_norm_meta(const Call& call) {
  const bool is_word =
      call.has("ord") && !std::holds_alternative<Expr>(call.argument("ord").attribute());
  require(!is_word || is_matrix_norm(call),
          "an order by name needs two dimensions:", call.type("self"));
  if (is_matrix_norm(call)) order_of(call, "ord");
  require(
      !call.has("ord") || call.has("dim") || call.type("self").rank() == 1 || is_matrix_norm(call),
      "a norm with an order needs one or two dimensions; try dim=:", call.type("self"));
  return norm_type(call, norm_dims(call));
}

std::vector<Value> any_norm(DecomposeCall& call) {
  const DType dtype = call.dtype().value_or(call.type("self").dtype);
  if (is_matrix_norm(call)) {
    const NormSteps steps(call, call.to(call["self"], dtype), norm_dims(call),
                          call.flag("keepdim"));
    return {steps.norm(order_of(call, "ord"))};
  }
  const ir::Argument order = call.has("ord") ? call.pass("ord") : ir::Argument(Expr(2));
  return {call.aten("linalg_vector_norm", {call["self"], order, list(norm_dims(call)),
                                           call.pass("keepdim"), call.pass("dtype")})};
}

bool is_spectral_cond(const Call& call) {
  if (!call.has("p")) return true;
  const Order order = order_of(call, "p");
  return order.word.empty() && std::abs(order.number) == 2;
}

TensorType cond_meta(const Call& call) {
  const TensorType& self = call.type("self");
  if (is_spectral_cond(call)) {
    require_matrices(call, self);
  } else {
    require_square(call, self);
  }
  return contiguous_type(real_dtype(self.dtype), matrix_batch(self), self.device);
}

std::vector<Value> cond(DecomposeCall& call) {
  const Value self = call["self"];
  const auto rank = static_cast<int64_t>(self.tensor().rank());
  if (is_spectral_cond(call)) {
    const bool is_inverted = call.has("p") && order_of(call, "p").number < 0;
    const Value values = call.aten("linalg_svdvals", {self});
    const auto end = [&](int64_t i) {
      return call.aten("select.int", {values, Expr(-1), Expr(i)});
    };
    return {call.aten("div.Tensor", {end(is_inverted ? -1 : 0), end(is_inverted ? 0 : -1)})};
  }
  const Order order = order_of(call, "p");
  if (order.word == "nuc") {
    const Value values = call.aten("linalg_svdvals", {self});
    const auto total = [&](Value terms) {
      return call.aten("sum.dim_IntList", {terms, list({-1})});
    };
    return {call.aten("mul.Tensor", {total(values), total(call.aten("reciprocal", {values}))})};
  }
  // The inverse of a singular matrix is infinite, also where its norm is not a number.
  const auto inverse = call.aten_all("linalg_inv_ex", {self});
  Value is_singular = call.aten("gt.Scalar", {inverse[1], Expr(0)});
  for (int i = 0; i < 2; ++i) is_singular = call.aten("unsqueeze", {is_singular, Expr(-1)});
  const double infinity = std::numeric_limits<double>::infinity();
  const Value filled =
      call.aten("masked_fill.Scalar", {inverse[0], is_singular, Expr::real(infinity)});
  const Dims dims{rank - 2, rank - 1};
  const Value product = call.aten("mul.Tensor", {NormSteps(call, self, dims, false).norm(order),
                                                 NormSteps(call, filled, dims, false).norm(order)});
  return {call.aten("nan_to_num",
                    {product, Expr::real(infinity), Expr::real(infinity), Expr::real(-infinity)})};
}

// --- powers and tensor equations ---

TensorType power_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 2 && !known_not_equal(matrix_rows(self), matrix_columns(self)),
          "matrix_power takes square matrices:", self);
  if (call.integer("n") < 0) require_square(call, self);
  if (call.integer("n") == -1) return column_major_type(self.dtype, self.sizes, self.device);
  return contiguous_type(self.dtype, self.sizes, self.device);
}

Value power_of(const DecomposeCall& call, Value base, int64_t n) {
  Value result;
  while (n > 0) {
    if (n % 2 == 1) result = result ? call.aten("matmul", {result, base}) : base;
    n /= 2;
    if (n > 0) base = call.aten("matmul", {base, base});
  }
  return result;
}

std::vector<Value> power(DecomposeCall& call) {
  const TensorType& self = call.type("self");
  const int64_t n = call.integer("n");
  if (n == 1) return {call.aten("clone", {call["self"], ir::Attribute(MemoryFormat::contiguous)})};
  if (n == 0) {
    const Value identity = call.aten("eye", {matrix_rows(self), self.dtype});
    return {call.aten("clone", {call.aten("expand", {identity, self.sizes}),
                                ir::Attribute(MemoryFormat::contiguous)})};
  }
  if (n > 0) return {power_of(call, call["self"], n)};
  return {power_of(call, call.aten("linalg_inv", {call["self"]}), -n)};
}

// A tensor as the matrix of a linear map, and the shape of its inverse.
struct TensorInverse {
  Expr rows;
  Sizes shape;
};

TensorInverse tensor_inverse(const Call& call) {
  const TensorType& self = call.type("self");
  const int64_t index = call.integer("ind");
  require(index > 0 && index <= static_cast<int64_t>(self.rank()),
          "tensorinv splits the dimensions at a positive index:", index, self);
  const std::span<const Expr> sizes(self.sizes);
  TensorInverse result;
  result.rows = product(sizes.first(at(index)));
  require(!known_not_equal(result.rows, product(sizes.subspan(at(index)))),
          "tensorinv needs as many elements before the index as after:", self, index);
  result.shape.assign(sizes.begin() + index, sizes.end());
  result.shape.insert(result.shape.end(), sizes.begin(), sizes.begin() + index);
  return result;
}

TensorType tensorinv_meta(const Call& call) {
  const TensorInverse inverse = tensor_inverse(call);
  const TensorType matrix =
      column_major_type(call.type("self").dtype, {inverse.rows, inverse.rows}, {});
  if (const auto type = viewed(matrix, inverse.shape)) return *type;
  return contiguous_type(matrix.dtype, inverse.shape, call.type("self").device);
}

std::vector<Value> tensorinv(DecomposeCall& call) {
  const TensorInverse inverse = tensor_inverse(call);
  const Value matrix = call.aten("reshape", {call["self"], Sizes{inverse.rows, inverse.rows}});
  return {call.aten("reshape", {call.aten("linalg_inv", {matrix}), inverse.shape})};
}

// The permutation that moves the given dimensions to the end.
Dims dims_last(const Call& call) {
  const TensorType& self = call.type("self");
  Dims order = all_dims(self);
  if (!call.has("dims")) return order;
  const Dims moved = call.dims("dims", self.rank(), Call::WhenEmpty::none);
  std::erase_if(order, [&](int64_t d) { return std::ranges::find(moved, d) != moved.end(); });
  order.insert(order.end(), moved.begin(), moved.end());
  return order;
}

TensorType tensorsolve_meta(const Call& call) {
  const TensorType& other = call.type("other");
  const TensorType self = permuted(call.type("self"), dims_last(call));
  require(other.rank() <= self.rank(),
          "tensorsolve needs a map of the other's rank at least:", call.type("self"), other);
  Sizes shape(self.sizes.begin() + static_cast<ptrdiff_t>(other.rank()), self.sizes.end());
  require(!known_not_equal(product(shape), product(other.sizes)),
          "tensorsolve needs as many unknowns as equations:", call.type("self"), other);
  return contiguous_type(self.dtype, std::move(shape), self.device);
}

std::vector<Value> tensorsolve(DecomposeCall& call) {
  const Sizes& shape = call.result().sizes;
  const Expr count = product(shape);
  Value self = call["self"];
  if (call.has("dims")) self = call.aten("permute", {self, list(dims_last(call))});
  const Value matrix = call.aten("reshape", {self, Sizes{count, count}});
  const Value side = call.aten("reshape", {call["other"], Sizes{count}});
  return {call.aten("reshape", {call.aten("linalg_solve", {matrix, side}), shape})};
}

// --- Vandermonde ---

TensorType vander_meta(const Call& call) {
  const TensorType& x = call.type("x");
  const DType dtype = is_floating(x.dtype) || is_complex(x.dtype) ? x.dtype : DType::i64;
  Sizes sizes = x.sizes.empty() ? Sizes{Expr(1)} : x.sizes;  // A number is a vector of length 1.
  sizes.push_back(call.has("N") ? call.expr("N") : sizes.back());
  return contiguous_type(dtype, std::move(sizes), x.device);
}

TensorType many_vander_meta(const Call& call) {
  const DType dtype = call.type("x").dtype;
  require(dtype != DType::bool_ && !is_half(dtype), ErrorCode::unsupported,
          "linalg_vander takes integers, float32, float64 or complex numbers, got", name(dtype));
  TensorType type = vander_meta(call);
  call.require_sizes(lt(1, type.sizes.back()), "linalg_vander needs more than one power, not",
                     type.sizes.back());
  return type;
}

TensorType vector_vander_meta(const Call& call) {
  require(call.type("x").rank() == 1, "vander takes a vector:", call.type("x"));
  require(!call.has("N") || !known_less(call.expr("N"), Expr(0)),
          "the number of powers must not be negative:", call.type("x"));
  return vander_meta(call);
}

void vander(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& x = call.type("x");
  const DType dtype = call.result().dtype;
  const DType compute = compute_dtype(dtype);
  const Expr powers = call.result().sizes.back();
  const bool falls = call.op().schema.find("increasing") >= 0 && !call.flag("increasing");
  b.loop(Exprs(call.result().sizes).first(call.result().rank() - 1), [&](Exprs index) {
    const Scalar value = b.cast(b.load(call.in("x"), index.first(x.rank())), compute);
    const Scalar one = b.cast(b.constant(DType::i64, int64_t{1}), compute);
    b.carry(powers, std::array{one}, [&](Expr power, std::span<const Scalar> now) {
      IndexVector full(index.begin(), index.end());
      full.emplace_back(falls ? powers - 1 - power : power);
      b.store(call.out(), full, b.cast(now[0], dtype));
      return std::vector{now[0] * value};
    });
  });
}

constexpr std::array kSquareCalls{"(f32[s0, 3, 3])"sv};
constexpr std::array kCrossCalls{"(f32[2, 3], f32[2, 3])"sv, "(f32[1, 3], f32[s0, 3])"sv,
                                 "(f32[1, 3], f32[3, 3])"sv};
constexpr std::array kNormCalls{"(f32[s0, 3, 4], 1)"sv, "(f32[2, 3], -inf, keepdim=True)"sv};
constexpr std::array kNameNormCalls{"(f32[s0, 3, 4])"sv, "(f32[2, 3], dtype=f64)"sv};
constexpr std::array kAnyNormCalls{"(f32[2, 3, 4])"sv, "(f32[2, 3], 1)"sv, "(f32[2, 3], 3, [1])"sv};
constexpr std::array kWordNormCalls{"(f32[2, 3], 'fro')"sv};
constexpr std::array kPowerCalls{"(f32[s0, 3, 3], 5)"sv, "(f32[2, 3, 3], 0)"sv};
constexpr std::array kNuclear{"(f32[3, 4])"sv, "(f32[3, 4], True)"sv};
constexpr std::array kNuclearDim{"(f32[2, 3, 4], [0, 2])"sv};
constexpr std::array kVanderCalls{"(f32[s0, 3], N=4)"sv, "(i64[3])"sv, "(f32[], N=3)"sv};
constexpr std::array kVectorVanderCalls{"(f32[3])"sv, "(i64[3], 2, True)"sv};
constexpr std::array kNameCondCalls{"(f32[2, 3, 3], 'fro')"sv};
constexpr std::array kTensorinvCalls{"(f32[2, 3, 6])"sv};
constexpr std::array kTensorsolveCalls{"(f32[2, 3, 6], f32[2, 3])"sv};

constexpr OpDef composed(ir::SchemaText schema, std::string_view doc,
                         TensorType (*meta)(const Call&),
                         std::vector<Value> (*build)(DecomposeCall&),
                         std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Decompose{build},
          .samples = {.calls = calls}};
}

constexpr OpDef cross_product(ir::SchemaText schema) {
  return {.schema = schema,
          .doc = "Cross product of vectors of 3 along a dimension.",
          .meta = cross_meta,
          .impl = LoopNest{cross},
          .samples = {.calls = kCrossCalls}};
}

constexpr std::array kOps{
    cross_product("aten.cross(Tensor self, Tensor other, int? dim=None) -> Tensor"),
    composed("aten.linalg_cond(Tensor self, Scalar? p=None) -> Tensor",
             "Condition number: norm of a matrix times norm of its inverse.", cond_meta, cond,
             kSquareCalls),
    composed("aten.linalg_cond.p_str(Tensor self, str p) -> Tensor",
             "Condition number in a norm given by name.", cond_meta, cond, kNameCondCalls),
    cross_product("aten.linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor"),
    composed("aten.linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool "
             "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
             "Norm of matrices of a numbered order.", matrix_norm_meta, matrix_norm, kNormCalls),
    composed("aten.linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2, -1], "
             "bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
             "Frobenius or nuclear norm of matrices.", matrix_norm_meta, matrix_norm,
             kNameNormCalls),
    composed("aten.linalg_matrix_power(Tensor self, int n) -> Tensor",
             "Power of square matrices; the inverse's for a negative exponent.", power_meta, power,
             kPowerCalls),
    composed("aten.linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool "
             "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
             "Norm of vectors, or of matrices with an order over two dimensions.", any_norm_meta,
             any_norm, kAnyNormCalls),
    composed("aten.linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool "
             "keepdim=False, *, ScalarType? dtype=None) -> Tensor",
             "Frobenius or nuclear norm of matrices.", any_norm_meta, any_norm, kWordNormCalls),
    composed("aten.linalg_tensorinv(Tensor self, int ind=2) -> Tensor",
             "Inverse of a tensor as a map between its first and last dimensions.", tensorinv_meta,
             tensorinv, kTensorinvCalls),
    composed("aten.linalg_tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor",
             "What a tensor as a map sends to the other tensor.", tensorsolve_meta, tensorsolve,
             kTensorsolveCalls),
    OpDef{.schema = "aten.linalg_vander(Tensor x, *, SymInt? N=None) -> Tensor",
          .doc = "Powers 0, 1, ... of every element, along a new last dimension.",
          .meta = many_vander_meta,
          .impl = LoopNest{vander},
          .samples = {.calls = kVanderCalls}},
    composed("aten.matrix_power(Tensor self, int n) -> Tensor",
             "Power of square matrices; the inverse's for a negative exponent.", power_meta, power,
             kPowerCalls),
    composite("aten.nuclear_norm(Tensor self, bool keepdim=False) -> Tensor",
              "The sum of the singular values of a matrix.", nuclear_norm, {.calls = kNuclear}),
    composite("aten.nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
              "The sums of the singular values of matrices.", nuclear_norm, {.calls = kNuclearDim}),
    OpDef{.schema = "aten.vander(Tensor x, int? N=None, bool increasing=False) -> Tensor",
          .doc = "Powers of every element of a vector, in rows, from the highest to 0 unless "
                 "`increasing`.",
          .meta = vector_vander_meta,
          .impl = LoopNest{vander},
          .samples = {.calls = kVectorVanderCalls}},
};

}  // namespace

std::span<const OpDef> matrix_function_ops() { return kOps; }

}  // namespace litz::ops
