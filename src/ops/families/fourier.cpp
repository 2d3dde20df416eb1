// Fourier transforms: the three library transforms, the fft_ family based on them, and shifts.
//
// A member of the family is one chain of steps (cast, pad or crop, transform, conjugate), written
// once and run twice: on types to infer the result, on values to decompose. Results keep PyTorch's
// layout, with the transformed dimensions innermost.

#include <algorithm>
#include <array>
#include <optional>

#include "ops/bodies.h"
#include "ops/families/families.h"
#include "ops/meta.h"
#include "ops/view_geometry.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using namespace std::string_view_literals;
using ir::Value;
using Dims = std::vector<int64_t>;

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

// --- types of the transforms ---

/// Sorts dimensions by falling stride; among equals, given order is kept.
void sort_by_stride(const TensorType& type, std::span<int64_t> dims) {
  std::ranges::stable_sort(dims, [&](int64_t a, int64_t b) {
    return known_less(type.strides[at(b)], type.strides[at(a)]);
  });
}

// A dense type with `dims` innermost, and the other dimensions outside in the order of their
// strides.
TensorType transformed(const TensorType& self, DType dtype, Sizes sizes, const Dims& dims) {
  Dims order;
  for (int64_t d = 0; d < static_cast<int64_t>(self.rank()); ++d) {
    if (std::ranges::find(dims, d) == dims.end()) order.push_back(d);
  }
  sort_by_stride(self, order);
  order.insert(order.end(), dims.begin(), dims.end());
  TensorType type = contiguous_type(dtype, std::move(sizes), self.device);
  type.strides = strides_in_order(type.sizes, order);
  return type;
}

TensorType c2c_type(const TensorType& self, Dims dims) {
  require(is_complex(self.dtype) && self.dtype != DType::c32, ErrorCode::unsupported,
          "a complex transform takes complex64 or complex128, got", name(self.dtype));
  if (dims.empty()) return preserved_type(self.dtype, self, MemoryFormat::preserve);
  sort_by_stride(self, dims);
  return transformed(self, self.dtype, self.sizes, dims);
}

TensorType r2c_type(const TensorType& self, Dims dims, bool onesided) {
  require(self.dtype == DType::f32 || self.dtype == DType::f64, ErrorCode::unsupported,
          "a real transform takes float32 or float64, got", name(self.dtype));
  require(!dims.empty(), "a real transform needs a dimension");
  Sizes sizes = self.sizes;
  Expr& last = sizes[at(dims.back())];
  if (onesided) last = floor_div(last, Expr(2)) + 1;
  sort_by_stride(self, std::span(dims).first(dims.size() - 1));
  return transformed(self, complex_dtype(self.dtype), std::move(sizes), dims);
}

TensorType c2r_type(const TensorType& self, const Dims& dims, Expr length) {
  require(!dims.empty(), "a transform to real numbers needs a dimension");
  // All dimensions except the last are transformed first.
  const TensorType before = c2c_type(self, Dims(dims.begin(), dims.end() - 1));
  require(is_complex(self.dtype) && self.dtype != DType::c32, ErrorCode::unsupported,
          "a transform to real numbers takes complex64 or complex128, got", name(self.dtype));
  Sizes sizes = self.sizes;
  sizes[at(dims.back())] = length;
  return transformed(before, real_dtype(self.dtype), std::move(sizes), {dims.back()});
}

TensorType c2c_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return c2c_type(self, call.dims("dim", self.rank(), Call::WhenEmpty::none));
}

TensorType r2c_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return r2c_type(self, call.dims("dim", self.rank(), Call::WhenEmpty::none),
                  call.flag("onesided"));
}

TensorType c2r_meta(const Call& call) {
  const TensorType& self = call.type("self");
  return c2r_type(self, call.dims("dim", self.rank(), Call::WhenEmpty::none),
                  call.expr("last_dim_size"));
}

// --- steps, over types and over values ---

enum class Norm : int64_t { none = 0, by_root = 1, by_points = 2 };

class TypeSteps {
 public:
  using Step = TensorType;

  static const TensorType& type(const Step& x) { return x; }

  Step cast(const Step& x, DType dtype) const {
    return x.dtype == dtype ? x : preserved_type(dtype, x, MemoryFormat::preserve);
  }

  Step cut(const Step& x, int64_t dim, Expr length) const {
    return sliced(x, dim, Expr(0), length, Expr(1));
  }

  Step pad(const Step& x, const Sizes& padding) const {
    Sizes sizes = x.sizes;
    for (size_t i = 0; 2 * i < padding.size(); ++i) {
      Expr& size = sizes[sizes.size() - 1 - i];
      size = size + padding[2 * i] + padding[2 * i + 1];
    }
    TensorType type = contiguous_type(x.dtype, std::move(sizes), x.device);
    const MemoryFormat format = suggest_memory_format(x);
    if (format != MemoryFormat::contiguous) type.strides = strides_for(format, type.sizes);
    return type;
  }

