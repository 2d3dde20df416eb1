#include "loops/lane_reduce.h"

#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>

#include "loops/signature.h"
#include "support/check.h"

namespace litz::loops {
namespace {

template <typename T>
struct SumType {
  using type = T;
};

template <>
struct SumType<float> {
  using type = double;
};

template <>
struct SumType<std::complex<float>> {
  using type = std::complex<double>;
};

template <typename T>
T plus(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  } else {
    return a + b;
  }
}

template <typename T>
T times(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return a * b;
  } else {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  }
}

template <typename T>
bool is_not_a_number(T a) {
  if constexpr (std::is_floating_point_v<T>) return a != a;
  return false;
}

template <typename T>
constexpr T lowest() {
  if constexpr (std::is_floating_point_v<T>) return -std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::lowest();
}

template <typename T>
constexpr T highest() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

// The fold of a kind: `Acc`, an identity and a binary function.
template <typename T>
struct Sum {
  using Value = T;
  using Acc = typename SumType<T>::type;

  static constexpr Acc identity() { return Acc(0); }

  static Acc fold(Acc a, Acc b) { return plus(a, b); }
};

template <typename T>
struct Prod {
  using Value = T;
  using Acc = typename SumType<T>::type;

  static constexpr Acc identity() { return Acc(1); }

  static Acc fold(Acc a, Acc b) { return times(a, b); }
};

template <typename T>
struct Max {
  using Value = T;
  using Acc = T;

  static constexpr Acc identity() { return lowest<T>(); }

  static Acc fold(Acc a, Acc b) { return a > b || is_not_a_number(a) ? a : b; }
};

template <typename T>
struct Min {
  using Value = T;
  using Acc = T;

  static constexpr Acc identity() { return highest<T>(); }

  static Acc fold(Acc a, Acc b) { return a < b || is_not_a_number(a) ? a : b; }
};

template <typename T>
struct Xor {
  using Value = T;
  using Acc = T;

  static constexpr Acc identity() { return 0; }

  static Acc fold(Acc a, Acc b) { return static_cast<T>(a ^ b); }
};

struct Any {
  using Value = uint8_t;
  using Acc = uint8_t;

  static constexpr Acc identity() { return 0; }

  static Acc fold(Acc a, Acc b) { return a | b; }
};

struct All {
  using Value = uint8_t;
  using Acc = uint8_t;

  static constexpr Acc identity() { return 1; }

  static Acc fold(Acc a, Acc b) { return a & b; }
};

template <typename Fold>
struct Folding {
  using T = typename Fold::Value;
  using Acc = typename Fold::Acc;

  static void start(std::byte* accumulators, int64_t*, int64_t lanes) {
    Acc* acc = reinterpret_cast<Acc*>(accumulators);
    for (int64_t i = 0; i < lanes; ++i) acc[i] = Fold::identity();
  }

  static void step(std::byte* accumulators, int64_t*, const std::byte* values, int64_t lanes,
                   int64_t, int64_t) {
    Acc* __restrict acc = reinterpret_cast<Acc*>(accumulators);
    const T* __restrict value = reinterpret_cast<const T*>(values);
    for (int64_t i = 0; i < lanes; ++i) acc[i] = Fold::fold(acc[i], static_cast<Acc>(value[i]));
  }

  static void combine(std::byte* accumulators, int64_t*, int64_t lanes) {
    Acc* acc = reinterpret_cast<Acc*>(accumulators);
    // Folds by halves: independent folds run side by side, in an order that depends only on
    // `lanes`.
    while (lanes > 1) {
      const int64_t half = (lanes + 1) / 2;
      for (int64_t i = 0; i < lanes - half; ++i) acc[i] = Fold::fold(acc[i], acc[i + half]);
      lanes = half;
    }
  }

