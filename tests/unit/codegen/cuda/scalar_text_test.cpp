// Every scalar operation and cast on the card against the interpreter.

#include <limits>

#include "emulated_kernel.h"
#include "loops/signature.h"

namespace litz::codegen {
namespace {

using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;
using loops::ScalarOp;

using ScalarTextTest = EmulatedKernelTest;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr DType kIntegers[] = {DType::i8,  DType::u8,  DType::i16, DType::u16,
                               DType::i32, DType::u32, DType::i64, DType::u64};
constexpr DType kReals[] = {DType::f64,        DType::f32,        DType::f16,
                            DType::bf16,       DType::f8e4m3fn,   DType::f8e5m2,
                            DType::f8e4m3fnuz, DType::f8e5m2fnuz, DType::f8e8m0fnu};

/// Values around the limits of all formats.
std::vector<double> odd_values() {
  std::vector<double> values{0.0,    -0.0,  0.5,    0.75,  1.5,   2.5,      300.0,
                             448,    449,   464,    465,   1e-7,  1e-40,    1e-46,
                             3e-8,   65504, 65519,  65520, 57344, 61440,    3.4e38,
                             3.5e38, 1e300, 1e-310, kInf,  kNaN,  16777217, 9007199254740993.0,
                             240,    248,   2e-3};
  for (const int bits : {7, 8, 15, 16, 31, 32, 63, 64}) {
    const double power = std::ldexp(1.0, bits);
    values.insert(values.end(), {power, power - 1, power + 1, power - 0.5});
  }
  const std::vector<double> positive = values;
  for (const double value : positive) values.push_back(-value);
  return values;
}

/// The limits of an integer dtype and small numbers.
std::vector<int64_t> odd_integers(DType dtype) {
  std::vector<int64_t> values{0, 1, 2, 3, 7, 31, 63, 64, 127};
  const int bits = static_cast<int>(8 * item_size(dtype));
  if (is_signed(dtype)) {
    const int64_t most = bits == 64 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1;
    for (const int64_t value : {-1, -2, -3, -7, -64}) values.push_back(value);
    values.insert(values.end(), {most, most - 1, -most - 1, -most});
  } else {
    const int64_t most = bits == 64 ? -1 : (int64_t{1} << bits) - 1;
    values.insert(values.end(), {most, most - 1});
  }
  return values;
}

/// All pairs of the values: the first ones, the second ones.
template <typename T>
std::pair<std::vector<T>, std::vector<T>> pairs(const std::vector<T>& values) {
  std::pair<std::vector<T>, std::vector<T>> all;
  for (const T a : values) {
    for (const T b : values) {
      all.first.push_back(a);
      all.second.push_back(b);
    }
  }
  return all;
}

template <typename T>
Tensor row(DType dtype, const std::vector<T>& values) {
  return Tensor::of<T>(dtype, {static_cast<int64_t>(values.size())}, std::span<const T>(values));
}

/// A kernel that applies operations to a row of operands, each with an output of its own.
class Rows {
 public:
  Rows(ExprPool& pool, std::vector<Tensor> operands)
      : b_("rows", pool), tensors_(std::move(operands)) {
    for (const Tensor& tensor : tensors_) {
      inputs_.push_back(b_.input("x" + std::to_string(inputs_.size()),
                                 contiguous_type(tensor.dtype(), {count()})));
    }
  }

  using Function = std::function<Scalar(KernelBuilder&, const std::vector<Scalar>&)>;

  /// `name` is of the output.
  void add(const std::string& name, DType result, Function function) {
    outputs_.push_back({b_.output(name, contiguous_type(result, {count()})), std::move(function)});
    tensors_.push_back(Tensor::zeros(result, {count()}));
  }

  loops::Kernel kernel() && {
    b_.loop(std::vector<Expr>{count()}, [&](Exprs i) {
      std::vector<Scalar> operands;
      for (const BufferId input : inputs_) operands.push_back(b_.load(input, i));
      for (const auto& [output, function] : outputs_) b_.store(output, i, function(b_, operands));
    });
    return std::move(b_).finish();
  }

  const std::vector<Tensor>& tensors() const { return tensors_; }

 private:
  int64_t count() const { return tensors_[0].numel(); }

