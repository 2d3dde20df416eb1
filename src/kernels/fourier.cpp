// Discrete Fourier transforms of any length, in double precision, rounded once at the end.
//
// A length is split into its prime factors; primes above kLargestRadix go through Bluestein's
// convolution. Transforms over several dimensions are those of lines, one dimension after another.

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <vector>

#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

using Complex = std::complex<double>;
using Line = std::vector<Complex>;

constexpr int64_t kLargestRadix = 31;

// Without the special cases for infinities of std::complex.
Complex multiply(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

int64_t smallest_factor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

Complex root(double index, double n, double sign) {
  const double angle = sign * 2 * std::numbers::pi * index / n;
  return {std::cos(angle), std::sin(angle)};
}

// Transforms lines of one length one way, unscaled: X[k] = sum of x[j] exp(sign 2 pi i j k / n).
class Transform {
 public:
  Transform(int64_t n, double sign) : n_(n), sign_(sign), roots_(static_cast<size_t>(n)) {
    for (int64_t j = 0; j < n; ++j) {
      at(roots_, j) = root(static_cast<double>(j), static_cast<double>(n), sign);
    }
    for (int64_t rest = n; rest > 1;) {
      const int64_t p = smallest_factor(rest);
      if (p > kLargestRadix) prepare_chirp(p);
      rest /= p;
    }
  }

  void run(const Complex* in, Complex* out) { run(in, 1, out, n_); }

 private:
  // The convolution that computes a transform of prime length.
  struct Chirp {
    int64_t length = 0;
    int64_t padded = 0;
    Line factors;   // exp(sign pi i j^2 / length)
    Line spectrum;  // Of the conjugate factors, with wraparound.
    std::vector<Transform> forward;
    std::vector<Transform> backward;
  };

  static Complex& at(Line& line, int64_t i) { return line[static_cast<size_t>(i)]; }

  static const Complex& at(const Line& line, int64_t i) { return line[static_cast<size_t>(i)]; }

  void prepare_chirp(int64_t p) {
    for (const Chirp& known : chirps_) {
      if (known.length == p) return;
    }
    Chirp chirp;
    chirp.length = p;
    chirp.padded = 1;
    while (chirp.padded < 2 * p - 1) chirp.padded *= 2;
    chirp.forward.emplace_back(chirp.padded, -1.0);
    chirp.backward.emplace_back(chirp.padded, 1.0);
    chirp.factors.resize(static_cast<size_t>(p));
    Line wrapped(static_cast<size_t>(chirp.padded));
    for (int64_t j = 0; j < p; ++j) {
      // j^2 modulo 2 p keeps the angle exact.
      const auto square = static_cast<double>(j * j % (2 * p));
      at(chirp.factors, j) = root(square, static_cast<double>(2 * p), sign_);
      at(wrapped, j) = std::conj(at(chirp.factors, j));
      if (j > 0) at(wrapped, chirp.padded - j) = at(wrapped, j);
    }
    chirp.spectrum.resize(wrapped.size());
    chirp.forward[0].run(wrapped.data(), chirp.spectrum.data());
    chirps_.push_back(std::move(chirp));
  }

  void run_chirp(Chirp& chirp, const Complex* in, int64_t stride, Complex* out) {
    Line padded(static_cast<size_t>(chirp.padded));
    Line spectrum(padded.size());
    for (int64_t j = 0; j < chirp.length; ++j) {
      at(padded, j) = multiply(in[j * stride], at(chirp.factors, j));
    }
    chirp.forward[0].run(padded.data(), spectrum.data());
    for (size_t j = 0; j < spectrum.size(); ++j) {
      spectrum[j] = multiply(spectrum[j], chirp.spectrum[j]);
    }
    chirp.backward[0].run(spectrum.data(), padded.data());
    const double scale = 1 / static_cast<double>(chirp.padded);
    for (int64_t k = 0; k < chirp.length; ++k) {
      out[k] = multiply(at(padded, k) * scale, at(chirp.factors, k));
    }
  }

  // The transform of `n` values `stride` apart, n a divisor of n_.
  void run(const Complex* in, int64_t stride, Complex* out, int64_t n) {
    if (n == 1) {
      out[0] = in[0];
      return;
    }
    const int64_t p = smallest_factor(n);
    if (p > kLargestRadix && p == n) {
      for (Chirp& chirp : chirps_) {
        if (chirp.length == p) return run_chirp(chirp, in, stride, out);
      }
    }
    const int64_t part = n / p;
    for (int64_t r = 0; r < p; ++r) run(in + r * stride, stride * p, out + r * part, part);
    combine(out, p, part);
  }

  void combine(Complex* out, int64_t p, int64_t part) {
    const int64_t n = p * part;
    const int64_t step = n_ / n;  // Between roots of order n in the table.
    if (p > kLargestRadix) return combine_large(out, p, part);
    Complex twiddled[kLargestRadix];
    for (int64_t k = 0; k < part; ++k) {
      for (int64_t r = 0; r < p; ++r) {
        twiddled[r] = multiply(out[r * part + k], at(roots_, r * k * step));
      }
      for (int64_t q = 0; q < p; ++q) {
        Complex sum = twiddled[0];
        for (int64_t r = 1; r < p; ++r) {
          sum += multiply(twiddled[r], at(roots_, r * q % p * part * step));
        }
        out[k + q * part] = sum;
      }
    }
  }

  void combine_large(Complex* out, int64_t p, int64_t part) {
    const int64_t step = n_ / (p * part);
    Line column(static_cast<size_t>(p));
    Line result(column.size());
    for (Chirp& chirp : chirps_) {
      if (chirp.length != p) continue;
      for (int64_t k = 0; k < part; ++k) {
        for (int64_t r = 0; r < p; ++r) {
          at(column, r) = multiply(out[r * part + k], at(roots_, r * k * step));
        }
        run_chirp(chirp, column.data(), 1, result.data());
        for (int64_t q = 0; q < p; ++q) out[k + q * part] = at(result, q);
      }
    }
  }

  int64_t n_;
  double sign_;
  Line roots_;
  std::vector<Chirp> chirps_;
};

// A row-major array of complex numbers.
struct Grid {
  std::vector<int64_t> sizes;
  Line values;

  explicit Grid(const Tensor& tensor) : sizes(tensor.sizes()) {
    const Tensor wide = tensor.to(DType::c128).contiguous();
    const auto* data = reinterpret_cast<const Complex*>(wide.data());
    values.assign(data, data + wide.numel());
  }

  // Replaces every line along `dim` by the result of `map`, of length `length`.
  void map_lines(size_t dim, int64_t length, const std::function<void(const Line&, Line&)>& map) {
    int64_t outer = 1;
    int64_t inner = 1;
    for (size_t i = 0; i < dim; ++i) outer *= sizes[i];
    for (size_t i = dim + 1; i < sizes.size(); ++i) inner *= sizes[i];
    Line line(static_cast<size_t>(sizes[dim]));
    Line mapped(static_cast<size_t>(length));
    Line result(static_cast<size_t>(outer * inner * length));
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t j = 0; j < sizes[dim]; ++j) {
          line[static_cast<size_t>(j)] =
              values[static_cast<size_t>((o * sizes[dim] + j) * inner + i)];
        }
        map(line, mapped);
        for (int64_t j = 0; j < length; ++j) {
          result[static_cast<size_t>((o * length + j) * inner + i)] =
              mapped[static_cast<size_t>(j)];
        }
      }
    }
    sizes[dim] = length;
    values = std::move(result);
  }

  void transform(size_t dim, double sign) {
    const int64_t n = sizes[dim];
    if (values.empty()) return;
    Transform transform(n, sign);
    map_lines(dim, n, [&](const Line& in, Line& out) { transform.run(in.data(), out.data()); });
  }
};

