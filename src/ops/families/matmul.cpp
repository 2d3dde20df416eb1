// Matrix products: all operators that are one call of the product kernels.
//
// Like PyTorch, all of them return row-major results for any operand layout: a product computed
// through a transposed or folded form is copied back.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/operand_dtypes.h"
#include "ops/meta.h"
#include "ops/op_def.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

void require_rank(const TensorType& type, size_t rank, std::string_view op, std::string_view name) {
  require(type.rank() == rank, "an operand must have this many dimensions:", op, name, rank,
          "but is", type);
}

void require_equal(Expr a, Expr b, std::string_view op, const TensorType& left,
                   const TensorType& right) {
  require(!known_not_equal(a, b), "sizes of a product must agree:", op, left, right);
}

/// The sizes of left @ right for any ranks.
Sizes product_sizes(const TensorType& left, const TensorType& right, std::string_view op) {
  require(left.rank() > 0 && right.rank() > 0, "both operands need at least one dimension:", op,
          left, right);
  const bool has_rows = left.rank() > 1;
  const bool has_columns = right.rank() > 1;
  require_equal(left.sizes.back(), right.sizes[has_columns ? right.rank() - 2 : 0], op, left,
                right);
  const std::span<const Expr> left_batch(left.sizes.data(), has_rows ? left.rank() - 2 : 0);
  const std::span<const Expr> right_batch(right.sizes.data(), has_columns ? right.rank() - 2 : 0);
  Sizes sizes = broadcast_sizes(left_batch, right_batch);
  if (has_rows) sizes.push_back(left.sizes[left.rank() - 2]);
  if (has_columns) sizes.push_back(right.sizes.back());
  return sizes;
}

/// left @ right of fixed ranks.
template <size_t kLeft, size_t kRight>
TensorType product_meta(const Call& call) {
  const std::string_view first = call.op().schema.arguments[0].name;
  const std::string_view second = call.op().schema.arguments[1].name;
  const TensorType& left = call.type(first);
  const TensorType& right = call.type(second);
  require_rank(left, kLeft, call.op().name(), first);
  require_rank(right, kRight, call.op().name(), second);
  if (kLeft == 3) require_equal(left.sizes[0], right.sizes[0], call.op().name(), left, right);
  require_same_dtypes(call, {first, second});
  return contiguous_type(left.dtype, product_sizes(left, right, call.op().name()), left.device);
}

TensorType matmul_meta(const Call& call) {
  require_same_dtypes(call, {"self", "other"});
  const TensorType& self = call.type("self");
  return contiguous_type(self.dtype, product_sizes(self, call.type("other"), call.op().name()),
                         self.device);
}

TensorType wide_meta(const Call& call) {
  require(is_half(call.type("self").dtype), "a wide product takes f16 or bf16:", call.type("self"));
  TensorType type = matmul_meta(call);
  type.dtype = DType::f32;
  return type;
}

/// The addend may broadcast to the product, but not exceed it.
void require_addend(const Call& call, std::string_view name, const Sizes& sizes) {
  const TensorType& self = call.type(name);
  constexpr const char* kText = "what is added must broadcast to the product:";
  require(self.rank() <= sizes.size(), kText, call.op().name(), self);
  const size_t missing = sizes.size() - self.rank();
  for (size_t d = 0; d < self.rank(); ++d) {
    call.require_sizes(logical_or(eq(self.sizes[d], 1), eq(self.sizes[d], sizes[missing + d])),
                       kText, call.op().name(), self, "dimension", d, "of", sizes[missing + d]);
  }
}

/// Products of matrices without inner elements are beta times what is added, in the dtype of the two,
/// which must not be of a higher kind.
void require_factor(const Call& call, DTypeCategory beta, const TensorType& left,
                    const Sizes& sizes) {
  const bool is_empty = std::ranges::any_of(sizes, [](Expr size) { return size.is(0); });
  if (!left.sizes.back().is(0) || is_empty) return;
  require(beta <= category(left.dtype),
          "a product of no elements is beta times what is added, whose dtype must hold it:",
          call.op().name(), name(left.dtype));
}

