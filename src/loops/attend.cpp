#include "loops/attend.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/check.h"

namespace litz::loops {
namespace {

/// The elements of one buffer as real numbers, in row-major order.
template <typename Real>
struct Elements {
  std::vector<Real> values;
  int64_t rows = 0;
  int64_t columns = 0;

  const Real* row(int64_t matrix, int64_t row) const {
    return values.data() + (matrix * rows + row) * columns;
  }
};

template <typename Real>
Elements<Real> elements_of(const Tensor& tensor) {
  constexpr DType kReal = sizeof(Real) == 8 ? DType::f64 : DType::f32;
  const Tensor dense = tensor.to(kReal).contiguous();
  const auto* const first = reinterpret_cast<const Real*>(dense.data());
  const std::vector<int64_t>& sizes = dense.sizes();
  return {std::vector<Real>(first, first + dense.numel()), sizes[sizes.size() - 2], sizes.back()};
}

template <typename Real>
class Attention {
 public:
  Attention(const Attend& buffers, double scale, bool safe, std::span<Tensor> tensors)
      : scale_(static_cast<Real>(scale)),
        safe_(safe),
        is_causal_(buffers.is_causal),
        query_(elements_of<Real>(at(tensors, buffers.query))),
        key_(elements_of<Real>(at(tensors, buffers.key))),
        value_(elements_of<Real>(at(tensors, buffers.value))),
        result_(at(tensors, buffers.result)) {
    if (buffers.mask < 0) return;
    mask_ = elements_of<Real>(at(tensors, buffers.mask));
    excludes_ = at(tensors, buffers.mask).dtype() == DType::bool_;
  }

  void run() {
    Tensor made = Tensor::empty(sizeof(Real) == 8 ? DType::f64 : DType::f32, result_.sizes());
    auto* out = reinterpret_cast<Real*>(made.mutable_data());
    const int64_t rows = result_.numel() > 0 ? result_.numel() / value_.columns : 0;
    for (int64_t i = 0; i < rows; ++i, out += value_.columns) {
      const int64_t matrix = i / query_.rows;
      const std::vector<Real> weights = weights_of(matrix, i % query_.rows);
      std::fill_n(out, value_.columns, Real(0));
      for (int64_t j = 0; j < key_.rows; ++j) {
        const Real* const value = value_.row(matrix, j);
        for (int64_t e = 0; e < value_.columns; ++e) {
          out[e] += weights[static_cast<size_t>(j)] * value[e];
        }
      }
    }
    result_.copy_from(made);
  }

 private:
  static Tensor& at(std::span<Tensor> tensors, BufferId id) {
    return tensors[static_cast<size_t>(id)];
  }

  std::vector<Real> weights_of(int64_t matrix, int64_t row) const {
    constexpr Real kLowest = -std::numeric_limits<Real>::infinity();
    std::vector<Real> scores(static_cast<size_t>(key_.rows));
    Real largest = kLowest;
    bool is_empty = true;
    const int64_t seen = is_causal_ ? std::min(key_.rows, row + 1) : key_.rows;
    for (int64_t j = 0; j < seen; ++j) {
      Real& score = scores[static_cast<size_t>(j)];
      for (int64_t d = 0; d < key_.columns; ++d) {
        score += query_.row(matrix, row)[d] * key_.row(matrix, j)[d];
      }
      score *= scale_;
      if (excludes_) {
        if (mask_.row(matrix, row)[j] == 0) score = kLowest;
      } else if (!mask_.values.empty()) {
        score += mask_.row(matrix, row)[j];
      }
      largest = score > largest ? score : largest;
      is_empty = is_empty && score == kLowest;
    }
    if (is_empty && safe_) return std::vector<Real>(scores.size());
    std::fill(scores.begin() + seen, scores.end(), kLowest);
    Real sum = 0;
    for (Real& score : scores) sum += score = std::exp(score - largest);
    for (Real& score : scores) score /= sum;
    return scores;
  }

  Real scale_;
  bool safe_;
  bool is_causal_;
  Elements<Real> query_;
  Elements<Real> key_;
  Elements<Real> value_;
  Elements<Real> mask_;
  bool excludes_ = false;  ///< The mask is one of bools.
  Tensor& result_;
};

}  // namespace

void run_attend(const Attend& buffers, double scale, bool safe, std::span<Tensor> tensors) {
  if (tensors[static_cast<size_t>(buffers.query)].dtype() == DType::f64) {
    Attention<double>(buffers, scale, safe, tensors).run();
  } else {
    Attention<float>(buffers, scale, safe, tensors).run();
  }
}

}  // namespace litz::loops
