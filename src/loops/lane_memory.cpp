#include "loops/lane_memory.h"

#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <type_traits>

#include "support/check.h"
#include "types/element_visit.h"
#include "types/scalar_cast.h"

namespace litz::loops {
namespace {

struct Word16 {
  std::array<uint64_t, 2> words;
};

// Calls body with an integer type as wide as the item.
template <typename Body>
void with_item(int64_t item, Body&& body) {
  switch (item) {
    case 1:
      return body.template operator()<uint8_t>();
    case 2:
      return body.template operator()<uint16_t>();
    case 4:
      return body.template operator()<uint32_t>();
    case 8:
      return body.template operator()<uint64_t>();
    case 16:
      return body.template operator()<Word16>();
    default:
      check(false, "elements must be 1, 2, 4, 8 or 16 bytes wide:", item);
  }
}

template <typename T>
T read(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof(T));
  return value;
}

template <typename T>
void write(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof(T));
}

template <typename T>
void fill(std::byte* out, T value, int64_t lanes) {
  T* r = reinterpret_cast<T*>(out);
  for (int64_t i = 0; i < lanes; ++i) r[i] = value;
}

}  // namespace

void load_strided(std::byte* out, const std::byte* base, int64_t stride, int64_t lanes,
                  int64_t item) {
  if (stride == 1) {
    std::memcpy(out, base, static_cast<size_t>(lanes * item));
    return;
  }
  with_item(item, [&]<typename T>() {
    if (stride == 0) return fill<T>(out, read<T>(base), lanes);
    const int64_t step = stride * item;
    T* r = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < lanes; ++i) r[i] = read<T>(base + i * step);
  });
}

void load_gather(std::byte* out, const std::byte* base, const int64_t* offsets, int64_t lanes,
                 int64_t item) {
  with_item(item, [&]<typename T>() {
    T* __restrict r = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < lanes; ++i) {
      r[i] = read<T>(base + offsets[i] * static_cast<int64_t>(sizeof(T)));
    }
  });
}

void store_strided(std::byte* base, const std::byte* values, int64_t stride, int64_t lanes,
                   int64_t item) {
  if (stride == 1) {
    std::memcpy(base, values, static_cast<size_t>(lanes * item));
    return;
  }
  with_item(item, [&]<typename T>() {
    const int64_t step = stride * item;
    const T* v = reinterpret_cast<const T*>(values);
    for (int64_t i = 0; i < lanes; ++i) write<T>(base + i * step, v[i]);
  });
}

void store_scatter(std::byte* base, const std::byte* values, const int64_t* offsets, int64_t lanes,
                   int64_t item) {
  with_item(item, [&]<typename T>() {
    const T* v = reinterpret_cast<const T*>(values);
    for (int64_t i = 0; i < lanes; ++i) {
      write<T>(base + offsets[i] * static_cast<int64_t>(sizeof(T)), v[i]);
    }
  });
}

void splat_lanes(std::byte* lanes, int64_t count, int64_t item) {
  with_item(item, [&]<typename T>() { fill<T>(lanes, read<T>(lanes), count); });
}

namespace {

// The type in which elements of T combine: wrapping words, float for narrow formats.
template <typename W>
W added(W a, W b) {
  if constexpr (std::is_same_v<W, int64_t>) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename W>
W multiplied(W a, W b) {
  if constexpr (std::is_same_v<W, int64_t>) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (kIsComplex<W>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}

template <typename W>
bool is_not_a_number(W a) {
  if constexpr (std::is_floating_point_v<W>) return std::isnan(a);
  return false;
}

template <typename T, typename F>
void combine(std::byte* element, const std::byte* value) {
  write<T>(element, store<T>(F{}(load(read<T>(element)), load(read<T>(value)))));
}

template <typename T>
CombineFunction combine_elements(StoreMode mode) {
  using W = Wide<T>;
  const auto make = []<typename F>(F) -> CombineFunction { return &combine<T, F>; };
  switch (mode) {
    case StoreMode::assign:
      return nullptr;
    case StoreMode::add:
      return make([](W a, W b) { return added(a, b); });
    case StoreMode::mul:
      return make([](W a, W b) { return multiplied(a, b); });
    case StoreMode::min:
      if constexpr (!kIsComplex<T>) {
        return make([](W a, W b) { return a < b || is_not_a_number(a) ? a : b; });
      }
      break;
    case StoreMode::max:
      if constexpr (!kIsComplex<T>) {
        return make([](W a, W b) { return a > b || is_not_a_number(a) ? a : b; });
      }
      break;
  }
  check(false, "a store mode must exist for the dtype of its buffer:", name(mode),
        name(dtype_of<T>()));
  return nullptr;
}

}  // namespace

CombineFunction combine_function(StoreMode mode, DType dtype) {
  return visit_dtype(dtype, [&]<typename T>() { return combine_elements<T>(mode); });
}

}  // namespace litz::loops