  static void finish(std::byte* out, const std::byte* accumulators, const int64_t*, int64_t lanes) {
    const Acc* acc = reinterpret_cast<const Acc*>(accumulators);
    T* r = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < lanes; ++i) r[i] = static_cast<T>(acc[i]);
  }
};

// argmax and argmin: the first NaN, else the first of the extreme values.
template <typename T, bool kMaximum>
struct Position {
  static bool is_better(T candidate, T best) {
    if (is_not_a_number(best)) return false;
    if (is_not_a_number(candidate)) return true;
    return kMaximum ? candidate > best : candidate < best;
  }

  static void start(std::byte*, int64_t* positions, int64_t lanes) {
    for (int64_t i = 0; i < lanes; ++i) positions[i] = -1;
  }

  static void step(std::byte* accumulators, int64_t* positions, const std::byte* values,
                   int64_t lanes, int64_t position, int64_t position_step) {
    T* best = reinterpret_cast<T*>(accumulators);
    const T* value = reinterpret_cast<const T*>(values);
    for (int64_t i = 0; i < lanes; ++i) {
      if (positions[i] >= 0 && !is_better(value[i], best[i])) continue;
      best[i] = value[i];
      positions[i] = position + i * position_step;
    }
  }

  static void combine(std::byte* accumulators, int64_t* positions, int64_t lanes) {
    T* best = reinterpret_cast<T*>(accumulators);
    for (int64_t i = 1; i < lanes; ++i) {
      if (positions[i] < 0) continue;
      // Lanes interleave, so a tie may come earlier in a later lane.
      const bool is_tie = !is_better(best[i], best[0]) && !is_better(best[0], best[i]);
      if (is_better(best[i], best[0]) || (is_tie && positions[i] < positions[0])) {
        best[0] = best[i];
        positions[0] = positions[i];
      }
    }
  }

  static void finish(std::byte* out, const std::byte*, const int64_t* positions, int64_t lanes) {
    int64_t* r = reinterpret_cast<int64_t*>(out);
    for (int64_t i = 0; i < lanes; ++i) r[i] = positions[i];
  }
};

// The maximum so far with the sum of exponentials relative to it. A larger value scales the sum
// down.
template <typename T>
struct Softmax {
  static constexpr T kInfinity = std::numeric_limits<T>::infinity();

  struct State {
    double sum;
    T largest;
  };

  static_assert(sizeof(State) <= kAccumulatorSize);

  /// Adds `sum`, relative to `x`, the maximum of its elements.
  static void take(State& state, T x, double sum) {
    if (is_not_a_number(state.largest)) return;
    if (x == -kInfinity) {
      // Minus infinity adds nothing to larger values; the end detects that there were none.
      if (state.largest == -kInfinity) state.sum += sum;
    } else if (is_not_a_number(x)) {
      state.largest = x;
    } else if (x > state.largest) {
      state.sum = state.sum * std::exp(static_cast<double>(state.largest) - x) + sum;
      state.largest = x;
    } else {
      state.sum += sum * std::exp(static_cast<double>(x) - state.largest);
    }
  }

  static void start(std::byte* accumulators, int64_t*, int64_t lanes) {
    State* state = reinterpret_cast<State*>(accumulators);
    for (int64_t i = 0; i < lanes; ++i) state[i] = {0, -kInfinity};
  }

  static void step(std::byte* accumulators, int64_t*, const std::byte* values, int64_t lanes,
                   int64_t, int64_t) {
    State* state = reinterpret_cast<State*>(accumulators);
    const T* value = reinterpret_cast<const T*>(values);
    for (int64_t i = 0; i < lanes; ++i) take(state[i], value[i], 1);
  }

  static void combine(std::byte* accumulators, int64_t*, int64_t lanes) {
    State* state = reinterpret_cast<State*>(accumulators);
    while (lanes > 1) {
      const int64_t half = (lanes + 1) / 2;
      for (int64_t i = 0; i < lanes - half; ++i) {
        take(state[i], state[i + half].largest, state[i + half].sum);
      }
      lanes = half;
    }
  }

