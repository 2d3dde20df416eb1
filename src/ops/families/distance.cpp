// Distances between vectors, and norms that rescale: dist, cdist, pdist, cosine similarity, renorm;
// and sums to a smaller shape.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::ReduceKind;
using loops::Scalar;

// The p-norm of the absolute values from `term`; 0 without any.
Scalar p_norm(KernelBuilder& b, double p, const Sizes& sizes, DType compute,
              const std::function<Scalar(Exprs)>& term) {
  const auto sum = [&](const std::function<Scalar(Scalar)>& map) {
    return b.reduce(ReduceKind::sum, sizes, [&](Exprs index) { return map(abs(term(index))); });
  };
  // NaN is kept, not counted.
  if (p == 0) return sum([&](Scalar x) { return min(ceil(x), 1.0); });
  if (p == 1) return sum([](Scalar x) { return x; });
  if (p == 2) return sqrt(sum([](Scalar x) { return x * x; }));
  if (std::isinf(p)) {
    if (known_equal(product(sizes), Expr(0))) return b.constant(compute, 0.0);
    return b.reduce(p > 0 ? ReduceKind::max : ReduceKind::min, sizes,
                    [&](Exprs index) { return abs(term(index)); });
  }
  return pow(sum([p](Scalar x) { return pow(x, p); }), 1 / p);
}

// --- dist, pairwise distance ---

TensorType dist_meta(const Call& call) {
  const Sizes shapes[] = {call.type("self").sizes, call.type("other").sizes};
  broadcast_sizes(shapes);
  const DType dtype = promoted_dtype(call, {"self", "other"});
  require(is_floating(dtype) || is_complex(dtype), "dist needs floating or complex tensors, got",
          name(dtype));
  return contiguous_type(real_dtype(dtype), {}, call.type("self").device);
}

std::vector<Value> dist(DecomposeCall& call) {
  const Value difference = call.aten("sub.Tensor", {call["self"], call["other"]});
  return {call.aten("linalg_vector_norm", {difference, call.pass("p")})};
}

TensorType pairwise_meta(const Call& call) {
  const Sizes shapes[] = {call.type("x1").sizes, call.type("x2").sizes};
  Sizes sizes = broadcast_sizes(shapes);
  require(!sizes.empty(), "pairwise_distance compares vectors, not single numbers");
  const auto last = static_cast<int64_t>(sizes.size()) - 1;
  const DType dtype = floating_dtype(promoted_dtype(call, {"x1", "x2"}));
  return contiguous_type(real_dtype(dtype),
                         reduced_sizes(sizes, std::array{last}, call.flag("keepdim")),
                         call.type("x1").device);
}

std::vector<Value> pairwise(DecomposeCall& call) {
  const Value difference = call.aten("sub.Tensor", {call["x1"], call["x2"]});
  const Value moved = call.aten("add.Scalar", {difference, Expr::real(call.real("eps"))});
  return {call.aten("linalg_vector_norm",
                    {moved, Expr::real(call.real("p")), ir::Attribute(ir::Scalars{Expr(-1)}),
                     call.pass("keepdim")})};
}

TensorType cosine_meta(const Call& call) {
  const Sizes shapes[] = {call.type("x1").sizes, call.type("x2").sizes};
  const Sizes sizes = broadcast_sizes(shapes);
  const DType dtype = promoted_with_dims(std::array{call.type("x1"), call.type("x2")});
  require(is_floating(dtype), "cosine_similarity needs floating tensors, got", name(dtype));
  require(call.real("eps") >= 0,
          "eps of cosine_similarity must not be negative:", call.real("eps"));
  const int64_t dim = call.dim("dim", sizes.size());
  if (sizes.empty()) return contiguous_type(dtype, {}, call.type("x1").device);
  return contiguous_type(dtype, reduced_sizes(sizes, std::array{dim}, false),
                         call.type("x1").device);
}

std::vector<Value> cosine(DecomposeCall& call) {
  const DType dtype = call.result().dtype;
  const Sizes shapes[] = {call.type("x1").sizes, call.type("x2").sizes};
  const Sizes sizes = broadcast_sizes(shapes);
  const ir::Attribute dims(ir::Scalars{Expr(call.dim("dim", sizes.size()))});
  const auto unit = [&](std::string_view name) {
    Value x = call.to(call[name], dtype);
    if (x.tensor().sizes != sizes) x = call.aten("expand", {x, sizes});
    const Value norm = call.aten("linalg_vector_norm", {x, Expr(2), dims, Expr::boolean(true)});
    const Value length = call.aten("clamp_min", {norm, Expr::real(call.real("eps"))});
    return call.aten("div.Tensor", {x, length});
  };
  const Value terms = call.aten("mul.Tensor", {unit("x1"), unit("x2")});
  return {call.aten("sum.dim_IntList", {terms, dims, Expr::boolean(false)})};
}

