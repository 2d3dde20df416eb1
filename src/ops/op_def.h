// The definition of one operator: everything the compiler knows about it, in one literal.
//
// A family file (activation.cpp, reduction.cpp, ...) holds a sorted constexpr array of these and a
// function that returns it; families.h lists the functions, op_table.cpp collects them. The schema
// is checked while compiling. `impl` has no default: an operator that does not say how it is
// computed does not compile.

#pragma once

#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "ir/op_info.h"
#include "ir/schema.h"
#include "loops/builder.h"
#include "ops/call.h"

namespace litz::ops {

class PointwiseCall;
class ReductionCall;
class NestCall;
class DecomposeCall;

using Types = std::vector<ir::ValueType>;

/// Result types from argument types, as PyTorch gives them. Implicit: `.meta = name` reads best.
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

/// One result element from one element of each argument, broadcast. The returned Scalar is cast to
/// the result's dtype.
struct Pointwise {
  loops::Scalar (*body)(const PointwiseCall&);
};

/// One result element from the elements of `self` along `dim` (all when None).
struct Reduction {
  loops::Scalar (*body)(const ReductionCall&);
};

/// Any loop nest; the function writes the kernel.
struct LoopNest {
  void (*build)(NestCall&);
};

/// Other operators; the function emits nodes and returns the results.
struct Decompose {
  std::vector<ir::Value> (*build)(DecomposeCall&);
};

/// A library call by name (kernels/library.h); it gets all arguments, evaluated.
struct Library {
  std::string_view function;
};

/// The result is the first tensor argument's storage under the meta's sizes, strides and offset.
struct View {};

/// Understood by the importer, the lowering or the executor themselves: child graphs, host scalars,
/// assertions, effects.
struct Structural {};

using Impl = std::variant<Pointwise, Reduction, LoopNest, Decompose, Library, View, Structural>;

/// The dtype in which Pointwise and Reduction bodies compute.
enum class Compute : uint8_t {
  result,        ///< compute_dtype of the result: f32 for halves.
  inputs,        ///< compute_dtype of the promoted inputs (comparisons).
  at_least_f32,  ///< As inputs, but integers and bool become f32.
};

/// Small calls that tests run on every executor, written as IR arguments:
/// "(f32[2, 3], f32[3], alpha=2)"; integer tensors may give a range: "i64[4] in [0, 3)".
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
  ir::Trait traits = ir::Trait::none;  ///< Beyond those that impl implies.
  /// Also registers the in-place form: aten.relu_ beside aten.relu, aten.add_.Tensor beside
  /// aten.add.Tensor; same arguments, `self` marked (a!).
  bool inplace = false;
  std::string_view inplace_name = {};  ///< Where PyTorch names the overload differently.
  bool inplace_exact = false;  ///< In place only for a self of the result's dtype, without a cast.
  /// A LoopNest that copies self (NestCall::keep_self) and then stores into places of the copy. Its
  /// in-place form, where nobody needs self any more, only stores.
  bool updates_self = false;
  /// Names of numbers, separated by spaces, that the result's dtype must hold; the same for the dtype
  /// that is computed in, f32 for halves. Those that the schema lacks do not count.
  std::string_view held = {};
  std::string_view held_wide = {};
  /// For an operator whose result holds one number everywhere: that number, or the name of the argument
  /// that it is.
  std::string_view fills_with = {};
  std::string_view stands_for = {};  ///< What it calls (composite.h); what a writer is, functional.
  Samples samples = {};
};

}  // namespace litz::ops
