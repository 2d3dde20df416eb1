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
    expect_corrupt("scaled_matmul", arguments, {x});
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

  const std::vector<LibraryArgument> attention{x, x, x, std::monostate(), 1.0, false, false};
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
  expect_corrupt("convolution", windows, {Tensor::zeros(DType::f32, {})});
  for (const size_t list : {3, 4, 5}) {
    std::vector<LibraryArgument> fewer = windows;
    fewer[list] = List{};
    expect_corrupt("convolution", fewer, {Tensor::zeros(DType::f32, {2, 4, 5, 5})});
  }
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

// Callers can make these mistakes, too.
void expect_refused(std::string_view name, const std::vector<LibraryArgument>& arguments,
                    const std::vector<Tensor>& results) {
  try {
    call_library(name, arguments, results);
    ADD_FAILURE() << name << ": " << arguments.size() << " to " << results.size();
  } catch (const Error& error) {
    EXPECT_NE(error.code(), ErrorCode::internal) << error.what();
  }
}

TEST(LibraryCall, OfReflectorsNeedsTheirRows) {
  const Tensor tall = Tensor::zeros(DType::f32, {5, 3});
  const Tensor wide = Tensor::zeros(DType::f32, {3, 5});
  const Tensor three = Tensor::zeros(DType::f32, {3});
  const Tensor four = Tensor::zeros(DType::f32, {4});
  expect_corrupt("householder_product", {tall, four}, {tall});
  expect_corrupt("ormqr", {tall, three, wide, true, false}, {wide});
  expect_corrupt("ormqr", {wide, four, tall, true, false}, {tall});
  expect_corrupt("eig", {tall},
                 {Tensor::zeros(DType::c64, {3}), Tensor::zeros(DType::c64, {3, 3})});
  const Tensor square = Tensor::zeros(DType::f32, {3, 3});
  expect_corrupt("ldl_solve", {square, Tensor::of<int32_t>(DType::i32, {2}, {1, 2}), square, false},
                 {square});
  expect_corrupt("pinv", {square, std::monostate(), std::monostate(), false}, {three});
  expect_corrupt("pinv", {tall, std::monostate(), std::monostate(), true}, {tall});
}

TEST(LibraryCall, OfGroupsWritesAllRows) {
  const Tensor x = Tensor::zeros(DType::f32, {4, 4});
  const Tensor weights = Tensor::zeros(DType::f32, {2, 4, 4});
  const Tensor ends = Tensor::of<int32_t>(DType::i32, {2}, {2, 4});
  expect_corrupt("grouped_matmul", {x, weights, ends}, {Tensor::zeros(DType::f32, {3, 4})});
  expect_corrupt("grouped_matmul", {x, weights, ends}, {Tensor::zeros(DType::f32, {4, 3})});
}

TEST(LibraryCall, OfTransformsHasNoHalfOfNothing) {
  const Tensor empty = Tensor::zeros(DType::f32, {2, 0});
  using List = std::vector<int64_t>;
  expect_refused("fft_r2c", {empty, List{1}, int64_t{0}, true},
                 {Tensor::zeros(DType::c64, {2, 0})});
}

TEST(LibraryCall, OfSequencesNeedsALossForEach) {
  const Tensor scores = Tensor::zeros(DType::f32, {6, 3, 5});
  const Tensor targets = Tensor::of<int64_t>(DType::i64, {3, 2}, {1, 2, 1, 2, 1, 2});
  const std::vector<int64_t> times{6, 6, 6};
  const std::vector<int64_t> lengths{2, 2, 2};
  const Tensor three = Tensor::zeros(DType::f32, {3});
  const Tensor table = Tensor::zeros(DType::f32, {3, 6, 5});
  const auto refuse = [&](const Tensor& gradients, const Tensor& losses, const Tensor& sums) {
    expect_refused("ctc_loss_backward",
                   {gradients, scores, targets, times, lengths, losses, sums, int64_t{0}, false},
                   {scores});
  };
  refuse(Tensor::zeros(DType::f32, {}), three, table);
  refuse(three, Tensor::zeros(DType::f32, {2}), table);
  refuse(three, three, Tensor::zeros(DType::f32, {3, 5, 5}));
  refuse(three, three, Tensor::zeros(DType::f32, {5}));
  const Tensor line = Tensor::zeros(DType::f32, {4});
  expect_refused("ctc_loss_forward", {line, targets, times, lengths, int64_t{0}}, {line, Tensor()});
  expect_refused("ctc_loss_forward", {scores, targets}, {three, Tensor()});
}

TEST(LibraryCall, ThatDrawsHasANumberForEachResult) {
  const Tensor rates = Tensor::zeros(DType::f32, {4});
  const Tensor more = Tensor::zeros(DType::f32, {4, 64});
  expect_corrupt("sample_poisson", {rates, int64_t{1}, int64_t{2}}, {more});
  expect_corrupt("sample_binomial", {rates, more, int64_t{1}, int64_t{2}}, {rates});
  expect_corrupt("sample_binomial", {rates, Tensor::zeros(DType::f32, {3}), int64_t{1}, int64_t{2}},
                 {rates});
}

TEST(LibraryCall, OfBoxesNeedsScoresOfTheirKind) {
  const Tensor boxes = Tensor::zeros(DType::f64, {6, 4});
  expect_refused("nms", {boxes, Tensor::zeros(DType::f32, {6}), 0.5}, {Tensor()});
  expect_refused("nms", {Tensor::zeros(DType::u8, {6, 4}), Tensor::zeros(DType::u8, {6}), 0.5},
                 {Tensor()});
}

TEST(LibraryCall, OfMatricesNeedsTheirDimensions) {
  const Tensor square = Tensor::zeros(DType::f32, {4, 4});
  const Tensor vector = Tensor::zeros(DType::f32, {4});
  expect_corrupt("cholesky_inverse", {vector, false}, {square});
  expect_corrupt("cholesky_inverse", {square, false}, {vector});
}

}  // namespace
}  // namespace litz::kernels
