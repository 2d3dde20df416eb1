// The definition of one operator: all its properties in one literal.
//
// A family file (activation.cpp, reduction.cpp, ...) has a sorted constexpr array of definitions
// and a function that returns it; families.h lists the functions, op_table.cpp collects them. The
// schema is checked at compile time. `impl` has no default: a definition without an implementation
// does not compile.

#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/op_info.h"
#include "loops/builder.h"
#include "ops/call.h"
#include "schema/schema.h"

namespace litz::ops {

class PointwiseCall;
class ReductionCall;
class NestCall;
class DecomposeCall;

using Types = std::vector<ir::ValueType>;

/// Result types from argument types, as in PyTorch. Implicit: `.meta = name` reads best.
class Meta {
 public:
  constexpr Meta(TensorType (*one)(const Call&))  // NOLINT(google-explicit-constructor)
      : one_(one) {}

  constexpr Meta(Types (*many)(const Call&))  // NOLINT(google-explicit-constructor)
      : many_(many) {}

  Types operator()(const Call& call) const;

 private:
  TensorType (*one_)(const Call&) = nullptr;
  Types (*many_)(const Call&) = nullptr;
};

/// Computes one result element from one element of each argument, broadcast. The returned Scalar is
/// cast to the result's dtype.
struct Pointwise {
  loops::Scalar (*body)(const PointwiseCall&);
};

/// Computes one result element from the elements of `self` along `dim` (None: all).
struct Reduction {
  loops::Scalar (*body)(const ReductionCall&);
};

/// Any loop nest; the function builds the kernel.
struct LoopNest {
  void (*build)(NestCall&);
};

/// Other operators: the function emits nodes and returns the results.
struct Decompose {
  std::vector<ir::Value> (*build)(DecomposeCall&);
};

/// A library function by name (kernels/library.h); the call gets all arguments, evaluated.
struct Library {
  std::string_view function;
};

/// A view: the result is the first tensor argument's storage with the meta's sizes, strides and
/// offset.
struct View {};

/// Handled directly by the importer, the lowering or the executor: child graphs, host scalars,
/// assertions, effects.
struct Structural {};

using Impl = std::variant<Pointwise, Reduction, LoopNest, Decompose, Library, View, Structural>;

/// The dtype in which Pointwise and Reduction bodies compute.
enum class Compute : uint8_t {
  result,        ///< compute_dtype of the result: f32 for halves.
  inputs,        ///< compute_dtype of the promoted inputs (comparisons).
  at_least_f32,  ///< Like inputs, but integers and bool become f32.
};

/// Small calls that tests run on every executor, written as IR arguments: "(f32[2, 3], f32[3],
/// alpha=2)"; integer tensors may have a range: "i64[4] in [0, 3)".
struct Samples {
  double lo = -4;  ///< Range of floating inputs.
  double hi = 4;
  std::span<const std::string_view> calls = {};
};

struct OpDef {
  ir::SchemaText schema;
  std::string_view doc;
  Meta meta;
  Compute compute = Compute::result;
  Impl impl;
  ir::Trait traits = ir::Trait::none;  ///< In addition to those that impl implies.
  /// Also registers the in-place form: aten.relu_ beside aten.relu, aten.add_.Tensor beside
  /// aten.add.Tensor. It has the same arguments, with `self` marked (a!).
  bool inplace = false;
  std::string_view inplace_name = {};  ///< Set if PyTorch names the overload differently.
  bool inplace_exact = false;          ///< In place only if self has the result's dtype.
  /// A LoopNest that copies self (NestCall::keep_self) and then stores to parts of the copy. If
  /// self is not read again, its in-place form only stores.
  bool updates_self = false;
  /// Names of numbers, separated by spaces, that the result's dtype must represent; `held_wide`
  /// uses the compute dtype, f32 for halves. Names that the schema lacks are ignored.
  std::string_view held = {};
  std::string_view held_wide = {};
  /// The operand that the body gets as it is even if the others are halves. Else numbers and
  /// operands without dimensions are converted to halves first, as by PyTorch.
  std::string_view unrounded = {};
  /// For an operator whose result has the same number everywhere: that number, or the name of its
  /// argument.
  std::string_view fills_with = {};
  std::string_view stands_for = {};  ///< The called operator, or a writer's functional form.
  Samples samples = {};
};

}  // namespace litz::ops