  KernelBuilder b_;
  std::vector<BufferId> inputs_;
  std::vector<Tensor> tensors_;
  std::vector<std::pair<BufferId, Function>> outputs_;
};

TEST_F(ScalarTextTest, CastsOfAllPairsOfDtypes) {
  std::vector<DType> all(std::begin(kIntegers), std::end(kIntegers));
  all.insert(all.end(), std::begin(kReals), std::end(kReals));
  all.push_back(DType::bool_);
  KernelBuilder b("casts", pool_);
  std::vector<Tensor> tensors;
  std::vector<Tensor> expected;
  for (const DType from : all) {
    const Tensor values =
        is_integer(from) ? row(DType::i64, odd_integers(from)).to(from) : row(from, odd_values());
    const std::vector<Expr> sizes{values.numel()};
    const std::string prefix(name(from));
    const BufferId x = b.input(prefix, contiguous_type(from, sizes));
    tensors.push_back(values);
    expected.push_back(values);
    std::vector<BufferId> outputs;
    for (const DType to : all) {
      outputs.push_back(
          b.output(prefix + "_as_" + std::string(name(to)), contiguous_type(to, sizes)));
      tensors.push_back(Tensor::zeros(to, {values.numel()}));
      expected.push_back(values.to(to));
    }
    b.loop(sizes, [&](Exprs i) {
      const Scalar value = b.load(x, i);
      for (size_t t = 0; t < all.size(); ++t) b.store(outputs[t], i, b.cast(value, all[t]));
    });
  }
  const loops::Kernel kernel = std::move(b).finish();
  run(kernel, tensors);
  for (size_t i = 0; i < tensors.size(); ++i) {
    SCOPED_TRACE(kernel.buffers[i].name);
    expect_same_bits(tensors[i], expected[i]);
  }
}

TEST_F(ScalarTextTest, Bitcasts) {
  Rows rows(pool_, {row(DType::f32, odd_values()), row(DType::f64, odd_values()),
                    row(DType::f16, odd_values()), row(DType::bf16, odd_values())});
  const auto add = [&](size_t operand, DType to) {
    rows.add(std::string(name(to)) + std::to_string(operand), to,
             [=](KernelBuilder& b, const auto& v) { return b.bitcast(v[operand], to); });
  };
  add(0, DType::i32);
  add(0, DType::u32);
  add(1, DType::i64);
  add(1, DType::u64);
  add(2, DType::i16);
  add(3, DType::u16);
  const std::vector<Tensor> tensors = rows.tensors();
  compare(std::move(rows).kernel(), tensors);
}

TEST_F(ScalarTextTest, Integers) {
  using enum ScalarOp;
  for (const DType dtype : kIntegers) {
    SCOPED_TRACE(name(dtype));
    const auto [a, b] = pairs(odd_integers(dtype));
    Rows rows(pool_, {row(DType::i64, a).to(dtype), row(DType::i64, b).to(dtype)});
    for (const ScalarOp op : {add, sub, mul, neg, abs, sign, min, max, fmin, fmax, bit_and, bit_or,
                              bit_xor, bit_not, shift_left, shift_right, pow, fma}) {
      rows.add(std::string(loops::name(op)), dtype, [op](KernelBuilder& k, const auto& v) {
        const std::vector<Scalar> three{v[0], v[1], v[0]};
        return k.op(op, std::span(three).first(static_cast<size_t>(loops::arity(op))));
      });
    }
    for (const ScalarOp op : {floor_div, trunc_div, mod, loops::ScalarOp::fmod}) {
      rows.add(std::string(loops::name(op)), dtype, [op](KernelBuilder& k, const auto& v) {
        return k.op(op, std::array{v[0], loops::select(v[1] == 0, 3, v[1])});
      });
    }
    for (const ScalarOp op : {eq, ne, lt, le}) {
      rows.add(std::string(loops::name(op)), DType::bool_, [op](KernelBuilder& k, const auto& v) {
        return k.op(op, std::array{v[0], v[1]});
      });
    }
    rows.add("signbit", DType::bool_,
             [](KernelBuilder& k, const auto& v) { return k.op(signbit, std::array{v[0]}); });
    const std::vector<Tensor> tensors = rows.tensors();
    compare(std::move(rows).kernel(), tensors);
  }
}

TEST_F(ScalarTextTest, DivisionsByZeroFail) {
  for (const char* const op : {"floor_div", "trunc_div", "mod", "fmod"}) {
    SCOPED_TRACE(op);
    Tensor divisors = tensor_of(DType::i32, {400}, std::vector<double>(400, 3));
    const std::string text = R"(kernel @k(%x: i32[400], %y: i32[400], out %z: i32[400]) {
  for i in 0..400 {
    %0 = load %x[i]
    %1 = load %y[i]
    %2 = )" + std::string(op) +
                             R"( %0, %1
    store %z[i], %2
  }
}
)";
    const Tensor x = whole_numbers(DType::i32, {400});
    compare(text, {x, divisors, Tensor::zeros(DType::i32, {400})});
    reinterpret_cast<int32_t*>(divisors.mutable_data())[77] = 0;
    expect_same_failure(parsed(text), {x, divisors, Tensor::zeros(DType::i32, {400})});
  }
}

