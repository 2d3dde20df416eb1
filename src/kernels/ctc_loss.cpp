// Connectionist temporal classification: the probability that a sequence of class distributions
// spells the targets, without blanks and repeats (Graves et al., 2006), by recursion on logarithms.

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <vector>

#include "kernels/functions.h"
#include "support/check.h"

namespace litz::kernels {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// The logarithm of the sum of the exponentials of the terms. NaN and infinity give NaN.
double log_sum(std::initializer_list<double> terms) {
  double largest = *terms.begin();
  for (const double term : terms) {
    if (term > largest) largest = term;
  }
  if (largest == kImpossible) largest = 0;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return std::log(sum) + largest;
}

// Lengths given as a list or as a tensor.
std::vector<int64_t> lengths_at(const LibraryCall& call, size_t i, int64_t count) {
  std::vector<int64_t> lengths;
  const bool is_tensor =
      i < call.arguments.size() && std::holds_alternative<Tensor>(call.arguments[i]);
  if (is_tensor) {
    const Tensor wide = call.tensor(i).to(DType::i64).contiguous();
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

// One sequence of distributions and its target: labels with blanks before, between and after them.
// Each such position is a state; sums over paths are stored for every time and state.
struct Sequence {
  const double* values = nullptr;
  int64_t step = 0;  // Between times.
  int64_t length = 0;
  int64_t blank = 0;
  std::vector<int64_t> labels;

  int64_t states() const { return static_cast<int64_t>(2 * labels.size() + 1); }

  int64_t label(int64_t state) const {
    return state % 2 == 0 ? blank : labels[static_cast<size_t>(state / 2)];
  }

  double value(int64_t t, int64_t state) const { return values[t * step + label(state)]; }

  // A blank may be skipped between different labels.
  bool may_skip_before(int64_t state) const {
    return state > 1 && state % 2 == 1 && label(state) != label(state - 2);
  }
};

// Logarithms of the total probability of all path prefixes that are in a state at a time.
std::vector<double> beginnings(const Sequence& sequence) {
  const int64_t states = sequence.states();
  std::vector<double> alpha(static_cast<size_t>(sequence.length * states), kImpossible);
  for (int64_t s = 0; sequence.length > 0 && s < std::min<int64_t>(states, 2); ++s) {
    alpha[static_cast<size_t>(s)] = sequence.value(0, s);
  }
  for (int64_t t = 1; t < sequence.length; ++t) {
    const double* before = alpha.data() + (t - 1) * states;
    for (int64_t s = 0; s < states; ++s) {
      const double skipped = sequence.may_skip_before(s) ? before[s - 2] : kImpossible;
      const double total = log_sum({before[s], s > 0 ? before[s - 1] : kImpossible, skipped});
      alpha[static_cast<size_t>(t * states + s)] = total + sequence.value(t, s);
    }
  }
  return alpha;
}

// The same sums from the ends of paths.
std::vector<double> ends(const Sequence& sequence) {
  const int64_t states = sequence.states();
  std::vector<double> beta(static_cast<size_t>(sequence.length * states), kImpossible);
  for (int64_t s = std::max<int64_t>(states - 2, 0); sequence.length > 0 && s < states; ++s) {
    beta[static_cast<size_t>((sequence.length - 1) * states + s)] =
        sequence.value(sequence.length - 1, s);
  }
  for (int64_t t = sequence.length - 2; t >= 0; --t) {
    const double* after = beta.data() + (t + 1) * states;
    for (int64_t s = 0; s < states; ++s) {
      const bool may_skip = s + 2 < states && sequence.may_skip_before(s + 2);
      const double total = log_sum({after[s], s + 1 < states ? after[s + 1] : kImpossible,
                                    may_skip ? after[s + 2] : kImpossible});
      beta[static_cast<size_t>(t * states + s)] = total + sequence.value(t, s);
    }
  }
  return beta;
}

// The negative logarithm of the probability of the labels.
double negative_log_likelihood(const Sequence& sequence, const std::vector<double>& alpha) {
  if (sequence.length == 0) return sequence.labels.empty() ? 0 : -kImpossible;
  const double last = alpha.back();
  return -(sequence.states() > 1 ? log_sum({last, alpha[alpha.size() - 2]}) : last);
}

// Targets as rows of a matrix, or one after another.
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
  require(is_matrix || start == targets.numel(),
          "targets one behind another must be as many as their lengths say:", targets.numel(),
          start);
  return labels;
}

// The sequences of a call.
class Batch {
 public:
  /// Scores, targets and lengths begin at argument `first`.
  Batch(const LibraryCall& call, size_t first, int64_t blank)
      : scores_(call.tensor(first)), wide_(scores_.to(DType::f64).contiguous()) {
    require(scores_.rank() == 2 || scores_.rank() == 3,
            "ctc_loss needs scores of times, sequences and classes, got rank", scores_.rank());
    const int64_t classes = scores_.sizes().back();
    require(blank >= 0 && blank < classes, "the blank must be a class:", blank, classes);
    count_ = scores_.rank() == 3 ? scores_.sizes()[1] : 1;
    const std::vector<int64_t> lengths = lengths_at(call, first + 2, count_);
    const auto labels =
        labels_of(call.tensor(first + 1), lengths_at(call, first + 3, count_), classes);
    for (int64_t i = 0; i < count_; ++i) {
      const auto n = static_cast<size_t>(i);
      require(lengths[n] >= 0 && lengths[n] <= times(),
              "a sequence must be as long as its length says:", lengths[n], times());
      sequences_.push_back({.values = reinterpret_cast<const double*>(wide_.data()) + i * classes,
                            .step = count_ * classes,
                            .length = lengths[n],
                            .blank = blank,
                            .labels = labels[n]});
      most_states_ = std::max(most_states_, sequences_.back().states());
    }
  }

  const Sequence& operator[](int64_t i) const { return sequences_[static_cast<size_t>(i)]; }

  int64_t count() const { return count_; }

  int64_t times() const { return scores_.sizes()[0]; }

  int64_t classes() const { return scores_.sizes().back(); }

  int64_t most_states() const { return most_states_; }

 private:
  const Tensor& scores_;
  Tensor wide_;
  int64_t count_ = 0;
  int64_t most_states_ = 1;
  std::vector<Sequence> sequences_;
};

// Logarithms per class of the probability of all paths that give it at time t.
void add_paths(const Sequence& sequence, int64_t t, const double* alpha, const double* beta,
               double* sums) {
  const int64_t states = sequence.states();
  // Only the two last states of the last time count, the label before the blank.
  if (t == sequence.length - 1) {
    for (int64_t s = states - 1; s >= std::max<int64_t>(states - 2, 0); --s) {
      sums[sequence.label(s)] = alpha[s] + beta[t * states + s];
    }
    return;
  }
  // From the last state to the first: a path of infinite weight is NaN after others, not before
  // impossible ones.
  for (int64_t s = states - 1; s >= 0; --s) {
    double& sum = sums[sequence.label(s)];
    const double paths = alpha[s] + beta[t * states + s];
    sum = sum == kImpossible ? paths : log_sum({sum, paths});
  }
}

}  // namespace

void ctc_loss(LibraryCall& call) {
  const Batch batch(call, 0, call.integer(4));
  const int64_t reduction = call.integer(5);
  const bool zero_infinity = call.flag(6);
  std::vector<double> losses;
  for (int64_t i = 0; i < batch.count(); ++i) {
    const Sequence& sequence = batch[i];
    double loss = negative_log_likelihood(sequence, beginnings(sequence));
    if (zero_infinity && loss == -kImpossible) loss = 0;
    if (reduction == 1) loss /= static_cast<double>(std::max<size_t>(sequence.labels.size(), 1));
    losses.push_back(loss);
  }
  Tensor& result = call.results[0];
  if (reduction == 0) {
    result.copy_from(Tensor::of(DType::f64, result.sizes(), std::span<const double>(losses)));
    return;
  }
  double total = 0;
  for (const double loss : losses) total += loss;
  if (reduction == 1) total /= static_cast<double>(batch.count());
  result.copy_from(Tensor::scalar(DType::f64, total));
}

void ctc_loss_forward(LibraryCall& call) {
  const Batch batch(call, 0, call.integer(4));
  const int64_t width = batch.most_states();
  const std::vector<int64_t> sizes{batch.count(), batch.times(), width};
  std::vector<double> losses;
  // States that no path reaches, or after a sequence or its labels, are impossible.
  std::vector<double> table(static_cast<size_t>(batch.count() * batch.times() * width),
                            kImpossible);
  for (int64_t i = 0; i < batch.count(); ++i) {
    const Sequence& sequence = batch[i];
    const std::vector<double> alpha = beginnings(sequence);
    losses.push_back(negative_log_likelihood(sequence, alpha));
    for (int64_t t = 0; t < sequence.length; ++t) {
      std::copy_n(alpha.data() + t * sequence.states(), sequence.states(),
                  table.data() + (i * batch.times() + t) * width);
    }
  }
  call.results[0].copy_from(
      Tensor::of(DType::f64, call.results[0].sizes(), std::span<const double>(losses)));
  if (!call.results[1].defined()) call.results[1] = Tensor::empty(call.tensor(0).dtype(), sizes);
  call.results[1].copy_from(Tensor::of(DType::f64, sizes, std::span<const double>(table)));
}

void ctc_loss_backward(LibraryCall& call) {
  const Batch batch(call, 1, call.integer(7));
  const bool zero_infinity = call.flag(8);
  const auto reals = [&](size_t i) { return call.tensor(i).to(DType::f64).contiguous(); };
  const Tensor gradients = reals(0);
  const Tensor losses = reals(5);
  const Tensor table = reals(6);
  require(gradients.numel() == batch.count() && losses.numel() == batch.count(),
          "ctc_loss needs a loss and its gradient for every sequence:", losses.numel(),
          gradients.numel(), batch.count());
  const int64_t width = table.rank() == 0 ? 0 : table.sizes().back();
  require(width >= batch.most_states() && table.numel() == batch.count() * batch.times() * width,
          "log_alpha must have a place for every label and the blanks around it:", width,
          batch.most_states());
  const int64_t step = batch.count() * batch.classes();
  std::vector<double> result(static_cast<size_t>(batch.times() * step));
  std::vector<double> sums(static_cast<size_t>(batch.classes()));
  for (int64_t i = 0; i < batch.count(); ++i) {
    const Sequence& sequence = batch[i];
    const double gradient = reinterpret_cast<const double*>(gradients.data())[i];
    const double loss = reinterpret_cast<const double*>(losses.data())[i];
    if (zero_infinity && loss == -kImpossible) continue;
    const std::vector<double> beta = ends(sequence);
    for (int64_t t = 0; t < sequence.length; ++t) {
      std::ranges::fill(sums, kImpossible);
      const double* alpha =
          reinterpret_cast<const double*>(table.data()) + (i * batch.times() + t) * width;
      add_paths(sequence, t, alpha, beta.data(), sums.data());
      for (int64_t c = 0; c < batch.classes(); ++c) {
        const double score = sequence.values[t * sequence.step + c];
        const double expected = std::exp(sums[static_cast<size_t>(c)] + loss - score);
        result[static_cast<size_t>(t * step + i * batch.classes() + c)] =
            (std::exp(score) - expected) * gradient;
      }
    }
  }
  call.results[0].copy_from(
      Tensor::of(DType::f64, call.results[0].sizes(), std::span<const double>(result)));
}

}  // namespace litz::kernels
