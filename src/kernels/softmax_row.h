// Softmax of a row of scores in place, written once for all instruction sets.
//
// Like micro_kernel.h: compiled with each source's target flags, internal linkage, no library
// headers.

#pragma once

#include <cstddef>

#include "kernels/micro_kernel.h"

namespace litz::kernels {
namespace {

/// exp of vectors of floats that are at most 0, within 1.5 ulp; 0 below -87 (where results would be
/// denormal), NaN for NaN. Computes 2^n times the Taylor series of exp(r) up to r^7, |r| <= ln(2) /
/// 2: the next term is below 2^-27 of the result.
template <int kBytes>
struct NegativeExp {
  using Vector = typename VectorOf<float, kBytes>::Type;
  using Words = typename VectorOf<int32_t, kBytes>::Type;

  static Vector select(Words chosen, Vector yes, Vector no) {
    return reinterpret_cast<Vector>((chosen & reinterpret_cast<Words>(yes)) |
                                    (~chosen & reinterpret_cast<Words>(no)));
  }

  static Vector run(Vector x) {
    // Adding 1.5 * 2^23 rounds to an integer, which is then in the low bits.
    constexpr float kRounder = 0x1.8p23F;
    const Vector shifted = x * 0x1.715476p0F + kRounder;  // log2(e)
    const Vector n = shifted - kRounder;
    // ln(2) in two parts. The first has few bits, so n times it is exact.
    const Vector r = (x - n * 0x1.62e4p-1F) - n * 0x1.7f7d1cp-20F;
    Vector series = r * (1.0F / 5040) + (1.0F / 720);
    series = series * r + (1.0F / 120);
    series = series * r + (1.0F / 24);
    series = series * r + (1.0F / 6);
    series = series * r + 0.5F;
    series = series * r + 1.0F;
    series = series * r + 1.0F;
    const Vector scaled = reinterpret_cast<Vector>(reinterpret_cast<Words>(series) +
                                                   (reinterpret_cast<Words>(shifted) << 23));
    const Vector kept = select(x < -87.0F, Vector{}, scaled);
    return select(x != x, x, kept);
  }
};

/// Turns scores times `scale` into weights: exp(score - maximum) / sum. A row of minus infinities
/// becomes NaN, or zeros if `safe`.
template <int kBytes>
void softmax_row(float* scores, int64_t count, float scale, bool safe) {
  using Vector = typename VectorOf<float, kBytes>::Type;
  using Exp = NegativeExp<kBytes>;
  constexpr int kLanes = VectorOf<float, kBytes>::kLanes;
  constexpr float kLowest = -__builtin_inff();
  const auto load = [](const float* from) {
    Vector value;
    __builtin_memcpy(&value, from, sizeof(value));
    return value;
  };
  const auto store = [](float* to, Vector value) { __builtin_memcpy(to, &value, sizeof(value)); };
  // The rest of a row is one more vector, padded with neutral elements.
  const int64_t whole = count - count % kLanes;
  const size_t rest_bytes = static_cast<size_t>(count - whole) * sizeof(float);
  for (int64_t j = whole; j < count; ++j) scores[j] *= scale;
  Vector rest = Vector{} + kLowest;
  __builtin_memcpy(&rest, scores + whole, rest_bytes);
  const Vector factor = Vector{} + scale;
  Vector largest = rest;
  for (int64_t j = 0; j < whole; j += kLanes) {
    const Vector score = load(scores + j) * factor;
    store(scores + j, score);
    largest = Exp::select(score > largest, score, largest);
  }
  float top = kLowest;
  for (int lane = 0; lane < kLanes; ++lane) top = largest[lane] > top ? largest[lane] : top;
  if (top == kLowest && safe) {
    bool has_nan = false;
    for (int64_t j = 0; j < whole; ++j) has_nan = has_nan || scores[j] != scores[j];
    for (int lane = 0; lane < count - whole; ++lane) has_nan = has_nan || rest[lane] != rest[lane];
    if (!has_nan) {
      for (int64_t j = 0; j < count; ++j) scores[j] = 0;
      return;
    }
  }
  Vector sums{};
  for (int64_t j = 0; j < whole; j += kLanes) {
    const Vector weight = Exp::run(load(scores + j) - top);
    store(scores + j, weight);
    sums += weight;
  }
  // Lanes beyond the row: minus infinity less the maximum, NaN only in rows that are NaN anyway.
  rest = Exp::run(rest - top);
  float sum = 0;
  for (int lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  for (int lane = 0; lane < count - whole; ++lane) sum += rest[lane];
  const Vector divisor = Vector{} + sum;
  for (int64_t j = 0; j < whole; j += kLanes) store(scores + j, load(scores + j) / divisor);
  rest /= divisor;
  __builtin_memcpy(scores + whole, &rest, rest_bytes);
}

}  // namespace
}  // namespace litz::kernels
