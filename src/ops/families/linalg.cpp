// Linear algebra by library calls: factorizations of matrices and solves with them.
//
// Matrices are the last two dimensions; earlier ones are a batch. Results that LAPACK writes are
// column-major, as in PyTorch. Values are computed in double and rounded once.

#include <algorithm>
#include <array>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/families/matrix_types.h"
#include "ops/meta.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;

const TensorType& first_type(const Call& call) {
  return call.type(call.op().schema.arguments[0].name);
}

Sizes joined(Sizes sizes, std::initializer_list<Expr> more) {
  sizes.insert(sizes.end(), more);
  return sizes;
}

Expr smaller_side(const TensorType& a) { return litz::min(matrix_rows(a), matrix_columns(a)); }

TensorType info_type(const TensorType& a) {
  return contiguous_type(DType::i32, matrix_batch(a), a.device);
}

TensorType pivots_type(const TensorType& a) {
  return contiguous_type(DType::i32, joined(matrix_batch(a), {smaller_side(a)}), a.device);
}

// The first types of `all`, as many as the schema has results.
Types leading(const Call& call, std::initializer_list<TensorType> all) {
  Types types(all.begin(), all.end());
  types.resize(call.op().schema.returns.size());
  return types;
}

TensorType no_vectors(const TensorType& a) { return contiguous_type(a.dtype, {Expr(0)}, a.device); }

// --- Cholesky ---

Types cholesky_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return leading(call, {column_major_type(a.dtype, a.sizes, a.device), info_type(a)});
}

TensorType cholesky_inverse_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return column_major_type(a.dtype, a.sizes, a.device);
}

void require_one_dtype(const Call& call, const TensorType& a, const TensorType& b) {
  require(a.dtype == b.dtype, "both operands must have one dtype:", call.op().name(), name(a.dtype),
          name(b.dtype));
}

Sizes common_batch(const TensorType& a, const TensorType& b) {
  const Sizes shapes[] = {matrix_batch(a), matrix_batch(b)};
  return broadcast_sizes(shapes);
}

// The sizes of the solution for B, with A's and B's batches broadcast.
Sizes solution_sizes(const Call& call, const TensorType& a, const TensorType& b, bool left) {
  require_square(call, a);
  require_matrices(call, b);
  require_one_dtype(call, a, b);
  require(!known_not_equal(matrix_rows(a), left ? matrix_rows(b) : matrix_columns(b)),
          "the sides of a linear system must fit:", call.op().name(), a, b);
  return joined(common_batch(a, b), {matrix_rows(b), matrix_columns(b)});
}

TensorType cholesky_solve_meta(const Call& call) {
  const TensorType& b = call.type("self");
  return column_major_type(b.dtype, solution_sizes(call, call.type("input2"), b, true), b.device);
}

// --- LU ---

Types lu_factor_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  return leading(call,
                 {column_major_type(a.dtype, a.sizes, a.device), pivots_type(a), info_type(a)});
}

// Requires one vector of at most `length` elements for each matrix; pivots are row numbers from 1.
void require_vectors(const Call& call, const TensorType& vectors, const TensorType& matrices,
                     Expr length, DType dtype) {
  require(vectors.dtype == dtype && vectors.rank() + 1 == matrices.rank(),
          "each matrix must have a vector of its own:", call.op().name(), vectors, matrices);
  Expr fits = le(vectors.sizes.back(), length);
  for (size_t d = 0; d + 1 < vectors.rank(); ++d) {
    fits = logical_and(fits, eq(vectors.sizes[d], matrices.sizes[d]));
  }
  call.require_sizes(fits,
                     "each matrix must have a vector of its own that fits it:", call.op().name(),
                     vectors, matrices);
}

void require_pivots(const Call& call, std::string_view pivots, std::string_view factors) {
  const TensorType& type = call.type(pivots);
  const Expr side = smaller_side(call.type(factors));
  require_vectors(call, type, call.type(factors), side, DType::i32);
  call.require_sizes(le(side, type.sizes.back()),
                     "there must be a pivot for each row:", call.op().name(), type);
}

TensorType lu_solve_meta(const Call& call) {
  const TensorType& b = call.type("B");
  require_matrices(call, call.type("LU"));
  require_pivots(call, "pivots", "LU");
  const bool left = call.flag("left");
  const Sizes sizes = solution_sizes(call, call.type("LU"), b, left);
  return left ? column_major_type(b.dtype, sizes, b.device)
              : contiguous_type(b.dtype, sizes, b.device);
}