  Step conj(const Step& x) const { return elementwise_type(x.dtype, std::span(&x, 1)); }

  Step c2c(const Step& x, const Dims& dims, Norm, bool) const { return c2c_type(x, dims); }

  Step r2c(const Step& x, const Dims& dims, Norm) const { return r2c_type(x, dims, true); }

  Step c2r(const Step& x, const Dims& dims, Norm, Expr length) const {
    return c2r_type(x, dims, length);
  }
};

ir::Attribute list(const Dims& dims) { return ir::Scalars(dims.begin(), dims.end()); }

class ValueSteps {
 public:
  using Step = Value;

  explicit ValueSteps(const DecomposeCall& call) : call_(call) {}

  static const TensorType& type(const Step& x) { return x.tensor(); }

  Step cast(Step x, DType dtype) const { return call_.to(x, dtype); }

  Step cut(Step x, int64_t dim, Expr length) const {
    return call_.aten("slice.Tensor", {x, Expr(dim), Expr(0), length});
  }

  Step pad(Step x, const Sizes& padding) const {
    return call_.aten("constant_pad_nd", {x, padding, Expr(0)});
  }

  Step conj(Step x) const { return call_.aten("conj_physical", {x}); }

  Step c2c(Step x, const Dims& dims, Norm norm, bool forward) const {
    return call_.aten("_fft_c2c", {x, list(dims), code(norm), Expr::boolean(forward)});
  }

  Step r2c(Step x, const Dims& dims, Norm norm) const {
    return call_.aten("_fft_r2c", {x, list(dims), code(norm), Expr::boolean(true)});
  }

  Step c2r(Step x, const Dims& dims, Norm norm, Expr length) const {
    return call_.aten("_fft_c2r", {x, list(dims), code(norm), length});
  }

 private:
  static Expr code(Norm norm) { return Expr(static_cast<int64_t>(norm)); }

  const DecomposeCall& call_;
};

// --- the family ---

// The requested dimensions, and the number of points along each.
struct Signal {
  Dims dims;
  Sizes lengths;
};

// True if the last dimension of the argument contains half a spectrum.
bool takes_half(const Call& call) {
  const std::string_view name = call.op().name();
  return name.starts_with("aten.fft_irfft") || name.starts_with("aten.fft_hfft");
}

Expr default_length(const Call& call, const TensorType& self, int64_t dim, bool is_last) {
  const Expr size = self.sizes[at(dim)];
  return is_last && takes_half(call) ? (size - 1) * 2 : size;
}

Signal line_signal(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0, "a transform needs a dimension, got a single number:", call.op().name());
  const int64_t dim = call.dim("dim", self.rank());
  return {{dim}, {call.has("n") ? call.expr("n") : default_length(call, self, dim, true)}};
}

Signal grid_signal(const Call& call) {
  const TensorType& self = call.type("self");
  const auto rank = static_cast<int64_t>(self.rank());
  Signal signal;
  std::optional<Sizes> given;
  if (call.has("s")) given = call.sizes("s");
  if (call.has("dim")) {
    signal.dims = call.dims("dim", self.rank(), Call::WhenEmpty::none);
  } else {
    // Sizes are for the last dimensions; without sizes, all dimensions.
    const int64_t count = given ? static_cast<int64_t>(given->size()) : rank;
    require(count <= rank, "there must be a dimension for every size:", count, self);
    for (int64_t d = rank - count; d < rank; ++d) signal.dims.push_back(d);
  }
  require(!given || given->size() == signal.dims.size(),
          "there must be a size for every dimension:", signal.dims.size());
  for (size_t i = 0; i < signal.dims.size(); ++i) {
    const bool is_last = i + 1 == signal.dims.size();
    const bool is_given = given && !(*given)[i].is(-1);
    signal.lengths.push_back(is_given ? (*given)[i]
                                      : default_length(call, self, signal.dims[i], is_last));
  }
  return signal;
}

Signal signal_of(const Call& call) {
  Signal signal = call.op().schema.find("n") >= 0 ? line_signal(call) : grid_signal(call);
  for (const Expr length : signal.lengths) {
    call.require_sizes(le(Expr(1), length), "a transform needs at least one point:", length);
  }
  return signal;
}

Norm norm_of(const Call& call, bool forward) {
  const std::string_view norm = call.has("norm") ? call.str("norm") : "backward"sv;
  require(norm == "backward" || norm == "forward" || norm == "ortho",
          "the norm of a transform is 'backward', 'forward' or 'ortho':", norm);
  if (norm == "ortho") return Norm::by_root;
  return (norm == "forward") == forward ? Norm::by_points : Norm::none;
}