TEST_F(ScalarTextTest, Bools) {
  using enum ScalarOp;
  Rows rows(pool_,
            {row<double>(DType::bool_, {0, 0, 1, 1}), row<double>(DType::bool_, {0, 1, 0, 1})});
  for (const ScalarOp op :
       {add, mul, min, max, fmin, fmax, bit_and, bit_or, bit_xor, bit_not, eq, ne, lt, le}) {
    rows.add(std::string(loops::name(op)), DType::bool_, [op](KernelBuilder& k, const auto& v) {
      return k.op(op, std::span(v).first(static_cast<size_t>(loops::arity(op))));
    });
  }
  const std::vector<Tensor> tensors = rows.tensors();
  compare(std::move(rows).kernel(), tensors);
}

TEST_F(ScalarTextTest, ExactOperationsOfReals) {
  using enum ScalarOp;
  const auto [a, b] = pairs<double>({0.0, -0.0, 1, -1, 0.5, -2.5, 3.75, 7, -7, 1e-40, 1e30, -1e30,
                                     2147483648.0, kInf, -kInf, kNaN});
  for (const DType dtype : {DType::f32, DType::f64}) {
    SCOPED_TRACE(name(dtype));
    Rows rows(pool_, {row(dtype, a), row(dtype, b)});
    for (const ScalarOp op :
         {add,       sub,   mul,  div,   floor_div,  trunc_div, mod,  loops::ScalarOp::fmod,
          neg,       abs,   sign, min,   max,        fmin,      fmax, copysign,
          nextafter, floor, ceil, trunc, round_even, sqrt}) {
      rows.add(std::string(loops::name(op)), dtype, [op](KernelBuilder& k, const auto& v) {
        return k.op(op, std::span(v).first(static_cast<size_t>(loops::arity(op))));
      });
    }
    rows.add("fma", dtype, [](KernelBuilder& k, const auto& v) {
      return k.op(fma, std::array{v[0], v[1], v[0]});
    });
    rows.add("select", dtype,
             [](KernelBuilder&, const auto& v) { return loops::select(v[0] < v[1], v[0], v[1]); });
    for (const ScalarOp op : {eq, ne, lt, le, is_nan, is_inf, signbit}) {
      rows.add(std::string(loops::name(op)), DType::bool_, [op](KernelBuilder& k, const auto& v) {
        return k.op(op, std::span(v).first(static_cast<size_t>(loops::arity(op))));
      });
    }
    const std::vector<Tensor> tensors = rows.tensors();
    compare(std::move(rows).kernel(), tensors);
  }
}

// Elementary functions are the machine's; the text must name the right ones.
// Rows divided by one number each are multiplied by its reciprocal and corrected: exactly, unless the
// quotients are so small that the correction would underflow.
TEST_F(ScalarTextTest, DivisorsOfWholeRows) {
  std::vector<double> dividends{0.0, -0.0, kInf, -kInf, kNaN};
  for (int i = 1; i < 252; ++i) dividends.push_back((i % 2 == 0 ? i : -i) * 0x1.23456p0);
  const auto columns = static_cast<int64_t>(dividends.size());
  const auto compare_all = [&](DType dtype, const std::vector<double>& divisors, double tolerance) {
    SCOPED_TRACE(name(dtype));
    const std::string type = dtype == DType::f32 ? "f32" : "f64";
    const auto rows = static_cast<int64_t>(divisors.size());
    const std::string n = std::to_string(columns);
    const std::string m = std::to_string(rows);
    compare("kernel @k(%x: " + type + "[" + n + "], %d: " + type + "[" + m + "], out %y: " + type +
                "[" + m + ", " + n + "]) {\n  for i in 0.." + m + ", j in 0.." + n +
                " {\n    %0 = load %x[j]\n    %1 = load %d[i]\n    %2 = div %0, %1\n    "
                "store %y[i, j], %2\n  }\n}\n",
            {tensor_of(dtype, {columns}, dividends), tensor_of(dtype, {rows}, divisors),
             Tensor::zeros(dtype, {rows, columns})},
            tolerance);
  };
  const std::vector<double> usual{3,     -7,    0.1,   1e20, -1e-20, 0x1.fffffep0, 0x1.000002p0,
                                  1e-36, 1e-39, 1e-45, 0.0,  -0.0,   kInf,         kNaN};
  const std::vector<double> large{1e38, -0x1p126};
  compare_all(DType::f32, usual, 0);
  compare_all(DType::f32, large, 0x1p-23);
  compare_all(DType::f64, usual, 0);
  compare_all(DType::f64, large, 0);
}

