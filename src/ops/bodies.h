// The inputs of operator bodies: pointwise, reduction and free-form nests.

#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "loops/builder.h"
#include "ops/call.h"
#include "ops/op_def.h"

namespace litz::ops {

/// The tensor that a buffer of the kernel under construction is bound to.
struct KernelBinding {
  enum class Source : uint8_t { operand, result };
  Source source = Source::operand;
  ir::Value operand;       ///< For operands.
  size_t result = 0;       ///< For results.
  bool restrided = false;  ///< Binds with `type` instead of the tensor's own sizes and strides.
  TensorType type;
};

/// A kernel with the bindings of its buffers, in buffer order.
struct BoundKernel {
  loops::Kernel kernel;
  std::vector<KernelBinding> bindings;
};

/// Where the kernel of an operator that updates self writes its result.
enum class UpdatedMemory : uint8_t {
  fresh,  ///< Into new memory, to which it first copies self.
  self    ///< In place: the result's buffer contains self when the kernel begins.
};

/// A pointwise body under construction: loads are at the result's index, broadcast.
class PointwiseCall : public Call {
 public:
  /// The argument's element (or literal) cast to the compute dtype; among halves, numbers and
  /// operands without dimensions are rounded to halves first (see OpDef::unrounded).
  loops::Scalar operator[](std::string_view name) const;
  /// A value of the compute dtype as an operator on halves would have stored it; other dtypes keep
  /// it.
  loops::Scalar rounded(loops::Scalar x) const;
  /// The argument's element in its own dtype; for a literal, in its category's dtype.
  loops::Scalar load(std::string_view name) const;
  loops::Scalar as(std::string_view name, DType dtype) const;
  /// A Scalar or number attribute as a constant of the compute dtype.
  loops::Scalar number(std::string_view name) const;
  loops::Scalar constant(double value) const;  ///< In the compute dtype.
  DType compute() const;
  DType result() const;  ///< The dtype of result 0.
  loops::KernelBuilder& builder() const;
  /// The coordinates of the result element.
  std::span<const Expr> indices() const;

 private:
  friend BoundKernel build_kernel(const OpDef&, const Call&, std::span<const ir::ValueType>,
                                  UpdatedMemory);
  struct State;
  PointwiseCall(const Call& call, State& state);
  State& state_;
};

/// A reduction body under construction, at one element of the result.
class ReductionCall : public Call {
 public:
  /// Reduces `term(x)` over the reduced dimensions; x is the element of `self` in the compute
  /// dtype.
  loops::Scalar reduce(loops::ReduceKind kind,
                       const std::function<loops::Scalar(loops::Scalar)>& term,
                       loops::OfNothing of_nothing = loops::OfNothing::error) const;
  /// The same with the element in its own dtype.
  loops::Scalar reduce_raw(loops::ReduceKind kind,
                           const std::function<loops::Scalar(loops::Scalar)>& term,
                           loops::OfNothing of_nothing = loops::OfNothing::error) const;
  /// The number of reduced elements.
  Expr count() const;
  loops::Scalar count(DType dtype) const;
  DType compute() const;
  DType result() const;
  loops::KernelBuilder& builder() const;

 private:
  friend BoundKernel build_kernel(const OpDef&, const Call&, std::span<const ir::ValueType>,
                                  UpdatedMemory);
  struct State;
  ReductionCall(const Call& call, State& state);
  State& state_;
};

/// A free-form nest under construction.
class NestCall : public Call {
 public:
  loops::KernelBuilder& builder() const;
  /// The buffer of a tensor argument, or of the entry of a list at a position. Declared on first
  /// use.
  loops::BufferId in(std::string_view name) const;
  loops::BufferId in(std::string_view name, size_t position) const;
  /// Buffer of result `i`.
  loops::BufferId out(size_t i = 0) const;
  /// The same memory with other sizes, strides and offset (in elements), for operators on storages
  /// (as_strided and similar).
  loops::BufferId out_as(size_t i, TensorType type) const;
  loops::BufferId in_as(std::string_view name, TensorType type) const;
  const TensorType& result(size_t i = 0) const;
  DType compute() const;  ///< By the definition's Compute policy.
  /// Fills result 0 with the elements of `self`, unless the result is in place.
  void keep_self() const;

 private:
  friend BoundKernel build_kernel(const OpDef&, const Call&, std::span<const ir::ValueType>,
                                  UpdatedMemory);
  struct State;
  NestCall(const Call& call, State& state);
  State& state_;
};

/// Emits other operators in place of a call.
class DecomposeCall : public Call {
 public:
  DecomposeCall(const Call& call, ir::Graph& graph, std::span<const ir::ValueType> results);

  ir::Graph& graph() const { return graph_; }

  /// A tensor argument.
  ir::Value operator[](std::string_view name) const { return value(name); }

  /// An argument unchanged (value, literal, list, attribute), to pass on.
  ir::Argument pass(std::string_view name) const { return argument(name); }

  /// Emits `aten.<name>`; arguments are in schema order, and trailing ones may be omitted. Returns
  /// the first result.
  ir::Value aten(std::string_view name, std::vector<ir::Argument> arguments) const;
  std::vector<ir::Value> aten_all(std::string_view name, std::vector<ir::Argument> arguments) const;
  /// Casts if the dtype differs.
  ir::Value to(ir::Value value, DType dtype) const;

  /// The inferred types of the call itself.
  std::span<const ir::ValueType> results() const { return results_; }

  const TensorType& result(size_t i = 0) const;

 private:
  ir::Graph& graph_;
  std::span<const ir::ValueType> results_;
};

/// Builds the kernel of a Pointwise, Reduction or LoopNest operator for a call with these result
/// types. Check-fails for other implementations.
BoundKernel build_kernel(const OpDef& op, const Call& call, std::span<const ir::ValueType> results,
                         UpdatedMemory updated = UpdatedMemory::fresh);

}  // namespace litz::ops
