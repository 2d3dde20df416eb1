// Reductions by single threads, warps, blocks and columns against the interpreter.

#include <limits>

#include "codegen/cuda/cuda_compiler.h"
#include "emulated_kernel.h"
#include "support/check.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::OfNothing;
using loops::ReduceKind;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

using ReduceTextTest = EmulatedKernelTest;

/// The kinds that a dtype has.
std::vector<ReduceKind> kinds_of(DType dtype) {
  using enum ReduceKind;
  if (dtype == DType::bool_) return {any, all};
  if (is_integer(dtype)) return {sum, prod, max, min, bit_xor, argmax, argmin};
  return {sum, max, min, argmax, argmin};
}

/// Rows with NaN, infinities, ties and one value alone. A column has its elements a row apart.
Tensor rows_of(DType dtype, int64_t rows, int64_t length) {
  Tensor tensor = whole_numbers(DType::f64, {rows, length});
  auto* const values = reinterpret_cast<double*>(tensor.mutable_data());
  const auto set = [&](int64_t row, int64_t i, double value) {
    if (row < rows && i < length) values[row * length + i] = value;
  };
  for (int64_t i = 0; i < length; ++i) set(1, i, 3);
  if (!is_integer(dtype) && dtype != DType::bool_) {
    set(2, length / 2, kNaN);
    set(2, length / 2 + 1, kNaN);
    set(3, length - 1, -kInf);
    set(4, 0, kInf);
    set(4, length - 1, kInf);
  }
  set(5, 31, 90);
  set(5, 32, 90);
  set(5, 33, 90);
  return tensor.to(dtype);
}

/// Reduces each row, or each column, by every kind of every dtype.
class AllFolds {
 public:
  AllFolds(ExprPool& pool, int64_t rows, int64_t length, bool is_along_columns)
      : builder_("folds", pool), rows_(rows), length_(length), is_along_columns_(is_along_columns) {
    for (const DType dtype :
         {DType::f32, DType::f64, DType::i8, DType::u8, DType::i64, DType::bool_}) {
      add(dtype);
    }
  }

  loops::Kernel kernel() && { return std::move(builder_).finish(); }

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  void add(DType dtype) {
    TensorType type = contiguous_type(dtype, {rows_, length_});
    if (is_along_columns_) type.strides = {1, rows_};
    const BufferId x = builder_.input("x" + std::to_string(tensors_.size()), type);
    const Tensor values = rows_of(dtype, rows_, length_);
    tensors_.push_back(is_along_columns_ ? values.clone({1, rows_}) : values);
    std::vector<BufferId> results;
    for (const ReduceKind kind : kinds_of(dtype)) {
      const bool is_place = kind == ReduceKind::argmax || kind == ReduceKind::argmin;
      const DType result = is_place ? DType::i64 : dtype;
      results.push_back(
          builder_.output("y" + std::to_string(tensors_.size()), contiguous_type(result, {rows_})));
      tensors_.push_back(Tensor::zeros(result, {rows_}));
    }
    builder_.loop(std::vector<Expr>{rows_}, [&](Exprs i) {
      size_t at = 0;
      for (const ReduceKind kind : kinds_of(dtype)) {
        builder_.store(results[at++], i,
                       builder_.reduce(kind, std::vector<Expr>{length_}, [&](Exprs j) {
                         return builder_.load(x, {i[0], j[0]});
                       }));
      }
    });
  }

  KernelBuilder builder_;
  int64_t rows_;
  int64_t length_;
  bool is_along_columns_;
  std::vector<Tensor> tensors_;
};

TEST_F(ReduceTextTest, RowsOfAllLengths) {
  for (const int64_t length : {1, 7, 200, 1025, 20000}) {
    SCOPED_TRACE(length);
    AllFolds folds(pool_, 7, length, false);
    const std::vector<Tensor> tensors = folds.tensors();
    compare(std::move(folds).kernel(), tensors);
  }
}

TEST_F(ReduceTextTest, Columns) {
  for (const int64_t length : {40, 700}) {
    SCOPED_TRACE(length);
    AllFolds folds(pool_, 70, length, true);
    const std::vector<Tensor> tensors = folds.tensors();
    compare(std::move(folds).kernel(), tensors);
  }
}

