// Builds kernels as arithmetic: Scalars are handles with operators, loops are lambdas.
//
//   KernelBuilder b("silu", pool);
//   const BufferId x = b.input("x", type), y = b.output("y", type);
//   b.loop(type.sizes, [&](Indices i) {
//     const Scalar v = b.load(x, i);
//     b.store(y, i, v / (1 + exp(-v)));
//   });
//   Kernel kernel = std::move(b).finish();
//
// Equal pure instructions of a block are built once. Numbers mix with Scalars and take their dtype.

#pragma once

#include <complex>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loops/kernel.h"

namespace litz::loops {

class KernelBuilder;

/// A value under construction.
class Scalar {
 public:
  Scalar() = default;

  Scalar(KernelBuilder* builder, ValueId id) : builder_(builder), id_(id) {}

  KernelBuilder& builder() const { return *builder_; }

  ValueId id() const { return id_; }

  DType dtype() const;

  explicit operator bool() const { return builder_ != nullptr; }

 private:
  KernelBuilder* builder_ = nullptr;
  ValueId id_ = kNoValue;
};

using IndexVector = std::vector<Index>;
using Exprs = std::span<const Expr>;

/// The value of a maximum or minimum of no elements.
enum class OfNothing : uint8_t {
  error,
  infinity,  ///< The identity. Floating values only.
};

class KernelBuilder {
 public:
  KernelBuilder(std::string name, ExprPool& pool);
  ~KernelBuilder();
  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  // Buffers. The type's offset is dropped: element 0 is the start of the bound tensor.
  BufferId input(std::string name, TensorType type);
  BufferId output(std::string name, TensorType type);
  const TensorType& type(BufferId buffer) const;

  ExprPool& pool() const { return *kernel_.pool; }

  // Values.
  Scalar constant(DType dtype, double value);
  Scalar constant(DType dtype, int64_t value);
  Scalar constant(DType dtype, std::complex<double> value);
  /// A symbolic scalar (size, loop index) as a value of the dtype.
  Scalar index(Expr value, DType dtype = DType::i64);
  Scalar op(ScalarOp op, std::span<const Scalar> operands);
  Scalar cast(Scalar value, DType dtype);  ///< Returns the value itself if it has the dtype.
  Scalar bitcast(Scalar value, DType dtype);
  /// Random bits: word n (i32) or number n (i64) of the seed's stream.
  Scalar philox(Scalar seed, Scalar n, DType dtype);

  // Memory. Indices are Exprs over loop variables, or computed i64 Scalars.
  Scalar load(BufferId buffer, const IndexVector& indices);
  Scalar load(BufferId buffer, Exprs indices);
  /// Gives `other` if the predicate is false, without the access.
  Scalar load_if(Scalar predicate, BufferId buffer, const IndexVector& indices, Scalar other);
  void store(BufferId buffer, const IndexVector& indices, Scalar value,
             StoreMode mode = StoreMode::assign);
  void store(BufferId buffer, Exprs indices, Scalar value, StoreMode mode = StoreMode::assign);
  void store_if(Scalar predicate, BufferId buffer, const IndexVector& indices, Scalar value,
                StoreMode mode = StoreMode::assign);
  /// Checks 0 <= v < extent at run time (negatives count from the end if `wrap`); `what` names the
  /// access in the error.
  Scalar bound_index(Scalar value, Expr extent, bool wrap, std::string what);

  /// Fails with the text if the bool is false.
  void check_that(Scalar condition, std::string text);

  // Structure. Lambdas receive the loop variables in order.
  using Body = std::function<void(Exprs)>;
  using ValueBody = std::function<Scalar(Exprs)>;
  void loop(Exprs extents, const Body& body);
  Scalar reduce(ReduceKind kind, Exprs extents, const ValueBody& body,
                OfNothing of_nothing = OfNothing::error);
  /// Makes a loop that runs in order. `body` receives the variable and the carried values, and
  /// returns the next ones. The result is the carried values after the last iteration.
  std::vector<Scalar> carry(
      Expr extent, std::span<const Scalar> initial,
      const std::function<std::vector<Scalar>(Expr, std::span<const Scalar>)>& body);
  using Tuple = std::vector<Scalar>;
  using ElementBody = std::function<Tuple(Expr)>;
  using CombineBody = std::function<Tuple(std::span<const Scalar>, std::span<const Scalar>)>;
  /// Combines the tuples of all iterations. `combine` is associative and does not depend on the
  /// iteration, so a machine may combine parts, each of which begins with `initial`. The result is
  /// the combination of all.
  Tuple fold(Expr extent, std::span<const Scalar> initial, const ElementBody& element,
             const CombineBody& combine);
  /// Like fold; `emit` receives the combination up to and including each iteration.
  Tuple scan(Expr extent, std::span<const Scalar> initial, const ElementBody& element,
             const CombineBody& combine,
             const std::function<void(Expr, std::span<const Scalar>)>& emit);
  /// Stable sort of the keys of n elements (NaN sorts as largest). For each of the first `count`
  /// positions, `emit` receives the position, the key there and its original position (i64).
  void sort(Expr n, bool descending, Expr count, const std::function<Scalar(Expr)>& key,
            const std::function<void(Expr, Scalar, Scalar)>& emit);

  /// Verifies and returns the kernel.
  Kernel finish() &&;

