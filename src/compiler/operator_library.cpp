#include "compiler/operator_library.h"

#include <algorithm>
#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/operator_library.h"
#include "ops/call.h"
#include "ops/user_operators.h"
#include "runtime/program/library_arguments.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

ir::Trait traits_of(const litz_operator& op, const ir::Schema& schema) {
  ir::Trait traits = ir::Trait::none;
  const auto add = [&](uint32_t flag, ir::Trait trait) {
    if ((op.flags & flag) != 0) traits = traits | trait;
  };
  add(LITZ_OPERATOR_RANDOM, ir::Trait::random);
  add(LITZ_OPERATOR_UNSAFE_CAPTURE, ir::Trait::capture_unsafe);
  add(LITZ_OPERATOR_HAS_EFFECTS, ir::Trait::side_effect);
  // An operator without results is called for its side effects.
  if (schema.returns.empty() && !schema.mutates()) traits = traits | ir::Trait::side_effect;
  return traits;
}

Expr fixed(Expr number) {
  if (number.is_constant()) return number;
  const std::optional<int64_t> value = known_value(number);
  require(value.has_value(), ErrorCode::unsupported,
          "an operator of a user must be given numbers that do not depend on data:", number);
  return *value;
}

/// A tensor of the type without contents worth reading.
Tensor blank(const TensorType& type) {
  std::vector<int64_t> sizes;
  for (const Expr size : type.sizes) {
    sizes.push_back(fixed(size).constant());
  }
  return Tensor::empty(type.dtype, std::move(sizes));
}

/// An argument of a call that has not run.
kernels::LibraryArgument blank(const ir::Argument& argument) {
  if (argument.is_value()) {
    require(argument.value().is_tensor(), ErrorCode::unsupported,
            "an operator of a user must be given numbers that do not depend on data");
    return blank(argument.value().tensor());
  }
  if (argument.is_value_list()) {
    std::vector<Tensor> tensors;
    for (const ir::Value value : argument.values()) {
      tensors.push_back(value ? blank(value.tensor()) : Tensor());
    }
    return tensors;
  }
  const ir::Attribute& attribute = argument.attribute();
  if (const auto* number = std::get_if<Expr>(&attribute)) {
    return runtime::number(fixed(*number), {});
  }
  if (const auto* numbers = std::get_if<ir::Scalars>(&attribute)) {
    std::vector<Expr> values;
    for (const Expr& value : *numbers) values.push_back(fixed(value));
    return runtime::numbers(values, {});
  }
  if (const auto* text = std::get_if<std::string>(&attribute)) return *text;
  if (const auto* dtype = std::get_if<DType>(&attribute)) return *dtype;
  if (const auto* number = std::get_if<std::complex<double>>(&attribute)) return *number;
  return std::monostate();
}

/// What a function states about its results, as types.
std::vector<TensorType> stated_types(const kernels::UserFunction& function, const ops::Call& call) {
  std::vector<kernels::LibraryArgument> arguments;
  for (const ir::Argument& argument : call.arguments()) arguments.push_back(blank(argument));
  std::vector<TensorType> types;
  int from_data = 0;
  for (kernels::StatedResult& result :
       kernels::stated_results(function, std::move(arguments), function.results.size())) {
    Sizes sizes;
    for (const int64_t size : result.sizes) {
      sizes.push_back(size >= 0 ? Expr(size)
                                : call.data_dependent(from_data++, {0, Interval::kMax}));
    }
    types.push_back(contiguous_type(result.dtype, std::move(sizes)));
  }
  return types;
}

bool gives_tensors_only(const kernels::UserFunction& function) {
  return std::ranges::all_of(
      function.results, [](kernels::UserKind kind) { return kind == kernels::UserKind::tensor; });
}

void add_to_ops(const std::vector<kernels::UserOperator>& operators) {
  std::vector<ops::UserOperator> added;
  for (const kernels::UserOperator& op : operators) {
    const kernels::UserFunction& function = op.function;
    ops::UserOperator& last = added.emplace_back(
        ops::UserOperator{op.schema, traits_of(function.table, op.schema), function.like});
    if (function.results.empty()) {
      last.types = [](const ops::Call& /*call*/) { return std::vector<TensorType>(); };
    } else if (function.table.result_types != nullptr && gives_tensors_only(function)) {
      last.types = [function](const ops::Call& call) { return stated_types(function, call); };
    }
  }
  ops::register_user_operators(std::move(added));
}

}  // namespace

size_t register_operators(const litz_operator_library& library, const std::string& origin) {
  return kernels::register_operators(library, origin, add_to_ops);
}

size_t register_operators(const std::string& path) {
  return kernels::register_operators(path, add_to_ops);
}

}  // namespace litz::compiler
