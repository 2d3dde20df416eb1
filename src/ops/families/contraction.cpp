// Contractions: products of tensors over chosen dimensions, decomposed into matrix products.

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ops/bodies.h"
#include "ops/families/contraction_emitter.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Scalars;
using ir::Value;

size_t at(int64_t i) { return static_cast<size_t>(i); }

bool is_one(const Value& value, int64_t dim) { return value.tensor().sizes[at(dim)].is(1); }

// --- tensordot, inner ---

std::vector<int64_t> contracted_dims(const Call& call, std::string_view name,
                                     const TensorType& type) {
  if (type.rank() > 0) return call.dims(name, type.rank(), Call::WhenEmpty::none);
  require(call.integers(name).empty(), "a contracted dimension must exist:", type);
  return {};
}

struct Contraction {
  std::vector<int64_t> left;
  std::vector<int64_t> right;
  std::vector<int64_t> free_left;
  std::vector<int64_t> free_right;
};

std::vector<int64_t> others(size_t rank, const std::vector<int64_t>& dims) {
  std::vector<int64_t> rest;
  for (size_t d = 0; d < rank; ++d) {
    if (std::ranges::count(dims, static_cast<int64_t>(d)) == 0) {
      rest.push_back(static_cast<int64_t>(d));
    }
  }
  return rest;
}

Contraction contraction_of(const Call& call) {
  const TensorType& left = call.type("self");
  const TensorType& right = call.type("other");
  require(left.dtype == right.dtype,
          "operands of a contraction must have one dtype:", name(left.dtype), name(right.dtype));
  Contraction result;
  if (call.op().name() == "aten.inner") {
    result.left = {static_cast<int64_t>(left.rank()) - 1};
    result.right = {static_cast<int64_t>(right.rank()) - 1};
  } else {
    result.left = contracted_dims(call, "dims_self", left);
    result.right = contracted_dims(call, "dims_other", right);
  }
  require(result.left.size() == result.right.size(),
          "both operands contract the same number of dimensions:", result.left.size(),
          result.right.size());
  for (size_t i = 0; i < result.left.size(); ++i) {
    const Expr a = left.sizes[at(result.left[i])];
    const Expr b = right.sizes[at(result.right[i])];
    const bool broadcasts = call.op().name() != "aten.inner" && (a.is(1) || b.is(1));
    require(broadcasts || !known_not_equal(a, b), "contracted sizes must agree:", left, right);
  }
  result.free_left = others(left.rank(), result.left);
  result.free_right = others(right.rank(), result.right);
  return result;
}

bool is_scalar_inner(const Call& call) {
  return call.op().name() == "aten.inner" &&
         (call.type("self").rank() == 0 || call.type("other").rank() == 0);
}

TensorType contraction_meta(const Call& call) {
  if (is_scalar_inner(call)) return meta::elementwise(call);
  const Contraction contraction = contraction_of(call);
  Sizes sizes;
  for (const int64_t d : contraction.free_left) sizes.push_back(call.type("self").sizes[at(d)]);
  for (const int64_t d : contraction.free_right) sizes.push_back(call.type("other").sizes[at(d)]);
  return contiguous_type(call.type("self").dtype, std::move(sizes), call.type("self").device);
}

Sizes sizes_at(const Value& value, const std::vector<int64_t>& dims) {
  Sizes sizes;
  for (const int64_t d : dims) sizes.push_back(value.tensor().sizes[at(d)]);
  return sizes;
}

std::vector<Value> contract(DecomposeCall& call) {
  if (is_scalar_inner(call)) return {call.aten("mul.Tensor", {call["self"], call["other"]})};
  const Contraction c = contraction_of(call);
  const Emitter emit(call.graph());
  Value left = call["self"];
  Value right = call["other"];
  for (size_t i = 0; i < c.left.size(); ++i) {
    // A dimension of size 1 matches any size: the other side is summed first.
    const bool left_one = is_one(left, c.left[i]);
    const bool right_one = is_one(right, c.right[i]);
    if (left_one && !right_one) right = emit.sum(right, {c.right[i]}, true);
    if (right_one && !left_one) left = emit.sum(left, {c.left[i]}, true);
  }
  std::vector<int64_t> left_order = c.free_left;
  left_order.insert(left_order.end(), c.left.begin(), c.left.end());
  std::vector<int64_t> right_order = c.right;
  right_order.insert(right_order.end(), c.free_right.begin(), c.free_right.end());
  const Expr rows = product(sizes_at(left, c.free_left));
  const Expr columns = product(sizes_at(right, c.free_right));
  const Expr depth = product(sizes_at(left, c.left));
  const Value a = emit.reshape(emit.permute(left, left_order), {rows, depth});
  const Value b = emit.reshape(emit.permute(right, right_order), {depth, columns});
  return {call.aten("view", {call.aten("mm", {a, b}), call.result().sizes})};
}

