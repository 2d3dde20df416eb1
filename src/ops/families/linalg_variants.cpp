// Linear algebra decomposed into other linear algebra: older spellings, other forms of tolerances,
// and factors computed from singular vectors or eigenvectors. Also eigenvalues of general matrices.

#include <array>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/families/matrix_types.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

Sizes joined(Sizes sizes, std::initializer_list<Expr> more) {
  sizes.insert(sizes.end(), more);
  return sizes;
}

// The only tolerance: relative for inverses, absolute for ranks.
std::vector<Value> pinv_of_tolerance(DecomposeCall& call) {
  const bool is_tensor = call.is_tensor("rcond");
  return {call.aten(is_tensor ? "linalg_pinv.atol_rtol_tensor" : "linalg_pinv.atol_rtol_float",
                    {call["self"], ir::Argument(), call.pass("rcond"), call.pass("hermitian")})};
}

std::vector<Value> rank_of_tolerance(DecomposeCall& call) {
  if (!call.is_tensor("tol")) {
    return {call.aten("linalg_matrix_rank.atol_rtol_float",
                      {call["self"], call.pass("tol"), Expr::real(0), call.pass("hermitian")})};
  }
  const Value tolerance = call["tol"];
  return {call.aten(
      "linalg_matrix_rank.atol_rtol_tensor",
      {call["input"], tolerance, call.aten("zeros_like", {tolerance}), call.pass("hermitian")})};
}

// The older spelling: returns V itself, and zeros if vectors are not requested.
std::vector<Value> old_svd(DecomposeCall& call) {
  const Value self = call["self"];
  const TensorType& a = self.tensor();
  const bool wants_vectors = call.flag("compute_uv");
  const std::vector<Value> parts = call.aten_all(
      "_linalg_svd",
      {self, Expr::boolean(wants_vectors && !call.flag("some")), Expr::boolean(wants_vectors)});
  if (wants_vectors) return {parts[0], parts[1], call.aten("mH", {parts[2]})};
  const auto zeros = [&](Expr side) {
    return call.aten("zeros", {joined(matrix_batch(a), {side, side}), a.dtype});
  };
  return {zeros(matrix_rows(a)), parts[1], call.aten("mH", {zeros(matrix_columns(a))})};
}

// A = U H, where U has orthogonal columns and H is positive.
std::vector<Value> polar(DecomposeCall& call) {
  const TensorType& a = call.type("A");
  require_matrices(call, a);
  call.require_sizes(le(matrix_columns(a), matrix_rows(a)),
                     "a polar decomposition needs as many rows as columns at least:", a);
  const std::vector<Value> parts = call.aten_all("linalg_svd", {call["A"], Expr::boolean(false)});
  const Value right = call.aten("mH", {parts[2]});
  const Value values =
      call.to(call.aten("unsqueeze", {parts[1], Expr(-1)}), parts[2].tensor().dtype);
  const Value scaled = call.aten("mul.Tensor", {values, parts[2]});
  return {call.aten("matmul", {parts[0], parts[2]}), call.aten("matmul", {right, scaled})};
}

// Eigenvectors times square roots of eigenvalues times the adjoint. Negative eigenvalues count as
// 0.
std::vector<Value> hermitian_root(DecomposeCall& call) {
  const std::vector<Value> parts = call.aten_all("linalg_eigh", {call["self"]});
  const Value values = call.aten("clamp", {parts[0], Expr(0)});
  const Value roots = call.aten("unsqueeze", {call.aten("sqrt", {values}), Expr(-2)});
  const Value scaled = call.aten("mul.Tensor", {parts[1], call.to(roots, parts[1].tensor().dtype)});
  return {call.aten("matmul", {scaled, call.aten("mH", {parts[1]})})};
}

// Fails at run time, like factorizations that check themselves.
std::vector<Value> check_errors(DecomposeCall& call) {
  const Value fine = call.aten("all", {call.aten("eq.Scalar", {call["info"], Expr(0)})});
  const std::string name(call.str("api_name"));
  call.aten_all("_assert_async.msg",
                {fine, name + ": the factorization could not be completed, since a matrix is "
                              "singular or not positive definite"});
  return {};
}

// --- eigenvalues of any matrix ---

Types eig_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_square(call, self);
  const DType dtype = is_complex(self.dtype) ? self.dtype : complex_dtype(self.dtype);
  return {contiguous_type(dtype, joined(matrix_batch(self), {matrix_rows(self)}), self.device),
          column_major_type(dtype, self.sizes, self.device)};
}

std::vector<Value> eigenvalues(DecomposeCall& call) {
  return {call.aten_all("linalg_eig", {call["self"]})[0]};
}