 private:
  friend class Scalar;
  struct Interning;

  BufferId add_buffer(std::string name, BufferRole role, TensorType type);
  ValueId new_value(DType dtype);
  void append(Instr instr);
  /// Appends a pure instruction, or returns an equal visible one.
  Scalar append_pure(Instr instr, DType dtype);
  std::vector<LoopVar> new_vars(Exprs extents);
  /// Runs `fill` with a new current block.
  std::unique_ptr<Block> nested(const std::function<void(Block&)>& fill);
  ValueId own(Scalar value) const;
  std::vector<Scalar> new_tuple(std::span<const Scalar> like);
  std::vector<ValueId> own(std::span<const Scalar> values) const;

  Kernel kernel_;
  std::vector<Block*> blocks_;
  std::unique_ptr<Interning> interning_;
  int next_index_name_ = 0;
};

// Operators. Both operands must have the same dtype; a number takes the dtype of the other side
// (require: representable category).
Scalar operator+(Scalar a, Scalar b);
Scalar operator-(Scalar a, Scalar b);
Scalar operator*(Scalar a, Scalar b);
Scalar operator/(Scalar a, Scalar b);
Scalar operator-(Scalar a);
Scalar operator+(Scalar a, double b);
Scalar operator-(Scalar a, double b);
Scalar operator*(Scalar a, double b);
Scalar operator/(Scalar a, double b);
Scalar operator+(double a, Scalar b);
Scalar operator-(double a, Scalar b);
Scalar operator*(double a, Scalar b);
Scalar operator/(double a, Scalar b);
// Comparisons give bool Scalars.
Scalar operator==(Scalar a, Scalar b);
Scalar operator!=(Scalar a, Scalar b);
Scalar operator<(Scalar a, Scalar b);
Scalar operator<=(Scalar a, Scalar b);
Scalar operator>(Scalar a, Scalar b);
Scalar operator>=(Scalar a, Scalar b);
Scalar operator==(Scalar a, double b);
Scalar operator!=(Scalar a, double b);
Scalar operator<(Scalar a, double b);
Scalar operator<=(Scalar a, double b);
Scalar operator>(Scalar a, double b);
Scalar operator>=(Scalar a, double b);
// Logic on bool, bits on integers.
Scalar operator&(Scalar a, Scalar b);
Scalar operator|(Scalar a, Scalar b);
Scalar operator^(Scalar a, Scalar b);
Scalar operator!(Scalar a);  ///< Logical not of a bool.
Scalar operator~(Scalar a);
/// condition ? a : b, elementwise.
Scalar select(Scalar condition, Scalar a, Scalar b);
Scalar select(Scalar condition, Scalar a, double b);
Scalar select(Scalar condition, double a, Scalar b);

// One function per primitive, named as the primitive.
Scalar floor_div(Scalar a, Scalar b);
Scalar trunc_div(Scalar a, Scalar b);
Scalar mod(Scalar a, Scalar b);
Scalar fmod(Scalar a, Scalar b);
Scalar abs(Scalar a);
Scalar sign(Scalar a);
Scalar min(Scalar a, Scalar b);
Scalar max(Scalar a, Scalar b);
Scalar min(Scalar a, double b);
Scalar max(Scalar a, double b);
Scalar fmin(Scalar a, Scalar b);
Scalar fmax(Scalar a, Scalar b);
Scalar fma(Scalar a, Scalar b, Scalar c);
Scalar copysign(Scalar a, Scalar b);
Scalar nextafter(Scalar a, Scalar b);
Scalar hypot(Scalar a, Scalar b);
Scalar is_nan(Scalar a);
Scalar is_inf(Scalar a);
Scalar signbit(Scalar a);
Scalar shift_left(Scalar a, Scalar b);
Scalar shift_right(Scalar a, Scalar b);
Scalar floor(Scalar a);
Scalar ceil(Scalar a);
Scalar trunc(Scalar a);
Scalar round_even(Scalar a);
Scalar sqrt(Scalar a);
Scalar rsqrt(Scalar a);
Scalar exp(Scalar a);
Scalar exp2(Scalar a);
Scalar expm1(Scalar a);
Scalar log(Scalar a);
Scalar log2(Scalar a);
Scalar log10(Scalar a);
Scalar log1p(Scalar a);
Scalar pow(Scalar a, Scalar b);
Scalar pow(Scalar a, double b);
Scalar sin(Scalar a);
Scalar cos(Scalar a);
Scalar tan(Scalar a);
Scalar asin(Scalar a);
Scalar acos(Scalar a);
Scalar atan(Scalar a);
Scalar atan2(Scalar a, Scalar b);
Scalar sinh(Scalar a);
Scalar cosh(Scalar a);
Scalar tanh(Scalar a);
Scalar asinh(Scalar a);
Scalar acosh(Scalar a);
Scalar atanh(Scalar a);
Scalar erf(Scalar a);
Scalar erfc(Scalar a);
Scalar erfinv(Scalar a);
Scalar lgamma(Scalar a);
Scalar digamma(Scalar a);
Scalar real(Scalar a);
Scalar imag(Scalar a);
Scalar conj(Scalar a);
Scalar angle(Scalar a);
Scalar make_complex(Scalar a, Scalar b);

}  // namespace litz::loops
