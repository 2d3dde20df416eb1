#include "litz_corpus/judge.h"

#include <array>
#include <cmath>

#include "support/text.h"
#include "types/compare.h"

namespace litz::corpus {
namespace {

// Allowed error as a share of the output's largest magnitude.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64:
    case DType::c128:
      return 1e-9;
    case DType::f16:
    case DType::c32:
      return 0x1p-9;
    case DType::bf16:
      return 0x1p-6;
    case DType::f8e4m3fn:
    case DType::f8e4m3fnuz:
      return 0x1p-3;
    case DType::f8e5m2:
    case DType::f8e5m2fnuz:
    case DType::f8e8m0fnu:
      return 0x1p-2;
    default:
      return 1e-4;
  }
}

std::string shape_text(const std::vector<int64_t>& sizes) { return "[" + join(sizes, ", ") + "]"; }

// The elements of `actual` that were recorded.
Tensor recorded_elements(const Tensor& actual, const Tensor& index) {
  const Tensor flat = actual.contiguous();
  const Tensor positions = index.to(DType::i64).contiguous();
  const int64_t count = positions.numel();
  Tensor chosen = Tensor::empty(actual.dtype(), {count});
  const auto item = static_cast<size_t>(item_size(actual.dtype()));
  const auto* where = reinterpret_cast<const int64_t*>(positions.data());
  for (int64_t i = 0; i < count; ++i) {
    std::copy_n(flat.data() + static_cast<size_t>(where[i]) * item, item,
                chosen.mutable_data() + static_cast<size_t>(i) * item);
  }
  return chosen;
}

std::vector<int64_t> squeezed(std::vector<int64_t> sizes) {
  std::erase(sizes, 1);
  return sizes;
}

struct Distance {
  double worst = 0;
  double mean_square = 0;
};

Distance distance(const Tensor& a, const Tensor& b) {
  const Tensor left = a.to(DType::f64).contiguous();
  const Tensor right = b.to(DType::f64).contiguous();
  const auto* x = reinterpret_cast<const double*>(left.data());
  const auto* y = reinterpret_cast<const double*>(right.data());
  Distance result;
  double sum = 0;
  const int64_t count = left.numel();
  for (int64_t i = 0; i < count; ++i) {
    const double gap = std::abs(x[i] - y[i]);
    // NaN on only one side is an infinite distance.
    const bool agree = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]));
    const double error = agree ? 0 : (std::isnan(gap) ? INFINITY : gap);
    result.worst = std::max(result.worst, error);
    sum += error * error;
  }
  result.mean_square = count > 0 ? sum / static_cast<double>(count) : 0;
  return result;
}

// A reduced-precision model result may differ from PyTorch's in every bit and still be as good:
// both are judged by their distance to the float32 model.
Judgement judge_by_reference(const Tensor& actual, const RecordedOutput& recorded) {
  constexpr double kMoreMeanError = 1.25;
  constexpr double kMoreWorstError = 2.0;
  const Distance ours = distance(actual, recorded.reference);
  const Distance theirs = distance(recorded.values, recorded.reference);
  Judgement result;
  result.error = recorded.magnitude > 0 ? ours.worst / recorded.magnitude : ours.worst;
  result.right = std::sqrt(ours.mean_square) <= kMoreMeanError * std::sqrt(theirs.mean_square) &&
                 ours.worst <= kMoreWorstError * theirs.worst;
  if (!result.right) {
    result.reason = "distance to the float32 model (rms " +
                    format_double(std::sqrt(ours.mean_square)) + ", worst " +
                    format_double(ours.worst) + ") exceeds PyTorch's own (rms " +
                    format_double(std::sqrt(theirs.mean_square)) + ", worst " +
                    format_double(theirs.worst) + ")";
  }
  return result;
}

// Real parts of complex elements, then imaginary ones, count as separate elements.
std::vector<double> doubles(const Tensor& tensor) {
  const bool complex = is_complex(tensor.dtype());
  const Tensor wide = tensor.to(complex ? DType::c128 : DType::f64).contiguous();
  const auto* first = reinterpret_cast<const double*>(wide.data());
  return {first, first + wide.numel() * (complex ? 2 : 1)};
}