// --- kron ---

/// Both operands' sizes with equal ranks, filled with 1 in front.
std::pair<Sizes, Sizes> kron_sizes(const Call& call) {
  Sizes self = call.type("self").sizes;
  Sizes other = call.type("other").sizes;
  const size_t rank = std::max(self.size(), other.size());
  self.insert(self.begin(), rank - self.size(), Expr(1));
  other.insert(other.begin(), rank - other.size(), Expr(1));
  return {std::move(self), std::move(other)};
}

// Both operands with the other's dimensions interleaved, as size 1.
std::pair<Sizes, Sizes> kron_factors(const Call& call) {
  const auto [self, other] = kron_sizes(call);
  std::pair<Sizes, Sizes> factors;
  for (size_t i = 0; i < self.size(); ++i) {
    factors.first.insert(factors.first.end(), {self[i], Expr(1)});
    factors.second.insert(factors.second.end(), {Expr(1), other[i]});
  }
  return factors;
}

// Blocks become rows of the result without a copy; other layouts are rejected.
TensorType kron_meta(const Call& call) {
  const auto [self, other] = kron_sizes(call);
  Sizes sizes;
  for (size_t i = 0; i < self.size(); ++i) sizes.push_back(self[i] * other[i]);
  const auto [left, right] = kron_factors(call);
  const DType dtype = promoted_with_dims(std::array{call.type("self"), call.type("other")});
  const std::optional<TensorType> a = viewed(call.type("self"), left);
  const std::optional<TensorType> b = viewed(call.type("other"), right);
  if (!a || !b) return contiguous_type(dtype, std::move(sizes), call.type("self").device);
  const TensorType factors[] = {*a, *b};
  const std::optional<TensorType> type = viewed(elementwise_type(dtype, factors), sizes);
  require(type.has_value(),
          "kron needs operands whose blocks lie in the order of the result; try contiguous():",
          call.type("self"), call.type("other"));
  return *type;
}

std::vector<Value> kron(DecomposeCall& call) {
  const auto [left, right] = kron_factors(call);
  const Value a = call.aten("reshape", {call["self"], left});
  const Value b = call.aten("reshape", {call["other"], right});
  return {call.aten("reshape", {call.aten("mul.Tensor", {a, b}), call.result().sizes})};
}

// --- chains ---

TensorType chain_meta(const Call& call) {
  const std::vector<TensorType> types = call.types(call.op().schema.arguments[0].name);
  require(!types.empty(), "a chain of products needs a matrix:", call.op().name());
  const bool is_multi_dot = call.op().name() == "aten.linalg_multi_dot";
  require(!is_multi_dot || types.size() >= 2, "multi_dot needs at least two tensors");
  for (size_t i = 0; i < types.size(); ++i) {
    const bool may_be_vector = is_multi_dot && (i == 0 || i + 1 == types.size());
    require(types[i].rank() == 2 || (may_be_vector && types[i].rank() == 1),
            "a chain of products takes matrices (multi_dot also vectors at the ends):", types[i]);
    require(types[i].dtype == types[0].dtype, "a chain of products has one dtype:", types[i]);
  }
  if (types.size() == 1) return types[0];
  Sizes sizes;
  if (types.front().rank() == 2) sizes.push_back(types.front().sizes[0]);
  if (types.back().rank() == 2) sizes.push_back(types.back().sizes[1]);
  return contiguous_type(types[0].dtype, std::move(sizes), types[0].device);
}

/// The order with the fewest multiplications if all sizes are known, otherwise from the left.
class Chain {
 public:
  Chain(DecomposeCall& call, std::span<const Value> matrices) : call_(call), matrices_(matrices) {}