TensorType linear_meta(const Call& call) {
  require_same_dtypes(call, {"input", "weight", "bias"});
  const TensorType& input = call.type("input");
  TensorType weight = call.type("weight");
  require(weight.rank() == 1 || weight.rank() == 2,
          "linear: the weight must be a matrix or a vector:", weight);
  if (weight.rank() == 2) std::swap(weight.sizes[0], weight.sizes[1]);
  const Sizes sizes = product_sizes(input, weight, call.op().name());
  if (call.has("bias")) {
    require_addend(call, "bias", sizes);
    require_factor(call, DTypeCategory::integer, input, sizes);  // Beta is 1.
  }
  return contiguous_type(input.dtype, sizes, input.device);
}

/// beta * self + alpha * (left @ right) of fixed ranks.
template <size_t kLeft, size_t kRight>
TensorType scaled_meta(const Call& call) {
  const std::string_view first = call.op().schema.arguments[1].name;
  const std::string_view second = call.op().schema.arguments[2].name;
  const TensorType& left = call.type(first);
  const TensorType& right = call.type(second);
  require_rank(left, kLeft, call.op().name(), first);
  require_rank(right, kRight, call.op().name(), second);
  if (kLeft == 3) require_equal(left.sizes[0], right.sizes[0], call.op().name(), left, right);
  require_same_dtypes(call, {"self", first, second});
  Sizes sizes = product_sizes(left, right, call.op().name());
  require_addend(call, "self", sizes);
  const bool is_scaled = kRight > 1 && call.complex("beta") != 0.0;
  if (is_scaled) require_factor(call, call.scalar_category("beta"), left, sizes);
  return contiguous_type(left.dtype, std::move(sizes), left.device);
}

TensorType int_mm_meta(const Call& call) {
  const TensorType& left = call.type("self");
  const TensorType& right = call.type("mat2");
  require_rank(left, 2, call.op().name(), "self");
  require_rank(right, 2, call.op().name(), "mat2");
  require(left.dtype == DType::i8 || left.dtype == DType::u8,
          "_int_mm: self must be int8 or uint8:", name(left.dtype));
  require(right.dtype == DType::i8, "_int_mm: mat2 must be int8:", name(right.dtype));
  return contiguous_type(DType::i32, product_sizes(left, right, call.op().name()), left.device);
}

std::vector<ir::Value> int_mm(DecomposeCall& call) {
  return {call.aten("mm", {call.to(call["self"], DType::i32), call.to(call["mat2"], DType::i32)})};
}

TensorType vdot_meta(const Call& call) { return product_meta<1, 1>(call); }

std::vector<ir::Value> vdot(DecomposeCall& call) {
  ir::Value self = call["self"];
  if (is_complex(self.tensor().dtype)) self = call.aten("_conj_physical", {self});
  return {call.aten("dot", {self, call["other"]})};
}

TensorType addbmm_meta(const Call& call) {
  const TensorType& left = call.type("batch1");
  const TensorType& right = call.type("batch2");
  require_rank(left, 3, call.op().name(), "batch1");
  require_rank(right, 3, call.op().name(), "batch2");
  require_equal(left.sizes[0], right.sizes[0], call.op().name(), left, right);
  require_equal(left.sizes[2], right.sizes[1], call.op().name(), left, right);
  require_same_dtypes(call, {"self", "batch1", "batch2"});
  const Sizes sizes{left.sizes[1], right.sizes[2]};
  require_addend(call, "self", sizes);
  return contiguous_type(left.dtype, sizes, left.device);
}