// --- cdist, pdist ---

// cdist takes the largest difference that is not NaN; pdist returns NaN if there is one.
Scalar cdist_difference(double p, Scalar a, Scalar b) {
  const Scalar value = a - b;
  return std::isinf(p) ? select(is_nan(value), 0.0, value) : value;
}

double distance_order(const Call& call) {
  const double p = call.real("p");
  require(p >= 0, "the order of a distance must not be negative:", p);
  return p;
}

TensorType cdist_meta(const Call& call) {
  const TensorType& x1 = call.type("x1");
  const TensorType& x2 = call.type("x2");
  require(x1.rank() >= 2 && x2.rank() >= 2, "cdist takes rows of vectors:", x1, x2);
  require(!known_not_equal(x1.sizes.back(), x2.sizes.back()),
          "the vectors of cdist must have one length:", x1, x2);
  require(is_floating(x1.dtype) && x1.dtype == x2.dtype,
          "cdist takes floating tensors of one dtype, got", name(x1.dtype), name(x2.dtype));
  distance_order(call);
  const int64_t mode = call.has("compute_mode") ? call.integer("compute_mode") : 0;
  require(mode >= 0 && mode <= 2, "the compute_mode of cdist must be 0, 1 or 2:", mode);
  const Sizes shapes[] = {Sizes(x1.sizes.begin(), x1.sizes.end() - 2),
                          Sizes(x2.sizes.begin(), x2.sizes.end() - 2)};
  Sizes sizes = broadcast_sizes(shapes);
  sizes.push_back(x1.sizes[x1.rank() - 2]);
  sizes.push_back(x2.sizes[x2.rank() - 2]);
  return contiguous_type(x1.dtype, std::move(sizes), x1.device);
}

// The index of element j of a row of an operand whose batches broadcast.
IndexVector row_index(const TensorType& type, Exprs batch, Expr row, Expr j) {
  const size_t count = type.rank() - 2;
  IndexVector index;
  for (size_t i = 0; i < count; ++i) {
    index.emplace_back(type.sizes[i].is(1) ? Expr(0) : batch[batch.size() - count + i]);
  }
  index.emplace_back(row);
  index.emplace_back(j);
  return index;
}

void cdist(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& x1 = call.type("x1");
  const TensorType& x2 = call.type("x2");
  const DType dtype = call.result().dtype;
  const DType compute = compute_dtype(dtype);
  const double p = distance_order(call);
  b.loop(call.result().sizes, [&](Exprs index) {
    const size_t rank = index.size() - 2;
    const Exprs batch = index.first(rank);
    const Scalar norm = p_norm(b, p, {x1.sizes.back()}, compute, [&](Exprs j) {
      const Scalar left =
          b.cast(b.load(call.in("x1"), row_index(x1, batch, index[rank], j[0])), compute);
      const Scalar right =
          b.cast(b.load(call.in("x2"), row_index(x2, batch, index[rank + 1], j[0])), compute);
      return cdist_difference(p, left, right);
    });
    b.store(call.out(), index, b.cast(norm, dtype));
  });
}

std::vector<Value> cdist_forward(DecomposeCall& call) {
  return {call.aten("_cdist_forward", {call["x1"], call["x2"], call.pass("p"), ir::Argument()})};
}

TensorType pdist_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 2 && is_floating(self.dtype),
          "pdist takes a floating matrix of vectors:", self);
  distance_order(call);
  const Expr n = self.sizes[0];
  return contiguous_type(self.dtype, {floor_div(n * (n - 1), Expr(2))}, self.device);
}

void pdist(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const DType dtype = call.result().dtype;
  const DType compute = compute_dtype(dtype);
  const double p = distance_order(call);
  const Expr n = self.sizes[0];
  const auto value = [&](Expr row, Expr j) {
    return b.cast(b.load(call.in("self"), std::array{row, j}), compute);
  };
  b.loop(std::array{n, n}, [&](Exprs pair) {
    const Scalar norm = p_norm(b, p, {self.sizes[1]}, compute, [&](Exprs j) {
      return value(pair[0], j[0]) - value(pair[1], j[0]);
    });
    // Pairs (i, j) with i < j, ordered by i, then j.
    const Scalar i = b.index(pair[0]);
    const Scalar j = b.index(pair[1]);
    const Scalar before = i * (b.index(n * 2) - i - 1);
    const Scalar position = trunc_div(before, b.constant(DType::i64, int64_t{2})) + j - i - 1;
    b.store_if(i < j, call.out(), IndexVector{position.id()}, b.cast(norm, dtype));
  });
}

TensorType pdist_forward_meta(const Call& call) {
  require(is_contiguous(call.type("self")),
          "_pdist_forward takes rows that lie one behind another:", call.type("self"));
  return pdist_meta(call);
}