TensorType old_lu_solve_meta(const Call& call) {
  const TensorType& b = call.type("self");
  return column_major_type(b.dtype, solution_sizes(call, call.type("LU_data"), b, true), b.device);
}

std::vector<Value> old_lu_solve(DecomposeCall& call) {
  return {call.aten("linalg_lu_solve", {call["LU_data"], call["LU_pivots"], call["self"]})};
}

TensorType ldl_solve_meta(const Call& call) {
  const TensorType& b = call.type("B");
  require_matrices(call, call.type("LD"));
  require_pivots(call, "pivots", "LD");
  return column_major_type(b.dtype, solution_sizes(call, call.type("LD"), b, true), b.device);
}

// An unpacked part that is not requested is an empty list.
Types lu_unpack_meta(const Call& call) {
  const TensorType& packed = call.type("LU_data");
  require_matrices(call, packed);
  require_pivots(call, "LU_pivots", "LU_data");
  const Sizes batch = matrix_batch(packed);
  const Expr rows = matrix_rows(packed);
  const Expr inner = smaller_side(packed);
  const auto part = [&](bool is_wanted, Expr height, Expr width) {
    return is_wanted ? contiguous_type(packed.dtype, joined(batch, {height, width}), packed.device)
                     : no_vectors(packed);
  };
  const bool wants_data = call.flag("unpack_data");
  return {part(call.flag("unpack_pivots"), rows, rows), part(wants_data, rows, inner),
          part(wants_data, inner, matrix_columns(packed))};
}

Types lu_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  const Sizes batch = matrix_batch(a);
  const auto part = [&](Expr height, Expr width) {
    return contiguous_type(a.dtype, joined(batch, {height, width}), a.device);
  };
  const Expr rows = matrix_rows(a);
  const Expr inner = smaller_side(a);
  return {part(rows, rows), part(rows, inner), part(inner, matrix_columns(a))};
}

std::vector<Value> lu(DecomposeCall& call) {
  const auto factors = call.aten_all("linalg_lu_factor_ex", {call["A"], call.pass("pivot")});
  return call.aten_all("lu_unpack", {factors[0], factors[1]});
}

// Singular matrices are not an error, whatever the arguments are.
std::vector<Value> lu_with_info(DecomposeCall& call) {
  return call.aten_all("linalg_lu_factor_ex", {call["self"], call.pass("pivot")});
}

Types triangular_solve_meta(const Call& call) {
  const TensorType& b = call.type("self");
  const TensorType& a = call.type("A");
  const Sizes sizes = solution_sizes(call, a, b, true);
  const Sizes coefficient = joined(common_batch(a, b), {matrix_rows(a), matrix_columns(a)});
  return {column_major_type(b.dtype, sizes, b.device),
          column_major_type(a.dtype, coefficient, a.device)};
}

std::vector<Value> triangular_solve(DecomposeCall& call) {
  Value a = call["A"];
  bool upper = call.flag("upper");
  if (call.flag("transpose")) {
    a = call.aten("transpose.int", {a, Expr(-2), Expr(-1)});
    upper = !upper;
  }
  const Value solution = call.aten(
      "linalg_solve_triangular",
      {a, call["self"], Expr::boolean(upper), Expr::boolean(true), call.pass("unitriangular")});
  const TensorType& clone = call.result(1);
  const Value expanded = call.aten("expand", {call["A"], clone.sizes});
  const Value turned = call.aten("transpose.int", {expanded, Expr(-2), Expr(-1)});
  const Value dense = call.aten("clone", {turned, ir::Attribute(MemoryFormat::contiguous)});
  return {solution, call.aten("transpose.int", {dense, Expr(-2), Expr(-1)})};
}

// True if the right-hand sides are vectors: rank 1, or the shape of A without its last dimension.
bool has_vector_side(const TensorType& a, const TensorType& b) {
  if (b.rank() == 1) return true;
  if (b.rank() + 1 != a.rank()) return false;
  for (size_t i = 0; i < b.rank(); ++i) {
    if (known_not_equal(a.sizes[i], b.sizes[i])) return false;
  }
  return true;
}