std::vector<size_t> dims_of(const LibraryCall& call, size_t rank) {
  std::vector<size_t> dims;
  for (int64_t dim : call.integers(1)) {
    if (dim < 0) dim += static_cast<int64_t>(rank);
    require(dim >= 0 && dim < static_cast<int64_t>(rank), "a dimension must exist:", dim, rank);
    dims.push_back(static_cast<size_t>(dim));
  }
  return dims;
}

// PyTorch's normalizations: none, by the root of the number of points, by that number.
double scale_of(int64_t normalization, double points) {
  require(normalization >= 0 && normalization <= 2,
          "the normalization of a transform is 0, 1 or 2:", normalization);
  if (normalization == 0) return 1;
  return normalization == 1 ? 1 / std::sqrt(points) : 1 / points;
}

double points_of(const std::vector<int64_t>& sizes, const std::vector<size_t>& dims) {
  double points = 1;
  for (const size_t dim : dims) points *= static_cast<double>(sizes[dim]);
  return points;
}

void give(LibraryCall& call, Grid& grid, double scale) {
  if (scale != 1) {
    for (Complex& value : grid.values) value *= scale;
  }
  Tensor& result = call.results[0];
  if (is_complex(result.dtype())) {
    result.copy_from(
        Tensor::of_bytes(DType::c128, grid.sizes, std::as_bytes(std::span(grid.values))));
    return;
  }
  std::vector<double> parts;
  parts.reserve(grid.values.size());
  for (const Complex& value : grid.values) parts.push_back(value.real());
  result.copy_from(Tensor::of(DType::f64, grid.sizes, std::span<const double>(parts)));
}

}  // namespace