/// The sum over the batch is one product: batch and depth are merged to one long depth.
std::vector<ir::Value> addbmm(DecomposeCall& call) {
  const TensorType& left = call.type("batch1");
  const TensorType& right = call.type("batch2");
  const Expr depth = left.sizes[0] * left.sizes[2];
  const ir::Value by_row = call.aten("permute", {call["batch1"], ir::Scalars{1, 0, 2}});
  const ir::Value wide = call.aten("reshape", {by_row, ir::Scalars{left.sizes[1], depth}});
  const ir::Value tall = call.aten("reshape", {call["batch2"], ir::Scalars{depth, right.sizes[2]}});
  return {call.aten("addmm", {call["self"], wide, tall, call.pass("beta"), call.pass("alpha")})};
}

std::vector<ir::Value> addmm_activation(DecomposeCall& call) {
  const ir::Value sum = call.aten(
      "addmm", {call["self"], call["mat1"], call["mat2"], call.pass("beta"), call.pass("alpha")});
  if (call.flag("use_gelu")) return {call.aten("gelu", {sum, std::string("tanh")})};
  return {call.aten("relu", {sum})};
}

TensorType addr_meta(const Call& call) {
  const TensorType& rows = call.type("vec1");
  const TensorType& columns = call.type("vec2");
  require_rank(rows, 1, call.op().name(), "vec1");
  const std::array operands{call.type("self"), rows, columns};
  const DType dtype = promoted_with_dims(operands);
  for (const char* name : {"alpha", "beta"}) {
    const DTypeCategory kind = call.scalar_category(name);
    require(is_floating(dtype) || is_complex(dtype) || kind < DTypeCategory::floating,
            "addr: factors of integers must not be real numbers:", name);
    require(dtype == DType::bool_ || kind != DTypeCategory::bool_,
            "addr: only bool results take bool factors:", name);
  }
  require_rank(columns, 1, call.op().name(), "vec2");
  const Sizes sizes{rows.sizes[0], columns.sizes[0]};
  require_addend(call, "self", sizes);
  // PyTorch multiplies element by element, so the layout follows that of self.
  const TensorType terms[] = {call.type("self"), contiguous_type(dtype, sizes, rows.device)};
  return elementwise_type(dtype, terms);
}

loops::Scalar factor(const NestCall& call, std::string_view argument, DType dtype) {
  loops::KernelBuilder& b = call.builder();
  if (is_complex(dtype)) return b.constant(dtype, call.complex(argument));
  if (is_floating(dtype)) return b.constant(dtype, call.real(argument));
  if (dtype == DType::bool_) return b.constant(dtype, int64_t{call.real(argument) != 0});
  return b.constant(dtype, call.integer(argument));
}

void addr(NestCall& call) {
  loops::KernelBuilder& b = call.builder();
  const TensorType& type = call.result();
  const TensorType& self = call.type("self");
  const DType compute = compute_dtype(type.dtype);
  const bool adds = call.complex("beta") != 0.0;  // NaN in an unused addend must not spread.
  b.loop(type.sizes, [&](loops::Exprs i) {
    const loops::Scalar row = b.cast(b.load(call.in("vec1"), i.subspan(0, 1)), compute);
    const loops::Scalar column = b.cast(b.load(call.in("vec2"), i.subspan(1, 1)), compute);
    loops::Scalar value = row * column;
    if (call.complex("alpha") != 1.0) value = value * factor(call, "alpha", compute);
    if (adds) {
      Sizes at(i.end() - static_cast<ptrdiff_t>(self.rank()), i.end());
      for (size_t d = 0; d < at.size(); ++d) {
        if (self.sizes[d].is(1)) at[d] = 0;
      }
      loops::Scalar addend = b.cast(b.load(call.in("self"), at), compute);
      if (call.complex("beta") != 1.0) addend = addend * factor(call, "beta", compute);
      value = addend + value;
    }
    b.store(call.out(), i, b.cast(value, type.dtype));
  });
}

TensorType outer_meta(const Call& call) {
  const std::string_view second = call.op().schema.arguments[1].name;
  require_rank(call.type("self"), 1, call.op().name(), "self");
  require_rank(call.type(second), 1, call.op().name(), second);
  return contiguous_type(promoted_dtype(call),
                         {call.type("self").sizes[0], call.type(second).sizes[0]},
                         call.type("self").device);
}

