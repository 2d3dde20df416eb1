// Non-maximum suppression: among boxes that overlap much, keeps the one with the best score.

#include <algorithm>
#include <numeric>
#include <vector>

#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

template <typename T>
struct Corners {
  T left, top, right, bottom;
  T area;
};

template <typename T>
std::vector<Corners<T>> corners_of(const Tensor& boxes) {
  const Tensor rows = boxes.contiguous();
  const T* data = reinterpret_cast<const T*>(rows.data());
  std::vector<Corners<T>> corners;
  for (int64_t i = 0; i < rows.sizes()[0]; ++i, data += 4) {
    corners.push_back(
        {data[0], data[1], data[2], data[3], (data[2] - data[0]) * (data[3] - data[1])});
  }
  return corners;
}

// The best score first, NaN before all numbers, equal ones in input order.
template <typename T>
std::vector<int64_t> order_of(const Tensor& scores) {
  const Tensor dense = scores.contiguous();
  const T* data = reinterpret_cast<const T*>(dense.data());
  std::vector<int64_t> order(static_cast<size_t>(dense.numel()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](int64_t a, int64_t b) {
    return data[a] > data[b] || (data[a] != data[a] && data[b] == data[b]);
  });
  return order;
}

// Shared area over joint area. Boxes without area have NaN, which is above no threshold. A NaN
// corner counts as the other box's: so std::max and std::min order their arguments.
template <typename T>
T overlap(const Corners<T>& a, const Corners<T>& b) {
  const T width = std::max(T(0), std::min(a.right, b.right) - std::max(a.left, b.left));
  const T height = std::max(T(0), std::min(a.bottom, b.bottom) - std::max(a.top, b.top));
  const T shared = width * height;
  return shared / (a.area + b.area - shared);
}

template <typename T>
std::vector<int64_t> kept_boxes(const Tensor& boxes, const Tensor& scores, double threshold) {
  const std::vector<Corners<T>> corners = corners_of<T>(boxes);
  std::vector<int64_t> kept;
  std::vector<int64_t> left = order_of<T>(scores);
  while (!left.empty()) {
    const int64_t best = left.front();
    kept.push_back(best);
    std::erase_if(left, [&](int64_t other) {
      const auto& box = corners[static_cast<size_t>(other)];
      return other == best ||
             static_cast<double>(overlap(corners[static_cast<size_t>(best)], box)) > threshold;
    });
  }
  return kept;
}

}  // namespace

void nms(LibraryCall& call) {
  const Tensor& boxes = call.tensor(0);
  const Tensor& scores = call.tensor(1);
  const double threshold = call.real(2);
  require(boxes.rank() == 2 && boxes.sizes()[1] == 4 && scores.rank() == 1 &&
              scores.sizes()[0] == boxes.sizes()[0],
          "nms: boxes must be rows of four, each with a score:", boxes.rank(), scores.numel());
  require(boxes.dtype() == scores.dtype() &&
              (boxes.dtype() == DType::f32 || boxes.dtype() == DType::f64),
          ErrorCode::unsupported,
          "nms: boxes and scores must be f32 or f64:", torch_name(boxes.dtype()),
          torch_name(scores.dtype()));
  const std::vector<int64_t> kept = boxes.dtype() == DType::f64
                                        ? kept_boxes<double>(boxes, scores, threshold)
                                        : kept_boxes<float>(boxes, scores, threshold);
  const Tensor positions =
      Tensor::of(DType::i64, {static_cast<int64_t>(kept.size())}, std::span<const int64_t>(kept));
  if (call.results[0].defined()) {
    call.results[0].copy_from(positions);
  } else {
    call.results[0] = positions;
  }
}

}  // namespace litz::kernels