Types solve_meta(const Call& call) {
  const TensorType& a = call.type("A");
  TensorType b = call.type("B");
  const bool left = call.flag("left");
  require_matrices(call, a);
  const bool is_vector = has_vector_side(a, b);
  require(left || !is_vector, "a system solved from the right needs a matrix:", b);
  if (is_vector) b = contiguous_type(b.dtype, joined(b.sizes, {Expr(1)}), b.device);
  Sizes sizes = solution_sizes(call, a, b, left);
  if (is_vector) sizes.pop_back();
  const TensorType result = left && sizes.size() >= 2 ? column_major_type(a.dtype, sizes, a.device)
                                                      : contiguous_type(a.dtype, sizes, a.device);
  const TensorType factors = column_major_type(a.dtype, a.sizes, a.device);
  if (call.op().name() == "aten._linalg_solve_ex") {
    return {result, factors, pivots_type(a), info_type(a)};
  }
  return leading(call, {result, info_type(a)});
}

TensorType solve_triangular_meta(const Call& call) {
  const TensorType& b = call.type("B");
  const Sizes sizes = solution_sizes(call, call.type("self"), b, call.flag("left"));
  return column_major_type(b.dtype, sizes, b.device);
}

Types inverse_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return leading(call, {column_major_type(a.dtype, a.sizes, a.device), info_type(a)});
}

// --- determinants ---

TensorType batch_type(const TensorType& a, DType dtype) {
  return contiguous_type(dtype, matrix_batch(a), a.device);
}

Types det_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return leading(call, {batch_type(a, a.dtype), column_major_type(a.dtype, a.sizes, a.device),
                        pivots_type(a)});
}

Types slogdet_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return leading(call, {batch_type(a, a.dtype), batch_type(a, real_dtype(a.dtype)),
                        column_major_type(a.dtype, a.sizes, a.device), pivots_type(a)});
}

TensorType logdet_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  return batch_type(a, a.dtype);
}

// Like PyTorch, factors the transposed matrix if that saves a copy: if the matrix is contiguous and
// real. Derivatives read the factors by the same rule.
std::vector<Value> factored(DecomposeCall& call, std::string_view op) {
  const TensorType& a = first_type(call);
  Value matrix = call["A"];
  if (is_contiguous(a) && !is_complex(a.dtype)) {
    matrix = call.aten("transpose.int", {matrix, Expr(-2), Expr(-1)});
  }
  return call.graph().create(op, {matrix})->outputs();
}

std::vector<Value> det_factors(DecomposeCall& call) { return factored(call, "litz.linalg_det"); }

std::vector<Value> slogdet_factors(DecomposeCall& call) {
  return factored(call, "litz.linalg_slogdet");
}

std::vector<Value> det(DecomposeCall& call) {
  return {call.aten_all("_linalg_det", {call.pass(call.op().schema.arguments[0].name)})[0]};
}

std::vector<Value> slogdet(DecomposeCall& call) {
  const auto parts =
      call.aten_all("_linalg_slogdet", {call.pass(call.op().schema.arguments[0].name)});
  return {parts[0], parts[1]};
}

std::vector<Value> logdet(DecomposeCall& call) {
  const auto parts = call.aten_all("_linalg_slogdet", {call["self"]});
  // The logarithm of the sign is 0 or NaN for reals, and an angle for complex numbers.
  return {call.aten("add.Tensor", {call.aten("log", {parts[0]}), parts[1]})};
}

// --- QR ---

Types qr_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  const std::string_view mode = call.str("mode");
  require(mode == "reduced" || mode == "complete" || mode == "r",
          "the mode of qr is 'reduced', 'complete' or 'r':", mode);
  const Expr width = mode == "complete" ? matrix_rows(a) : smaller_side(a);
  const TensorType r =
      column_major_type(a.dtype, joined(matrix_batch(a), {width, matrix_columns(a)}), a.device);
  if (mode == "r") return {no_vectors(a), r};
  return {column_major_type(a.dtype, joined(matrix_batch(a), {matrix_rows(a), width}), a.device),
          r};
}

Types geqrf_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  return {column_major_type(a.dtype, a.sizes, a.device),
          contiguous_type(a.dtype, joined(matrix_batch(a), {smaller_side(a)}), a.device)};
}

TensorType householder_meta(const Call& call) {
  const TensorType& a = call.type("input");
  require_matrices(call, a);
  require_one_dtype(call, a, call.type("tau"));
  require(!known_less(matrix_rows(a), matrix_columns(a)),
          "a product of reflectors has no more columns than rows:", a);
  require_vectors(call, call.type("tau"), a, matrix_columns(a), a.dtype);
  return column_major_type(a.dtype, a.sizes, a.device);
}