std::vector<Value> pdist_forward(DecomposeCall& call) {
  Value rows = call["self"];
  if (!is_contiguous(rows.tensor())) {
    rows = call.aten("clone", {rows, ir::Attribute(MemoryFormat::contiguous)});
  }
  return {call.aten("_pdist_forward", {rows, call.pass("p")})};
}

// --- renorm ---

TensorType renorm_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() >= 2, "renorm takes two dimensions or more:", self);
  require(is_floating(self.dtype) || is_complex(self.dtype),
          "renorm takes floating or complex tensors, got", name(self.dtype));
  require(call.real("p") > 0, "renorm needs a positive p:", call.real("p"));
  require(call.real("maxnorm") >= 0,
          "renorm needs a maxnorm that is not negative:", call.real("maxnorm"));
  call.dim("dim", self.rank());
  return contiguous_type(self.dtype, self.sizes, self.device);
}

void renorm(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const DType compute = compute_dtype(self.dtype);
  const int64_t dim = call.dim("dim", self.rank());
  Sizes others = self.sizes;
  others.erase(others.begin() + dim);
  const double largest = call.real("maxnorm");
  b.loop(std::array{self.sizes[static_cast<size_t>(dim)]}, [&](Exprs slice) {
    const auto full = [&](Exprs index) {
      IndexVector at(index.begin(), index.end());
      at.insert(at.begin() + dim, slice[0]);
      return at;
    };
    const auto value = [&](Exprs index) {
      return b.cast(b.load(call.in("self"), full(index)), compute);
    };
    const auto size = [&](Exprs index) { return abs(value(index)); };
    const Scalar norm = p_norm(b, call.real("p"), others, real_dtype(compute), size);
    // The addend keeps the rescaled norm below the limit after rounding.
    constexpr double kSlack = 1e-7;
    const Scalar factor = select(norm > largest, largest / (norm + kSlack), 1.0);
    b.loop(others, [&](Exprs index) {
      b.store(call.out(), full(index), b.cast(value(index) * b.cast(factor, compute), self.dtype));
    });
  });
}

// --- sums to a smaller shape ---

// The leading dimensions to remove, and the others that become 1.
struct Collapse {
  std::vector<int64_t> gone;
  std::vector<int64_t> kept;
};

Collapse collapse_of(const TensorType& self, const Sizes& sizes) {
  require(sizes.size() <= self.rank(), "a sum cannot have more dimensions than its terms:", self,
          sizes.size());
  Collapse collapse;
  const size_t lead = self.rank() - sizes.size();
  for (size_t i = 0; i < self.rank(); ++i) {
    if (i < lead) {
      collapse.gone.push_back(static_cast<int64_t>(i));
    } else if (sizes[i - lead].is(1) && !self.sizes[i].is(1)) {
      collapse.kept.push_back(static_cast<int64_t>(i));
    } else {
      require(!known_not_equal(sizes[i - lead], self.sizes[i]),
              "a size of a sum must be the terms' size or 1:", sizes[i - lead], self.sizes[i]);
    }
  }
  return collapse;
}

DType sum_dtype(const TensorType& self) {
  return is_floating(self.dtype) || is_complex(self.dtype) ? self.dtype : DType::i64;
}

TensorType sum_to_size_meta(const Call& call) {
  const TensorType& self = call.type("self");
  const Sizes sizes = call.sizes("size");
  const Collapse collapse = collapse_of(self, sizes);
  if (collapse.gone.empty() && collapse.kept.empty()) return self;
  return contiguous_type(sum_dtype(self), sizes, self.device);
}

std::vector<Value> sum_to_size(DecomposeCall& call) {
  const Collapse collapse = collapse_of(call.type("self"), call.sizes("size"));
  Value value = call["self"];
  std::vector<int64_t> dims = collapse.gone;
  dims.insert(dims.end(), collapse.kept.begin(), collapse.kept.end());
  if (dims.empty()) return {value};
  ir::Scalars all(dims.begin(), dims.end());
  value = call.aten("sum.dim_IntList", {value, ir::Attribute(std::move(all)), Expr::boolean(true)});
  if (!collapse.gone.empty()) value = call.aten("view", {value, call.sizes("size")});
  return {value};
}

TensorType trace_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 2, "trace takes a matrix:", self);
  return contiguous_type(sum_dtype(self), {}, self.device);
}

void trace(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& self = call.type("self");
  const DType dtype = call.result().dtype;
  const Expr length = litz::min(self.sizes[0], self.sizes[1]);
  // PyTorch adds f32 in f64.
  const DType compute = dtype == DType::f32   ? DType::f64
                        : dtype == DType::c64 ? DType::c128
                                              : compute_dtype(dtype);
  const Scalar total = b.reduce(ReduceKind::sum, std::array{length}, [&](Exprs i) {
    return b.cast(b.load(call.in("self"), std::array{i[0], i[0]}), compute);
  });
  b.store(call.out(), IndexVector{}, b.cast(total, dtype));
}

