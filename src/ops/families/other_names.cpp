// Aliases of operators in PyTorch. Exports before decomposition contain the name that the program
// used.

#include <array>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/meta.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLists{"([f32[2, 3], f32[2, 3]])"sv};
constexpr std::array kListsDim{"([f32[2, 3], f32[2, 3]], 1)"sv};
constexpr std::array kMove{"(f32[2, 3, 4], 0, -1)"sv};
constexpr std::array kMoves{"(f32[2, 3, 4], [0, 1], [2, 0])"sv};
constexpr std::array kPairs{"(f32[2, 3], f32[3])"sv};
constexpr std::array kNumberLast{"(f32[2, 3], 2.5)"sv};
constexpr std::array kNumberFirst{"(2.5, f32[2, 3])"sv};
constexpr std::array kDim{"(f32[2, 3], [1])"sv};
constexpr std::array kDimension{"(f32[2, 3], 2)"sv};
constexpr std::array kDecimals{"(f32[2, 3])"sv, "(f32[2, 3], decimals=1)"sv};
constexpr std::array kRestride{"(f32[2, 6], [3, 4], [4, 1])"sv};
constexpr std::array kAminmaxDim{"(f32[2, 3], 1, True)"sv};
constexpr std::array kTruth{"(bool[2, 3])"sv};
constexpr std::array kReflectors{"(f32[4, 3], f32[3])"sv};

constexpr Samples kPositive{.lo = 1.1, .hi = 8, .calls = kPairs};

constexpr OpDef unary(ir::SchemaText schema, std::string_view stands_for, std::string_view doc,
                      double lo = -3, double hi = 3) {
  return other_name(schema, stands_for, doc, {.lo = lo, .hi = hi});
}

constexpr std::array kOps{
    other_name("aten._stack(Tensor[] tensors, int dim=0) -> Tensor", "aten.stack",
               "Another name of stack.", {.calls = kListsDim}),
    other_name("aten._aminmax(Tensor self) -> (Tensor, Tensor)", "aten.aminmax",
               "The least and the largest element."),
    other_name("aten._aminmax.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor, Tensor)",
               "aten.aminmax", "The least and the largest element along a dimension.",
               {.calls = kAminmaxDim}),
    other_name("aten._reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)",
               "aten.as_strided", "A view of self under other sizes and strides.",
               {.calls = kRestride}),
    other_name("aten.concat(Tensor[] tensors, int dim=0) -> Tensor", "aten.cat",
               "Another name of cat.", {.calls = kListsDim}),
    other_name("aten.concatenate(Tensor[] tensors, int dim=0) -> Tensor", "aten.cat",
               "Another name of cat.", {.calls = kListsDim}),
    other_name("aten._is_all_true(Tensor self) -> Tensor", "aten.all", "Another name of all.",
               {.calls = kTruth}),
    other_name("aten._is_any_true(Tensor self) -> Tensor", "aten.any", "Another name of any.",
               {.calls = kTruth}),
    other_name("aten.frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
               "aten.linalg_vector_norm", "The root of the sum of squares.", {.calls = kDim}),
    other_name("aten.moveaxis.int(Tensor(a) self, int source, int destination) -> Tensor(a)",
               "aten.movedim.int", "Another name of movedim.", {.calls = kMove}),
    other_name("aten.moveaxis.intlist(Tensor(a) self, int[] source, int[] destination) -> "
               "Tensor(a)",
               "aten.movedim.intlist", "Another name of movedim.", {.calls = kMoves}),
    other_name("aten.orgqr(Tensor self, Tensor input2) -> Tensor",
               "aten.linalg_householder_product", "Another name of linalg_householder_product.",
               {.calls = kReflectors}),
    other_name("aten.row_stack(Tensor[] tensors) -> Tensor", "aten.vstack",
               "Another name of vstack.", {.calls = kLists}),
    unary("aten.special_digamma(Tensor self) -> Tensor", "aten.digamma",
          "Derivative of the logarithm of the gamma function.", 0.5),
    unary("aten.special_erf(Tensor self) -> Tensor", "aten.erf", "Error function."),
    unary("aten.special_erfc(Tensor self) -> Tensor", "aten.erfc", "1 - erf."),
    unary("aten.special_erfinv(Tensor self) -> Tensor", "aten.erfinv",
          "Inverse of the error function.", -0.95, 0.95),
    unary("aten.special_exp2(Tensor self) -> Tensor", "aten.exp2", "2 to the power of self."),
    unary("aten.special_expm1(Tensor self) -> Tensor", "aten.expm1", "exp(self) - 1."),
    other_name("aten.special_gammainc(Tensor self, Tensor other) -> Tensor", "aten.igamma",
               "Regularised lower incomplete gamma function.", kPositive),
    other_name("aten.special_gammaincc(Tensor self, Tensor other) -> Tensor", "aten.igammac",
               "Regularised upper incomplete gamma function.", kPositive),
    unary("aten.special_gammaln(Tensor self) -> Tensor", "aten.lgamma",
          "Logarithm of the size of the gamma function.", 0.5),
    unary("aten.special_log1p(Tensor self) -> Tensor", "aten.log1p", "log(1 + self).", -0.9),
    other_name("aten.special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
               "aten.logsumexp", "Another name of logsumexp.", {.calls = kDim}),
    other_name("aten.special_multigammaln(Tensor self, int p) -> Tensor", "aten.mvlgamma",
               "Another name of mvlgamma.", {.lo = 1.1, .hi = 8, .calls = kDimension}),
    unary("aten.special_psi(Tensor self) -> Tensor", "aten.digamma",
          "Derivative of the logarithm of the gamma function.", 0.5),
    other_name("aten.special_round(Tensor self, *, int decimals=0) -> Tensor",
               "aten.round.decimals", "Another name of round.", {.calls = kDecimals}),
    unary("aten.special_sinc(Tensor self) -> Tensor", "aten.sinc", "sin(pi self) / (pi self)."),
    other_name("aten.special_xlogy(Tensor self, Tensor other) -> Tensor", "aten.xlogy.Tensor",
               "Another name of xlogy.", kPositive),
    other_name("aten.special_xlogy.other_scalar(Tensor self, Scalar other) -> Tensor",
               "aten.xlogy.Scalar_Other", "Another name of xlogy.", {.calls = kNumberLast}),
    other_name("aten.special_xlogy.self_scalar(Scalar self, Tensor other) -> Tensor",
               "aten.xlogy.Scalar_Self", "Another name of xlogy.",
               {.lo = 0.1, .calls = kNumberFirst}),
};

}  // namespace

std::span<const OpDef> other_name_ops() { return kOps; }

}  // namespace litz::ops