// Cancellation and overflow can make two equally good results of few bits differ. Both are then
// measured by their distance to the result in double precision. Elements for which PyTorch's own
// error is infinite are ignored.
bool is_as_exact(const Tensor& actual, const RecordedOutput& recorded) {
  if (!recorded.exact.defined() || recorded.exact.sizes() != actual.sizes()) return false;
  if (!is_floating(actual.dtype()) && !is_complex(actual.dtype())) return false;
  constexpr double kMoreWorstError = 2.0;
  const std::vector<double> ours = doubles(actual);
  const std::vector<double> theirs = doubles(recorded.values);
  const std::vector<double> exact = doubles(recorded.exact);
  // Near the largest number of the dtype, the best rounding may be infinite although PyTorch's sum
  // is finite.
  const std::vector<double> rounded = doubles(recorded.exact.to(actual.dtype()));
  if (ours.size() != exact.size() || theirs.size() != exact.size()) return false;
  double worst = 0;
  double magnitude = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    const double gap = std::abs(theirs[i] - exact[i]);
    if (std::isfinite(gap)) worst = std::max(worst, gap);
    if (std::isfinite(exact[i])) magnitude = std::max(magnitude, std::abs(exact[i]));
  }
  const double allowed = std::max(kMoreWorstError * worst, tolerance(actual.dtype()) * magnitude);
  const auto agree = [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); };
  for (size_t i = 0; i < exact.size(); ++i) {
    if (agree(ours[i], theirs[i]) || agree(ours[i], rounded[i])) continue;
    const bool says_nothing = !std::isfinite(theirs[i] - exact[i]) && !agree(theirs[i], exact[i]);
    if (!says_nothing && !(std::abs(ours[i] - exact[i]) <= allowed)) return false;
  }
  return true;
}

}  // namespace

Tensor with_dtype(const Tensor& stored, DType dtype) {
  if (stored.dtype() == dtype || item_size(stored.dtype()) != item_size(dtype)) return stored;
  if (!is_integer(stored.dtype()) || is_integer(dtype) || dtype == DType::bool_) return stored;
  return {dtype, stored.sizes(), stored.strides(), stored.offset(), stored.storage()};
}

Judgement judge(const Tensor& actual, const RecordedOutput& recorded, const Yardstick& yardstick) {
  RecordedOutput expected = recorded;
  expected.values = with_dtype(expected.values, actual.dtype());
  // Reduced-precision results of models are recorded as float32, beside the float32 model's.
  if (recorded.reference.defined() && is_half(actual.dtype())) {
    expected.values = expected.values.to(actual.dtype());
  }
  if (actual.dtype() != expected.values.dtype()) {
    return {false, INFINITY,
            "dtype is " + std::string(torch_name(actual.dtype())) + ", recorded " +
                std::string(torch_name(expected.values.dtype()))};
  }
  Tensor values = actual;
  if (expected.index.defined()) {
    values = recorded_elements(actual, expected.index);
  } else if (expected.values.rank() == 1 && actual.rank() != 1 && recorded.magnitude != 0) {
    values = actual.contiguous().view({actual.numel()}, {1}, actual.contiguous().offset());
  }
  // The sizes of an output are those of its archive, which were checked against each node's own.
  // Some old exporters stated other sizes for a decomposed program than those of its array.
  if (values.numel() == expected.values.numel() && values.sizes() != expected.values.sizes() &&
      squeezed(values.sizes()) == squeezed(expected.values.sizes())) {
    expected.values = expected.values.contiguous().view(
        values.sizes(), contiguous_strides(values.sizes()), expected.values.contiguous().offset());
  }
  if (values.sizes() != expected.values.sizes()) {
    return {false, INFINITY,
            "sizes are " + shape_text(values.sizes()) + ", recorded " +
                shape_text(expected.values.sizes())};
  }
  if (yardstick.random) return {true, 0, ""};
  if (expected.reference.defined()) return judge_by_reference(values, expected);

  Comparison comparison = compare(values, expected.values, 0, 0);
  const double magnitude = std::max(recorded.magnitude, comparison.expected_magnitude);
  const Tolerance allowed =
      yardstick.stated.value_or(Tolerance{0, tolerance(actual.dtype()) * magnitude});
  comparison = compare(values, expected.values, allowed.rtol, allowed.atol);
  const bool right = comparison.values_match() || is_as_exact(values, expected);
  Judgement result{right, comparison.worst_absolute, ""};
  if (magnitude > 0) result.error /= magnitude;
  if (!result.right) result.reason = comparison.message();
  return result;
}

}  // namespace litz::corpus
