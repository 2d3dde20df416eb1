// Loops that combine tuples, by one thread, a warp and a block: the order of tuples is kept.

#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;
using Tuple = KernelBuilder::Tuple;
using Scalars = std::span<const Scalar>;

using ScanTextTest = EmulatedKernelTest;

constexpr int64_t kRows = 3;
constexpr int64_t kLengths[] = {1, 31, 32, 33, 100, 1000, 1025};

/// Runs `add` for rows of all lengths: one phase of the kernel each.
template <typename Add>
void add_phases(KernelBuilder& b, std::vector<Tensor>& tensors, DType dtype, const Add& add) {
  for (const int64_t length : kLengths) {
    const std::string suffix = std::to_string(length);
    const TensorType type = contiguous_type(dtype, {kRows, length});
    const TensorType pairs = contiguous_type(dtype, {kRows, length, 2});
    const BufferId x = b.input("x" + suffix, type);
    const BufferId y = b.output("y" + suffix, pairs);
    const BufferId total = b.output("total" + suffix, contiguous_type(dtype, {kRows, 2}));
    tensors.push_back(whole_numbers(dtype, {kRows, length}));
    tensors.push_back(Tensor::zeros(dtype, {kRows, length, 2}));
    tensors.push_back(Tensor::zeros(dtype, {kRows, 2}));
    b.loop(std::vector<Expr>{kRows}, [&](Exprs i) { add(i[0], length, x, y, total); });
  }
}

// Maps v -> a v + b, which do not commute.
Tuple composed(Scalars first, Scalars then) {
  return {first[0] * then[0], first[1] * then[0] + then[1]};
}

void store_pair(KernelBuilder& b, BufferId to, std::vector<Expr> place, Scalars pair) {
  place.emplace_back(0);
  b.store(to, place, pair[0]);
  place.back() = Expr(1);
  b.store(to, place, pair[1]);
}

TEST_F(ScanTextTest, ScansOfMapsKeepTheirOrder) {
  KernelBuilder b("maps", pool_);
  std::vector<Tensor> tensors;
  add_phases(b, tensors, DType::i64,
             [&](Expr row, int64_t length, BufferId x, BufferId y, BufferId total) {
               const std::vector<Scalar> initial{b.constant(DType::i64, int64_t{1}),
                                                 b.constant(DType::i64, int64_t{7})};
               const Tuple end = b.scan(
                   length, initial,
                   [&](Expr j) -> Tuple {
                     const Scalar value = b.load(x, {row, j});
                     return {value * 2 + 1, value + b.index(j)};
                   },
                   composed,
                   [&](Expr j, Scalars made) {
                     store_pair(b, y, {row, j}, made);
                   });
               store_pair(b, total, {row}, end);
             });
  compare(std::move(b).finish(), tensors);
}

// Ties keep the first position; -0 and NaN are no special case here.
TEST_F(ScanTextTest, RunningMaximaAndTheirPositions) {
  KernelBuilder b("maxima", pool_);
  std::vector<Tensor> tensors;
  add_phases(b, tensors, DType::f64,
             [&](Expr row, int64_t length, BufferId x, BufferId y, BufferId total) {
               const std::vector<Scalar> initial{b.constant(DType::f64, -100.0),
                                                 b.constant(DType::f64, -1.0)};
               const Tuple end = b.scan(
                   length, initial,
                   [&](Expr j) -> Tuple {
                     return {b.load(x, {row, j}), b.index(j, DType::f64)};
                   },
                   [&](Scalars first, Scalars then) -> Tuple {
                     const Scalar wins = then[0] > first[0];
                     return {select(wins, then[0], first[0]), select(wins, then[1], first[1])};
                   },
                   [&](Expr j, Scalars made) {
                     store_pair(b, y, {row, j}, made);
                   });
               store_pair(b, total, {row}, end);
             });
  compare(std::move(b).finish(), tensors);
}

TEST_F(ScanTextTest, FoldsOfMapsKeepTheirOrder) {
  KernelBuilder b("folds", pool_);
  std::vector<Tensor> tensors;
  add_phases(b, tensors, DType::i64,
             [&](Expr row, int64_t length, BufferId x, BufferId y, BufferId total) {
               const std::vector<Scalar> initial{b.constant(DType::i64, int64_t{1}),
                                                 b.constant(DType::i64, int64_t{7})};
               const Tuple end = b.fold(
                   length, initial,
                   [&](Expr j) -> Tuple {
                     const Scalar value = b.load(x, {row, j});
                     return {value * 2 + 1, value + b.index(j)};
                   },
                   composed);
               store_pair(b, total, {row}, end);
               b.loop(std::vector<Expr>{length}, [&](Exprs j) {
                 b.store(y, {row, j[0], Expr(0)}, end[0] + b.load(x, {row, j[0]}));
                 b.store(y, {row, j[0], Expr(1)}, end[1]);
               });
             });
  compare(std::move(b).finish(), tensors);
}

// A reduction after a scan, and a scan of what the team has stored.
TEST_F(ScanTextTest, ScansOfWhatWasStored) {
  compare(R"(kernel @k(%x: i64[5, 300], out %y: i64[5, 300], out %z: i64[5, 300]) {
  for i in 0..5 {
    %0 = const i64 0
    %1 = for j in 0..300 scan (%0) {
      %2 = load %x[i, j]
      yield %2
    } combine (%3, %4) {
      %5 = add %3, %4
      yield %5
    } emit (%6) {
      store %y[i, j], %6
    }
    for k in 0..300 {
      %7 = load %y[i, 299 - k]
      %8 = add %7, %1
      store %z[i, k], %8
    }
  }
}
)",
          {whole_numbers(DType::i64, {5, 300}), Tensor::zeros(DType::i64, {5, 300}),
           Tensor::zeros(DType::i64, {5, 300})});
}

}  // namespace
}  // namespace litz::codegen
