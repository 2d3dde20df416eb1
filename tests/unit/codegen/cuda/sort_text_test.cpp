// Sorts in the memory of a block against the interpreter: order of equal keys and of NaN.

#include <limits>

#include "emulated_kernel.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

using SortTextTest = EmulatedKernelTest;

/// Keys with many ties; NaN and infinities among reals.
Tensor keys_of(DType dtype, int64_t rows, int64_t length) {
  Tensor keys = whole_numbers(DType::f64, {rows, length}, 9);
  auto* const values = reinterpret_cast<double*>(keys.mutable_data());
  for (int64_t i = 0; i < keys.numel() && !is_integer(dtype); i += 7) {
    values[i] = i % 2 == 0 ? std::numeric_limits<double>::quiet_NaN()
                           : -std::numeric_limits<double>::infinity();
  }
  return keys.to(dtype);
}

/// Sorts rows of this length in both directions, and keeps the first `count` of each.
class AllSorts {
 public:
  AllSorts(ExprPool& pool, std::initializer_list<DType> dtypes, int64_t length, int64_t count)
      : b_("sorts", pool), length_(length), count_(count) {
    for (const DType dtype : dtypes) {
      for (const bool descends : {false, true}) add(dtype, descends);
    }
  }

  loops::Kernel kernel() && { return std::move(b_).finish(); }

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  static constexpr int64_t kRows = 5;

  void add(DType dtype, bool descends) {
    const std::string suffix = std::to_string(tensors_.size());
    const BufferId x = b_.input("x" + suffix, contiguous_type(dtype, {kRows, length_}));
    const BufferId y = b_.output("y" + suffix, contiguous_type(dtype, {kRows, count_}));
    const BufferId z = b_.output("z" + suffix, contiguous_type(DType::i64, {kRows, count_}));
    tensors_.push_back(keys_of(dtype, kRows, length_));
    tensors_.push_back(Tensor::zeros(dtype, {kRows, count_}));
    tensors_.push_back(Tensor::zeros(DType::i64, {kRows, count_}));
    b_.loop(std::vector<Expr>{kRows}, [&](Exprs i) {
      const Expr row = i[0];
      b_.sort(
          length_, descends, count_,
          [&](Expr j) {
            return b_.load(x, {row, j});
          },
          [&](Expr place, Scalar key, Scalar from) {
            b_.store(y, {row, place}, key);
            b_.store(z, {row, place}, from);
          });
    });
  }

  KernelBuilder b_;
  int64_t length_;
  int64_t count_;
  std::vector<Tensor> tensors_;
};

TEST_F(SortTextTest, RowsOfAllLengths) {
  const std::pair<int64_t, int64_t> shapes[] = {{1, 1}, {33, 33}, {300, 16}, {2048, 2048}};
  for (const auto& [length, count] : shapes) {
    SCOPED_TRACE(length);
    AllSorts sorts(pool_, {DType::f32, DType::i64, DType::u8, DType::bf16}, length, count);
    const std::vector<Tensor> tensors = sorts.tensors();
    compare(std::move(sorts).kernel(), tensors);
  }
}

// What is sorted was stored by other threads, and others read what the sort stores.
TEST_F(SortTextTest, ReductionsAroundSorts) {
  KernelBuilder b("median", pool_);
  const BufferId x = b.input("x", contiguous_type(DType::f32, {6, 101}));
  const BufferId sorted = b.output("sorted", contiguous_type(DType::f32, {6, 101}));
  const BufferId y = b.output("y", contiguous_type(DType::f32, {6, 101}));
  b.loop(std::vector<Expr>{6}, [&](Exprs i) {
    const Expr row = i[0];
    const std::vector<Expr> extents{101};
    const Scalar most = b.reduce(loops::ReduceKind::max, extents, [&](Exprs j) {
      return b.load(x, {row, j[0]});
    });
    b.loop(extents, [&](Exprs j) { b.store(y, {row, j[0]}, most - b.load(x, {row, 100 - j[0]})); });
    b.sort(
        101, false, 101,
        [&](Expr j) {
          return b.load(y, {row, 100 - j});
        },
        [&](Expr place, Scalar key, Scalar) {
          b.store(sorted, {row, place}, key);
        });
    const Scalar median = b.load(sorted, {row, Expr(50)});
    b.loop(extents, [&](Exprs j) {
      b.store(y, {row, j[0]}, b.load(sorted, {row, 100 - j[0]}) - median);
    });
  });
  compare(std::move(b).finish(),
          {whole_numbers(DType::f32, {6, 101}, 50), Tensor::zeros(DType::f32, {6, 101}),
           Tensor::zeros(DType::f32, {6, 101})});
}

}  // namespace
}  // namespace litz::codegen
