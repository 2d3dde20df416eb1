#include "kernels/thin_product.h"

#include <algorithm>
#include <array>

#include "kernels/line_products.h"
#include "kernels/micro_kernels.h"
#include "kernels/tile_writer.h"

namespace litz::kernels {
namespace {

// Tasks are groups of this many lines: one thread writes a whole cache line of sums, and
// vectors of lines start at the same ones for any number of threads.
constexpr int64_t kGroup = 64;
// Multiply-adds per nanosecond and thread: every line is read once, often from memory.
constexpr double kLineStepsPerNanosecond = 5;

template <typename T>
class Thin {
 public:
  Thin(const Gemm& gemm, GemmWorkspace& workspace, bool few_rows)
      : gemm_(gemm),
        few_rows_(few_rows),
        few_(few_rows ? gemm.rows : gemm.columns),
        count_(few_rows ? gemm.columns : gemm.rows),
        lines_(few_rows ? *gemm.right->matrix() : *gemm.left->matrix()) {
    const double steps = static_cast<double>(count_) * static_cast<double>(few_ * gemm.depth);
    tasks_ = ThreadPool::worthwhile_tasks(workspace.pool(), steps / kLineStepsPerNanosecond);
    pool_ = workspace.pool();
    find_vectors(workspace);
    sums_ = static_cast<T*>(workspace.memory(1, bytes(few_ * count_)));
    addend_ = static_cast<T*>(workspace.memory(2, bytes(few_ * count_)));
  }

  void run() {
    const int64_t groups = (count_ + kGroup - 1) / kGroup;
    const int64_t chunks = std::min(groups, tasks_);
    if (chunks == 1) {
      multiply({0, count_});
      return write({0, count_});
    }
    run_chunks(pool_, chunks, [&](int64_t chunk) {
      const int64_t begin = chunk_begin(groups, chunks, chunk) * kGroup;
      const int64_t end = std::min(chunk_begin(groups, chunks, chunk + 1) * kGroup, count_);
      multiply({begin, end - begin});
      write({begin, end - begin});
    });
  }

 private:
  // Makes the vectors dense and of the accumulator's type; uses them in place if they are so
  // already.
  void find_vectors(GemmWorkspace& workspace) {
    const MatrixLines& few = few_rows_ ? *gemm_.left->matrix() : *gemm_.right->matrix();
    const DType dtype = accumulator_dtype(gemm_.accumulator);
    const bool are_dense = (few.depth_stride == 1 || gemm_.depth == 1) &&
                           (few_ == 1 || few.line_stride == gemm_.depth);
    if (are_dense && few.dtype == dtype) {
      vectors_ = reinterpret_cast<const T*>(few.data);
      return;
    }
    const std::array<int64_t, 2> dense{gemm_.depth, 1};
    const std::array<int64_t, 2> strides{few.line_stride, few.depth_stride};
    T* const packed = static_cast<T*>(workspace.memory(0, bytes(few_ * gemm_.depth)));
    copy_elements({reinterpret_cast<std::byte*>(packed), dtype, dense},
                  {few.data, few.dtype, strides}, std::array{few_, gemm_.depth});
    vectors_ = packed;
  }

  static size_t bytes(int64_t count) { return static_cast<size_t>(count) * sizeof(T); }

  void multiply(Range lines) {
    MatrixLines part = lines_;
    part.data += lines.begin * lines_.line_stride * static_cast<int64_t>(item_size(lines_.dtype));
    if constexpr (std::is_same_v<T, float>) {
      const MicroKernels& kernels = micro_kernels();
      const bool runs_along = part.depth_stride == 1 || gemm_.depth == 1;
      const bool is_known = part.dtype == DType::f32 || part.dtype == DType::bf16;
      if (is_known && (runs_along || part.line_stride == 1)) {
        const ThinKernels& thin = part.dtype == DType::f32 ? kernels.thin_f32 : kernels.thin_bf16;
        (runs_along ? thin.along : thin.across)[few_ - 1]({.lines = part.data,
                                                           .line_stride = part.line_stride,
                                                           .depth_stride = part.depth_stride,
                                                           .count = lines.count,
                                                           .depth = gemm_.depth,
                                                           .vectors = vectors_,
                                                           .sums = sums_ + lines.begin,
                                                           .sum_stride = count_});
        return;
      }
    }
    for (int64_t r = 0; r < few_; ++r) {
      multiply_lines(gemm_.accumulator, part, lines.count, gemm_.depth, vectors_ + r * gemm_.depth,
                     sums_ + r * count_ + lines.begin);
    }
  }

  void write(Range lines) const {
    T* const sums = sums_ + lines.begin;
    T* const addend = addend_ + lines.begin;
    if (few_rows_) {
      TileWriter<T>(gemm_).write({0, few_}, lines, sums, count_, addend);
      return;
    }
    Gemm turned = gemm_;
    std::swap(turned.result.row_stride, turned.result.column_stride);
    MatrixSlot turned_addend;
    if (gemm_.addend != nullptr) {
      turned_addend = *gemm_.addend;
      std::swap(turned_addend.row_stride, turned_addend.column_stride);
      turned.addend = &turned_addend;
    }
    TileWriter<T>(turned).write({0, few_}, lines, sums, count_, addend);
  }

  const Gemm& gemm_;
  bool few_rows_;
  int64_t few_;
  int64_t count_;
  MatrixLines lines_;
  ThreadPool* pool_ = nullptr;
  int64_t tasks_ = 1;
  const T* vectors_ = nullptr;
  T* sums_ = nullptr;
  T* addend_ = nullptr;
};

}  // namespace

bool run_thin_product(const Gemm& gemm, GemmWorkspace& workspace) {
  const int64_t few = std::min(gemm.rows, gemm.columns);
  if (few > kMostThinRows || gemm.depth == 0 || gemm.result.block != 0) return false;
  if (gemm.left->matrix() == nullptr || gemm.right->matrix() == nullptr) return false;
  const bool few_rows = gemm.rows <= gemm.columns;
  switch (gemm.accumulator) {
    case Accumulator::f32:
      Thin<float>(gemm, workspace, few_rows).run();
      break;
    case Accumulator::f64:
      Thin<double>(gemm, workspace, few_rows).run();
      break;
    case Accumulator::u64:
      Thin<uint64_t>(gemm, workspace, few_rows).run();
      break;
  }
  return true;
}

}  // namespace litz::kernels