// Crops and zero-pads to these lengths.
template <typename Steps>
typename Steps::Step resized(const Steps& steps, typename Steps::Step x, const Dims& dims,
                             const Sizes& lengths) {
  const size_t rank = Steps::type(x).rank();
  Sizes padding(2 * rank, Expr(0));
  bool is_padded = false;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Expr size = Steps::type(x).sizes[at(dims[i])];
    if (known_equal(size, lengths[i])) continue;
    if (known_less(lengths[i], size)) {
      x = steps.cut(x, dims[i], lengths[i]);
    } else {
      // A negative padding crops.
      padding[2 * (rank - 1 - at(dims[i])) + 1] = lengths[i] - size;
      is_padded = true;
    }
  }
  return is_padded ? steps.pad(x, padding) : x;
}

void require_no_half(DType dtype) {
  require(!is_half(dtype), ErrorCode::unsupported,
          "a transform takes whole numbers, float32, float64 or their complex types, got",
          name(dtype));
}

DType real_input(DType dtype) {
  require_no_half(dtype);
  const DType result = floating_dtype(dtype);
  require(!is_complex(result), "this transform takes real numbers, got", name(dtype));
  return result;
}

DType complex_input(DType dtype) {
  require_no_half(dtype);
  return is_complex(dtype) ? dtype : complex_dtype(floating_dtype(dtype));
}

template <typename Steps>
typename Steps::Step fft(const Call& call, const Steps& steps, typename Steps::Step x,
                         bool forward) {
  const Signal signal = signal_of(call);
  x = steps.cast(x, complex_input(Steps::type(x).dtype));
  x = resized(steps, x, signal.dims, signal.lengths);
  return steps.c2c(x, signal.dims, norm_of(call, forward), forward);
}

template <typename Steps>
typename Steps::Step rfft(const Call& call, const Steps& steps, typename Steps::Step x,
                          bool forward) {
  const Signal signal = signal_of(call);
  x = steps.cast(x, real_input(Steps::type(x).dtype));
  x = resized(steps, x, signal.dims, signal.lengths);
  x = steps.r2c(x, signal.dims, norm_of(call, forward));
  return forward ? x : steps.conj(x);
}

template <typename Steps>
typename Steps::Step irfft(const Call& call, const Steps& steps, typename Steps::Step x,
                           bool forward) {
  const Signal signal = signal_of(call);
  require(!signal.dims.empty(), "a transform to real numbers needs a dimension");
  const Expr length = signal.lengths.back();
  Sizes lengths = signal.lengths;
  lengths.back() = floor_div(length, Expr(2)) + 1;
  x = steps.cast(x, complex_input(Steps::type(x).dtype));
  x = resized(steps, x, signal.dims, lengths);
  const Norm norm = norm_of(call, forward);
  if (!forward) return steps.c2r(x, signal.dims, norm, length);
  // A forward transform is the backward one of the conjugate; only the last dimension needs this.
  const Dims others(signal.dims.begin(), signal.dims.end() - 1);
  if (!others.empty()) x = steps.c2c(x, others, norm, true);
  return steps.c2r(steps.conj(x), {signal.dims.back()}, norm, length);
}

template <typename Steps>
typename Steps::Step transform(const Call& call, const Steps& steps, typename Steps::Step x) {
  std::string_view kind = call.op().name();
  kind.remove_prefix("aten.fft_"sv.size());
  if (kind.starts_with("irfft")) return irfft(call, steps, x, false);
  if (kind.starts_with("hfft")) return irfft(call, steps, x, true);
  if (kind.starts_with("rfft")) return rfft(call, steps, x, true);
  if (kind.starts_with("ihfft")) return rfft(call, steps, x, false);
  return fft(call, steps, x, kind.starts_with("fft"));
}

TensorType transform_meta(const Call& call) {
  return transform(call, TypeSteps(), call.type("self"));
}

std::vector<Value> transform_values(DecomposeCall& call) {
  return {transform(call, ValueSteps(call), call["self"])};
}

// --- shifts ---

TensorType shift_meta(const Call& call) {
  const TensorType& self = call.type("self");
  require(self.rank() > 0, "there must be a dimension to shift:", call.op().name(), self);
  if (call.has("dim")) call.dims("dim", self.rank());
  return contiguous_type(self.dtype, self.sizes, self.device);
}

