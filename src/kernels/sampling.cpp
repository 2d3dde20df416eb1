// Random numbers by rejection sampling. Each element has its own draws, so results depend only on
// key, stream and position.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/functions.h"
#include "kernels/result_sizes.h"
#include "support/check.h"
#include "support/philox.h"

namespace litz::kernels {
namespace {

/// Uniform numbers in (0, 1) for one element: up to 2^20 of them.
class ElementDraws {
 public:
  ElementDraws(int64_t key, int64_t place) : key_(key), counter_(place << 20) {}

  double uniform() {
    const auto bits = static_cast<uint64_t>(philox_bits(key_, counter_++));
    return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
  }

  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(2 * M_PI * uniform());
  }

 private:
  int64_t key_;
  int64_t counter_;
};

double log_factorial(double n) {
  int sign = 0;
  return lgamma_r(n + 1, &sign);
}

/// Hörmann, "The transformed rejection method for generating Poisson random variables", 1993: PTRS.
double large_poisson(double rate, ElementDraws& draws) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double accepted = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = draws.uniform() - 0.5;
    const double v = draws.uniform();
    const double s = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / s + b) * u + rate + 0.43);
    if (s >= 0.07 && v <= accepted) return k;
    if (k < 0 || (s < 0.013 && v > s)) continue;
    const double height = std::log(v) + std::log(inverse_alpha) - std::log(a / (s * s) + b);
    if (height <= k * log_rate - rate - log_factorial(k)) return k;
  }
}

double poisson(double rate, ElementDraws& draws) {
  require(rate >= 0, "the rate of Poisson numbers must not be negative, got", rate);
  if (rate >= 10) return large_poisson(rate, draws);
  // Counts the exponential waits of mean 1 that fit into `rate`, as a product.
  const double limit = std::exp(-rate);
  double count = -1;
  for (double product = 1; product > limit; product *= draws.uniform()) ++count;
  return std::max(count, 0.0);
}

/// Hörmann, "The generation of binomial random variates", 1993: BTRS, for count * p >= 10.
double large_binomial(double count, double p, ElementDraws& draws) {
  const double spread = std::sqrt(count * p * (1 - p));
  const double b = 1.15 + 2.53 * spread;
  const double a = -0.0873 + 0.0248 * b + 0.01 * p;
  const double center = count * p + 0.5;
  const double accepted = 0.92 - 4.2 / b;
  const double alpha = (2.83 + 5.1 / b) * spread;
  const double mode = std::floor((count + 1) * p);
  const double log_odds = std::log(p / (1 - p));
  const double at_mode = log_factorial(mode) + log_factorial(count - mode);
  while (true) {
    const double u = draws.uniform() - 0.5;
    const double v = draws.uniform();
    const double s = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / s + b) * u + center);
    if (k < 0 || k > count) continue;
    if (s >= 0.07 && v <= accepted) return k;
    const double height = std::log(v * alpha / (a / (s * s) + b));
    const double share = at_mode - log_factorial(k) - log_factorial(count - k);
    if (height <= share + (k - mode) * log_odds) return k;
  }
}

double binomial(double count, double p, ElementDraws& draws) {
  if (std::isnan(count) || std::isnan(p)) return std::numeric_limits<double>::quiet_NaN();
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  if (p > 0.5) return count - binomial(count, 1 - p, draws);
  if (count * p >= 10) return large_binomial(count, p, draws);
  // Failures between successes are geometric.
  const double log_failure = std::log1p(-p);
  double successes = 0;
  double trials = 0;
  while (true) {
    trials += std::ceil(std::log(draws.uniform()) / log_failure);
    if (trials > count) return successes;
    ++successes;
  }
}

/// Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
double gamma(double shape, ElementDraws& draws) {
  if (!(shape > 0)) return std::isnan(shape) ? shape : 0;
  if (std::isinf(shape)) return shape;  // The loop below would accept no draw.
  double scale = 1;
  if (shape < 1) {
    scale = std::pow(draws.uniform(), 1 / shape);
    shape += 1;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = draws.normal();
    const double t = 1 + c * x;
    if (t <= 0) continue;
    const double v = t * t * t;
    if (std::log(draws.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return scale * d * v;
  }
}

/// The key of a node's numbers. Lowering appends the key around the node and the stream of the node
/// to the arguments of calls that draw.
int64_t key_of(const LibraryCall& call) {
  const size_t count = call.arguments.size();
  return sub_key(call.integer(count - 2), call.integer(count - 1));
}

std::span<const double> doubles(const Tensor& tensor) {
  return {reinterpret_cast<const double*>(tensor.data()), static_cast<size_t>(tensor.numel())};
}

/// A gamma distributed number is positive, even if its dtype cannot represent one so small.
double least_positive(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return std::numeric_limits<double>::min();
    case DType::f16:
      return 0x1p-14;
    default:
      return std::numeric_limits<float>::min();
  }
}

/// `tensor` broadcast to the sizes.
Tensor expanded(const Tensor& tensor, const std::vector<int64_t>& sizes) {
  std::vector<int64_t> strides(sizes.size(), 0);
  require(tensor.rank() <= sizes.size(), ErrorCode::corrupt,
          "numbers must broadcast, ranks:", tensor.rank(), sizes.size());
  const size_t added = sizes.size() - tensor.rank();
  for (size_t d = added; d < sizes.size(); ++d) {
    const int64_t size = tensor.sizes()[d - added];
    require(size == 1 || size == sizes[d], ErrorCode::corrupt,
            "numbers must broadcast, sizes:", size, sizes[d]);
    if (size != 1) strides[d] = tensor.strides()[d - added];
  }
  return tensor.view(sizes, std::move(strides), tensor.offset());
}

Tensor dense_doubles(const Tensor& tensor) { return tensor.to(DType::f64).contiguous(); }

/// Fills result 0 with number(place, draws), in row-major order.
template <typename Number>
void fill(LibraryCall& call, const Number& number) {
  const int64_t key = key_of(call);
  require_sizes(call.results[0], call.tensor(0).sizes(), call.function);
  Tensor values = Tensor::empty(DType::f64, call.results[0].sizes());
  auto* elements = reinterpret_cast<double*>(values.mutable_data());
  for (int64_t i = 0; i < values.numel(); ++i) {
    ElementDraws draws(key, i);
    elements[i] = number(static_cast<size_t>(i), draws);
  }
  call.results[0].copy_from(values.to(call.results[0].dtype()));
}

}  // namespace

void sample_poisson(LibraryCall& call) {
  const Tensor rates = dense_doubles(call.tensor(0));
  fill(call, [&](size_t i, ElementDraws& draws) { return poisson(doubles(rates)[i], draws); });
}

void sample_binomial(LibraryCall& call) {
  const Tensor counts = dense_doubles(call.tensor(0));
  const Tensor probabilities = dense_doubles(expanded(call.tensor(1), call.tensor(0).sizes()));
  fill(call, [&](size_t i, ElementDraws& draws) {
    return binomial(doubles(counts)[i], doubles(probabilities)[i], draws);
  });
}

void sample_gamma(LibraryCall& call) {
  const Tensor shapes = dense_doubles(call.tensor(0));
  const double least = least_positive(call.results[0].dtype());
  fill(call, [&](size_t i, ElementDraws& draws) {
    const double number = gamma(doubles(shapes)[i], draws);
    return number < least ? least : number;
  });
}

void sample_dirichlet(LibraryCall& call) {
  const Tensor shapes = dense_doubles(call.tensor(0));
  const int64_t key = key_of(call);
  Tensor values = Tensor::empty(DType::f64, shapes.sizes());
  auto* elements = reinterpret_cast<double*>(values.mutable_data());
  const int64_t width = shapes.rank() == 0 ? 1 : shapes.sizes().back();
  for (int64_t row = 0; row < values.numel(); row += width) {
    double sum = 0;
    for (int64_t i = row; i < row + width; ++i) {
      ElementDraws draws(key, i);
      elements[i] = gamma(doubles(shapes)[static_cast<size_t>(i)], draws);
      sum += elements[i];
    }
    for (int64_t i = row; i < row + width; ++i) elements[i] /= sum;
  }
  call.results[0].copy_from(values.to(call.results[0].dtype()));
}

}  // namespace litz::kernels
