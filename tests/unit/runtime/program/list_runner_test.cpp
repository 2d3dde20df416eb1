#include "runtime/program/list_runner.h"

#include <gtest/gtest.h>

#include "products_program.h"
#include "runtime/program/program_runner.h"
#include "support/check.h"

namespace litz::runtime {
namespace {

class ListRunnerTest : public testing::Test {
 protected:
  /// x @ w at [n, n]; w is the first input here.
  Tensor run(const Tensor& w, const Tensor& x) {
    Bindings sizes;
    sizes.set(0, x.sizes()[0]);
    const auto input_of = [&](size_t i) { return i == 0 ? &w : &x; };
    return std::get<Tensor>(list().run(input_of, sizes, {})[0]);
  }

  const ListRunner& list() const { return runner_.lists()[1]; }

  ProgramRunner runner_{routine_program(), {}};
};

TEST_F(ListRunnerTest, EverySizeAndLayoutIsRight) {
  for (const int64_t n : {3, 5, 1, 5, 3, 64}) {
    Tensor w = Tensor::zeros(DType::f32, {n, n});
    Tensor x = Tensor::zeros(DType::f32, {n, n});
    for (int64_t i = 0; i < n * n; ++i) {
      reinterpret_cast<float*>(x.mutable_data())[i] = static_cast<float>(i % 7);
    }
    for (int64_t i = 0; i < n; ++i) {
      reinterpret_cast<float*>(w.mutable_data())[i * n + i] = 3;
    }
    EXPECT_EQ(run(w, x).at({n - 1, 0}), 3 * x.at({n - 1, 0}));
    const Tensor turned = x.view({n, n}, {1, n}, 0);
    EXPECT_EQ(run(w, turned).at({0, n - 1}), 3 * turned.at({0, n - 1}));
  }
  EXPECT_LE(list().copies_made(), 4);
}

TEST_F(ListRunnerTest, OutputsLieInGivenMemory) {
  const Tensor w = Tensor::zeros(DType::f32, {3, 3});
  const Tensor x = Tensor::zeros(DType::f32, {3, 3});
  Bindings sizes;
  sizes.set(0, 3);
  const auto input_of = [&](size_t i) { return i == 0 ? &w : &x; };
  const Tensor fits = Tensor::zeros(DType::f32, {3, 3});
  std::vector<Value> there;
  list().run_into(input_of, sizes, {}, {&fits, 1}, there);
  EXPECT_EQ(std::get<Tensor>(there[0]).address(), fits.address());
  const Tensor large = Tensor::zeros(DType::f32, {4, 4});
  std::vector<Value> fresh;
  list().run_into(input_of, sizes, {}, {&large, 1}, fresh);
  EXPECT_NE(std::get<Tensor>(fresh[0]).address(), large.address()) << "of another size";
}

TEST_F(ListRunnerTest, MissingInputsAreRefused) {
  Bindings sizes;
  sizes.set(0, 3);
  const auto none = [](size_t) -> const Tensor* { return nullptr; };
  EXPECT_THROW(list().run(none, sizes, {}), Error);
}

}  // namespace
}  // namespace litz::runtime
