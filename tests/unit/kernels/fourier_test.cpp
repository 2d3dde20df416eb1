// Fourier transforms against the sum that defines them.

#include <cmath>
#include <complex>
#include <numbers>

#include <gtest/gtest.h>

#include "library_call.h"
#include "types/fill.h"

namespace litz::kernels {
namespace {

using Complex = std::complex<double>;

Complex direct(const Tensor& line, int64_t k, double sign) {
  Complex sum;
  const int64_t n = line.sizes()[0];
  for (int64_t j = 0; j < n; ++j) {
    const double angle =
        sign * 2 * std::numbers::pi * static_cast<double>(j * k % n) / static_cast<double>(n);
    const int64_t index[] = {j};
    sum += line.complex_at(index) * std::polar(1.0, angle);
  }
  return sum;
}

LibraryArgument list(std::vector<int64_t> dims) { return dims; }

class Length : public ::testing::TestWithParam<int64_t> {};

TEST_P(Length, ForwardIsTheDefiningSum) {
  const int64_t n = GetParam();
  const Tensor line = fill_floats(DType::c128, {n}, 7, 1, 0);
  const Tensor result = call_library("fft_c2c", {line, list({0}), int64_t{0}, true},
                                     {Tensor::empty(DType::c128, {n})})[0];
  for (int64_t k = 0; k < n; ++k) {
    const int64_t index[] = {k};
    EXPECT_LT(std::abs(result.complex_at(index) - direct(line, k, -1)), 1e-10) << n << " " << k;
  }
}

TEST_P(Length, RealTransformsUndoEachOther) {
  const int64_t n = GetParam();
  const Tensor line = fill_floats(DType::f64, {n}, 11, 1, 0);
  const Tensor half = call_library("fft_r2c", {line, list({0}), int64_t{1}, true},
                                   {Tensor::empty(DType::c128, {n / 2 + 1})})[0];
  const Tensor back = call_library("fft_c2r", {half, list({0}), int64_t{1}, n},
                                   {Tensor::empty(DType::f64, {n})})[0];
  for (int64_t j = 0; j < n; ++j) EXPECT_NEAR(back.at({j}), line.at({j}), 1e-12) << n;
}

// Powers, mixed small factors, primes on both sides of the direct bound, a large prime's multiples.
INSTANTIATE_TEST_SUITE_P(Fourier, Length,
                         ::testing::Values(1, 2, 3, 4, 8, 12, 30, 31, 37, 49, 64, 74, 101, 111,
                                           360));

TEST(Fourier, SeveralDimensionsAreOneAfterAnother) {
  const Tensor grid = fill_floats(DType::c128, {3, 4, 5}, 3, 1, 0);
  const auto transform = [&](const Tensor& in, std::vector<int64_t> dims, int64_t norm) {
    return call_library("fft_c2c", {in, list(std::move(dims)), norm, true},
                        {Tensor::empty(DType::c128, {3, 4, 5})})[0];
  };
  const Tensor both = transform(grid, {0, 2}, 2);
  const Tensor steps = transform(transform(grid, {0}, 2), {2}, 2);
  const int64_t index[] = {2, 1, 3};
  EXPECT_LT(std::abs(both.complex_at(index) - steps.complex_at(index)), 1e-14);
}

TEST(Fourier, EndsOfHalfASpectrumCountAsReal) {
  const Tensor half = Tensor::of<double>(DType::f64, {3, 2}, {1, 9, 0, 0, 2, 9});
  const Tensor spectrum =
      Tensor::of_bytes(DType::c128, {3}, std::span(half.data(), 3 * sizeof(Complex)));
  const Tensor line = call_library("fft_c2r", {spectrum, list({0}), int64_t{0}, int64_t{4}},
                                   {Tensor::empty(DType::f64, {4})})[0];
  EXPECT_EQ(line.at({0}), 3);
  EXPECT_EQ(line.at({1}), -1);
}

TEST(Fourier, RefusesTooShortASpectrum) {
  const Tensor half = Tensor::zeros(DType::c128, {2});
  EXPECT_THROW(call_library("fft_c2r", {half, list({0}), int64_t{0}, int64_t{6}},
                            {Tensor::empty(DType::f64, {6})}),
               Error);
}

}  // namespace
}  // namespace litz::kernels
