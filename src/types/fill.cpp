#include "types/fill.h"

#include <algorithm>
#include <array>

#include "support/check.h"
#include "types/strided_copy.h"

namespace litz {
namespace {

/// The step of splitmix64 from a counter to its output.
constexpr uint64_t mix(uint64_t counter) {
  uint64_t z = counter + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Fills `count` floats whose first counter is `counter`. Compiled for the vector sets that can
/// multiply 64-bit words; separate statements prevent fusing two of them into one rounding. Not
/// under the thread sanitizer: the selection runs, instrumented, before the sanitizer can.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_THREAD__)
[[gnu::target_clones("arch=skylake-avx512", "arch=haswell", "default")]]
#endif
void fill_float_run(float* values, int64_t count, uint64_t counter, float scale, float shift) {
  for (int64_t i = 0; i < count; ++i) {
    uint64_t word = mix(counter + static_cast<uint64_t>(i));
    // 24 bits: exact in a float, and a signed conversion is one instruction.
    auto whole = static_cast<float>(static_cast<int32_t>(word >> 40));
    float unit = whole * 0x1p-23F;
    float centred = unit - 1.0F;
    float scaled = centred * scale;
    values[i] = scaled + shift;
  }
}

constexpr int64_t kChunk = 4096;

/// Produces a row-major tensor chunk by chunk: `produce(values, count, first)` writes `count` T
/// values starting at element `first`, which are then cast.
template <typename T, typename Produce>
Tensor fill_chunks(DType dtype, std::vector<int64_t> sizes, Produce&& produce) {
  Tensor result = Tensor::empty(dtype, std::move(sizes));
  int64_t count = result.numel();
  std::byte* target = result.mutable_data();
  if (dtype == dtype_of<T>()) {
    produce(reinterpret_cast<T*>(target), count, int64_t{0});
    return result;
  }
  std::array<T, kChunk> values;
  for (int64_t first = 0; first < count; first += kChunk) {
    int64_t run = std::min(kChunk, count - first);
    produce(values.data(), run, first);
    cast_elements(target + first * item_size(dtype), dtype,
                  reinterpret_cast<const std::byte*>(values.data()), dtype_of<T>(), run);
  }
  return result;
}

}  // namespace

uint64_t fill_seed(std::string_view name) {
  uint64_t seed = 14695981039346656037U;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return seed;
}

uint64_t fill_word(uint64_t seed, uint64_t i) { return mix((seed << 32) + i); }

Tensor fill_floats(DType dtype, std::vector<int64_t> sizes, uint64_t seed, float scale,
                   float shift) {
  return fill_chunks<float>(
      dtype, std::move(sizes), [&](float* values, int64_t count, int64_t first) {
        fill_float_run(values, count, (seed << 32) + static_cast<uint64_t>(first), scale, shift);
      });
}

Tensor fill_integers(DType dtype, std::vector<int64_t> sizes, uint64_t seed, uint64_t high) {
  require(high > 0, "the bound of random integers must be positive:", high);
  return fill_chunks<uint64_t>(
      dtype, std::move(sizes), [&](uint64_t* values, int64_t count, int64_t first) {
        for (int64_t i = 0; i < count; ++i) {
          values[i] = fill_word(seed, static_cast<uint64_t>(first + i)) % high;
        }
      });
}

Tensor fill_constant(DType dtype, std::vector<int64_t> sizes, double value) {
  Tensor result = Tensor::empty(dtype, std::move(sizes));
  Tensor element = Tensor::scalar(dtype, value);
  fill_elements(result.mutable_data(), item_size(dtype), result.numel(), 1, element.data());
  return result;
}

}  // namespace litz