  Value multiply() {
    const size_t n = matrices_.size();
    for (const Value& value : matrices_) {
      const Sizes& sizes = value.tensor().sizes;
      if (sizes_.empty()) sizes_.push_back(sizes.size() == 2 ? sizes[0] : Expr(1));
      const bool is_column = sizes.size() == 1 && sizes_.size() == n;
      sizes_.push_back(is_column ? Expr(1) : sizes.back());
    }
    const bool known = std::ranges::all_of(sizes_, [](Expr size) { return size.is_constant(); });
    split_.assign(n, std::vector<size_t>(n, 0));
    if (known) {
      choose();
    } else {
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = i + 1; j < n; ++j) split_[i][j] = j - 1;
      }
    }
    return build(0, n - 1);
  }

 private:
  void choose() {
    const size_t n = matrices_.size();
    std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
    const auto size = [&](size_t i) { return static_cast<double>(sizes_[i].constant()); };
    for (size_t length = 1; length < n; ++length) {
      for (size_t i = 0; i + length < n; ++i) {
        const size_t j = i + length;
        cost[i][j] = -1;
        for (size_t k = i; k < j; ++k) {
          const double total = cost[i][k] + cost[k + 1][j] + size(i) * size(k + 1) * size(j + 1);
          if (cost[i][j] >= 0 && total >= cost[i][j]) continue;
          cost[i][j] = total;
          split_[i][j] = k;
        }
      }
    }
  }

  Value build(size_t i, size_t j) {
    if (i == j) return matrices_[i];
    const size_t k = split_[i][j];
    const Value left = build(i, k);
    return call_.aten("matmul", {left, build(k + 1, j)});
  }

  DecomposeCall& call_;
  std::span<const Value> matrices_;
  Sizes sizes_;
  std::vector<std::vector<size_t>> split_;
};

std::vector<Value> chain(DecomposeCall& call) {
  return {Chain(call, call.values(call.op().schema.arguments[0].name)).multiply()};
}

// --- bilinear ---

TensorType bilinear_meta(const Call& call) {
  const TensorType& first = call.type("input1");
  const TensorType& second = call.type("input2");
  const TensorType& weight = call.type("weight");
  require(first.rank() > 0 && first.rank() == second.rank() && weight.rank() == 3,
          "bilinear takes inputs of one rank and a weight of rank 3:", first, second, weight);
  require(first.dtype == second.dtype && first.dtype == weight.dtype &&
              (!call.has("bias") || call.type("bias").dtype == first.dtype),
          "bilinear: all operands must have one dtype:", first, second, weight);
  require(!known_not_equal(first.sizes.back(), weight.sizes[1]) &&
              !known_not_equal(second.sizes.back(), weight.sizes[2]),
          "bilinear: the inputs must have the features of the weight:", first, second, weight);
  for (const Expr& features : {first.sizes.back(), second.sizes.back()}) {
    call.require_sizes(ne(features, 0), "bilinear: there must be features:", first, second);
  }
  require(!call.has("bias") || (call.type("bias").rank() == 1 &&
                                !known_not_equal(call.type("bias").sizes[0], weight.sizes[0])),
          "bilinear: the bias must have a number for every output:", weight);
  Sizes sizes = first.sizes;
  sizes.back() = weight.sizes[0];
  return contiguous_type(first.dtype, std::move(sizes), first.device);
}

/// input1 @ weight gives a matrix per row, which input2 then contracts.
std::vector<Value> bilinear(DecomposeCall& call) {
  const TensorType& weight = call.type("weight");
  const Sizes& sizes = call.type("input1").sizes;
  const Expr rows = product(std::span(sizes).first(sizes.size() - 1));
  const Value first = call.aten("reshape", {call["input1"], Scalars{rows, weight.sizes[1]}});
  const Value second = call.aten("reshape", {call["input2"], Scalars{rows, weight.sizes[2], 1}});
  const Value by_first = call.aten("permute", {call["weight"], Scalars{1, 0, 2}});
  const Value flat =
      call.aten("reshape", {by_first, Scalars{weight.sizes[1], weight.sizes[0] * weight.sizes[2]}});
  const Value matrices = call.aten(
      "reshape", {call.aten("mm", {first, flat}), Scalars{rows, weight.sizes[0], weight.sizes[2]}});
  Value result = call.aten("reshape", {call.aten("bmm", {matrices, second}), call.result().sizes});
  if (call.has("bias")) result = call.aten("add.Tensor", {result, call["bias"]});
  return {result};
}