std::vector<ir::Value> outer(DecomposeCall& call) {
  const ir::Value column = call.aten("unsqueeze", {call["self"], 1});
  return {call.aten("mul.Tensor", {column, call[call.op().schema.arguments[1].name]})};
}

TensorType grouped_meta(const Call& call) {
  const std::string_view first = call.op().schema.arguments[0].name;
  const std::string_view second = call.op().schema.arguments[1].name;
  const TensorType& input = call.type(first);
  const TensorType& weight = call.type(second);
  require(call.has("offs"), ErrorCode::unsupported,
          "a grouped product is available for a matrix with row ends only");
  require(input.rank() == 2 && weight.rank() == 3, ErrorCode::unsupported,
          "a grouped product takes a matrix and a batch of matrices:", input, weight);
  require_same_dtypes(call, {first, second});
  require_equal(input.sizes[1], weight.sizes[1], call.op().name(), input, weight);
  return contiguous_type(input.dtype, {input.sizes[0], weight.sizes[2]}, input.device);
}

// Requires contiguous rows or columns that start at multiples of 16 bytes.
void require_aligned(const Call& call, std::string_view name) {
  const TensorType& type = call.type(name);
  const Expr row = type.strides[type.rank() - 2];
  const Expr column = type.strides.back();
  const auto is_aligned = [&](Expr inner, Expr outer) {
    return !known_not_equal(inner, Expr(1)) &&
           !known_not_equal(mod(outer * item_size(type.dtype), Expr(16)), Expr(0));
  };
  require(is_aligned(column, row) || is_aligned(row, column), ErrorCode::unsupported,
          "a grouped product needs rows or columns that start at multiples of 16 bytes:", type);
}

TensorType aten_grouped_meta(const Call& call) {
  require(!call.has("bias") &&
              call.dtype("out_dtype").value_or(call.type("self").dtype) == call.type("self").dtype,
          ErrorCode::unsupported,
          "a grouped product has neither bias nor another result dtype here");
  const TensorType type = grouped_meta(call);
  require(type.dtype == DType::f32 || is_half(type.dtype),
          "a grouped product takes f32, f16 or bf16:", type);
  const TensorType& ends = call.type("offs");
  require(ends.dtype == DType::i32 && ends.rank() == 1 &&
              !known_not_equal(ends.sizes[0], call.type("mat2").sizes[0]),
          "a grouped product needs an int32 row end for every matrix:", ends, call.type("mat2"));
  require_aligned(call, "self");
  require_aligned(call, "mat2");
  return type;
}

constexpr std::array kAddbmmSample{"(f32[3, 4], f32[2, 3, 5], f32[2, 5, 4], alpha=2)"sv,
                                   "(f32[4], f32[2, 3, 5], f32[2, 5, 4], beta=0)"sv};
constexpr std::array kAddmmSample{"(f32[4], f32[3, 5], f32[5, 4], beta=0.5, alpha=2)"sv,
                                  "(i64[3, 4], i64[3, 5], i64[5, 4])"sv,
                                  "(f32[s0, 4], f32[s0, 5], f32[5, 4] {1, 5})"sv};
constexpr std::array kAddmvSample{"(f32[3], f32[3, 4], f32[4])"sv};
constexpr std::array kAddrSample{"(f32[3, 4], f32[3], f32[4], beta=0.5, alpha=2)"sv};
constexpr std::array kBaddbmmSample{"(f32[2, 3, 4], f32[2, 3, 5], f32[2, 5, 4])"sv,
                                    "(f32[1, 4], f32[2, 3, 5], f32[2, 5, 4], alpha=0.5)"sv};
constexpr std::array kBmmSample{"(f32[2, 3, 5], f32[2, 5, 4])"sv,
                                "(bf16[2, 3, 5], bf16[2, 5, 4])"sv,
                                "(c64[2, 3, 5], c64[2, 5, 4])"sv};
