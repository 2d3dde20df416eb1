// Loads along another dimension than the stores, through squares in the memory of a block.

#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

using SquareTextTest = EmulatedKernelTest;

// Whole squares, parts of them, and several operands across.
TEST_F(SquareTextTest, TransposedOperands) {
  const std::pair<int64_t, int64_t> shapes[] = {{64, 64}, {33, 95}, {100, 32}};
  for (const auto& [rows, columns] : shapes) {
    SCOPED_TRACE(std::to_string(rows) + " rows");
    KernelBuilder b("across", pool_);
    const TensorType type = contiguous_type(DType::f32, {rows, columns});
    const BufferId x = b.input("x", contiguous_type(DType::f32, {columns, rows}));
    const BufferId w = b.input("w", contiguous_type(DType::bf16, {columns, rows}));
    const BufferId plain = b.input("plain", type);
    const BufferId y = b.output("y", type);
    b.loop(type.sizes, [&](Exprs i) {
      const Scalar across = b.load(x, {i[1], i[0]}) + b.cast(b.load(w, {i[1], i[0]}), DType::f32);
      b.store(y, i, across - b.load(plain, i));
    });
    compare(
        std::move(b).finish(),
        {whole_numbers(DType::f32, {columns, rows}), whole_numbers(DType::bf16, {columns, rows}),
         whole_numbers(DType::f32, {rows, columns}), Tensor::zeros(DType::f32, {rows, columns})});
  }
}

TEST_F(SquareTextTest, BatchesAndInnerDimensions) {
  KernelBuilder b("batches", pool_);
  const BufferId x = b.input("x", contiguous_type(DType::i64, {3, 40, 5, 50}));
  const BufferId y = b.output("y", contiguous_type(DType::i64, {3, 50, 5, 40}));
  b.loop(b.type(y).sizes, [&](Exprs i) {
    b.store(y, i, b.load(x, {i[0], i[3], i[2], i[1]}) + b.index(i[1] - i[2]));
  });
  compare(std::move(b).finish(),
          {whole_numbers(DType::i64, {3, 40, 5, 50}), Tensor::zeros(DType::i64, {3, 50, 5, 40})});
}

// Sizes of a call: fewer rows than a square, and none.
TEST_F(SquareTextTest, SizesOfACall) {
  KernelBuilder b("sizes", pool_);
  const Expr n = pool_.add_symbol({.name = "n", .range = {0, 1 << 20}, .hint = 64});
  const BufferId x = b.input("x", contiguous_type(DType::f32, {n, 64}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {64, n}));
  b.loop(b.type(y).sizes, [&](Exprs i) { b.store(y, i, b.load(x, {i[1], i[0]})); });
  const loops::Kernel kernel = std::move(b).finish();
  for (const int64_t count : {0, 1, 31, 32, 33, 200}) {
    SCOPED_TRACE(count);
    Bindings sizes;
    sizes.set(n.symbol(), count);
    compare(kernel,
            {whole_numbers(DType::f32, {count, 64}), Tensor::zeros(DType::f32, {64, count})},
            sizes);
  }
}

// A thread that fails has stored nothing; the others go on.
TEST_F(SquareTextTest, FailuresInSquares) {
  KernelBuilder b("failing", pool_);
  const BufferId x = b.input("x", contiguous_type(DType::i64, {70, 70}));
  const BufferId t = b.input("t", contiguous_type(DType::f32, {9}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {70, 70}));
  b.loop(b.type(y).sizes, [&](Exprs i) {
    const Scalar place = b.bound_index(b.load(x, {i[1], i[0]}), 9, false, "a place");
    b.store(y, i, b.load(t, {place.id()}));
  });
  Tensor places = Tensor::zeros(DType::i64, {70, 70});
  const loops::Kernel kernel = std::move(b).finish();
  const Tensor table = whole_numbers(DType::f32, {9});
  compare(kernel, {places, table, Tensor::zeros(DType::f32, {70, 70})});
  reinterpret_cast<int64_t*>(places.mutable_data())[4000] = 12;
  expect_same_failure(kernel, {places, table, Tensor::zeros(DType::f32, {70, 70})});
}

}  // namespace
}  // namespace litz::codegen
