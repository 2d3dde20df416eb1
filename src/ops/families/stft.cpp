// Short-time Fourier transforms: spectra of overlapping windowed frames of a signal, and their
// inverse.

#include <array>
#include <optional>

#include "ops/bodies.h"
#include "ops/composite.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using loops::Exprs;
using loops::IndexVector;
using loops::KernelBuilder;
using loops::Scalar;

ir::Attribute last_dim() { return ir::Scalars{Expr(2)}; }

struct Frames {
  int64_t points;  // Per frame.
  int64_t hop;
  int64_t window;  // Points of the window, which is centred in the frame.
  bool onesided;
};

Frames frames_of(const Call& call, bool is_complex_signal) {
  Frames frames{};
  frames.points = call.integer("n_fft");
  require(frames.points > 0, "a frame needs at least one point:", frames.points);
  frames.hop = call.has("hop_length") ? call.integer("hop_length") : frames.points / 4;
  frames.window = call.has("win_length") ? call.integer("win_length") : frames.points;
  require(frames.hop > 0, "frames must advance:", frames.hop);
  require(frames.window > 0 && frames.window <= frames.points,
          "a window must fit its frame:", frames.window, frames.points);
  frames.onesided = call.has("onesided") ? call.flag("onesided") : !is_complex_signal;
  require(!frames.onesided || !is_complex_signal,
          "the spectrum of a complex signal has two sides; try onesided=False");
  if (call.has("window")) {
    const TensorType& window = call.type("window");
    require(window.rank() == 1 && !known_not_equal(window.sizes[0], Expr(frames.window)),
            "a window has win_length points:", window, frames.window);
  }
  return frames;
}

// The window padded to a frame; nothing without a window.
std::optional<Value> frame_window(const DecomposeCall& call, const Frames& frames, DType dtype) {
  Value window;
  if (call.has("window")) {
    window = call["window"];
  } else if (frames.window < frames.points) {
    window = call.aten("full", {ir::Attribute(Sizes{Expr(frames.window)}), Expr::real(1), dtype});
  } else {
    return std::nullopt;
  }
  const int64_t left = (frames.points - frames.window) / 2;
  const int64_t right = frames.points - frames.window - left;
  if (left + right == 0) return window;
  return call.aten("constant_pad_nd", {window, Sizes{Expr(left), Expr(right)}, Expr(0)});
}

bool has_complex_signal(const Call& call) {
  return is_complex(call.type("self").dtype) ||
         (call.has("window") && is_complex(call.type("window").dtype));
}

DType spectrum_dtype(const Call& call) {
  const DType signal =
      call.has("window") ? promoted_dtype(call, {"self", "window"}) : call.type("self").dtype;
  return is_complex(signal) ? signal : complex_dtype(signal);
}

bool gives_complex(const Call& call) {
  return call.has("return_complex") ? call.flag("return_complex") : has_complex_signal(call);
}

TensorType stft_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() == 1 || self.rank() == 2, "stft takes a signal or a batch of them:", self);
  require(!call.has("align_to_window") || !call.flag("align_to_window"), ErrorCode::unsupported,
          "stft with align_to_window is not available");
  const Frames frames = frames_of(call, has_complex_signal(call));
  const Expr length = self.sizes.back();
  call.require_sizes(le(frames.points, length), "a signal must have one frame at least:", length,
                     frames.points);
  const Expr count = floor_div(length - Expr(frames.points), Expr(frames.hop)) + 1;
  const Expr lines(frames.onesided ? frames.points / 2 + 1 : frames.points);
  const Expr batch = self.rank() == 2 ? self.sizes[0] : Expr(1);
  const DType spectrum = spectrum_dtype(call);
  TensorType type = contiguous_type(spectrum, {batch, count, lines}, self.device);
  type = transposed(type, 1, 2);
  if (self.rank() == 1) type = selected(type, 0, Expr(0));
  if (gives_complex(call)) return type;
  for (Expr& stride : type.strides) stride = stride * 2;
  type.sizes.emplace_back(2);
  type.strides.emplace_back(1);
  type.dtype = real_dtype(spectrum);
  return type;
}