void fft_c2c(LibraryCall& call) {
  Grid grid(call.tensor(0));
  const std::vector<size_t> dims = dims_of(call, grid.sizes.size());
  const double scale = scale_of(call.integer(2), points_of(grid.sizes, dims));
  const double sign = call.flag(3) ? -1 : 1;
  for (const size_t dim : dims) grid.transform(dim, sign);
  give(call, grid, scale);
}

void fft_r2c(LibraryCall& call) {
  Grid grid(call.tensor(0));
  const std::vector<size_t> dims = dims_of(call, grid.sizes.size());
  const double scale = scale_of(call.integer(2), points_of(grid.sizes, dims));
  for (const size_t dim : dims) grid.transform(dim, -1);
  if (call.flag(3) && !dims.empty()) {
    const int64_t points = grid.sizes[dims.back()];
    require(points > 0 || call.results[0].numel() == 0,
            "a half of a spectrum needs at least one point:", points);
    const int64_t half = points / 2 + 1;
    grid.map_lines(dims.back(), half, [](const Line& in, Line& out) {
      std::copy_n(in.begin(), std::min(in.size(), out.size()), out.begin());
    });
  }
  give(call, grid, scale);
}

void fft_c2r(LibraryCall& call) {
  Grid grid(call.tensor(0));
  const std::vector<size_t> dims = dims_of(call, grid.sizes.size());
  require(!dims.empty(), "a transform to real numbers needs a dimension");
  const size_t last = dims.back();
  const int64_t length = call.integer(3);
  require(length >= 1 && length / 2 < grid.sizes[last],
          "a transform to real numbers needs half its points and one:", length, grid.sizes[last]);
  for (size_t i = 0; i + 1 < dims.size(); ++i) grid.transform(dims[i], 1);
  // The missing half is the conjugate of the given one; ends that would be real count as such.
  grid.map_lines(last, length, [&](const Line& in, Line& out) {
    const auto n = static_cast<size_t>(length);
    out[0] = in[0].real();
    for (size_t k = 1; 2 * k <= n; ++k) {
      out[k] = 2 * k == n ? Complex(in[k].real()) : in[k];
      out[n - k] = std::conj(out[k]);
    }
  });
  grid.transform(last, 1);
  give(call, grid, scale_of(call.integer(2), points_of(grid.sizes, dims)));
}

}  // namespace litz::kernels
