// Connectionist temporal classification: the probability that a sequence of class distributions
// spells the targets, blanks and repeats left out (Graves et al., 2006), by recursion on logs.

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  if (larger == kImpossible) return kImpossible;
  return larger + std::log(std::exp(a - larger) + std::exp(b - larger));
}

// Lengths given as a list or as a tensor.
std::vector<int64_t> lengths_at(const LibraryCall& call, size_t i, int64_t count) {
  std::vector<int64_t> lengths;
  if (const auto* tensor = std::get_if<Tensor>(&call.arguments[i])) {
    const Tensor wide = tensor->to(DType::i64).contiguous();
    const auto* data = reinterpret_cast<const int64_t*>(wide.data());
    lengths.assign(data, data + wide.numel());
  } else {
    const std::span<const int64_t> given = call.integers(i);
    lengths.assign(given.begin(), given.end());
  }
  require(static_cast<int64_t>(lengths.size()) == count,
          "ctc_loss needs a length for every sequence:", lengths.size(), count);
  return lengths;
}

// The distributions of one sequence.
struct Sequence {
  const double* values;
  int64_t step;  // Between times.
  int64_t length;
};

// The negative logarithm of the probability of `labels`.
double negative_log_likelihood(const Sequence& sequence, const std::vector<int64_t>& labels,
                               int64_t blank) {
  // Blanks before, between and after the labels.
  const auto states = static_cast<int64_t>(2 * labels.size() + 1);
  const auto label = [&](int64_t state) {
    return state % 2 == 0 ? blank : labels[static_cast<size_t>(state / 2)];
  };
  if (sequence.length == 0) return labels.empty() ? 0 : -kImpossible;
  std::vector<double> alpha(static_cast<size_t>(states), kImpossible);
  std::vector<double> next(alpha.size());
  for (int64_t state = 0; state < std::min<int64_t>(states, 2); ++state) {
    alpha[static_cast<size_t>(state)] = sequence.values[label(state)];
  }
  for (int64_t t = 1; t < sequence.length; ++t) {
    const double* now = sequence.values + t * sequence.step;
    for (int64_t state = 0; state < states; ++state) {
      const auto s = static_cast<size_t>(state);
      double total = alpha[s];
      if (state > 0) total = log_sum(total, alpha[s - 1]);
      // A blank may be skipped between different labels.
      if (state > 1 && state % 2 == 1 && label(state) != label(state - 2)) {
        total = log_sum(total, alpha[s - 2]);
      }
      next[s] = total + now[label(state)];
    }
    std::swap(alpha, next);
  }
  const double last = alpha.back();
  return -(states > 1 ? log_sum(last, alpha[alpha.size() - 2]) : last);
}

// Targets as rows of a matrix, or one behind another.
std::vector<std::vector<int64_t>> labels_of(const Tensor& targets,
                                            const std::vector<int64_t>& lengths, int64_t classes) {
  const Tensor wide = targets.to(DType::i64).contiguous();
  const auto* data = reinterpret_cast<const int64_t*>(wide.data());
  const bool is_matrix = targets.rank() == 2;
  const int64_t width = is_matrix ? targets.sizes()[1] : 0;
  require(!is_matrix || targets.sizes()[0] == static_cast<int64_t>(lengths.size()),
          "ctc_loss needs a row of targets for every sequence:", targets.sizes()[0],
          lengths.size());
  std::vector<std::vector<int64_t>> labels;
  int64_t start = 0;
  for (const int64_t length : lengths) {
    require(length >= 0 && length <= (is_matrix ? width : targets.numel() - start),
            "a target must be as long as its length says:", length, width);
    labels.emplace_back(data + start, data + start + length);
    for (const int64_t label : labels.back()) {
      require(label >= 0 && label < classes, "a target must name a class:", label, classes);
    }
    start += is_matrix ? width : length;
  }
  return labels;
}

}  // namespace

void ctc_loss(LibraryCall& call) {
  const Tensor& given = call.tensor(0);
  const Tensor wide = given.to(DType::f64).contiguous();
  const bool is_batch = given.rank() == 3;
  const int64_t times = given.sizes()[0];
  const int64_t count = is_batch ? given.sizes()[1] : 1;
  const int64_t classes = given.sizes().back();
  const int64_t blank = call.integer(4);
  require(blank >= 0 && blank < classes, "the blank must be a class:", blank, classes);
  const std::vector<int64_t> input_lengths = lengths_at(call, 2, count);
  const std::vector<int64_t> target_lengths = lengths_at(call, 3, count);
  const auto labels = labels_of(call.tensor(1), target_lengths, classes);
  const int64_t reduction = call.integer(5);
  const bool zero_infinity = call.flag(6);
  std::vector<double> losses;
  for (int64_t i = 0; i < count; ++i) {
    const auto n = static_cast<size_t>(i);
    require(input_lengths[n] >= 0 && input_lengths[n] <= times,
            "a sequence must be as long as its length says:", input_lengths[n], times);
    const auto* values = reinterpret_cast<const double*>(wide.data()) + i * classes;
    double loss =
        negative_log_likelihood({values, count * classes, input_lengths[n]}, labels[n], blank);
    if (zero_infinity && std::isinf(loss)) loss = 0;
    if (reduction == 1) loss /= static_cast<double>(std::max<int64_t>(target_lengths[n], 1));
    losses.push_back(loss);
  }
  Tensor& result = call.results[0];
  if (reduction == 0) {
    result.copy_from(Tensor::of(DType::f64, result.sizes(), std::span<const double>(losses)));
    return;
  }
  double total = 0;
  for (const double loss : losses) total += loss;
  if (reduction == 1) total /= static_cast<double>(count);
  result.copy_from(Tensor::scalar(DType::f64, total));
}

}  // namespace litz::kernels
