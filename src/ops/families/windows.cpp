// Window functions of signal processing, and the frequencies of a Fourier transform's results.
//
// A periodic window is the window that is one sample longer, without its last sample. Steps and
// constants are PyTorch's, so that windows agree to the last bits.

#include <array>
#include <numbers>

#include "ops/composite.h"
#include "ops/families/families.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Argument;
using ir::Value;

DType window_dtype(const Call& call) {
  const DType dtype = call.dtype().value_or(DType::f32);
  require(is_floating(dtype), "windows are of floating dtypes:", call.op().name(), name(dtype));
  return dtype;
}

// 0, 1, ... in the result's dtype and on its device.
Value counted(const DecomposeCall& call, int64_t start, int64_t end, DType dtype) {
  return call.aten("arange.start", {Expr(start), Expr(end), dtype, {}, call.pass("device"), {}});
}

Value times(const DecomposeCall& call, Value x, double factor) {
  return call.aten("mul.Scalar", {x, Expr::real(factor)});
}

Value plus(const DecomposeCall& call, Value x, double term) {
  return call.aten("add.Scalar", {x, Expr::real(term)});
}

// Computes a window from its samples' positions 0, 1, ...; `last` is the position of its final
// sample.
using Shape = Value (*)(const DecomposeCall& call, Value position, double last);

std::vector<Value> windowed(const DecomposeCall& call, Shape shape) {
  const DType dtype = window_dtype(call);
  const int64_t length = call.integer("window_length");
  require(length >= 0, "a window must not have a negative length:", call.op().name(), length);
  const bool is_periodic = !call.has("periodic") || call.flag("periodic");
  if (length <= 1) {
    return {call.aten("ones", {ir::Scalars{Expr(length)}, dtype, {}, call.pass("device")})};
  }
  const int64_t last = is_periodic ? length : length - 1;
  return {shape(call, counted(call, 0, length, dtype), static_cast<double>(last))};
}

double number_or(const Call& call, std::string_view name, double otherwise) {
  return call.has(name) ? call.real(name) : otherwise;
}

// alpha - beta cos(2 pi i / last)
Value cosine(const DecomposeCall& call, Value position, double last, double alpha, double beta) {
  const Value angle = times(call, position, 2 * std::numbers::pi / last);
  return plus(call, times(call, call.aten("cos", {angle}), -beta), alpha);
}

Value hann(const DecomposeCall& call, Value position, double last) {
  return cosine(call, position, last, 0.5, 0.5);
}

Value hamming(const DecomposeCall& call, Value position, double last) {
  return cosine(call, position, last, number_or(call, "alpha", 0.54),
                number_or(call, "beta", 0.46));
}

Value blackman(const DecomposeCall& call, Value position, double last) {
  const Value angle = times(call, position, std::numbers::pi / last);
  const auto harmonic = [&](double factor, double size) {
    return times(call, call.aten("cos", {times(call, angle, factor)}), size);
  };
  return plus(call, call.aten("sub.Tensor", {harmonic(4, 0.08), harmonic(2, 0.5)}), 0.42);
}

// Rises to 1 and falls again.
Value bartlett(const DecomposeCall& call, Value position, double last) {
  const Value rising = times(call, position, 2 / last);
  const Value falling = plus(call, times(call, rising, -1), 2);
  // The middle sample of an odd number belongs to the rising half.
  const auto middle = static_cast<int64_t>(last) / 2;
  const Value is_rising = call.aten("le.Scalar", {position, Expr(middle)});
  return call.aten("where.self", {is_rising, rising, falling});
}

Value kaiser(const DecomposeCall& call, Value position, double last) {
  const double beta = number_or(call, "beta", 12);
  const double middle = last / 2;
  // PyTorch rounds halves at the end only.
  const DType dtype = position.tensor().dtype;
  position = call.to(position, compute_dtype(dtype));
  const Value from_middle =
      call.aten("div.Scalar", {plus(call, position, -middle), Expr::real(middle)});
  const Value squared = call.aten("mul.Tensor", {from_middle, from_middle});
  const Value root = call.aten("sqrt", {plus(call, times(call, squared, -1), 1)});
  const Value peak = call.aten("full", {ir::Scalars{}, Expr::real(beta), position.tensor().dtype});
  return call.to(call.aten("div.Tensor",
                           {call.aten("i0", {times(call, root, beta)}), call.aten("i0", {peak})}),
                 dtype);
}

template <Shape kShape>
std::vector<Value> window(DecomposeCall& call) {
  return windowed(call, kShape);
}

// --- frequencies ---

double bin_width(const Call& call) {
  return 1.0 / (static_cast<double>(call.integer("n")) * call.real("d"));
}

