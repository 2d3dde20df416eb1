#include "loops/random_kernel.h"

#include <array>
#include <cmath>
#include <limits>

#include "loops/builder.h"

namespace litz::loops {
namespace {

constexpr int64_t kRows = 6;
constexpr int64_t kColumns = 7;
constexpr int64_t kBins = 5;
constexpr int kMaxDepth = 3;

// Values and loop variables that a block can see.
struct Scope {
  std::vector<Scalar> reals;
  std::vector<Scalar> wholes;
  std::vector<Scalar> bools;
  std::vector<Expr> vars;
  std::vector<Expr> extents;
  bool is_pure = false;  ///< Inside a reduction: no stores, no sorts.
  int64_t iterations = 1;
};

class Generator {
 public:
  Generator(ExprPool& pool, std::mt19937& random, Arithmetic arithmetic)
      : random_(random), is_exact_(arithmetic == Arithmetic::exact), b_("random", pool) {
    SymbolInfo info;
    info.name = "s" + std::to_string(pool.symbol_count());
    info.range = {0, Interval::kMax};
    symbol_ = pool.add_symbol(std::move(info));
    size_ = pick({0, 1, 2, 3, 11, 90, 600});
  }

  RandomKernel run() && {
    reals_ = add_input(DType::f32);
    wholes_ = add_input(DType::i64);
    flags_ = add_input(DType::bool_);
    bins_ = add_output(DType::f32, {kBins});
    counts_ = add_output(DType::i64, {kBins});
    Scope scope;
    scope.reals = {b_.constant(DType::f32, 0.75)};
    scope.wholes = {b_.constant(DType::i64, int64_t{3})};
    scope.bools = {b_.constant(DType::bool_, int64_t{1})};
    const int statements = 1 + below(3);
    for (int i = 0; i < statements; ++i) statement(scope, 0);
    store(scope);
    RandomKernel made{std::move(b_).finish(), {}, {}};
    made.bindings.set(symbol_.symbol(), size_);
    for (const Buffer& buffer : made.kernel.buffers)
      made.buffers.push_back(tensor(buffer, made.bindings));
    return made;
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  int64_t pick(std::vector<int64_t> values) {
    return values[static_cast<size_t>(below(static_cast<int>(values.size())))];
  }

  Scalar any(const std::vector<Scalar>& scalars) {
    return scalars[static_cast<size_t>(below(static_cast<int>(scalars.size())))];
  }

  Expr size_of(int64_t constant) { return constant < 0 ? symbol_ : Expr(constant); }

  BufferId add_input(DType dtype) {
    TensorType type = contiguous_type(dtype, {kRows, kColumns});
    if (below(2) == 0) type.strides = {1, kRows};
    return b_.input("x" + std::to_string(next_buffer_++), type);
  }

  BufferId add_output(DType dtype, std::vector<Expr> sizes) {
    TensorType type = contiguous_type(dtype, sizes);
    if (sizes.size() == 2 && below(3) == 0) type.strides = {1, sizes[0]};
    return b_.output("y" + std::to_string(next_buffer_++), type);
  }

  // Some integer expression of the loop variables; mostly linear.
  Expr expression(const Scope& scope) {
    Expr value = below(4);
    for (const Expr& var : scope.vars) {
      switch (below(6)) {
        case 0:
          value = value + var * (1 + below(3));
          break;
        case 1:
          value = value - var;
          break;
        case 2:
          value = floor_div(value + var, 1 + below(4));
          break;
        case 3:
          value = min(value, var);
          break;
        default:
          value = value + var;
      }
    }
    return value;
  }

  Index coordinate(const Scope& scope, int64_t extent) {
    if (below(4) == 0)
      return b_.bound_index(mod(any(scope.wholes), constant(extent)), extent, below(2) == 0, "x")
          .id();
    // Variables that fit are used as they are, so that accesses have strides.
    if (!scope.vars.empty() && below(3) != 0) {
      const auto at = static_cast<size_t>(below(static_cast<int>(scope.vars.size())));
      const auto known = scope.extents[at].maybe_constant();
      if (known && *known <= extent) return scope.vars[at];
    }
    return mod(expression(scope), extent);
  }

  Scalar constant(int64_t value) { return b_.constant(DType::i64, value); }

  /// Keeps exact numbers small.
  Scalar kept(Scalar number) {
    if (!is_exact_ || number.dtype() == DType::bool_) return number;
    return fmod(number, b_.constant(number.dtype(), int64_t{256}));
  }

  void load(Scope& scope) {
    const IndexVector at{coordinate(scope, kRows), coordinate(scope, kColumns)};
    const bool is_predicated = below(3) == 0;
    const Scalar predicate = is_predicated ? any(scope.bools) : Scalar();
    switch (below(3)) {
      case 0:
        scope.reals.push_back(b_.load_if(predicate, reals_, at, any(scope.reals)));
        break;
      case 1:
        scope.wholes.push_back(b_.load_if(predicate, wholes_, at, any(scope.wholes)));
        break;
      default:
        scope.bools.push_back(b_.load_if(predicate, flags_, at, any(scope.bools)));
    }
  }

  void operation(Scope& scope) {
    using Op = ScalarOp;
    constexpr std::array kReal{Op::add, Op::sub, Op::mul, Op::div, Op::max};
    constexpr std::array kExact{Op::add, Op::sub, Op::copysign, Op::min, Op::max};
    constexpr std::array kWhole{Op::add, Op::sub, Op::mul, Op::max, Op::bit_and, Op::bit_xor};
    switch (below(8)) {
      case 0:
        scope.reals.push_back(below(2) != 0 ? -any(scope.reals)
                              : is_exact_   ? abs(any(scope.reals))
                                            : exp(any(scope.reals)));
        break;
      case 1:
        scope.reals.push_back(select(any(scope.bools), any(scope.reals), any(scope.reals)));
        break;
      case 2:
        scope.bools.push_back(any(scope.reals) < any(scope.reals));
        break;
      case 3:
        scope.bools.push_back(any(scope.wholes) == any(scope.wholes));
        break;
      case 4:
        scope.wholes.push_back(
            b_.cast(below(2) == 0 ? any(scope.reals) : any(scope.bools), DType::i64));
        break;
      case 5:
        scope.reals.push_back(b_.cast(kept(any(scope.wholes)), DType::f32));
        break;
      case 6:
        scope.wholes.push_back(b_.op(kWhole[static_cast<size_t>(below(kWhole.size()))],
                                     std::array{any(scope.wholes), any(scope.wholes)}));
        break;
      default:
        scope.reals.push_back(
            kept(b_.op((is_exact_ ? kExact : kReal)[static_cast<size_t>(below(kReal.size()))],
                       std::array{any(scope.reals), any(scope.reals)})));
    }
  }

  void store(Scope& scope) {
    if (scope.is_pure) return;
    if (below(4) == 0) {
      const Scalar predicate = any(scope.bools);
      if (below(2) == 0) {  // In any order.
        return b_.store_if(predicate, counts_, {mod(expression(scope), kBins)}, any(scope.wholes),
                           StoreMode::add);
      }
      b_.store_if(predicate, bins_, {mod(expression(scope), kBins)}, any(scope.reals),
                  StoreMode::add);
      return;
    }
    // A buffer of its own, indexed by every loop around: iterations stay independent.
    const bool real = below(2) == 0;
    const BufferId y = add_output(real ? DType::f32 : DType::i64, scope.extents);
    b_.store(y, scope.vars, real ? any(scope.reals) : any(scope.wholes));
  }

  std::vector<Expr> random_extents(Scope& scope, int most) {
    std::vector<Expr> extents;
    const int count = 1 + below(most);
    for (int i = 0; i < count; ++i) {
      const int64_t extent =
          scope.iterations > 200 ? pick({1, 2, 3}) : pick({0, 1, 2, 3, 5, 17, 70, 300, -1});
      const int64_t actual = extent < 0 ? size_ : extent;
      if (scope.iterations * std::max<int64_t>(actual, 1) > 6'000) {
        extents.push_back(2);
        scope.iterations *= 2;
        continue;
      }
      extents.push_back(size_of(extent));
      scope.iterations *= std::max<int64_t>(actual, 1);
    }
    return extents;
  }

  static void enter(Scope& scope, Exprs vars, std::span<const Expr> extents) {
    scope.vars.insert(scope.vars.end(), vars.begin(), vars.end());
    scope.extents.insert(scope.extents.end(), extents.begin(), extents.end());
  }

  void statement(Scope& scope, int depth) {
    const int kind = below(depth < kMaxDepth ? 12 : 7);
    if (kind < 3) return load(scope);
    if (kind < 5) return operation(scope);
    if (kind == 5) {
      scope.wholes.push_back(b_.index(expression(scope)));
      return;
    }
    if (kind == 6) return below(4) == 0 ? check_some(scope) : store(scope);
    if (kind < 9) return loop(scope, depth);
    if (kind == 9 || scope.is_pure) return reduce(scope, depth);
    if (kind == 10) return below(2) == 0 ? carry(scope, depth) : combine(scope, depth);
    sort(scope, depth);
  }

  void statements(Scope& scope, int depth) {
    const int count = 2 + below(5);
    for (int i = 0; i < count; ++i) statement(scope, depth);
  }

  void loop(const Scope& outer, int depth) {
    if (outer.is_pure) return;
    Scope scope = outer;
    const auto extents = random_extents(scope, 3);
    b_.loop(extents, [&](Exprs vars) {
      enter(scope, vars, extents);
      statements(scope, depth + 1);
      store(scope);
    });
  }

  void reduce(Scope& outer, int depth) {
    using Kind = ReduceKind;
    Scope scope = outer;
    scope.is_pure = true;
    const auto extents = random_extents(scope, 2);
    constexpr std::array kReal{Kind::sum, Kind::max, Kind::min, Kind::argmax, Kind::argmin};
    constexpr std::array kWhole{Kind::sum,    Kind::max,    Kind::min,
                                Kind::argmax, Kind::argmin, Kind::bit_xor};
    constexpr std::array kBool{Kind::any, Kind::all};
    const int dtype = below(3);
    const Kind kind = dtype == 0   ? kReal[static_cast<size_t>(below(kReal.size()))]
                      : dtype == 1 ? kWhole[static_cast<size_t>(below(kWhole.size()))]
                                   : kBool[static_cast<size_t>(below(kBool.size()))];
    const auto body = [&](Exprs vars) {
      enter(scope, vars, extents);
      statements(scope, depth + 1);
      return dtype == 0 ? any(scope.reals) : dtype == 1 ? any(scope.wholes) : any(scope.bools);
    };
    const bool has_limit = dtype == 0 && (kind == Kind::max || kind == Kind::min);
    const OfNothing of_nothing =
        has_limit && below(2) == 0 ? OfNothing::infinity : OfNothing::error;
    const Scalar result = kept(b_.reduce(kind, extents, body, of_nothing));
    (result.dtype() == DType::f32   ? outer.reals
     : result.dtype() == DType::i64 ? outer.wholes
                                    : outer.bools)
        .push_back(result);
  }

  void carry(Scope& outer, int depth) {
    Scope scope = outer;
    const Expr extent = size_of(pick({0, 1, 2, 5, 20}));
    scope.iterations *= 20;
    const std::array initial{any(scope.reals), any(scope.wholes), any(scope.reals)};
    const auto results = b_.carry(extent, initial, [&](Expr var, std::span<const Scalar> state) {
      enter(scope, {{var}}, {{extent}});
      scope.reals.insert(scope.reals.end(), {state[0], state[2]});
      scope.wholes.push_back(state[1]);
      statements(scope, depth + 1);
      return std::vector{below(2) == 0 ? state[2] : any(scope.reals), any(scope.wholes),
                         below(2) == 0 ? state[0] : any(scope.reals)};
    });
    outer.reals.insert(outer.reals.end(), {results[0], results[2]});
    outer.wholes.push_back(results[1]);
  }

  // Holds, mostly, for what lies in buffers.
  void check_some(const Scope& scope) {
    b_.check_that(any(scope.wholes) != constant(14), "a number is not 14");
  }

  void combine(Scope& outer, int depth) {
    using Tuple = KernelBuilder::Tuple;
    using Scalars = std::span<const Scalar>;
    const Expr extent = size_of(pick({0, 1, 2, 5, 20}));
    const std::array initial{constant(0), any(outer.reals)};
    Scope elements = outer;
    elements.iterations *= 20;
    elements.is_pure = true;
    Scope emitted = outer;
    emitted.iterations *= 20;
    const auto element = [&](Expr var) -> Tuple {
      enter(elements, {{var}}, {{extent}});
      statements(elements, depth + 1);
      return {any(elements.wholes), any(elements.reals)};
    };
    const auto combination = [](Scalars a, Scalars b) -> Tuple {
      const Scalar wins = b[1] > a[1];
      return {a[0] + b[0], select(wins, b[1], a[1])};
    };
    const auto emit = [&](Expr var, Scalars made) {
      enter(emitted, {{var}}, {{extent}});
      emitted.wholes.push_back(made[0]);
      emitted.reals.push_back(made[1]);
      statements(emitted, depth + 1);
      store(emitted);
    };
    const Tuple results = below(2) == 0 ? b_.fold(extent, initial, element, combination)
                                        : b_.scan(extent, initial, element, combination, emit);
    outer.wholes.push_back(results[0]);
    outer.reals.push_back(results[1]);
  }

  void sort(const Scope& outer, int depth) {
    Scope keys = outer;
    keys.is_pure = true;
    const int64_t n = pick({1, 2, 9, 100});
    const Expr count = below(2) == 0 ? n : 1 + below(static_cast<int>(n));
    const bool real = below(2) == 0;
    keys.iterations *= n;
    Scope emitted = outer;
    emitted.iterations *= n;
    b_.sort(
        n, below(2) == 0, count,
        [&](Expr var) {
          enter(keys, {{var}}, {{Expr(n)}});
          statements(keys, depth + 1);
          return real ? any(keys.reals) : any(keys.wholes);
        },
        [&](Expr var, Scalar key, Scalar source) {
          enter(emitted, {{var}}, {{count}});
          (real ? emitted.reals : emitted.wholes).push_back(key);
          emitted.wholes.push_back(source);
          statements(emitted, depth + 1);
          store(emitted);
        });
  }

  Tensor tensor(const Buffer& buffer, const Bindings& bindings) {
    Tensor made = Tensor::empty_strided(buffer.type.dtype, evaluate(buffer.type.sizes, bindings),
                                        evaluate(buffer.type.strides, bindings));
    if (buffer.role != BufferRole::input) return made;
    constexpr float kInf = std::numeric_limits<float>::infinity();
    std::byte* data = made.mutable_data();
    for (int64_t i = 0; i < made.numel(); ++i) {
      switch (buffer.type.dtype) {
        case DType::f32: {
          float value = static_cast<float>(below(41) - 20) / 4;
          if (below(25) == 0)
            value = below(2) == 0 ? std::numeric_limits<float>::quiet_NaN() : -kInf;
          reinterpret_cast<float*>(data)[i] = value;
          break;
        }
        case DType::i64:
          reinterpret_cast<int64_t*>(data)[i] = below(31) - 15;
          break;
        default:
          data[i] = static_cast<std::byte>(below(3));
      }
    }
    return made;
  }

  std::mt19937& random_;
  bool is_exact_;
  KernelBuilder b_;
  Expr symbol_;
  int64_t size_ = 0;
  BufferId reals_ = -1;
  BufferId wholes_ = -1;
  BufferId flags_ = -1;
  BufferId bins_ = -1;
  BufferId counts_ = -1;
  int next_buffer_ = 0;
};

}  // namespace

RandomKernel random_kernel(ExprPool& pool, std::mt19937& random, Arithmetic arithmetic) {
  return Generator(pool, random, arithmetic).run();
}

}  // namespace litz::loops
