#include "ops/gradients/gradient_call.h"

#include <algorithm>
#include <string>
#include <utility>

#include "support/check.h"

namespace litz::ops {
namespace {

// A gradient in the operand's shape and dtype. A real operand gets the real part: the loss is real.
ir::Value fitted(const Term& gradient, const TensorType& operand) {
  Term fit = gradient;
  if (!is_complex(operand.dtype)) fit = real(fit);
  fit = to(sum_to(fit, operand.sizes), operand.dtype);
  return fit.value();
}

}  // namespace

GradientCall::GradientCall(const ir::Node& node, std::span<const ir::Value> gradients,
                           std::function<bool(ir::Value)> wanted)
    : Call(node), node_(node), gradients_(gradients), wanted_(std::move(wanted)) {}

Term GradientCall::operator[](std::string_view name) const { return argument(name); }

Term GradientCall::at(std::string_view name, size_t position) const {
  return values(name)[position];
}

Term GradientCall::result(size_t i) const { return node_.output(i); }

Term GradientCall::grad(size_t i) const {
  return gradients_[i] ? Term(gradients_[i]) : zeros_like(node_.output(i));
}

GradientCall::Slot GradientCall::slot(std::string_view name, size_t position) const {
  const int i = op().schema.find(name);
  check(i >= 0, "a gradient is for an argument of its operator:", op().name(), name);
  return {static_cast<size_t>(i), position};
}

bool GradientCall::wants(std::string_view name) const {
  return is_tensor(name) && wanted_(value(name));
}

bool GradientCall::wants(std::string_view name, size_t position) const {
  const ir::Value entry = values(name)[position];
  return entry && wanted_(entry);
}

void GradientCall::give(std::string_view name, const Term& gradient) {
  settled_.insert(slot(name, 0));
  if (wants(name)) given_.emplace_back(value(name), fitted(gradient, type(name)));
}

void GradientCall::give(std::string_view name, size_t position, const Term& gradient) {
  settled_.insert(slot(name, position));
  const ir::Value entry = values(name)[position];
  if (wants(name, position)) given_.emplace_back(entry, fitted(gradient, entry.tensor()));
}

void GradientCall::give_nothing(std::string_view name) {
  for (size_t i = 0; i < argument(name).values().size(); ++i) settled_.insert(slot(name, i));
}

std::vector<Term> GradientCall::backward_all(std::string_view name, const Named& others) const {
  // Names without a namespace are aten's.
  std::string whole = "aten." + std::string(name);
  const ir::OpInfo* op = module().ops().find(whole);
  if (op == nullptr) {
    whole = name;
    op = module().ops().find(whole);
  }
  check(op != nullptr, "a gradient calls operators of the table:", name);
  std::vector<ir::Argument> arguments;
  for (const ir::SchemaArgument& slot : op->schema.arguments) {
    const auto given = std::ranges::find(others, slot.name, &Named::value_type::first);
    if (given != others.end()) {
      arguments.push_back(given->second);
    } else if (arguments.empty()) {
      arguments.push_back(grad());
    } else if (this->op().schema.find(slot.name) >= 0) {
      arguments.push_back(argument(slot.name));
    } else {
      arguments.emplace_back(slot.default_value);
    }
  }
  return call_op(whole, std::move(arguments));
}

ir::Argument GradientCall::mask(std::span<const std::string_view> names) const {
  ir::Scalars mask;
  for (const std::string_view name : names) mask.push_back(Expr::boolean(wants(name)));
  return mask;
}

Term GradientCall::create(std::string_view name, std::vector<ir::Argument> arguments) const {
  return graph().create("aten." + std::string(name), std::move(arguments))->output();
}

void GradientCall::require_complete() const {
  for (size_t i = 0; i < arguments().size(); ++i) {
    const std::span<const ir::Value> operands = arguments()[i].values();
    for (size_t k = 0; k < operands.size(); ++k) {
      const bool is_open = operands[k] && wanted_(operands[k]) && !settled_.contains({i, k});
      require(!is_open, ErrorCode::unsupported,
              "an operator is not differentiable with respect to an argument:", op().name(),
              op().schema.arguments[i].name);
    }
  }
}

}  // namespace litz::ops
