#include "types/sort_row.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz {
namespace {

template <typename W>
bool comes_before(W a, W b) {
  if constexpr (std::is_floating_point_v<W>) {
    if (a != a) return false;
    if (b != b) return true;
  }
  return a < b;
}

/// Few different values, or any bits: NaN of all kinds and both zeros.
template <typename T>
std::vector<T> draw(int64_t size, bool has_ties, std::mt19937_64& random) {
  std::vector<T> elements(static_cast<size_t>(size));
  for (T& element : elements) {
    const uint64_t bits = random();
    if (has_ties && bits % 8 != 0) {
      element = store<T>(static_cast<double>(bits / 8 % 7) - 3);
    } else if (has_ties && bits % 16 == 0) {
      element = store<T>(-0.0);
    } else {
      std::memcpy(static_cast<void*>(&element), &bits, sizeof(T));
    }
  }
  return elements;
}

template <typename T>
void expect_stable(DType dtype, const std::vector<T>& elements, int64_t count, bool descending) {
  std::vector<int64_t> expected(elements.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int64_t i, int64_t j) {
    const auto a = load(elements[static_cast<size_t>(i)]);
    const auto b = load(elements[static_cast<size_t>(j)]);
    return descending ? comes_before(b, a) : comes_before(a, b);
  });
  expected.resize(static_cast<size_t>(count));
  std::vector<T> sorted = elements;
  std::vector<int64_t> origins(static_cast<size_t>(count));
  sort_row(dtype, reinterpret_cast<std::byte*>(sorted.data()),
           static_cast<int64_t>(elements.size()), count, descending, origins.data());
  ASSERT_EQ(origins, expected) << name(dtype) << " " << elements.size() << " " << count;
  for (size_t i = 0; i < origins.size(); ++i) {
    const T& origin = elements[static_cast<size_t>(origins[i])];
    ASSERT_EQ(0, std::memcmp(&sorted[i], &origin, sizeof(T))) << name(dtype) << " at " << i;
  }
}

class SortRow : public testing::TestWithParam<int> {};

TEST_P(SortRow, KeepsTheOrderOfEqualsAndTheBitsOfAll) {
  std::mt19937_64 random(5);
  const auto dtype = static_cast<DType>(GetParam());
  visit_dtype(dtype, [&]<typename T>() {
    if constexpr (!kIsComplex<T>) {
      for (const int64_t size : {0, 1, 2, 3, 17, 96, 97, 130, 3000}) {
        for (const bool has_ties : {false, true}) {
          const std::vector<T> elements = draw<T>(size, has_ties, random);
          for (const int64_t count : {size, size / 2, std::min<int64_t>(size, 3), int64_t{0}}) {
            for (const bool descending : {false, true}) {
              expect_stable(dtype, elements, count, descending);
            }
          }
        }
      }
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Dtypes, SortRow, testing::Range(0, static_cast<int>(DType::c128) + 1));

}  // namespace
}  // namespace litz
