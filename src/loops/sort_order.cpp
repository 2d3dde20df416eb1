#include "loops/sort_order.h"

#include <algorithm>
#include <numeric>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::loops {
namespace {

template <typename W>
bool is_less(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    if (a != a) return false;
    if (b != b) return true;
  }
  return a < b;
}

template <typename W>
std::vector<int64_t> order_of(const std::vector<W>& keys, bool descending, int64_t count) {
  std::vector<int64_t> order(keys.size());
  std::iota(order.begin(), order.end(), 0);
  // Ties go by position, which makes any algorithm stable.
  const auto comes_before = [&](int64_t i, int64_t j) {
    const W a = keys[static_cast<size_t>(i)];
    const W b = keys[static_cast<size_t>(j)];
    if (descending ? is_less(b, a) : is_less(a, b)) return true;
    if (descending ? is_less(a, b) : is_less(b, a)) return false;
    return i < j;
  };
  if (count < static_cast<int64_t>(order.size())) {
    std::partial_sort(order.begin(), order.begin() + count, order.end(), comes_before);
    order.resize(static_cast<size_t>(count));
  } else {
    std::sort(order.begin(), order.end(), comes_before);
  }
  return order;
}

}  // namespace

std::vector<int64_t> sort_order(std::span<const std::byte> keys, DType dtype, bool descending,
                                int64_t count) {
  return visit_dtype(dtype, [&]<typename T>() -> std::vector<int64_t> {
    if constexpr (kIsComplex<T>) {
      check(false, "sort keys must be ordered:", name(dtype));
      return {};
    } else {
      const auto* elements = reinterpret_cast<const T*>(keys.data());
      std::vector<Wide<T>> wide;
      wide.reserve(keys.size() / sizeof(T));
      for (size_t i = 0; i < keys.size() / sizeof(T); ++i) wide.push_back(load(elements[i]));
      return order_of(wide, descending, count);
    }
  });
}

}  // namespace litz::loops