// 0, 1, ... up to the middle, then the negative frequencies.
std::vector<Value> frequencies(DecomposeCall& call) {
  const DType dtype = window_dtype(call);
  const double width = bin_width(call);
  const int64_t n = call.integer("n");
  require(n >= 0, "a transform must not have a negative size:", call.op().name(), n);
  const Value both = call.aten("cat", {std::vector{counted(call, 0, (n + 1) / 2, dtype),
                                                   counted(call, -(n / 2), 0, dtype)}});
  return {times(call, both, width)};
}

std::vector<Value> real_frequencies(DecomposeCall& call) {
  const DType dtype = window_dtype(call);
  // PyTorch checks the number of frequencies only.
  const int64_t count = call.integer("n") / 2 + 1;
  require(count >= 0, "a transform must not have a negative size:", call.op().name(),
          call.integer("n"));
  return {times(call, counted(call, 0, count, dtype), bin_width(call))};
}

constexpr std::array kLength{"(7)"sv, "(8, dtype=f64)"sv, "(1)"sv, "(0)"sv};
constexpr std::array kPeriodic{"(7, False)"sv, "(8, True)"sv};
constexpr std::array kAlpha{"(7, False, 0.6)"sv};
constexpr std::array kAlphaBeta{"(7, False, 0.6, 0.3)"sv};
constexpr std::array kBeta{"(7, False, 5.0)"sv};
constexpr std::array kFrequencies{"(7)"sv, "(8, 0.5, dtype=f64)"sv};

constexpr std::string_view kHann = "0.5 - 0.5 cos over the window.";
constexpr std::string_view kHamming = "alpha - beta cos over the window.";
constexpr std::string_view kBlackman = "0.42 - 0.5 cos + 0.08 cos of twice the angle.";
constexpr std::string_view kBartlett = "A triangle from 0 to 1 to 0.";
constexpr std::string_view kKaiser =
    "The Bessel function i0 of beta times a half circle, 1 at most.";

constexpr std::array kOps{
    composite("aten.bartlett_window(int window_length, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBartlett, window<bartlett>, {.calls = kLength}),
    composite("aten.bartlett_window.periodic(int window_length, bool periodic, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kBartlett, window<bartlett>, {.calls = kPeriodic}),
    composite("aten.blackman_window(int window_length, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kBlackman, window<blackman>, {.calls = kLength}),
    composite("aten.blackman_window.periodic(int window_length, bool periodic, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kBlackman, window<blackman>, {.calls = kPeriodic}),
    composite("aten.hamming_window(int window_length, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kHamming, window<hamming>, {.calls = kLength}),
    composite("aten.hamming_window.periodic(int window_length, bool periodic, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kHamming, window<hamming>, {.calls = kPeriodic}),
    composite("aten.hamming_window.periodic_alpha(int window_length, bool periodic, float "
              "alpha, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None) -> Tensor",
              kHamming, window<hamming>, {.calls = kAlpha}),
    composite("aten.hamming_window.periodic_alpha_beta(int window_length, bool periodic, "
              "float alpha, float beta, *, ScalarType? dtype=None, Layout? layout=None, "
              "Device? device=None, bool? pin_memory=None) -> Tensor",
              kHamming, window<hamming>, {.calls = kAlphaBeta}),
    composite("aten.hann_window(int window_length, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kHann, window<hann>, {.calls = kLength}),
    composite("aten.hann_window.periodic(int window_length, bool periodic, *, ScalarType? "
              "dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kHann, window<hann>, {.calls = kPeriodic}),
    composite("aten.kaiser_window(int window_length, *, ScalarType? dtype=None, Layout? "
              "layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              kKaiser, window<kaiser>, {.calls = kLength}),
    composite("aten.kaiser_window.beta(int window_length, bool periodic, float beta, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kKaiser, window<kaiser>, {.calls = kBeta}),
    composite("aten.kaiser_window.periodic(int window_length, bool periodic, *, "
              "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? "
              "pin_memory=None) -> Tensor",
              kKaiser, window<kaiser>, {.calls = kPeriodic}),
    composite("aten.fft_fftfreq(int n, float d=1.0, *, ScalarType? dtype=None, "
              "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              "Frequencies of the results of fft, for samples d apart.", frequencies,
              {.calls = kFrequencies}),
    composite("aten.fft_rfftfreq(int n, float d=1.0, *, ScalarType? dtype=None, "
              "Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              "Frequencies of the results of rfft, for samples d apart.", real_frequencies,
              {.calls = kFrequencies}),
};

}  // namespace

std::span<const OpDef> window_ops() { return kOps; }

}  // namespace litz::ops
