// A vector of a few numbers or structs of numbers, which are stored in the object itself.
//
// For code that runs at every call and must not allocate, such as loops over a tensor's few
// dimensions. The elements are on the heap only if there are more than N.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace litz {

/// Holds up to N elements without an allocation.
template <typename T, size_t N>
class ShortVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  ShortVector() = default;

  /// Makes `count` zeros.
  explicit ShortVector(size_t count) : size_(count) {
    if (count > N) outside_.resize(count);
  }

  explicit ShortVector(std::span<const T> values) : ShortVector(values.size()) {
    std::ranges::copy(values, begin());
  }

  size_t size() const { return size_; }

  bool empty() const { return size_ == 0; }

  T* data() { return outside_.empty() ? inside_.data() : outside_.data(); }

  const T* data() const { return outside_.empty() ? inside_.data() : outside_.data(); }

  T* begin() { return data(); }

  T* end() { return data() + size_; }

  const T* begin() const { return data(); }

  const T* end() const { return data() + size_; }

  T& operator[](size_t i) { return data()[i]; }

  const T& operator[](size_t i) const { return data()[i]; }

  T& back() { return data()[size_ - 1]; }

  const T& back() const { return data()[size_ - 1]; }

  void push_back(const T& value) {
    if (outside_.empty() && size_ == N) outside_.assign(inside_.begin(), inside_.end());
    if (!outside_.empty()) outside_.resize(size_ + 1);
    ++size_;
    back() = value;
  }

  void pop_back() { --size_; }

 private:
  size_t size_ = 0;
  std::array<T, N> inside_{};
  std::vector<T> outside_;  ///< All elements, once there were more than N.
};

}  // namespace litz