std::vector<Value> stft(DecomposeCall& call) {
  const bool is_complex_signal = has_complex_signal(call);
  const Frames frames = frames_of(call, is_complex_signal);
  Value signal = call["self"];
  const bool is_single = signal.tensor().rank() == 1;
  if (is_single) signal = call.aten("unsqueeze", {signal, Expr(0)});
  Value parts = call.aten("unfold", {signal, Expr(-1), Expr(frames.points), Expr(frames.hop)});
  if (const auto window = frame_window(call, frames, signal.tensor().dtype)) {
    parts = call.aten("mul.Tensor", {parts, *window});
  }
  const Expr norm(call.flag("normalized") ? 1 : 0);
  Value spectrum;
  if (is_complex(parts.tensor().dtype)) {
    spectrum = call.aten("_fft_c2c", {parts, last_dim(), norm, Expr::boolean(true)});
  } else {
    spectrum = call.aten("_fft_r2c", {parts, last_dim(), norm, Expr::boolean(frames.onesided)});
  }
  Value result = call.aten("transpose.int", {spectrum, Expr(1), Expr(2)});
  if (is_single) result = call.aten("squeeze.dim", {result, Expr(0)});
  return {gives_complex(call) ? result : call.aten("view_as_real", {result})};
}

// Frames centred at their points: the signal is extended at both ends.
std::vector<Value> centered_stft(DecomposeCall& call) {
  Value signal = call["self"];
  require(!call.has("align_to_window") || !call.flag("center"),
          "stft is centred or has align_to_window, not both");
  if (call.flag("center")) {
    const Expr side(call.integer("n_fft") / 2);
    const bool is_single = signal.tensor().rank() == 1;
    // Reflection needs a batch of signals.
    if (is_single) signal = call.aten("unsqueeze", {signal, Expr(0)});
    signal = call.aten("pad", {signal, Sizes{side, side}, call.pass("pad_mode")});
    if (is_single) signal = call.aten("squeeze.dim", {signal, Expr(0)});
  }
  return {call.aten("stft", {signal, call.pass("n_fft"), call.pass("hop_length"),
                             call.pass("win_length"), call.pass("window"), call.pass("normalized"),
                             call.pass("onesided"), call.pass("return_complex")})};
}

// --- inverse ---

// The position and the length of the signal in the sum of the frames.
struct Span {
  Expr start;
  Expr length;
};

Expr frame_count(const Call& call) { return call.type("self").sizes.back(); }

Span istft_span(const Call& call, const Frames& frames) {
  const bool center = call.flag("center");
  const Expr covered = (frame_count(call) - 1) * frames.hop + frames.points;
  Span span;
  span.start = center ? frames.points / 2 : 0;
  const Expr end = center ? covered - frames.points / 2 : covered;
  span.length = call.has("length") ? call.expr("length") : end - span.start;
  return span;
}

Frames istft_frames(const Call& call) {
  const TensorType& self = call.type("self");
  require(is_complex(self.dtype) && (self.rank() == 2 || self.rank() == 3),
          "istft takes complex spectra of frames, or a batch of them:", self);
  Frames frames = frames_of(call, false);
  require(frames.hop <= frames.window, "frames of istft must overlap or touch:", frames.hop,
          frames.window);
  frames.onesided = call.has("onesided")
                        ? call.flag("onesided")
                        : !known_equal(self.sizes[self.rank() - 2], Expr(frames.points));
  const Expr lines(frames.onesided ? frames.points / 2 + 1 : frames.points);
  require(!known_not_equal(self.sizes[self.rank() - 2], lines),
          "a spectrum has n_fft / 2 + 1 lines, or n_fft with two sides:", self, frames.points);
  const bool gives_complex = call.flag("return_complex");
  require(!gives_complex || !frames.onesided,
          "istft to complex signals takes spectra with two sides; try onesided=False");
  require(gives_complex || !call.has("window") || !is_complex(call.type("window").dtype),
          "istft with a complex window gives complex signals; try return_complex=True");
  return frames;
}