TensorType ormqr_meta(const Call& call) {
  const TensorType& a = call.type("self");
  const TensorType& other = call.type("input3");
  require_matrices(call, a);
  require_matrices(call, other);
  require_one_dtype(call, a, other);
  const bool left = call.flag("left");
  require(!known_not_equal(matrix_rows(a), left ? matrix_rows(other) : matrix_columns(other)),
          "reflectors must fit the matrix they multiply:", a, other);
  require_vectors(call, call.type("input2"), a, smaller_side(a), a.dtype);
  call.require_sizes(eq(call.type("input2").sizes.back(), smaller_side(a)),
                     "there must be a scale for every reflector:", call.type("input2"), a);
  for (size_t d = 0; d + 2 < std::max(a.rank(), other.rank()); ++d) {
    require(a.rank() == other.rank() && !known_not_equal(a.sizes[d], other.sizes[d]),
            "reflectors and the matrices that they multiply must be as many:", a, other);
  }
  return column_major_type(other.dtype, other.sizes, other.device);
}

// --- spectra ---

void require_triangle_name(const Call& call) {
  const std::string_view name = call.str("UPLO");
  require(name == "L" || name == "U" || name == "l" || name == "u",
          "the triangle of a Hermitian matrix is 'L' or 'U':", name);
}

Types eigh_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  require_triangle_name(call);
  const bool wants_vectors = call.op().schema.find("compute_v") < 0 || call.flag("compute_v");
  return {contiguous_type(real_dtype(a.dtype), joined(matrix_batch(a), {matrix_rows(a)}), a.device),
          wants_vectors ? column_major_type(a.dtype, a.sizes, a.device) : no_vectors(a)};
}

TensorType eigvalsh_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_square(call, a);
  require_triangle_name(call);
  return contiguous_type(real_dtype(a.dtype), joined(matrix_batch(a), {matrix_rows(a)}), a.device);
}

std::vector<Value> eigvalsh(DecomposeCall& call) {
  return {
      call.aten_all("_linalg_eigh", {call["self"], call.pass("UPLO"), Expr::boolean(false)})[0]};
}

TensorType singular_type(const TensorType& a) {
  return contiguous_type(real_dtype(a.dtype), joined(matrix_batch(a), {smaller_side(a)}), a.device);
}

Types svd_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  const bool wants_vectors = call.op().schema.find("compute_uv") < 0 || call.flag("compute_uv");
  if (!wants_vectors) return {no_vectors(a), singular_type(a), no_vectors(a)};
  const bool full = call.flag("full_matrices");
  const Expr left = full ? matrix_rows(a) : smaller_side(a);
  const Expr right = full ? matrix_columns(a) : smaller_side(a);
  return {
      column_major_type(a.dtype, joined(matrix_batch(a), {matrix_rows(a), left}), a.device),
      singular_type(a),
      column_major_type(a.dtype, joined(matrix_batch(a), {right, matrix_columns(a)}), a.device)};
}

TensorType svdvals_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  return singular_type(a);
}

std::vector<Value> svdvals(DecomposeCall& call) {
  return {call.aten_all("_linalg_svd", {call["A"], Expr::boolean(false), Expr::boolean(false)})[1]};
}

// The batch of matrices, each with the tolerances that broadcast to it. Without elements nobody looks
// at tolerances.
Sizes batch_with_tolerances(const Call& call) {
  const TensorType& a = first_type(call);
  Sizes batch = matrix_batch(a);
  if (known_equal(a.numel(), Expr(0))) return batch;
  for (const std::string_view argument : {"atol"sv, "rtol"sv}) {
    if (!call.has(argument) || !call.is_tensor(argument)) continue;
    batch = broadcast_sizes(batch, call.type(argument).sizes);
  }
  return batch;
}

TensorType pinv_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  if (call.op().schema.find("hermitian") >= 0 && call.flag("hermitian")) require_square(call, a);
  return contiguous_type(
      a.dtype, joined(batch_with_tolerances(call), {matrix_columns(a), matrix_rows(a)}), a.device);
}

std::vector<Value> pinverse(DecomposeCall& call) {
  return {call.aten("linalg_pinv.atol_rtol_float",
                    {call["self"], ir::Argument(), call.pass("rcond"), Expr::boolean(false)})};
}