std::vector<Value> shift(DecomposeCall& call) {
  const TensorType& self = call.type("self");
  const bool is_inverse = call.op().name() == "aten.fft_ifftshift";
  Dims dims;
  if (call.has("dim")) {
    dims = call.dims("dim", self.rank(), Call::WhenEmpty::none);
    require(!dims.empty(), "dimensions to shift must be given:", call.op().name());
  } else {
    for (size_t d = 0; d < self.rank(); ++d) dims.push_back(static_cast<int64_t>(d));
  }
  Sizes shifts;
  for (const int64_t dim : dims) {
    const Expr size = self.sizes[at(dim)];
    shifts.push_back(floor_div(is_inverse ? size + 1 : size, Expr(2)));
  }
  return {call.aten("roll", {call["self"], shifts, list(dims)})};
}

constexpr std::array kC2cCalls{"(c64[2, 6], [1], 0, True)"sv};
constexpr std::array kR2cCalls{"(f32[2, 6], [1], 0, True)"sv};
constexpr std::array kC2rCalls{"(c64[2, 4], [1], 2, 6)"sv};
constexpr std::array kLineCalls{"(f32[2, 6])"sv, "(f32[s0, 6], n=4, norm='ortho')"sv,
                                "(f32[2, 6], n=9, dim=0)"sv};
constexpr std::array kGridCalls{"(f32[2, 6])"sv, "(f32[s0, 2, 6], s=[4, 5], norm='forward')"sv};
constexpr std::array kShiftCalls{"(f32[3, 4])"sv, "(f32[3, s0], [1])"sv};

constexpr OpDef family(ir::SchemaText schema, std::string_view doc,
                       std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = transform_meta,
          .impl = Decompose{transform_values},
          .samples = {.calls = calls}};
}

constexpr OpDef library(ir::SchemaText schema, std::string_view doc,
                        TensorType (*meta)(const Call&), std::string_view function,
                        std::span<const std::string_view> calls) {
  return {.schema = schema,
          .doc = doc,
          .meta = meta,
          .impl = Library{function},
          .samples = {.calls = calls}};
}

constexpr std::array kOps{
    library("aten._fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor",
            "Transform of complex numbers over dimensions.", c2c_meta, "fft_c2c", kC2cCalls),
    library("aten._fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> "
            "Tensor",
            "Backward transform of half a spectrum to real numbers.", c2r_meta, "fft_c2r",
            kC2rCalls),
    library("aten._fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor",
            "Forward transform of real numbers; onesided keeps half of the spectrum.", r2c_meta,
            "fft_r2c", kR2cCalls),
    family("aten.fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Forward transform along a dimension.", kLineCalls),
    family("aten.fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> "
           "Tensor",
           "Forward transform over two dimensions.", kGridCalls),
    OpDef{.schema = "aten.fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor",
          .doc = "Moves frequency 0 from the start of dimensions to their middle.",
          .meta = shift_meta,
          .impl = Decompose{shift},
          .samples = {.calls = kShiftCalls}},
    family("aten.fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Forward transform over dimensions.", kGridCalls),
    family("aten.fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Forward transform of half a symmetric signal: real.", kLineCalls),
    family("aten.fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) "
           "-> Tensor",
           "Forward transform of half a symmetric signal over two dimensions.", kGridCalls),
    family("aten.fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Forward transform of half a symmetric signal over dimensions.", kGridCalls),
    family("aten.fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Backward transform along a dimension.", kLineCalls),
    family("aten.fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) "
           "-> Tensor",
           "Backward transform over two dimensions.", kGridCalls),
    family("aten.fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Backward transform over dimensions.", kGridCalls),
    OpDef{.schema = "aten.fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor",
          .doc = "Moves frequency 0 from the middle of dimensions to their start.",
          .meta = shift_meta,
          .impl = Decompose{shift},
          .samples = {.calls = kShiftCalls}},
    family("aten.fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Backward transform of real numbers: half of a symmetric result.", kLineCalls),
    family("aten.fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) "
           "-> Tensor",
           "Backward transform of real numbers over two dimensions: half of a symmetric result.",
           kGridCalls),
    family("aten.fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Backward transform of real numbers over dimensions: half of a symmetric result.",
           kGridCalls),
    family("aten.fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Backward transform of half a spectrum along a dimension: real.", kLineCalls),
    family("aten.fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) "
           "-> Tensor",
           "Backward transform of half a spectrum over two dimensions.", kGridCalls),
    family("aten.fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Backward transform of half a spectrum over dimensions.", kGridCalls),
    family("aten.fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor",
           "Forward transform of real numbers: half of the spectrum.", kLineCalls),
    family("aten.fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) "
           "-> Tensor",
           "Forward transform of real numbers over two dimensions.", kGridCalls),
    family("aten.fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> "
           "Tensor",
           "Forward transform of real numbers over dimensions.", kGridCalls),
};

}  // namespace

std::span<const OpDef> fourier_ops() { return kOps; }

}  // namespace litz::ops