// Sums, differences and products of two bf16 are rounded at once.
TEST_F(ScalarTextTest, OperationsOfTwoBf16) {
  const auto [a, b] = pairs<double>({0.0, -0.0, 1, -1, 0.5, -2.5, 3.75, 7, -7, 1e-40, 1.0078125,
                                     1e30, -1e30, 3.3e38, 2147483648.0, kInf, -kInf, kNaN});
  Rows rows(pool_, {row(DType::bf16, a), row(DType::bf16, b)});
  for (const ScalarOp op : {ScalarOp::add, ScalarOp::sub, ScalarOp::mul}) {
    rows.add(std::string(loops::name(op)), DType::bf16, [op](KernelBuilder& k, const auto& v) {
      return k.cast(k.op(op, std::array{k.cast(v[0], DType::f32), k.cast(v[1], DType::f32)}),
                    DType::bf16);
    });
    rows.add(std::string(loops::name(op)) + "1", DType::bf16,
             [op](KernelBuilder& k, const auto& v) {
               const Scalar number = k.constant(DType::f32, 1.25);
               return k.cast(k.op(op, std::array{k.cast(v[0], DType::f32), number}), DType::bf16);
             });
  }
  const std::vector<Tensor> tensors = rows.tensors();
  compare(std::move(rows).kernel(), tensors);
}

TEST_F(ScalarTextTest, ElementaryFunctions) {
  using enum ScalarOp;
  std::vector<double> points{0.0, -0.0, 1e-20, 0.3, -0.3, 0.9999, 1,     -1,   1.5,   -1.5,
                             2,   7.25, -7.25, 30,  -30,  1000,   -1000, kInf, -kInf, kNaN};
  const auto [a, b] = pairs(points);
  for (const DType dtype : {DType::f32, DType::f64}) {
    SCOPED_TRACE(name(dtype));
    Rows rows(pool_, {row(dtype, a), row(dtype, b)});
    for (const ScalarOp op : {rsqrt, exp,  exp2,   expm1,  log,   log2,  log10, log1p, sin,   cos,
                              tan,   asin, acos,   atan,   sinh,  cosh,  tanh,  asinh, acosh, atanh,
                              erf,   erfc, erfinv, lgamma, angle, hypot, pow,   atan2}) {
      rows.add(std::string(loops::name(op)), dtype, [op](KernelBuilder& k, const auto& v) {
        return k.op(op, std::span(v).first(static_cast<size_t>(loops::arity(op))));
      });
    }
    const std::vector<Tensor> tensors = rows.tensors();
    compare(std::move(rows).kernel(), tensors, {}, dtype == DType::f32 ? 1e-6 : 4e-15);
  }
}

// Near its root at 1.46 the recurrence cancels.
TEST_F(ScalarTextTest, Digamma) {
  std::vector<double> points{0.0,  -0.0,  1e-20, 0.3,  -0.3, 1,    2,
                             7.25, -7.25, 30,    1000, -3,   kInf, kNaN};
  for (const DType dtype : {DType::f32, DType::f64}) {
    Rows rows(pool_, {row(dtype, points),
                      row(dtype, std::vector<double>{1.4, 1.5, 1.46, 1.47, 1.45, 1.55, 1.3, 1.6,
                                                     1.2, 1.7, 1.1, 1.8, 1.9, 1.05})});
    for (const size_t operand : {0, 1}) {
      rows.add("digamma" + std::to_string(operand), dtype,
               [operand](KernelBuilder& k, const auto& v) {
                 return k.op(ScalarOp::digamma, std::array{v[operand]});
               });
    }
    const std::vector<Tensor> tensors = rows.tensors();
    compare(std::move(rows).kernel(), tensors, {}, dtype == DType::f32 ? 1e-6 : 1e-12);
  }
}

TEST_F(ScalarTextTest, Constants) {
  Rows rows(pool_, {row(DType::f32, std::vector<double>{1})});
  const auto add = [&](DType dtype, auto value) {
    rows.add("y" + std::to_string(rows.tensors().size()), dtype,
             [=](KernelBuilder& b, const auto&) { return b.constant(dtype, value); });
  };
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8e4m3fn}) {
    for (const double value : odd_values()) add(dtype, value);
  }
  for (const DType dtype : kIntegers) {
    for (const int64_t value : odd_integers(dtype)) {
      if (dtype != DType::u64 || value >= 0) add(dtype, value);
    }
  }
  const std::vector<Tensor> tensors = rows.tensors();
  compare(std::move(rows).kernel(), tensors);
}

}  // namespace
}  // namespace litz::codegen
