// Gradients of tensors of litz/litz.h, and operators that are recorded for them.

#include <utility>

#include "compiler/api/operator_calls.h"
#include "support/check.h"

// After the library's own names.
#include "compiler/api/recorded_calls.h"
#include "litz/tape.h"

namespace litz {
inline namespace v1 {
namespace {

using Kind = detail::Argument::Kind;

/// The tensors of an argument; null for those that are absent.
std::vector<const Tensor*> tensors_in(const detail::Argument& argument) {
  std::vector<const Tensor*> tensors;
  if (argument.kind == Kind::tensor) tensors.push_back(argument.tensor);
  for (const Tensor& tensor : argument.tensors) tensors.push_back(&tensor);
  for (const MaybeTensor& tensor : argument.maybe_tensors) tensors.push_back(tensor.get());
  return tensors;
}

std::shared_ptr<Variable> variable_of(const Tensor* tensor) {
  return tensor == nullptr ? nullptr : TensorAccess::variable(*tensor);
}

}  // namespace

bool is_recorded(std::span<const detail::Argument> arguments) {
  if (!records_gradients()) return false;
  for (const detail::Argument& argument : arguments) {
    if (argument.kind == Kind::tensor) {
      if (TensorAccess::variable(*argument.tensor) != nullptr) return true;
      continue;
    }
    for (const Tensor& tensor : argument.tensors) {
      if (TensorAccess::variable(tensor) != nullptr) return true;
    }
    for (const MaybeTensor& tensor : argument.maybe_tensors) {
      if (variable_of(tensor.get()) != nullptr) return true;
    }
  }
  return false;
}

std::vector<Tensor> recorded_call(const ir::OpInfo& op, std::span<const detail::Argument> arguments,
                                  std::vector<compiler::CallArgument> operands) {
  for (const ir::SchemaArgument& argument : op.schema.arguments) {
    require(!argument.mutated, OwnErrorCode::unsupported,
            "an operator must not write in place while gradients of its operands are recorded:",
            op.name(), "- call the operator that returns a new tensor, or use litz::NoGrad");
  }
  std::vector<std::shared_ptr<Variable>> variables;
  for (size_t i = 0; i < arguments.size(); ++i) {
    for (const Tensor* tensor : tensors_in(arguments[i])) {
      variables.push_back(variable_of(tensor));
      operands[i].variables.push_back(variables.back().get());
    }
  }
  compiler::RecordedOutcome outcome = compiler::call_for_gradients(op, operands);
  std::vector<std::shared_ptr<Variable>> results(outcome.results.size());
  if (!outcome.is_constant) {
    auto call = std::make_shared<RecordedCall>();
    call->program = std::move(outcome.program);
    call->failure = std::move(outcome.failure);
    call->saved = std::move(outcome.saved);
    for (const void* wanted : outcome.variables) {
      call->operands.push_back(*std::ranges::find(
          variables, wanted, [](const auto& variable) -> const void* { return variable.get(); }));
    }
    results = record(std::move(call), outcome.results);
  }
  std::vector<Tensor> shown;
  for (size_t i = 0; i < results.size(); ++i) {
    shown.push_back(TensorAccess::shown(std::move(outcome.results[i]), std::move(results[i])));
  }
  return shown;
}

bool Tensor::is_differentiable() const {
  const OwnDType type = own(dtype());
  return is_floating(type) || is_complex(type);
}

bool Tensor::requires_grad() const { return TensorAccess::variable(*this) != nullptr; }

Tensor& Tensor::requires_grad_(bool required) {
  return raising([&]() -> Tensor& {
    TensorAccess::own(*this);  // Throws for a traced value.
    const std::shared_ptr<Variable>& known = TensorAccess::variable(*this);
    if (required == (known != nullptr)) return *this;
    require(required || known->call == nullptr, OwnErrorCode::invalid_argument,
            "only leaves can stop requiring gradients; detach a result instead");
    require(!required || is_differentiable(), OwnErrorCode::invalid_argument,
            "only floating and complex tensors have gradients, not", name(own(dtype())));
    TensorAccess::set_variable(*this, required ? std::make_shared<Variable>() : nullptr);
    return *this;
  });
}

void Tensor::backward(const BackwardOptions& options) const {
  raising([&] {
    const std::shared_ptr<Variable>& variable = TensorAccess::variable(*this);
    require(variable != nullptr, OwnErrorCode::invalid_argument,
            "a tensor must depend on a leaf that requires gradients, see requires_grad_");
    const NoGrad scope;
    if (options.gradient == nullptr) {
      require(numel() == 1 && is_floating(own(dtype())), OwnErrorCode::invalid_argument,
              "the gradient of a tensor that is not one real number must be given");
      const Tensor one = detail::call_for_one("aten.ones_like", {*this});
      return run_backward(variable, TensorAccess::own(one), options.retains);
    }
    require(options.gradient->sizes() == sizes() && options.gradient->dtype() == dtype(),
            OwnErrorCode::invalid_argument,
            "a gradient must have the type and sizes of its tensor");
    const Tensor given =
        detail::call_for_one("aten.clone", {*options.gradient, MemoryFormat::contiguous});
    run_backward(variable, TensorAccess::own(given), options.retains);
  });
}

std::optional<Tensor> Tensor::grad() const {
  const std::shared_ptr<Variable>& variable = TensorAccess::variable(*this);
  if (variable == nullptr || !variable->gradient) return std::nullopt;
  return TensorAccess::shown(*variable->gradient);
}

void Tensor::set_grad(const std::optional<Tensor>& gradient) const {
  raising([&] {
    const std::shared_ptr<Variable>& variable = TensorAccess::variable(*this);
    require(variable != nullptr && variable->call == nullptr, OwnErrorCode::invalid_argument,
            "only leaves collect gradients, see requires_grad_");
    variable->gradient = gradient ? std::optional(TensorAccess::own(*gradient)) : std::nullopt;
  });
}

Tensor Tensor::take_grad() const {
  return raising([&] {
    std::optional<Tensor> gradient = grad();
    if (gradient) {
      set_grad(std::nullopt);
      return std::move(*gradient);
    }
    const NoGrad scope;
    return detail::call_for_one("aten.zeros_like", {*this});
  });
}

}  // namespace v1
}  // namespace litz