TensorType matrix_rank_meta(const Call& call) {
  const TensorType& a = first_type(call);
  require_matrices(call, a);
  if (call.flag("hermitian")) require_square(call, a);
  return contiguous_type(DType::i64, batch_with_tolerances(call), a.device);
}

// Includes halves: the result is computed in double and rounded once.
TensorType matrix_exp_meta(const Call& call) {
  const TensorType& a = first_type(call);
  TensorType widened = a;
  if (is_half(a.dtype)) widened.dtype = DType::f32;
  require_square(call, widened);
  return contiguous_type(a.dtype, a.sizes, a.device);
}

std::vector<Value> matrix_exp(DecomposeCall& call) {
  return {call.aten("linalg_matrix_exp", {call["self"]})};
}

constexpr std::array kSquareCalls{"(f32[2, 3, 3])"sv, "(f32[s0, 4, 4])"sv};
constexpr std::array kMatrixCalls{"(f32[2, 3])"sv, "(f32[s0, 3, 4])"sv};

constexpr OpDef by_library(ir::SchemaText schema, std::string_view doc, Meta meta,
                           std::string_view function, std::span<const std::string_view> calls = {},
                           ir::Trait traits = ir::Trait::none) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Library{function},
          .traits = traits,
          .samples = {.calls = calls}};
}

// CUDA's solver for eigenvalues waits for the device.
constexpr ir::Trait kUnsafe = ir::Trait::capture_unsafe;

constexpr OpDef composed(ir::SchemaText schema, std::string_view doc, Meta meta,
                         std::vector<Value> (*build)(DecomposeCall&),
                         std::span<const std::string_view> calls,
                         ir::Trait traits = ir::Trait::none) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Decompose{build},
          .traits = traits,
          .samples = {.calls = calls}};
}

constexpr std::array kTriangularCalls{"(f32[2, 3, 2], f32[3, 3])"sv};
// Factors with one element are positive definite for any random values.
constexpr std::array kDefiniteCalls{"(f32[2, 1, 1] in [1, 2))"sv,
                                    "(f32[1, 1] in [1, 2), upper=True)"sv};
constexpr std::array kFactorCalls{"(f32[3, 3] in [1, 2))"sv, "(f32[2, 2, 2] in [1, 2), True)"sv};
constexpr std::array kFactorSolveCalls{"(f32[3, 2], f32[3, 3] in [1, 2))"sv,
                                       "(f32[2, 3, 1], f32[2, 3, 3] in [1, 2), True)"sv};
constexpr std::array kSolveCalls{"(f32[3, 3], f32[3, 2])"sv, "(f32[2, 3, 3], f32[2, 3])"sv,
                                 "(f64[3, 3], f64[2, 3], left=False)"sv};
constexpr std::array kReflectorCalls{"(f32[4, 3], f32[3])"sv, "(f32[2, 3, 3], f32[2, 2])"sv};
constexpr std::array kReflectorProductCalls{"(f32[4, 3], f32[3], f32[4, 2])"sv,
                                            "(f32[4, 3], f32[3], f32[2, 4], False, True)"sv};
constexpr std::array kLdlSolveCalls{"(f32[3, 3] in [1, 2), i32[3] in [1, 2), f32[3, 2])"sv};
constexpr std::array kPackedSolveCalls{"(f32[3, 3] in [1, 2), i32[3] in [3, 4), f32[3, 2])"sv};
constexpr std::array kUnpackCalls{"(f32[3, 3], i32[3] in [3, 4))"sv};
constexpr std::array kTriangleCalls{"(f32[3, 3] in [1, 2), f32[3, 2], upper=True)"sv,
                                    "(f32[3, 3], f32[3, 2], upper=False, unitriangular=True)"sv};
constexpr std::array kLuSolveCalls{"(f32[3, 2], f32[3, 3], i32[3] in [1, 4))"sv};

