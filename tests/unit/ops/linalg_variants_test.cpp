// Eigenvalues of general matrices, symmetric factors and older spellings: values of PyTorch.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "recorded_rows.h"
#include "support/check.h"

namespace litz::ops {
namespace {

Tensor complex_from(std::vector<int64_t> sizes, std::initializer_list<float> parts) {
  sizes.push_back(2);
  return run("aten.view_as_complex", {f32(std::move(sizes), parts)});
}

TEST(Eigenvalues, OfRealMatricesAreRealOrConjugate) {
  const Tensor real = f32({3, 3}, {1, 2, 0, 3, 4, -1, 0.5f, 2, -3});
  const Tensor turning = f32({3, 3}, {0, 1, 0, -1, 0, 0, 0, 0, 2});
  expect_recorded({{"aten.linalg_eigvals", {real}, {{5.165940, 0, -0.510234, 0, -2.655706, 0}}},
                   {"aten.linalg_eigvals", {turning}, {{0, 1, 0, -1, 2, 0}}}});
}

TEST(Eigenvalues, VectorsSolveTheirEquation) {
  const Tensor a = f32({2, 3, 3}, {2, -1, 0.5f, 1, 3, -2, 0, 4, 1, 1, 1, 0, 0, 1, 1, 0, 0, 1});
  const std::vector<Tensor> eigen = run_all("aten.linalg_eig", {a});
  const Tensor wide = a.to(DType::c64);
  const Tensor left = run("aten.matmul", {wide, eigen[1]});
  const Tensor values = run("aten.unsqueeze", {eigen[0], integer(-2)});
  const Tensor right = run("aten.mul.Tensor", {eigen[1], values});
  const Tensor off = run("aten.abs", {run("aten.sub.Tensor", {left, right})});
  for (const double distance : litz::ops::values(off)) EXPECT_LT(distance, 1e-5);
  const Tensor lengths = run("aten.linalg_vector_norm", {eigen[1], integer(2), integers({-2})});
  for (const double length : litz::ops::values(lengths)) EXPECT_NEAR(length, 1, 1e-6);
}

TEST(Eigenvalues, RefuseWhatIsNotFinite) {
  EXPECT_THROW(run("aten.linalg_eigvals", {f32({1, 1}, {INFINITY})}), Error);
  EXPECT_THROW(run("aten.linalg_svdvals", {f32({1, 2}, {NAN, 1})}), Error);
  EXPECT_THROW(run("aten.linalg_eigvalsh", {f32({2, 2}, {1, 0, NAN, 1})}), Error);
  EXPECT_TRUE(std::isnan(values(run("aten.linalg_svdvals", {f32({1, 2}, {INFINITY, 1})}))[0]));
}

TEST(LuSolve, PivotsAreNotReadWithoutRightHandSides) {
  const ir::OpInfo& solve = *test_ops()->find("aten.linalg_lu_solve");
  const auto results =
      GraphRunner().run_sample(solve, "(f32[1, 1] in [1, 2), i32[1] in [3, 4), f32[1, 0])");
  EXPECT_EQ(results[0].numel(), 0);
}

TEST(SingularMatrices, HaveNoFactorsButAnInfiniteCondition) {
  const Tensor ones = f32({2, 2}, {1, 1, 1, 1});
  EXPECT_THROW(run("aten.linalg_lu_factor", {ones}), Error);
  EXPECT_THROW(run("aten.linalg_lu_factor", {f32({2, 3}, {0, 0, 0, 0, 0, 0})}), Error);
  EXPECT_EQ(run_all("aten.linalg_lu_factor_ex", {ones})[2].at({}), 2);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(run("aten.linalg_cond.p_str", {ones, text("fro")}).at({}), infinity);
  EXPECT_EQ(run("aten.linalg_cond", {f32({2, 2}, {0, 0, 0, 0}), integer(1)}).at({}), infinity);
  EXPECT_NEAR(run("aten.linalg_cond.p_str", {f32({2, 2}, {2, 0, 0, 4}), text("nuc")}).at({}), 4.5,
              1e-5);
}

TEST(Tolerances, StandForAsManyMatrices) {
  const Tensor matrix = f32({2, 2}, {4, 0, 0, 1});
  const Tensor tolerances = f32({2}, {0.5F, 2});
  EXPECT_EQ(values(run("aten.linalg_matrix_rank.tol_tensor", {matrix, tolerances})),
            (std::vector<double>{2, 1}));
  EXPECT_EQ(values(run("aten.linalg_pinv.rcond_tensor", {matrix, f32({2}, {0.1F, 0.5F})})),
            (std::vector<double>{0.25, 0, 0, 1, 0.25, 0, 0, 0}));
}

TEST(SymmetricFactors, ChooseThePivotsOfLapack) {
  const Tensor definite = f32({3, 3}, {4, 1, 2, 1, 3, 0, 2, 0, 5});
  const Tensor indefinite = f32({4, 4}, {0, -0.5f, 0.25f, 1, -0.5f, 1.5f, -1.5f, -0.75f, 0.25f,
                                         -1.5f, 0.5f, 2, 1, -0.75f, 2, -0.5f});
  const Tensor hermitian = complex_from(
      {3, 3}, {0.5f, 0, 1, -2, 0, 0.25f, 1, 2, -1, 0, 2, 0, 0, -0.25f, 2, 0, 0.75f, 0});
  expect_recorded({
      {"aten.linalg_ldl_factor_ex",
       {definite},
       {{4, 0, 0, 0.25, 2.75, 0, 0.5, -0.1818182, 3.909091}, {1, 2, 3}, {0}}},
      {"aten.linalg_ldl_factor_ex",
       {indefinite},
       {{0, 0, 0, 0, 1, -0.5, 0, 0, 2.125, 0.25, -0.53125, 0, -1, -0.5, 0.4705882, 0.7426471},
        {-4, -4, 3, 4},
        {0}}},
      {"aten.linalg_ldl_factor_ex",
       {hermitian, boolean(true)},
       {{0.5, 0, 0, 0, 0, 0, 1, 2, -1, 0, 0, 0, 0.3636363, 0.6818181, -0.2727273, -0.04545454,
         1.465909, 0},
        {-2, -2, 3},
        {0}}},

  });
}

TEST(SymmetricFactors, TellWhichPivotIsZero) {
  const Tensor zeros = f32({2, 2}, {0, 0, 0, 0});
  expect_recorded({{"aten.linalg_ldl_factor_ex", {zeros}, {{0, 0, 0, 0}, {1, 2}, {1}}}});
  EXPECT_THROW(run("aten.linalg_ldl_factor", {zeros}), Error);
}

TEST(OldSvd, GivesVItself) {
  const Tensor a = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  const std::vector<Tensor> parts = run_all("aten.svd", {a});
  const Tensor scaled = run("aten.mul.Tensor", {parts[0], parts[1]});
  const Tensor back = run("aten.matmul", {scaled, run("aten.t", {parts[2]})});
  const std::vector<double> expected = values(a);
  const std::vector<double> given = values(back);
  for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(given[i], expected[i], 1e-5);
}

}  // namespace
}  // namespace litz::ops