TensorType istft_meta(const Call& call) {
  const TensorType& self = call.type("self");
  call.require_sizes(ne(self.numel(), 0), "istft: there must be spectra:", self);
  const Span span = istft_span(call, istft_frames(call));
  call.require_sizes(lt(Expr(0), span.length), "istft: the signal must not be empty:", self,
                     span.length);
  Sizes sizes;
  if (self.rank() == 3) sizes.push_back(self.sizes[0]);
  sizes.push_back(span.length);
  DType dtype = call.flag("return_complex") ? self.dtype : real_dtype(self.dtype);
  if (call.has("window")) dtype = promote(dtype, call.type("window").dtype);
  return contiguous_type(dtype, std::move(sizes), self.device);
}

std::vector<Value> istft(DecomposeCall& call) {
  const Frames frames = istft_frames(call);
  const Span span = istft_span(call, frames);
  Value spectra = call["self"];
  const bool is_single = spectra.tensor().rank() == 2;
  if (is_single) spectra = call.aten("unsqueeze", {spectra, Expr(0)});
  spectra = call.aten("transpose.int", {spectra, Expr(1), Expr(2)});
  const Expr norm(call.flag("normalized") ? 1 : 2);
  Value parts;
  if (call.flag("return_complex")) {
    parts = call.aten("_fft_c2c", {spectra, last_dim(), norm, Expr::boolean(false)});
  } else {
    // Only the first half of a two-sided spectrum is read.
    if (!frames.onesided) {
      spectra = call.aten("slice.Tensor",
                          {spectra, Expr(2), Expr(0), Expr(frames.points / 2 + 1), Expr(1)});
    }
    parts = call.aten("_fft_c2r", {spectra, last_dim(), norm, Expr(frames.points)});
  }
  const auto window = frame_window(call, frames, parts.tensor().dtype);
  const Value signal =
      call.aten("_overlap_add", {parts, window ? ir::Argument(*window) : ir::Argument(),
                                 Expr(frames.hop), span.start, span.length});
  return {is_single ? call.aten("squeeze.dim", {signal, Expr(0)}) : signal};
}

TensorType overlap_add_meta(const Call& call) {
  const TensorType& frames = call.type("frames");
  require(frames.rank() == 3, "frames are a batch of lists of frames:", frames);
  require(call.integer("hop") > 0, "frames must follow one another:", call.integer("hop"));
  if (call.has("window")) {
    const TensorType& window = call.type("window");
    require(window.rank() == 1, "a window is a list of weights:", window);
    call.require_sizes(eq(window.sizes[0], frames.sizes[2]),
                       "a window has a weight for every point of a frame:", window, frames);
  }
  const DType dtype =
      call.has("window") ? promoted_dtype(call, {"frames", "window"}) : frames.dtype;
  return contiguous_type(dtype, {frames.sizes[0], call.expr("length")}, frames.device);
}

