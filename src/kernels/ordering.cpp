// Sorts and selections whose order among equal elements is PyTorch's.
//
// The order follows from the algorithm. PyTorch calls std::sort, std::nth_element and
// std::partial_sort of libstdc++ with comparisons that do not distinguish equal elements, and
// selects the k-th element by its own partition. The same algorithms with the same comparisons give
// the same order here. Everything else in the results is independent of them. NaN is the largest
// element.

#include "kernels/ordering.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernels/library_context.h"
#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::kernels {
namespace {

template <typename K>
bool is_nan(K key) {
  if constexpr (std::is_floating_point_v<K>) return key != key;
  return false;
}

struct Ascending {
  template <typename K>
  bool operator()(K a, K b) const {
    return (!is_nan(a) && is_nan(b)) || a < b;
  }
};

struct Descending {
  template <typename K>
  bool operator()(K a, K b) const {
    return (is_nan(a) && !is_nan(b)) || a > b;
  }
};

template <typename K>
struct Entry {
  K key;
  int64_t origin;
};

template <typename Order>
struct ByKey {
  template <typename K>
  bool operator()(const Entry<K>& a, const Entry<K>& b) const {
    return Order()(a.key, b.key);
  }
};

/// The lines of a tensor along one dimension; a tensor without dimensions is a line of one element.
class Lines {
 public:
  /// A reduced tensor may lack `dim`: each of its lines is one element.
  Lines(const Tensor& tensor, int64_t dim, bool is_reduced) {
    for (size_t d = 0; d < tensor.rank(); ++d) {
      if (static_cast<int64_t>(d) == dim && !is_reduced) {
        size_ = tensor.sizes()[d];
        stride_ = tensor.strides()[d];
      } else {
        sizes_.push_back(tensor.sizes()[d]);
        strides_.push_back(tensor.strides()[d]);
        count_ *= sizes_.back();
      }
    }
  }

  int64_t count() const { return count_; }

  int64_t size() const { return size_; }

  /// The distance of element `position` of line `line` from element 0 of the tensor.
  int64_t offset(int64_t line, int64_t position) const {
    int64_t offset = position * stride_;
    for (size_t d = sizes_.size(); d-- > 0; line /= sizes_[d])
      offset += line % sizes_[d] * strides_[d];
    return offset;
  }