constexpr std::array kCdistForwardCalls{"(f32[2, 3, 4], f32[5, 4], 2.0, None)"sv,
                                        "(f32[s0, 4], f32[s1, 4], 3.0, 1)"sv};
constexpr std::array kCdistCalls{"(f32[2, 3, 4], f32[2, 5, 4])"sv, "(f32[3, 4], f32[5, 4], 0.0)"sv};
constexpr std::array kPdistCalls{"(f32[4, 3])"sv, "(f32[s0, 3], 1.0)"sv, "(f32[1, 3])"sv};
constexpr std::array kPairwiseCalls{"(f32[2, 3], f32[2, 3])"sv,
                                    "(f32[s0, 3], f32[3], 1.0, 1e-06, True)"sv};
constexpr std::array kCosineCalls{"(f32[2, 3], f32[2, 3])"sv, "(f32[s0, 3], f32[3], dim=-1)"sv};
constexpr std::array kDistCalls{"(f32[2, 3], f32[3])"sv, "(f32[2, 3], f32[2, 3], 3)"sv};
constexpr std::array kRenormCalls{"(f32[2, 3, 4], 2, 1, 0.5)"sv, "(bf16[s0, 3], 1, 0, 2.0)"sv};
constexpr std::array kSumToSizeCalls{"(f32[s0, 3, 4], [3, 1])"sv, "(i64[2, 3], [2, 3])"sv};
constexpr std::array kTraceCalls{"(f32[s0, 4])"sv, "(i64[3, 3])"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> "
                    "Tensor",
          .doc = "Distances between all vectors of x1 and all of x2, always by differences.",
          .meta = cdist_meta,
          .impl = LoopNest{cdist},
          .samples = {.calls = kCdistForwardCalls}},
    OpDef{.schema = "aten._pdist_forward(Tensor self, float p=2.0) -> Tensor",
          .doc = "Distances between the rows of a matrix, each pair once.",
          .meta = pdist_forward_meta,
          .impl = LoopNest{pdist},
          .samples = {.calls = kPdistCalls}},
    OpDef{.schema = "aten.cdist(Tensor x1, Tensor x2, float p=2.0, int? compute_mode=None) -> "
                    "Tensor",
          .doc = "Distances between all vectors of x1 and all of x2.",
          .meta = cdist_meta,
          .impl = Decompose{cdist_forward},
          .samples = {.calls = kCdistCalls}},
    OpDef{.schema = "aten.cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> "
                    "Tensor",
          .doc = "Cosine of the angle between vectors along a dimension.",
          .meta = cosine_meta,
          .impl = Decompose{cosine},
          .samples = {.calls = kCosineCalls}},
    OpDef{.schema = "aten.dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
          .doc = "The p-norm of the difference.",
          .meta = dist_meta,
          .impl = Decompose{dist},
          .samples = {.calls = kDistCalls}},
    OpDef{.schema = "aten.pairwise_distance(Tensor x1, Tensor x2, float p=2.0, float eps=1e-06, "
                    "bool keepdim=False) -> Tensor",
          .doc = "The p-norm of x1 - x2 + eps along the last dimension.",
          .meta = pairwise_meta,
          .impl = Decompose{pairwise},
          .samples = {.calls = kPairwiseCalls}},
    OpDef{.schema = "aten.pdist(Tensor self, float p=2.0) -> Tensor",
          .doc = "Distances between the rows of a matrix, each pair once.",
          .meta = pdist_meta,
          .impl = Decompose{pdist_forward},
          .samples = {.calls = kPdistCalls}},
    OpDef{.schema = "aten.renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor",
          .doc = "Rescales slices along a dimension whose p-norm is above maxnorm to have it.",
          .meta = renorm_meta,
          .impl = LoopNest{renorm},
          .inplace = true,
          .samples = {.calls = kRenormCalls}},
    OpDef{.schema = "aten.sum_to_size(Tensor self, SymInt[] size) -> Tensor",
          .doc = "Sums what broadcasting would have repeated.",
          .meta = sum_to_size_meta,
          .impl = Decompose{sum_to_size},
          .samples = {.calls = kSumToSizeCalls}},
    OpDef{.schema = "aten.trace(Tensor self) -> Tensor",
          .doc = "Sum of the diagonal.",
          .meta = trace_meta,
          .impl = LoopNest{trace},
          .samples = {.calls = kTraceCalls}},
};

}  // namespace

std::span<const OpDef> distance_ops() { return kOps; }

}  // namespace litz::ops