constexpr std::array kDotSample{"(f32[5], f32[5])"sv};
constexpr std::array kGroupedSample{"(f32[0, 4], f32[2, 4, 3], i32[2] in [0, 1))"sv};
constexpr std::array kAlignedGroupedSample{"(f32[0, 4], f32[2, 4, 8], i32[2] in [0, 1))"sv};
constexpr std::array kIntMmSample{"(i8[3, 4], i8[4, 2])"sv};
constexpr std::array kLinearSample{"(f32[2, 3, 5], f32[4, 5], f32[4])"sv, "(f32[5], f32[4, 5])"sv,
                                   "(bf16[s0, 5], bf16[4, 5])"sv};
constexpr std::array kMatmulSample{"(f32[5], f32[5])"sv, "(f32[2, 3, 5], f32[5])"sv,
                                   "(f32[5], f32[2, 5, 3])"sv, "(f32[3, 1, 4, 5], f32[2, 5, 3])"sv,
                                   "(f32[4, 5], f32[2, 5, 3])"sv};
constexpr std::array kMmSample{"(f32[3, 5], f32[5, 4])"sv, "(f64[3, s0], f64[s0, 4])"sv,
                               "(f32[3, 5] {1, 3}, f32[5, 4] {1, 5})"sv};
constexpr std::array kMvSample{"(f32[3, 5], f32[5])"sv};
constexpr std::array kOuterSample{"(f32[3], f32[4])"sv};
constexpr std::array kWideSample{"(bf16[2, 3, 5], bf16[2, 5, 4])"sv,
                                 "(f16[3, 5], f16[5, 4] {1, 5})"sv};