 private:
  std::vector<int64_t> sizes_;
  std::vector<int64_t> strides_;
  int64_t count_ = 1;
  int64_t size_ = 1;
  int64_t stride_ = 0;
};

int64_t dimension(const LibraryCall& call, size_t argument) {
  const int64_t dim = call.integer(argument);
  const auto rank = static_cast<int64_t>(call.tensor(0).rank());
  return dim < 0 ? dim + std::max<int64_t>(rank, 1) : dim;
}

/// Orders every line of argument 0 by `arrange(entries)` and writes the first entries: as many as
/// the results have places in a line.
template <typename Arrange>
void order_lines(LibraryCall& call, int64_t dim, bool is_reduced, const Arrange& arrange) {
  const Tensor& self = call.tensor(0);
  Tensor& values = call.results[0];
  Tensor& origins = call.results[1];
  // Reductions with keepdim leave a dimension of size 1, which is also a line of one element.
  const bool lost_dim = is_reduced && values.rank() < self.rank();
  const Lines from(self, dim, false);
  const Lines to(values, dim, lost_dim);
  const Lines places(origins, dim, lost_dim);
  // A reduction of no elements has its own error.
  const int64_t most = std::max<int64_t>(from.size(), is_reduced ? 1 : 0);
  require(to.count() == from.count() && (to.count() == 0 || to.size() <= most) &&
              values.sizes() == origins.sizes() && values.dtype() == self.dtype() &&
              origins.dtype() == DType::i64,
          ErrorCode::corrupt, "ordered lines must fit their results:", call.function, to.count(),
          from.count(), to.size(), from.size());
  if (to.count() == 0 || to.size() == 0) return;
  visit_dtype(self.dtype(), [&]<typename T>() {
    if constexpr (kIsComplex<T>) {
      fail(ErrorCode::corrupt, "elements must be ordered:", name(self.dtype()));
    } else {
      using K = Wide<T>;
      const auto* elements = reinterpret_cast<const T*>(self.data());
      auto* value = reinterpret_cast<T*>(values.mutable_data());
      auto* origin = reinterpret_cast<int64_t*>(origins.mutable_data());
      ThreadPool* pool = call.context != nullptr ? call.context->pool() : nullptr;
      constexpr double kNanosecondsPerElement = 10;  // Of short lines; long ones take more.
      const double nanoseconds = kNanosecondsPerElement * static_cast<double>(from.count()) *
                                 static_cast<double>(from.size());
      const int64_t chunks =
          std::min(from.count(), ThreadPool::worthwhile_tasks(pool, nanoseconds));
      run_chunks(pool, chunks, [&](int64_t chunk) {
        std::vector<Entry<K>> entries(static_cast<size_t>(from.size()));
        const int64_t end = chunk_begin(from.count(), chunks, chunk + 1);
        for (int64_t line = chunk_begin(from.count(), chunks, chunk); line < end; ++line) {
          for (int64_t i = 0; i < from.size(); ++i) {
            entries[static_cast<size_t>(i)] = {load(elements[from.offset(line, i)]), i};
          }
          arrange(entries);
          for (int64_t i = 0; i < to.size(); ++i) {
            const int64_t source = entries[static_cast<size_t>(i)].origin;
            value[to.offset(line, i)] = elements[from.offset(line, source)];
            origin[places.offset(line, i)] = source;
          }
        }
      });
    }
  });
}

template <typename Order, typename K>
void select_largest(std::vector<Entry<K>>& entries, int64_t k, bool sorts) {
  const auto first = entries.begin();
  const ByKey<Order> before;
  if (k * 64 <= static_cast<int64_t>(entries.size())) {
    std::partial_sort(first, first + k, entries.end(), before);
    return;
  }
  std::nth_element(first, first + (k - 1), entries.end(), before);
  if (sorts) std::sort(first, first + (k - 1), before);
}

/// Puts the entry of rank k in its place: quickselect with the median of three as pivot.
template <typename K>
void select_kth(std::vector<Entry<K>>& entries, int64_t k) {
  const auto at = [&](int64_t i) -> Entry<K>& { return entries[static_cast<size_t>(i)]; };
  const auto is_greater = [](K a, K b) { return Descending()(a, b); };
  const auto put_in_order = [&](int64_t i, int64_t j) {
    if (is_greater(at(i).key, at(j).key)) std::swap(at(i), at(j));
  };
  int64_t left = 0;
  int64_t right = static_cast<int64_t>(entries.size()) - 1;
  while (left < right) {
    if (right == left + 1) return put_in_order(left, right);
    std::swap(at(left + (right - left) / 2), at(left + 1));
    put_in_order(left + 1, right);
    put_in_order(left, right);
    put_in_order(left + 1, left);
    // The neighbours of the partition stop both searches: one is not above, one not below the
    // pivot.
    const K pivot = at(left).key;
    int64_t i = left + 1;
    int64_t j = right;
    while (true) {
      do ++i;
      while (is_greater(pivot, at(i).key));
      do --j;
      while (is_greater(at(j).key, pivot));
      if (j < i) break;
      std::swap(at(i), at(j));
    }
    std::swap(at(left), at(j));
    if (j <= k) left = i;
    if (j >= k) right = j - 1;
  }
}

/// The key that is not above any other.
template <typename K>
constexpr K lowest() {
  using Limits = std::numeric_limits<K>;
  return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

/// Puts the most frequent element first; the smallest of several. Each NaN counts as a distinct
/// element.
template <typename K>
void put_mode_first(std::vector<Entry<K>>& entries) {
  const auto is_less = [](const Entry<K>& a, const Entry<K>& b) { return a.key < b.key; };
  // PyTorch compares NaN like numbers, which is not an order. An insertion could then search past
  // the first element, unless the lowest key is before it.
  entries.insert(entries.begin(), {lowest<K>(), -1});
  std::sort(entries.begin() + 1, entries.end(), is_less);
  entries.erase(entries.begin());
  size_t best = 0;
  size_t most = 0;
  size_t count = 0;
  for (size_t i = 0; i < entries.size(); ++i) {
    ++count;
    if (i + 1 < entries.size() && entries[i].key == entries[i + 1].key) continue;
    if (count > most) {
      best = i;
      most = count;
    }
    count = 0;
  }
  std::swap(entries[0], entries[best]);
}

}  // namespace

void topk(LibraryCall& call) {
  const int64_t k = call.integer(1);
  const bool largest = call.flag(3);
  const bool sorts = call.flag(4);
  order_lines(call, dimension(call, 2), false, [&](auto& entries) {
    require(k >= 0 && k <= static_cast<int64_t>(entries.size()),
            "topk: k must be between 0 and the size of the dimension:", k, entries.size());
    largest ? select_largest<Descending>(entries, k, sorts)
            : select_largest<Ascending>(entries, k, sorts);
  });
}

void kthvalue(LibraryCall& call) {
  const int64_t k = call.integer(1);
  order_lines(call, dimension(call, 2), true, [&](auto& entries) {
    require(k >= 1 && k <= static_cast<int64_t>(entries.size()),
            "kthvalue: k must be between 1 and the size of the dimension:", k, entries.size());
    select_kth(entries, k - 1);
    std::swap(entries[0], entries[static_cast<size_t>(k - 1)]);
  });
}

void mode(LibraryCall& call) {
  order_lines(call, dimension(call, 1), true, [](auto& entries) {
    require(!entries.empty(), "mode: the dimension must have elements");
    put_mode_first(entries);
  });
}

void sort(LibraryCall& call) {
  const Tensor& self = call.tensor(0);
  const bool descending = call.flag(2);
  // PyTorch sorts long lists of integers by radix.
  constexpr int64_t kLong = 32768;
  const bool by_radix = !descending && self.rank() == 1 && is_integer(self.dtype()) &&
                        self.dtype() != DType::bool_ && self.numel() >= kLong;
  order_lines(call, dimension(call, 1), false, [&](auto& entries) {
    if (by_radix) {
      std::stable_sort(entries.begin(), entries.end(), ByKey<Ascending>());
    } else if (descending) {
      std::sort(entries.begin(), entries.end(), ByKey<Descending>());
    } else {
      std::sort(entries.begin(), entries.end(), ByKey<Ascending>());
    }
  });
}

}  // namespace litz::kernels