// --- _trilinear ---

/// Dimensions of the full rank, sorted, none twice.
std::vector<int64_t> full_dims(const Call& call, std::string_view dims, size_t rank) {
  const auto count = static_cast<int64_t>(rank);
  std::vector<int64_t> sorted = call.integers(dims);
  for (int64_t& dim : sorted) {
    require(dim >= -count && dim < count, "_trilinear: a dimension is out of range:", dims, dim,
            rank);
    if (dim < 0) dim += count;
  }
  std::ranges::sort(sorted);
  require(std::ranges::adjacent_find(sorted) == sorted.end(),
          "_trilinear: a dimension is named twice:", dims);
  return sorted;
}

std::vector<int64_t> expanded_dims(const Call& call, std::string_view name, std::string_view dims) {
  return full_dims(call, dims, call.type(name).rank() + call.integers(dims).size());
}

/// The operand with size-1 dimensions at `dims` of the full rank.
Value unsqueezed_at(const DecomposeCall& call, std::string_view name, std::string_view dims) {
  Value value = call[name];
  for (const int64_t dim : expanded_dims(call, name, dims)) {
    value = call.aten("unsqueeze", {value, dim});
  }
  return value;
}

TensorType trilinear_meta(const Call& call) {
  Sizes sizes;
  Sizes last;  // The last operand's that has the dimension.
  const std::array<std::pair<std::string_view, std::string_view>, 3> operands{
      {{"i1", "expand1"}, {"i2", "expand2"}, {"i3", "expand3"}}};
  for (const auto& [name, dims] : operands) {
    Sizes own = call.type(name).sizes;
    const std::vector<int64_t> expanded = expanded_dims(call, name, dims);
    for (const int64_t dim : expanded) own.insert(own.begin() + dim, Expr(1));
    require(last.empty() || last.size() == own.size(),
            "_trilinear: operands must have one rank once they are expanded:", name,
            call.type(name));
    last.resize(own.size(), Expr(1));
    sizes = broadcast_sizes(sizes, own);
    for (size_t d = 0; d < own.size(); ++d) {
      if (!std::ranges::binary_search(expanded, static_cast<int64_t>(d))) last[d] = own[d];
    }
  }
  const std::vector<int64_t> summed = full_dims(call, "sumdim", sizes.size());
  for (size_t d = 0; d < sizes.size(); ++d) {
    require(std::ranges::binary_search(summed, static_cast<int64_t>(d)) ||
                !known_not_equal(last[d], sizes[d]),
            "_trilinear: the last operand with a dimension must have its size:", d, sizes[d]);
  }
  const DType dtype = call.type("i1").dtype;
  const auto unrolled = static_cast<size_t>(call.integer("unroll_dim"));
  for (const auto& [name, dims] : operands) {
    require(call.type(name).dtype == dtype, "_trilinear: operands must have one dtype:", name,
            call.type(name), litz::name(dtype));
    const std::vector<int64_t> expanded = expanded_dims(call, name, dims);
    if (std::ranges::binary_search(expanded, static_cast<int64_t>(unrolled))) continue;
    const auto before = std::ranges::lower_bound(expanded, static_cast<int64_t>(unrolled));
    const size_t own = unrolled - static_cast<size_t>(before - expanded.begin());
    require(
        unrolled < sizes.size() && !known_not_equal(call.type(name).sizes[own], sizes[unrolled]),
        "_trilinear: operands must have the size of the dimension that is unrolled:", name,
        call.type(name), unrolled);
  }
  return contiguous_type(dtype, reduced_sizes(sizes, summed, false), call.type("i1").device);
}

std::vector<Value> trilinear(DecomposeCall& call) {
  const Value first = unsqueezed_at(call, "i1", "expand1");
  const Value second = unsqueezed_at(call, "i2", "expand2");
  const Value third = unsqueezed_at(call, "i3", "expand3");
  const Value pair = call.aten("mul.Tensor", {first, second});
  const Value all = call.aten("mul.Tensor", {pair, third});
  if (call.integers("sumdim").empty()) return {all};
  return {call.aten("sum.dim_IntList", {all, call.pass("sumdim"), Expr::boolean(false),
                                        ir::Attribute(call.result().dtype)})};
}

// --- vecdot ---