// A maximum and the sum of exponentials: NaN wins, an infinite maximum has the sum NaN.
TEST_F(ReduceTextTest, Softmax) {
  for (const int64_t length : {3, 100, 2000}) {
    SCOPED_TRACE(length);
    const std::string n = std::to_string(length);
    compare("kernel @k(%x: f32[7, " + n + R"(], out %m: f32[7], out %s: f32[7]) {
  for i in 0..7 {
    %0, %1 = reduce softmax j in 0..)" +
                n + R"( {
      %2 = load %x[i, j]
      yield %2
    }
    store %m[i], %0
    store %s[i], %1
  }
}
)",
            {rows_of(DType::f32, 7, length), Tensor::zeros(DType::f32, {7}),
             Tensor::zeros(DType::f32, {7})},
            1e-6);
  }
}

// Terms may depend on the rows around them; the dimensions of a reduction are one row-major range.
TEST_F(ReduceTextTest, SeveralDimensions) {
  compare(R"(kernel @k(%x: f32[5, 9, 13], out %y: f32[5], out %z: i64[5]) {
  for i in 0..5 {
    %0 = index f32 i
    %1 = reduce sum j in 0..9, k in 0..13 {
      %2 = load %x[i, j, k]
      %3 = mul %2, %0
      yield %3
    }
    store %y[i], %1
    %4 = reduce argmax a in 0..9, b in 0..13 {
      %5 = load %x[i, a, b]
      yield %5
    }
    store %z[i], %4
  }
}
)",
          {whole_numbers(DType::f32, {5, 9, 13}), Tensor::zeros(DType::f32, {5}),
           Tensor::zeros(DType::i64, {5})});
}

// Sums of many floats are added in parts.
TEST_F(ReduceTextTest, LongSumsKeepTheirDigits) {
  const int64_t count = 300'000;
  const Tensor x = tensor_of(DType::f32, {1, count}, std::vector<double>(count, 0.1));
  const auto results = compare(R"(kernel @k(%x: f32[1, 300000], out %y: f32[1]) {
  for i in 0..1 {
    %0 = reduce sum j in 0..300000 {
      %1 = load %x[i, j]
      yield %1
    }
    store %y[i], %0
  }
}
)",
                               {x, Tensor::zeros(DType::f32, {1})}, 2e-6);
  EXPECT_NEAR(results[0].at({0}), 30000, 0.05);
}

// Reductions of nothing: identities, infinities where that is asked for, else a failure.
TEST_F(ReduceTextTest, NoElements) {
  KernelBuilder b("empty", pool_);
  const Expr n = pool_.add_symbol({.name = "n", .range = {0, 1000}});
  const BufferId x = b.input("x", contiguous_type(DType::f32, {n}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {3}));
  const auto load = [&](Exprs i) { return b.load(x, i); };
  const std::vector<Expr> extents{n};
  b.store(y, std::vector<Expr>{0}, b.reduce(ReduceKind::sum, extents, load));
  b.store(y, std::vector<Expr>{1}, b.reduce(ReduceKind::max, extents, load, OfNothing::infinity));
  b.store(y, std::vector<Expr>{2}, b.reduce(ReduceKind::min, extents, load, OfNothing::infinity));
  const loops::Kernel kernel = std::move(b).finish();
  Bindings sizes;
  for (const int64_t count : {0, 5}) {
    sizes.set(n.symbol(), count);
    compare(kernel, {whole_numbers(DType::f32, {count}), Tensor::zeros(DType::f32, {3})}, sizes);
  }
}

TEST_F(ReduceTextTest, TheMaximumOfNothingFails) {
  KernelBuilder b("empty", pool_);
  const Expr n = pool_.add_symbol({.name = "n", .range = {0, 1000}});
  const BufferId x = b.input("x", contiguous_type(DType::i64, {4, n}));
  const BufferId y = b.output("y", contiguous_type(DType::i64, {4}));
  b.loop(std::vector<Expr>{4}, [&](Exprs i) {
    b.store(y, i, b.reduce(ReduceKind::argmax, std::vector<Expr>{n}, [&](Exprs j) {
      return b.load(x, {i[0], j[0]});
    }));
  });
  const loops::Kernel kernel = std::move(b).finish();
  Bindings sizes;
  sizes.set(n.symbol(), 0);
  const std::vector<Tensor> tensors{Tensor::zeros(DType::i64, {4, 0}),
                                    Tensor::zeros(DType::i64, {4})};
  try {
    run(kernel, tensors, sizes);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid_argument);
    EXPECT_NE(std::string(error.what()).find("must not be empty: argmax"), std::string::npos);
  }
}

}  // namespace
}  // namespace litz::codegen