// The sum of windowed frames divided by the sum of squared windows; 0 after the last frame.
void overlap_add(NestCall& call) {
  KernelBuilder& b = call.builder();
  const TensorType& frames = call.type("frames");
  const DType compute = compute_dtype(call.result().dtype);
  const int64_t hop = call.integer("hop");
  const Expr points = frames.sizes[2];
  // The maximum number of frames at one position.
  const Expr layers = floor_div(points + (hop - 1), Expr(hop));
  const Scalar zero = b.cast(b.constant(DType::f64, 0.0), compute);
  // PyTorch adds up squares in the dtype of the window, bools as i64, and compares them with the least
  // in halves, or else in f32.
  DType squared = call.has("window") ? call.type("window").dtype : compute;
  if (squared == DType::bool_) squared = DType::i64;
  const DType within = is_integer(squared) ? squared : compute;
  const auto rounded = [&](Scalar value) {
    return is_half(squared) ? b.cast(b.cast(value, squared), compute) : value;
  };
  b.loop(call.result().sizes, [&](Exprs index) {
    const Expr position = index[1] + call.expr("start");
    const auto sum = [&](bool of_squares) {
      return b.reduce(loops::ReduceKind::sum, std::array{layers}, [&](Exprs layer) {
        const Expr frame = floor_div(position, Expr(hop)) - layer[0];
        const Expr point = position - frame * hop;
        const Scalar is_inside = (b.index(frame) >= 0.0) &
                                 (b.index(frame) < b.index(frames.sizes[1])) &
                                 (b.index(point) < b.index(points));
        Scalar weight = b.cast(b.constant(DType::f64, 1.0), of_squares ? within : compute);
        if (call.has("window")) {
          const Scalar none = b.cast(zero, call.type("window").dtype);
          weight = b.cast(b.load_if(is_inside, call.in("window"), IndexVector{point}, none),
                          weight.dtype());
        }
        if (of_squares) {
          return select(is_inside, rounded(weight * weight), b.cast(zero, within));
        }
        const Scalar value =
            b.load_if(is_inside, call.in("frames"), IndexVector{index[0], frame, point},
                      b.cast(zero, frames.dtype));
        return select(is_inside, b.cast(value, compute) * weight, zero);
      });
    };
    const Expr covered = (frames.sizes[1] - 1) * hop + points;
    const Scalar is_covered = b.index(position) < b.index(covered);
    const Scalar squares = rounded(b.cast(sum(true), compute));
    const Scalar least = rounded(b.cast(b.constant(DType::f64, 1e-11), real_dtype(compute)));
    b.check_that(~is_covered | ~(abs(squares) < least),
                 "istft: windows must not vanish where frames overlap");
    b.store(call.out(), index,
            b.cast(select(is_covered, sum(false) / squares, zero), call.result().dtype));
  });
}

constexpr std::array kStftCalls{"(f32[s0, 32], 8, return_complex=True)"sv,
                                "(f32[32], 8, 4, 6, f32[6], return_complex=False)"sv};

constexpr std::array kIstftCalls{"(c64[s0, 5, 9], 8)"sv, "(c64[5, 9], 8, 4, 8, f32[8])"sv};
constexpr std::array kOverlapCalls{"(f32[2, 5, 8], f32[8], 2, 4, 8)"sv};

constexpr std::array kCentered{"(f32[12], 4, return_complex=True)"sv,
                               "(f32[2, 12], 6, 2, return_complex=False)"sv};

constexpr std::array kOps{
    OpDef{.schema = "aten._overlap_add(Tensor frames, Tensor? window, int hop, SymInt start, "
                    "SymInt length) -> Tensor",
          .doc = "The signal whose windowed frames these are, from a start on.",
          .meta = overlap_add_meta,
          .impl = LoopNest{overlap_add},
          .samples = {.lo = 1, .hi = 2, .calls = kOverlapCalls}},
    OpDef{.schema = "aten.istft(Tensor self, int n_fft, int? hop_length=None, int? "
                    "win_length=None, Tensor? window=None, bool center=True, bool "
                    "normalized=False, bool? onesided=None, int? length=None, bool "
                    "return_complex=False) -> Tensor",
          .doc = "The signal whose short-time spectra these are.",
          .meta = istft_meta,
          .impl = Decompose{istft},
          .samples = {.lo = 1, .hi = 2, .calls = kIstftCalls}},
    OpDef{.schema = "aten.stft(Tensor self, int n_fft, int? hop_length=None, int? "
                    "win_length=None, Tensor? window=None, bool normalized=False, bool? "
                    "onesided=None, bool? return_complex=None, bool? align_to_window=None) -> "
                    "Tensor",
          .doc = "Spectra of overlapping frames of a signal.",
          .meta = stft_meta,
          .impl = Decompose{stft},
          .samples = {.calls = kStftCalls}},
    composite("aten.stft.center(Tensor self, int n_fft, int? hop_length=None, "
              "int? win_length=None, Tensor? window=None, bool center=True, "
              "str pad_mode='reflect', bool normalized=False, bool? onesided=None, "
              "bool? return_complex=None, bool? align_to_window=None) -> Tensor",
              "Spectra of frames around points of a signal.", centered_stft, {.calls = kCentered}),
};

}  // namespace

std::span<const OpDef> stft_ops() { return kOps; }

}  // namespace litz::ops