TensorType vecdot_meta(const Call& call) {
  const TensorType& x = call.type("x");
  const TensorType& y = call.type("y");
  require(x.dtype == y.dtype, "vecdot: operands must have one dtype:", x, y);
  require(is_floating(x.dtype) || is_complex(x.dtype),
          "vecdot: operands must be floating or complex:", name(x.dtype));
  const Sizes sizes = broadcast_sizes(x.sizes, y.sizes);
  const std::vector<int64_t> dims{call.dim("dim", sizes.size())};
  return contiguous_type(x.dtype, reduced_sizes(sizes, dims, false), x.device);
}

std::vector<Value> vecdot(DecomposeCall& call) {
  Value x = call["x"];
  if (is_complex(x.tensor().dtype)) x = call.aten("_conj_physical", {x});
  const Value products = call.aten("mul.Tensor", {x, call["y"]});
  const Emitter emit(call.graph());
  return {emit.sum(products, {call.dim("dim", products.tensor().rank())}, false)};
}

constexpr std::array kBilinearSample{"(f32[2, 3], f32[2, 4], f32[5, 3, 4], f32[5])"sv};
constexpr std::array kChainSample{"([f32[2, 3], f32[3, 4], f32[4, 5]])"sv};
constexpr std::array kInnerSample{"(f32[2, 3], f32[4, 3])"sv, "(f32[], f32[2])"sv};
constexpr std::array kKronSample{"(f32[2, 3], f32[4])"sv};
constexpr std::array kTensordotSample{"(f32[2, 3, 4], f32[4, 3, 5], [1, 2], [1, 0])"sv,
                                      "(f32[2], f32[3], [], [])"sv};
constexpr std::array kTrilinearSample{
    "(f32[2, 3], f32[5, 3, 4], f32[2, 4], [1, 3], [0], [1, 2], [2, 3])"sv};
constexpr std::array kVecdotSample{"(f32[2, 3], f32[3])"sv};

constexpr std::array kOps{
    OpDef{
        .schema = "aten._trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, "
                  "int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor",
        .doc = "The product of three tensors, each given size-1 dimensions, summed over `sumdim`.",
        .meta = trilinear_meta,
        .impl = Decompose{trilinear},
        .samples = {.calls = kTrilinearSample}},
    OpDef{.schema =
              "aten.bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) -> "
              "Tensor",
          .doc = "input1 @ weight[k] @ input2 + bias[k] for every k.",
          .meta = bilinear_meta,
          .impl = Decompose{bilinear},
          .samples = {.calls = kBilinearSample}},
    OpDef{.schema = "aten.chain_matmul(Tensor[] matrices) -> Tensor",
          .doc = "The product of all matrices, in the cheapest order.",
          .meta = chain_meta,
          .impl = Decompose{chain},
          .samples = {.calls = kChainSample}},
    OpDef{.schema = "aten.inner(Tensor self, Tensor other) -> Tensor",
          .doc = "Contracts the last dimensions of both.",
          .meta = contraction_meta,
          .impl = Decompose{contract},
          .samples = {.calls = kInnerSample}},
    OpDef{.schema = "aten.kron(Tensor self, Tensor other) -> Tensor",
          .doc = "Every element of self times the whole of other, block by block.",
          .meta = kron_meta,
          .impl = Decompose{kron},
          .samples = {.calls = kKronSample}},
    OpDef{.schema = "aten.linalg_multi_dot(Tensor[] tensors) -> Tensor",
          .doc = "The product of all matrices, in the cheapest order; the ends may be vectors.",
          .meta = chain_meta,
          .impl = Decompose{chain},
          .samples = {.calls = kChainSample}},
    OpDef{.schema = "aten.linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
          .doc = "Products of vectors along `dim`, the first conjugated.",
          .meta = vecdot_meta,
          .impl = Decompose{vecdot},
          .samples = {.calls = kVecdotSample}},
    OpDef{.schema =
              "aten.tensordot(Tensor self, Tensor other, int[] dims_self, int[] dims_other) -> "
              "Tensor",
          .doc = "Contracts pairs of dimensions of two tensors.",
          .meta = contraction_meta,
          .impl = Decompose{contract},
          .samples = {.calls = kTensordotSample}},
};

}  // namespace

std::span<const OpDef> contraction_ops() { return kOps; }

}  // namespace litz::ops