constexpr std::array kOps{
    composed("aten._linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
             "Determinant, and the factors it is read from.", det_meta, det_factors, kSquareCalls),
    by_library("aten._linalg_eigh(Tensor A, str UPLO='L', bool compute_v=True) -> (Tensor "
               "eigenvalues, Tensor eigenvectors)",
               "Eigenvalues, rising, and eigenvectors of Hermitian matrices.", eigh_meta, "eigh",
               kSquareCalls, kUnsafe),
    composed("aten._linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor "
             "pivots)",
             "Sign and logarithm of the size of the determinant, and the factors.", slogdet_meta,
             slogdet_factors, kSquareCalls),
    by_library("aten._linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
               "check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)",
               "Solution of linear systems, the factors and where they are singular.", solve_meta,
               "linear_solve", kSolveCalls),
    by_library("aten._linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, "
               "str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
               "Singular values, falling, and vectors.", svd_meta, "svd"),
    composed("aten._lu_with_info(Tensor self, bool pivot=True, bool check_errors=True) -> "
             "(Tensor LU, Tensor pivots, Tensor info)",
             "LU factors packed in one matrix.", lu_factor_meta, lu_with_info, {}),
    by_library("aten.cholesky(Tensor self, bool upper=False) -> Tensor",
               "Triangular factor of positive definite matrices.", cholesky_meta, "cholesky",
               kDefiniteCalls),
    by_library("aten.cholesky_inverse(Tensor self, bool upper=False) -> Tensor",
               "Inverse of a matrix from its Cholesky factor.", cholesky_inverse_meta,
               "cholesky_inverse", kFactorCalls),
    by_library("aten.cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor",
               "Solution of linear systems by Cholesky factors.", cholesky_solve_meta,
               "cholesky_solve", kFactorSolveCalls),
    composed("aten.det(Tensor self) -> Tensor", "Determinant.", det_meta, det, kSquareCalls),
    by_library("aten.geqrf(Tensor self) -> (Tensor a, Tensor tau)",
               "Householder reflectors and R of a QR factorization, packed.", geqrf_meta, "geqrf"),
    by_library("aten.inverse(Tensor self) -> Tensor", "Inverse of matrices.", inverse_meta,
               "inverse", kSquareCalls),
    by_library("aten.linalg_cholesky(Tensor self, *, bool upper=False) -> Tensor",
               "Triangular factor of positive definite matrices.", cholesky_meta, "cholesky",
               kDefiniteCalls),
    by_library("aten.linalg_cholesky_ex(Tensor self, *, bool upper=False, bool "
               "check_errors=False) -> (Tensor L, Tensor info)",
               "Triangular factor, and the first minor that is not positive.", cholesky_meta,
               "cholesky_ex", kDefiniteCalls),
    composed("aten.linalg_det(Tensor A) -> Tensor", "Determinant.", det_meta, det, kSquareCalls),
    by_library("aten.linalg_eigh(Tensor self, str UPLO='L') -> (Tensor eigenvalues, Tensor "
               "eigenvectors)",
               "Eigenvalues, rising, and eigenvectors of Hermitian matrices.", eigh_meta, "eigh",
               kSquareCalls, kUnsafe),
    composed("aten.linalg_eigvalsh(Tensor self, str UPLO='L') -> Tensor",
             "Eigenvalues of Hermitian matrices, rising.", eigvalsh_meta, eigvalsh, kSquareCalls,
             kUnsafe),
    by_library("aten.linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
               "First columns of a product of Householder reflectors.", householder_meta,
               "householder_product", kReflectorCalls),
    by_library("aten.linalg_inv(Tensor A) -> Tensor", "Inverse of matrices.", inverse_meta,
               "inverse", kSquareCalls),
    by_library("aten.linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, "
               "Tensor info)",
               "Inverse of matrices, and where they are singular.", inverse_meta, "inverse",
               kSquareCalls),
    by_library("aten.linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool "
               "hermitian=False) -> Tensor",
               "Solution of symmetric systems by LDL factors.", ldl_solve_meta, "ldl_solve",
               kLdlSolveCalls),
    composed("aten.linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)",
             "Permutation and triangular factors.", lu_meta, lu, kMatrixCalls),
    by_library("aten.linalg_lu_factor(Tensor A, *, bool pivot=True) -> (Tensor LU, Tensor pivots)",
               "LU factors packed in one matrix.", lu_factor_meta, "lu_factor"),
    by_library("aten.linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) "
               "-> (Tensor LU, Tensor pivots, Tensor info)",
               "LU factors packed in one matrix, and where they are singular.", lu_factor_meta,
               "lu_factor"),
    by_library("aten.linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool "
               "adjoint=False) -> Tensor",
               "Solution of linear systems by LU factors.", lu_solve_meta, "lu_solve",
               kPackedSolveCalls),
    by_library("aten.linalg_matrix_exp(Tensor self) -> Tensor", "Matrix exponential.",
               matrix_exp_meta, "matrix_exp", kSquareCalls),
    by_library("aten.linalg_matrix_rank.atol_rtol_float(Tensor self, *, float? atol=None, float? "
               "rtol=None, bool hermitian=False) -> Tensor",
               "Number of singular values above a tolerance.", matrix_rank_meta, "matrix_rank"),
    by_library("aten.linalg_matrix_rank.atol_rtol_tensor(Tensor input, *, Tensor? atol=None, "
               "Tensor? rtol=None, bool hermitian=False) -> Tensor",
               "Number of singular values above a tolerance for every matrix.", matrix_rank_meta,
               "matrix_rank"),
    by_library("aten.linalg_pinv.atol_rtol_float(Tensor self, *, float? atol=None, float? "
               "rtol=None, bool hermitian=False) -> Tensor",
               "Pseudo-inverse of matrices.", pinv_meta, "pinv"),
    by_library("aten.linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? "
               "rtol=None, bool hermitian=False) -> Tensor",
               "Pseudo-inverse of matrices, with a tolerance for each.", pinv_meta, "pinv"),
    by_library("aten.linalg_qr(Tensor A, str mode='reduced') -> (Tensor Q, Tensor R)",
               "Orthogonal and upper triangular factors.", qr_meta, "qr"),
    composed("aten.linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet)",
             "Sign and logarithm of the size of the determinant.", slogdet_meta, slogdet,
             kSquareCalls),
    by_library("aten.linalg_solve(Tensor A, Tensor B, *, bool left=True) -> Tensor",
               "Solution of linear systems.", solve_meta, "linear_solve", kSolveCalls),
    by_library("aten.linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool "
               "check_errors=False) -> (Tensor result, Tensor info)",
               "Solution of linear systems, and where they are singular.", solve_meta,
               "linear_solve", kSolveCalls),
    by_library("aten.linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool "
               "left=True, bool unitriangular=False) -> Tensor",
               "Solution of triangular systems.", solve_triangular_meta, "solve_triangular",
               kTriangleCalls),
    by_library("aten.linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) -> "
               "(Tensor U, Tensor S, Tensor Vh)",
               "Singular values, falling, and vectors.", svd_meta, "svd"),
    composed("aten.linalg_svdvals(Tensor A, *, str? driver=None) -> Tensor",
             "Singular values, falling.", svdvals_meta, svdvals, kMatrixCalls),
    composed("aten.logdet(Tensor self) -> Tensor", "Logarithm of the determinant.", logdet_meta,
             logdet, kSquareCalls),
    composed("aten.lu_solve(Tensor self, Tensor LU_data, Tensor LU_pivots) -> Tensor",
             "Solution of linear systems by LU factors.", old_lu_solve_meta, old_lu_solve,
             kLuSolveCalls),
    by_library("aten.lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool "
               "unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)",
               "Permutation and triangular factors from packed ones.", lu_unpack_meta, "lu_unpack",
               kUnpackCalls),
    composed("aten.matrix_exp(Tensor self) -> Tensor", "Matrix exponential.", matrix_exp_meta,
             matrix_exp, kSquareCalls),
    by_library("aten.ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool "
               "transpose=False) -> Tensor",
               "Product of Householder reflectors with a matrix.", ormqr_meta, "ormqr",
               kReflectorProductCalls),
    composed("aten.pinverse(Tensor self, float rcond=1e-15) -> Tensor",
             "Pseudo-inverse of matrices.", pinv_meta, pinverse, kMatrixCalls),
    composed("aten.slogdet(Tensor self) -> (Tensor sign, Tensor logabsdet)",
             "Sign and logarithm of the size of the determinant.", slogdet_meta, slogdet,
             kSquareCalls),
    composed("aten.triangular_solve(Tensor self, Tensor A, bool upper=True, bool "
             "transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor "
             "cloned_coefficient)",
             "Solution of triangular systems, and a copy of the triangles.", triangular_solve_meta,
             triangular_solve, kTriangularCalls),
    by_library("litz.linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
               "Determinant, and the factors of the matrix itself.", det_meta, "determinant",
               kSquareCalls),
    by_library("litz.linalg_slogdet(Tensor A) -> (Tensor sign, Tensor logabsdet, Tensor LU, Tensor "
               "pivots)",
               "Sign and logarithm of the size of the determinant, and the factors of the matrix "
               "itself.",
               slogdet_meta, "log_determinant", kSquareCalls),
};

}  // namespace

std::span<const OpDef> linalg_ops() { return kOps; }

}  // namespace litz::ops