  static void finish(std::byte* out, const std::byte* accumulators, const int64_t*, int64_t lanes) {
    const State* state = reinterpret_cast<const State*>(accumulators);
    T* r = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < lanes; ++i) r[i] = state[i].largest;
  }

  static void finish_second(std::byte* out, const std::byte* accumulators, int64_t lanes) {
    const State* state = reinterpret_cast<const State*>(accumulators);
    T* r = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < lanes; ++i) {
      const bool is_of_nothing = state[i].largest == -kInfinity && state[i].sum == 0;
      const bool is_number = std::isfinite(state[i].largest) || is_of_nothing;
      r[i] = is_number ? static_cast<T>(state[i].sum) : std::numeric_limits<T>::quiet_NaN();
    }
  }
};

template <typename R>
ReduceFunctions functions_of() {
  return {&R::start, &R::step, &R::combine, &R::finish};
}

template <typename T>
ReduceFunctions softmax_functions() {
  using R = Softmax<T>;
  return {&R::start, &R::step, &R::combine, &R::finish, &R::finish_second};
}

template <typename T>
ReduceFunctions real_functions(ReduceKind kind) {
  switch (kind) {
    case ReduceKind::sum:
      return functions_of<Folding<Sum<T>>>();
    case ReduceKind::prod:
      return functions_of<Folding<Prod<T>>>();
    case ReduceKind::max:
      return functions_of<Folding<Max<T>>>();
    case ReduceKind::min:
      return functions_of<Folding<Min<T>>>();
    case ReduceKind::argmax:
      return functions_of<Position<T, true>>();
    case ReduceKind::argmin:
      return functions_of<Position<T, false>>();
    case ReduceKind::bit_xor:
      if constexpr (std::is_integral_v<T>) return functions_of<Folding<Xor<T>>>();
      return {};
    case ReduceKind::softmax:
      if constexpr (std::is_floating_point_v<T>) return softmax_functions<T>();
      return {};
    case ReduceKind::any:
    case ReduceKind::all:
      return {};
  }
  return {};
}

template <typename T>
ReduceFunctions complex_functions(ReduceKind kind) {
  if (kind == ReduceKind::sum) return functions_of<Folding<Sum<T>>>();
  if (kind == ReduceKind::prod) return functions_of<Folding<Prod<T>>>();
  return {};
}

ReduceFunctions find_functions(ReduceKind kind, DType dtype) {
  switch (dtype) {
    case DType::bool_:
      if (kind == ReduceKind::any) return functions_of<Folding<Any>>();
      if (kind == ReduceKind::all) return functions_of<Folding<All>>();
      return real_functions<uint8_t>(kind);
    case DType::u8:
      return real_functions<uint8_t>(kind);
    case DType::i8:
      return real_functions<int8_t>(kind);
    case DType::u16:
      return real_functions<uint16_t>(kind);
    case DType::i16:
      return real_functions<int16_t>(kind);
    case DType::u32:
      return real_functions<uint32_t>(kind);
    case DType::i32:
      return real_functions<int32_t>(kind);
    case DType::u64:
      return real_functions<uint64_t>(kind);
    case DType::i64:
      return real_functions<int64_t>(kind);
    case DType::f32:
      return real_functions<float>(kind);
    case DType::f64:
      return real_functions<double>(kind);
    case DType::c64:
      return complex_functions<std::complex<float>>(kind);
    case DType::c128:
      return complex_functions<std::complex<double>>(kind);
    default:
      return {};
  }
}

}  // namespace

ReduceFunctions reduce_functions(ReduceKind kind, DType dtype) {
  const ReduceFunctions functions =
      reduced_dtype(kind, dtype) ? find_functions(kind, dtype) : ReduceFunctions{};
  check(functions.step != nullptr, "a reduction must exist for its values:", name(kind),
        name(dtype));
  return functions;
}

}  // namespace litz::loops