constexpr std::array kOps{
    OpDef{.schema =
              "aten._addmm_activation(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, "
              "Scalar alpha=1, bool use_gelu=False) -> Tensor",
          .doc = "relu, or gelu by tanh, of addmm.",
          .meta = scaled_meta<2, 2>,
          .impl = Decompose{addmm_activation},
          .samples = {.calls = kAddmmSample}},
    OpDef{.schema =
              "aten._grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, "
              "ScalarType? out_dtype=None) -> Tensor",
          .doc = "Rows up to each end in `offs` times their own matrix.",
          .meta = aten_grouped_meta,
          .impl = Library{"grouped_matmul"},
          .samples = {.calls = kAlignedGroupedSample}},
    OpDef{.schema = "aten._int_mm(Tensor self, Tensor mat2) -> Tensor",
          .doc = "Product of 8-bit integer matrices in 32 bits.",
          .meta = int_mm_meta,
          .impl = Decompose{int_mm},
          .samples = {.calls = kIntMmSample}},
    OpDef{.schema =
              "aten.addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar "
              "alpha=1) -> Tensor",
          .doc = "beta * self + alpha * (the sum of the products of a batch).",
          .meta = addbmm_meta,
          .impl = Decompose{addbmm},
          .inplace = true,
          .held_wide = "beta alpha",
          .samples = {.calls = kAddbmmSample}},
    OpDef{.schema = "aten.addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar "
                    "alpha=1) -> Tensor",
          .doc = "beta * self + alpha * (mat1 @ mat2); self is not read where beta is 0.",
          .meta = scaled_meta<2, 2>,
          .impl = Library{"scaled_matmul"},
          .inplace = true,
          .held_wide = "beta alpha",
          .samples = {.calls = kAddmmSample}},
    OpDef{.schema = "aten.addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar "
                    "alpha=1) -> Tensor",
          .doc = "beta * self + alpha * (mat @ vec).",
          .meta = scaled_meta<2, 1>,
          .impl = Library{"scaled_matmul"},
          .inplace = true,
          .held_wide = "beta alpha",
          .samples = {.calls = kAddmvSample}},
    OpDef{.schema = "aten.addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar "
                    "alpha=1) -> Tensor",
          .doc = "beta * self + alpha * (the outer product of two vectors).",
          .meta = addr_meta,
          .impl = LoopNest{addr},
          .inplace = true,
          .held = "beta alpha",
          .samples = {.calls = kAddrSample}},
    OpDef{.schema =
              "aten.baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar "
              "alpha=1) -> Tensor",
          .doc = "beta * self + alpha * (batch1 @ batch2).",
          .meta = scaled_meta<3, 3>,
          .impl = Library{"scaled_matmul"},
          .inplace = true,
          .held_wide = "beta alpha",
          .samples = {.calls = kBaddbmmSample}},
    OpDef{.schema = "aten.bmm(Tensor self, Tensor mat2) -> Tensor",
          .doc = "Product of two batches of matrices.",
          .meta = product_meta<3, 3>,
          .impl = Library{"matmul"},
          .samples = {.calls = kBmmSample}},
    OpDef{.schema = "aten.dot(Tensor self, Tensor tensor) -> Tensor",
          .doc = "Product of two vectors.",
          .meta = product_meta<1, 1>,
          .impl = Library{"matmul"},
          .samples = {.calls = kDotSample}},
    OpDef{.schema = "aten.ger(Tensor self, Tensor vec2) -> Tensor",
          .doc = "outer.",
          .meta = outer_meta,
          .impl = Decompose{outer},
          .samples = {.calls = kOuterSample}},
    OpDef{.schema = "aten.linalg_matmul(Tensor self, Tensor other) -> Tensor",
          .doc = "matmul.",
          .meta = matmul_meta,
          .impl = Library{"matmul"},
          .samples = {.calls = kMatmulSample}},
    OpDef{.schema = "aten.linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
          .doc = "input @ weight.T + bias.",
          .meta = linear_meta,
          .impl = Library{"linear"},
          .samples = {.calls = kLinearSample}},
    OpDef{.schema = "aten.matmul(Tensor self, Tensor other) -> Tensor",
          .doc = "Product of matrices in the last two dimensions; earlier ones broadcast, vectors "
                 "count as a row on the left and a column on the right.",
          .meta = matmul_meta,
          .impl = Library{"matmul"},
          .samples = {.calls = kMatmulSample}},
    OpDef{.schema = "aten.mm(Tensor self, Tensor mat2) -> Tensor",
          .doc = "Product of two matrices.",
          .meta = product_meta<2, 2>,
          .impl = Library{"matmul"},
          .samples = {.calls = kMmSample}},
    OpDef{.schema = "aten.mv(Tensor self, Tensor vec) -> Tensor",
          .doc = "Matrix times vector.",
          .meta = product_meta<2, 1>,
          .impl = Library{"matmul"},
          .samples = {.calls = kMvSample}},
    OpDef{.schema = "aten.outer(Tensor self, Tensor vec2) -> Tensor",
          .doc = "Every element of self times every element of vec2.",
          .meta = outer_meta,
          .impl = Decompose{outer},
          .samples = {.calls = kOuterSample}},
    OpDef{.schema = "aten.vdot(Tensor self, Tensor other) -> Tensor",
          .doc = "Product of two vectors, the first conjugated.",
          .meta = vdot_meta,
          .impl = Decompose{vdot},
          .samples = {.calls = kDotSample}},
    OpDef{.schema = "litz.wide_matmul(Tensor self, Tensor other) -> Tensor",
          .doc = "Product of matrices of halves, in f32.",
          .meta = wide_meta,
          .impl = Library{"matmul"},
          .samples = {.calls = kWideSample}},
    OpDef{.schema = "transformers.grouped_mm_fallback(Tensor input, Tensor weight, Tensor offs) -> "
                    "Tensor",
          .doc = "Rows up to each end in `offs` times their own matrix.",
          .meta = grouped_meta,
          .impl = Library{"grouped_matmul"},
          .samples = {.calls = kGroupedSample}},
};

}  // namespace

std::span<const OpDef> matmul_ops() { return kOps; }

}  // namespace litz::ops
