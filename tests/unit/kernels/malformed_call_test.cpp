// Calls whose arguments or results are not those of the function, as edited files have them.

#include <gtest/gtest.h>

#include "library_call.h"

namespace litz::kernels {
namespace {

// Files of compiled programs say what arguments and results are.
void expect_corrupt(std::string_view name, const std::vector<LibraryArgument>& arguments,
                    const std::vector<Tensor>& results) {
  try {
    call_library(name, arguments, results);
    ADD_FAILURE() << name << ": " << arguments.size() << " to " << results.size();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::corrupt) << error.what();
  }
}

TEST(LibraryCall, WithoutItsArgumentsIsCorrupt) {
  const Tensor x = Tensor::zeros(DType::f32, {4});
  for (const std::vector<LibraryArgument>& arguments :
       {std::vector<LibraryArgument>{}, std::vector<LibraryArgument>{x},
        std::vector<LibraryArgument>{x, x}, std::vector<LibraryArgument>{Tensor(), int64_t{1}}}) {
    expect_corrupt("kthvalue", arguments, {x, x});
  }
}

TEST(LibraryCall, WithoutItsResultsIsCorrupt) {
  const Tensor x = Tensor::zeros(DType::f32, {4, 4});
  expect_corrupt("cholesky_inverse", {x, false}, {});
  expect_corrupt("determinant", {x}, {});
  expect_corrupt("eigh", {x, std::string("L")}, {});
  expect_corrupt("matmul", {x, x}, {});
  expect_corrupt("nonzero", {x}, {});
  expect_corrupt("qr", {x, std::string("reduced")}, {x});
  expect_corrupt("unique", {x, true, true, true}, {Tensor()});
}

TEST(LibraryCall, NeedsSizesThatFit) {
  const Tensor x = Tensor::zeros(DType::f32, {4, 4});
  const Tensor low = Tensor::zeros(DType::f32, {3, 4});
  const Tensor narrow = Tensor::zeros(DType::f32, {4, 3});
  const Tensor line = Tensor::zeros(DType::f32, {4});
  for (const Tensor& result : {low, narrow, line}) expect_corrupt("matmul", {x, x}, {result});
  expect_corrupt("linear", {x, x, std::monostate()}, {narrow});

  expect_corrupt("kthvalue", {x, int64_t{1}, int64_t{0}, false},
                 {line, Tensor::zeros(DType::i64, {3})});
  expect_corrupt("kthvalue", {x, int64_t{1}, int64_t{0}, false},
                 {line, Tensor::zeros(DType::i32, {4})});
  expect_corrupt("topk", {x, int64_t{5}, int64_t{0}, true, true},
                 {Tensor::zeros(DType::f32, {5, 4}), Tensor::zeros(DType::i64, {5, 4})});

  const std::vector<LibraryArgument> attention{x, x, x, std::monostate(), 1.0, false};
  for (const Tensor& result :
       {Tensor::zeros(DType::f32, {1, 4}), Tensor::zeros(DType::f32, {4, 1})}) {
    expect_corrupt("attention", attention, {result});
  }

  const Tensor images = Tensor::zeros(DType::f32, {2, 3, 5, 5});
  const Tensor boxes = Tensor::zeros(DType::f32, {6, 5});
  const std::vector<LibraryArgument> pooling{images, boxes, 1.0, int64_t{2}, int64_t{2}};
  expect_corrupt(
      "roi_pool", pooling,
      {Tensor::zeros(DType::f32, {6, 3, 2, 2}), Tensor::zeros(DType::i32, {6, 3, 2, 1})});
  expect_corrupt(
      "roi_pool", pooling,
      {Tensor::zeros(DType::f32, {5, 3, 2, 2}), Tensor::zeros(DType::i32, {5, 3, 2, 2})});

  using List = std::vector<int64_t>;
  const Tensor weight = Tensor::zeros(DType::f32, {4, 3, 1, 1});
  const std::vector<LibraryArgument> windows{images,     weight,     std::monostate(),
                                             List{1, 1}, List{0, 0}, List{1, 1},
                                             false,      List{0, 0}, int64_t{1}};
  expect_corrupt("convolution", windows, {Tensor::zeros(DType::f32, {1, 4, 5, 5})});
}

TEST(LibraryCall, OfSystemsNeedsSquares) {
  const Tensor x = Tensor::zeros(DType::f32, {4, 4});
  const Tensor narrow = Tensor::zeros(DType::f32, {4, 3});
  expect_corrupt("inverse", {narrow}, {narrow});
  expect_corrupt("determinant", {narrow}, {Tensor::zeros(DType::f32, {})});
  expect_corrupt("solve_triangular", {x, Tensor::zeros(DType::f32, {3, 4}), true, true, false},
                 {x});
  expect_corrupt("pinv",
                 {Tensor::zeros(DType::f32, {2, 4, 4}), std::monostate(), std::monostate(), false},
                 {x});
}

TEST(LibraryCall, OfMatricesNeedsTheirDimensions) {
  const Tensor square = Tensor::zeros(DType::f32, {4, 4});
  const Tensor vector = Tensor::zeros(DType::f32, {4});
  expect_corrupt("cholesky_inverse", {vector, false}, {square});
  expect_corrupt("cholesky_inverse", {square, false}, {vector});
}

}  // namespace
}  // namespace litz::kernels
