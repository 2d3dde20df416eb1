#include "ops/bodies.h"

#include <algorithm>
#include <string>
#include <utility>

#include "ops/meta.h"
#include "ops/reduced_dims.h"
#include "support/check.h"

namespace litz::ops {
namespace {

using ir::ValueType;
using loops::BufferId;
using loops::Exprs;
using loops::KernelBuilder;
using loops::Scalar;

// "aten.add.Tensor" -> "add_tensor": a word that is valid in kernel text.
std::string kernel_name(std::string_view op) {
  std::string name(op.substr(op.find('.') + 1));
  for (char& c : name) {
    if (c == '.') c = '_';
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return name;
}

const TensorType& tensor_result(std::span<const ValueType> results, size_t i) {
  check(i < results.size() && ir::is_tensor(results[i]), "a kernel writes tensor results:", i);
  return std::get<TensorType>(results[i]);
}

// The dtype by the definition's Compute policy.
DType compute_of(const OpDef& op, const Call& call, std::span<const ValueType> results) {
  switch (op.compute) {
    case Compute::result:
      return compute_dtype(tensor_result(results, 0).dtype);
    case Compute::inputs:
      return compute_dtype(promoted_dtype(call));
    case Compute::at_least_f32:
      return compute_dtype(floating_dtype(promoted_dtype(call)));
  }
  return DType::f32;
}

// A literal in any dtype; halves are rounded, since kernels only convert to and from them.
Scalar literal(KernelBuilder& b, DType dtype, std::complex<double> value) {
  if (is_complex(dtype)) return b.cast(b.constant(compute_dtype(dtype), value), dtype);
  if (is_floating(dtype)) return b.cast(b.constant(compute_dtype(dtype), value.real()), dtype);
  if (dtype == DType::bool_) return b.constant(dtype, static_cast<int64_t>(value != 0.0));
  constexpr double kLimit = 9223372036854775807.0;
  require(value.real() >= -kLimit && value.real() < kLimit,
          "a number must be representable in an integer dtype:", value.real(), name(dtype));
  return b.constant(dtype, static_cast<int64_t>(value.real()));
}

Scalar literal(KernelBuilder& b, DType dtype, int64_t value) {
  if (dtype == DType::bool_) return b.constant(dtype, static_cast<int64_t>(value != 0));
  if (is_integer(dtype)) return b.constant(dtype, value);
  return literal(b, dtype, std::complex<double>(static_cast<double>(value)));
}

// A scalar expression in its category's dtype.
Scalar symbolic(KernelBuilder& b, Expr value) {
  if (value.domain() == ExprDomain::real) return b.index(value, DType::f64);
  if (value.domain() == ExprDomain::integer) return b.index(value, DType::i64);
  return b.cast(b.index(where(value, Expr(1), Expr(0)), DType::i64), DType::bool_);
}

Scalar scalar_in(KernelBuilder& b, Expr value, DType dtype) {
  if (!value.is_constant()) return b.cast(symbolic(b, value), dtype);
  switch (value.domain()) {
    case ExprDomain::boolean:
      return literal(b, dtype, static_cast<int64_t>(value.boolean_constant()));
    case ExprDomain::integer:
      return literal(b, dtype, value.constant());
    case ExprDomain::real:
      return literal(b, dtype, std::complex<double>(value.real_constant()));
  }
  return {};
}

// The literal or symbolic scalar of an argument, in a dtype.
Scalar number_in(const Call& call, KernelBuilder& b, std::string_view name, DType dtype) {
  if (call.is_complex(name)) return literal(b, dtype, call.complex(name));
  return scalar_in(b, call.scalar(name), dtype);
}

DType literal_dtype(DTypeCategory category) {
  switch (category) {
    case DTypeCategory::bool_:
      return DType::bool_;
    case DTypeCategory::integer:
      return DType::i64;
    case DTypeCategory::floating:
      return DType::f64;
    case DTypeCategory::complex:
      return DType::c128;
  }
  return DType::f64;
}

// Coordinates in an operand that broadcasts to the result.
Sizes broadcast_indices(const TensorType& operand, Exprs indices) {
  check(operand.rank() <= indices.size(), "an operand broadcasts to the result:", operand);
  Sizes coordinates(indices.end() - static_cast<ptrdiff_t>(operand.rank()), indices.end());
  for (size_t i = 0; i < coordinates.size(); ++i) {
    if (operand.sizes[i].is(1)) coordinates[i] = 0;
  }
  return coordinates;
}

// Declares buffers on first use and records what they are bound to.
class Binder {
 public:
  Binder(const Call& call, std::span<const ValueType> results)
      : builder(kernel_name(call.op().name()), call.module().exprs()), results_(results) {}

  BufferId operand(const std::string& name, ir::Value value,
                   const TensorType* restrided = nullptr) {
    check(static_cast<bool>(value) && value.is_tensor(), "a kernel reads tensors:", name);
    KernelBinding binding;
    binding.operand = value;
    binding.type = restrided != nullptr ? *restrided : value.tensor();
    binding.restrided = restrided != nullptr;
    return declare(name, std::move(binding));
  }

  BufferId result(size_t i, const TensorType* restrided = nullptr) {
    KernelBinding binding;
    binding.source = KernelBinding::Source::result;
    binding.result = i;
    binding.type = restrided != nullptr ? *restrided : tensor_result(results_, i);
    binding.restrided = restrided != nullptr;
    return declare(results_.size() == 1 ? "out" : "out" + std::to_string(i), std::move(binding));
  }

  std::span<const ValueType> results() const { return results_; }

  BoundKernel finish() && { return {std::move(builder).finish(), std::move(bindings_)}; }

  KernelBuilder builder;

 private:
  BufferId declare(const std::string& name, KernelBinding binding) {
    for (size_t i = 0; i < bindings_.size(); ++i) {
      const KernelBinding& known = bindings_[i];
      if (known.source == binding.source && known.operand == binding.operand &&
          known.result == binding.result && known.restrided == binding.restrided &&
          known.type == binding.type) {
        return static_cast<BufferId>(i);
      }
    }
    TensorType type = binding.type;
    type.offset = 0;  // The bound pointer is at element 0.
    const bool is_output = binding.source == KernelBinding::Source::result;
    std::string unique = name;
    if (std::ranges::find(names_, unique) != names_.end()) {
      unique += "_" + std::to_string(bindings_.size());
    }
    names_.push_back(unique);
    bindings_.push_back(std::move(binding));
    return is_output ? builder.output(unique, std::move(type))
                     : builder.input(unique, std::move(type));
  }

  std::span<const ValueType> results_;
  std::vector<KernelBinding> bindings_;
  std::vector<std::string> names_;
};

// Rejects a definition that computes in its result's dtype and would silently drop imaginary parts.
void require_whole(const Call& call, DType operand, DType compute) {
  const bool is_stated = call.op().schema.find("dtype") >= 0 && call.dtype().has_value();
  check(!is_complex(operand) || is_complex(compute) || is_stated,
        "an operator must compute in the dtype of its complex operands:", call.op().name());
}

// True for a number, or an operand without dimensions, that PyTorch converts to the halves of the
// others before it computes in f32.
bool is_rounded_first(const OpDef& op, const Call& call, std::string_view name, DType compute) {
  const bool is_weak = !call.is_tensor(name) || call.type(name).rank() == 0;
  if (!is_weak || name == op.unrounded) return false;
  const DType promoted = promoted_dtype(call);
  return is_half(promoted) && compute == compute_dtype(promoted);
}

}  // namespace

// --- Pointwise

struct PointwiseCall::State {
  Binder& binder;
  const OpDef& op;
  DType compute;
  Exprs indices;
};

PointwiseCall::PointwiseCall(const Call& call, State& state) : Call(call), state_(state) {}

Scalar PointwiseCall::load(std::string_view name) const {
  KernelBuilder& b = state_.binder.builder;
  if (!is_tensor(name)) return number_in(*this, b, name, literal_dtype(scalar_category(name)));
  const ir::Value operand = value(name);
  const BufferId buffer = state_.binder.operand(std::string(name), operand);
  return b.load(buffer, broadcast_indices(operand.tensor(), state_.indices));
}

Scalar PointwiseCall::as(std::string_view name, DType dtype) const {
  KernelBuilder& b = state_.binder.builder;
  if (!is_tensor(name)) return number_in(*this, b, name, dtype);
  return b.cast(load(name), dtype);
}

Scalar PointwiseCall::operator[](std::string_view name) const {
  if (is_tensor(name)) require_whole(*this, type(name).dtype, state_.compute);
  const bool is_rounded = is_rounded_first(state_.op, *this, name, state_.compute);
  return is_rounded ? rounded(as(name, state_.compute)) : as(name, state_.compute);
}

Scalar PointwiseCall::rounded(Scalar x) const {
  const DType promoted = promoted_dtype(*this);
  if (!is_half(promoted) || state_.compute != compute_dtype(promoted)) return x;
  return state_.binder.builder.cast(state_.binder.builder.cast(x, promoted), state_.compute);
}

Scalar PointwiseCall::number(std::string_view name) const {
  return number_in(*this, state_.binder.builder, name, state_.compute);
}

Scalar PointwiseCall::constant(double value) const {
  return literal(state_.binder.builder, state_.compute, std::complex<double>(value));
}

DType PointwiseCall::compute() const { return state_.compute; }

DType PointwiseCall::result() const { return tensor_result(state_.binder.results(), 0).dtype; }

KernelBuilder& PointwiseCall::builder() const { return state_.binder.builder; }

std::span<const Expr> PointwiseCall::indices() const { return state_.indices; }

// --- Reductions

struct ReductionCall::State {
  Binder& binder;
  DType compute;
  std::optional<DType> rounding;  // The half that elements are first rounded to.
  BufferId self;
  Exprs indices;  // The result element's.
  std::vector<int64_t> dims;
  bool keepdim;
  Sizes extents;  // The reduced dimensions'.
};

ReductionCall::ReductionCall(const Call& call, State& state) : Call(call), state_(state) {}

Scalar ReductionCall::reduce_raw(loops::ReduceKind kind, const std::function<Scalar(Scalar)>& term,
                                 loops::OfNothing of_nothing) const {
  KernelBuilder& b = state_.binder.builder;
  const auto element = [&](Exprs inner) {
    Sizes coordinates;
    size_t next_outer = 0;
    size_t next_inner = 0;
    for (size_t d = 0; d < b.type(state_.self).rank(); ++d) {
      const bool reduced = std::ranges::binary_search(state_.dims, static_cast<int64_t>(d));
      if (reduced) coordinates.push_back(inner[next_inner++]);
      if (!reduced) coordinates.push_back(state_.indices[next_outer]);
      if (!reduced || state_.keepdim) ++next_outer;
    }
    return term(b.load(state_.self, coordinates));
  };
  return b.reduce(kind, state_.extents, element, of_nothing);
}

Scalar ReductionCall::reduce(loops::ReduceKind kind, const std::function<Scalar(Scalar)>& term,
                             loops::OfNothing of_nothing) const {
  const auto computed = [&](Scalar x) {
    require_whole(*this, x.dtype(), state_.compute);
    const Scalar element = builder().cast(x, state_.rounding.value_or(x.dtype()));
    return term(builder().cast(element, state_.compute));
  };
  return reduce_raw(kind, computed, of_nothing);
}

Expr ReductionCall::count() const { return product(state_.extents); }

Scalar ReductionCall::count(DType dtype) const {
  return scalar_in(state_.binder.builder, count(), dtype);
}

DType ReductionCall::compute() const { return state_.compute; }

DType ReductionCall::result() const { return tensor_result(state_.binder.results(), 0).dtype; }

KernelBuilder& ReductionCall::builder() const { return state_.binder.builder; }

// --- Free-form nests

struct NestCall::State {
  Binder& binder;
  const OpDef& op;
  UpdatedMemory updated = UpdatedMemory::fresh;
};

NestCall::NestCall(const Call& call, State& state) : Call(call), state_(state) {}

KernelBuilder& NestCall::builder() const { return state_.binder.builder; }

BufferId NestCall::in(std::string_view name) const {
  return state_.binder.operand(std::string(name), value(name));
}

BufferId NestCall::in(std::string_view name, size_t position) const {
  const std::span<const ir::Value> list = values(name);
  check(position < list.size(), "a list has the entry that is asked for:", name, position);
  return state_.binder.operand(std::string(name) + std::to_string(position), list[position]);
}

BufferId NestCall::out(size_t i) const { return state_.binder.result(i); }

// NOLINTBEGIN(performance-unnecessary-value-param): callers make the type in the call.
BufferId NestCall::out_as(size_t i, TensorType type) const {
  return state_.binder.result(i, &type);
}

BufferId NestCall::in_as(std::string_view name, TensorType type) const {
  return state_.binder.operand(std::string(name), value(name), &type);
}

// NOLINTEND(performance-unnecessary-value-param)

const TensorType& NestCall::result(size_t i) const {
  return tensor_result(state_.binder.results(), i);
}

DType NestCall::compute() const { return compute_of(state_.op, *this, state_.binder.results()); }

void NestCall::keep_self() const {
  check(state_.op.updates_self, "an operator that keeps self must say so:", op().name());
  if (state_.updated == UpdatedMemory::self) return;
  builder().loop(result().sizes, [&](Exprs index) {
    builder().store(out(), index, builder().load(in("self"), index));
  });
}

// --- Decompositions

DecomposeCall::DecomposeCall(const Call& call, ir::Graph& graph, std::span<const ValueType> results)
    : Call(call), graph_(graph), results_(results) {}

std::vector<ir::Value> DecomposeCall::aten_all(std::string_view name,
                                               std::vector<ir::Argument> arguments) const {
  return graph_.create("aten." + std::string(name), std::move(arguments))->outputs();
}

ir::Value DecomposeCall::aten(std::string_view name, std::vector<ir::Argument> arguments) const {
  return graph_.create("aten." + std::string(name), std::move(arguments))->output(0);
}

ir::Value DecomposeCall::to(ir::Value value, DType dtype) const {
  if (value.tensor().dtype == dtype) return value;
  return aten("_to_copy", {value, ir::Attribute(dtype)});
}

const TensorType& DecomposeCall::result(size_t i) const { return tensor_result(results_, i); }

// --- Kernels

namespace {

// The operand that a Reduction reads: "self", or the first tensor if none has that name.
std::string_view reduced_argument(const Call& call) {
  if (call.is_tensor("self")) return "self";
  for (const ir::SchemaArgument& argument : call.op().schema.arguments) {
    if (call.is_tensor(argument.name)) return argument.name;
  }
  fail(ErrorCode::internal, "a reduction has a tensor operand:", call.op().name());
}

}  // namespace

BoundKernel build_kernel(const OpDef& op, const Call& call, std::span<const ValueType> results,
                         UpdatedMemory updated) {
  Binder binder(call, results);
  KernelBuilder& b = binder.builder;
  if (const auto* nest = std::get_if<LoopNest>(&op.impl)) {
    NestCall::State state{binder, op, updated};
    NestCall nest_call(call, state);
    nest->build(nest_call);
  } else if (const auto* pointwise = std::get_if<Pointwise>(&op.impl)) {
    PointwiseCall::State state{binder, op, compute_of(op, call, results), {}};
    const TensorType& type = tensor_result(results, 0);
    b.loop(type.sizes, [&](Exprs indices) {
      state.indices = indices;
      const Scalar value = pointwise->body(PointwiseCall(call, state));
      b.store(binder.result(0), indices, b.cast(value, type.dtype));
    });
  } else {
    const auto* reduction = std::get_if<Reduction>(&op.impl);
    check(reduction != nullptr,
          "only Pointwise, Reduction and LoopNest have kernels:", call.op().name());
    const std::string_view name = reduced_argument(call);
    const TensorType& self = call.type(name);
    const bool has_dim = call.op().schema.find("dim") >= 0;
    std::vector<int64_t> dims = has_dim ? reduced_dims(call, self.rank()) : std::vector<int64_t>();
    for (size_t d = 0; !has_dim && d < self.rank(); ++d) dims.push_back(static_cast<int64_t>(d));
    std::ranges::sort(dims);
    Sizes extents;
    for (const int64_t d : dims) extents.push_back(self.sizes[static_cast<size_t>(d)]);
    // As in PyTorch, elements get a dtype that the call states before they are reduced.
    const std::optional<DType> stated = call.dtype();
    const bool rounds = stated && is_half(*stated) && op.unrounded != name;
    ReductionCall::State state{.binder = binder,
                               .compute = stated && op.compute == Compute::inputs
                                              ? compute_dtype(*stated)
                                              : compute_of(op, call, results),
                               .rounding = rounds ? stated : std::nullopt,
                               .self = binder.operand(std::string(name), call.value(name)),
                               .indices = {},
                               .dims = std::move(dims),
                               .keepdim = call.has("keepdim") && call.flag("keepdim"),
                               .extents = std::move(extents)};
    const TensorType& type = tensor_result(results, 0);
    b.loop(type.sizes, [&](Exprs indices) {
      state.indices = indices;
      const Scalar value = reduction->body(ReductionCall(call, state));
      b.store(binder.result(0), indices, b.cast(value, type.dtype));
    });
  }
  return std::move(binder).finish();
}

}  // namespace litz::ops