// --- symmetric factors ---

Types ldl_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require_square(call, self);
  Types types{
      column_major_type(self.dtype, self.sizes, self.device),
      contiguous_type(DType::i32, joined(matrix_batch(self), {matrix_rows(self)}), self.device),
      contiguous_type(DType::i32, matrix_batch(self), self.device)};
  types.resize(call.op().schema.returns.size());
  return types;
}

Types no_results(const Call&) { return {}; }

constexpr std::array kSquareCalls{"(f32[2, 3, 3])"sv, "(f32[s0, 4, 4])"sv};
constexpr std::array kTallCalls{"(f32[3, 2])"sv, "(f32[s0, 4, 3])"sv};
constexpr std::array kAnySquare{"(f32[2, 3, 3])"sv, "(c64[3, 3])"sv};
constexpr std::array kOldSvd{"(f32[2, 3, 4])"sv, "(f32[3, 2], False)"sv,
                             "(f32[3, 2], True, False)"sv};
constexpr std::array kTolerance{"(f32[2, 3, 3], 0.1)"sv};
constexpr std::array kTolerances{"(f32[2, 3, 3], f32[2])"sv};
constexpr std::array kInfoCalls{"(i32[2] in [0, 1), 'linalg.inv', is_matrix=False)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()",
          .doc = "Fails unless every factorization succeeded.",
          .meta = no_results,
          .impl = Decompose{check_errors},
          .traits = ir::Trait::side_effect,
          .samples = {.lo = 0, .hi = 1, .calls = kInfoCalls}},
    composite("aten._linalg_eigvals(Tensor self) -> Tensor", "Eigenvalues of matrices.",
              eigenvalues, {.calls = kAnySquare}),
    OpDef{
        .schema = "aten.linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)",
        .doc =
            "Eigenvalues and eigenvectors of matrices, complex. Vectors have length 1, and a real "
            "largest component.",
        .meta = eig_meta,
        .impl = Library{"eig"},
        .samples = {.calls = kAnySquare}},
    composite("aten.linalg_eigvals(Tensor self) -> Tensor", "Eigenvalues of matrices.", eigenvalues,
              {.calls = kAnySquare}),
    OpDef{.schema = "aten.linalg_ldl_factor(Tensor self, *, bool hermitian=False) -> (Tensor LD, "
                    "Tensor pivots)",
          .doc = "Factors L and D of symmetric matrices, packed, and their pivots.",
          .meta = ldl_meta,
          .impl = Library{"ldl_factor"},
          .samples = {.calls = kAnySquare}},
    OpDef{.schema = "aten.linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, "
                    "bool check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)",
          .doc =
              "Factors L and D of symmetric matrices, packed, their pivots, and the first of them "
              "that is zero.",
          .meta = ldl_meta,
          .impl = Library{"ldl_factor"},
          .samples = {.calls = kAnySquare}},
    composite("aten.linalg_matrix_rank(Tensor self, float tol, bool hermitian=False) -> Tensor",
              "Number of singular values above a tolerance.", rank_of_tolerance,
              {.calls = kTolerance}),
    composite("aten.linalg_matrix_rank.tol_tensor(Tensor input, Tensor tol, bool hermitian=False) "
              "-> Tensor",
              "Number of singular values above a tolerance for every matrix.", rank_of_tolerance,
              {.lo = 0, .hi = 1, .calls = kTolerances}),
    composite("aten.linalg_matrix_sqrth(Tensor self) -> Tensor",
              "The Hermitian square root of Hermitian matrices.", hermitian_root,
              {.calls = kSquareCalls}),
    composite("aten.linalg_pinv(Tensor self, float rcond, bool hermitian=False) -> Tensor",
              "Pseudo-inverse of matrices.", pinv_of_tolerance, {.calls = kTolerance}),
    composite("aten.linalg_pinv.rcond_tensor(Tensor self, Tensor rcond, bool hermitian=False) -> "
              "Tensor",
              "Pseudo-inverse of matrices, with a tolerance for each.", pinv_of_tolerance,
              {.lo = 0, .hi = 1, .calls = kTolerances}),
    composite("aten.linalg_polar(Tensor A) -> (Tensor U, Tensor H)",
              "Factors of a matrix: orthogonal, and Hermitian positive.", polar,
              {.calls = kTallCalls}),
    composite("aten.svd(Tensor self, bool some=True, bool compute_uv=True) -> (Tensor U, Tensor S, "
              "Tensor V)",
              "Singular values, falling, and vectors; those of the right side as columns.", old_svd,
              {.calls = kOldSvd}),
};

}  // namespace

std::span<const OpDef> linalg_variant_ops() { return kOps; }

}  // namespace litz::ops
