// Binding: completes the arguments of a call from its schema and checks that each fits its slot.
//
// The rules follow what exporters write: a literal may replace a tensor (it promotes weakly), an
// int a float, a symbolic value any number, and a single element the n of `T[n]`. The result is
// normalised: floats are real, lists are Scalars, absent arguments are defaults.

#include <algorithm>

#include "ir/declared_ops.h"
#include "ir/graph_data.h"
#include "support/check.h"

namespace litz::ir {
namespace {

// Converts a scalar to the domain of its slot; false if that would lose information.
bool convert(Expr& value, ArgKind kind) {
  switch (kind) {
    case ArgKind::integer:
    case ArgKind::integer_list:
      if (value.is_constant() && value.domain() == ExprDomain::boolean) {
        value = value.boolean_constant() ? 1 : 0;
      }
      return value.domain() == ExprDomain::integer;
    case ArgKind::real:
    case ArgKind::real_list:
      if (value.domain() == ExprDomain::integer) {
        value = value.is_constant() ? Expr::real(static_cast<double>(value.constant()))
                                    : apply(ExprKind::to_real, {&value, 1});
      }
      return value.domain() == ExprDomain::real;
    case ArgKind::boolean:
    case ArgKind::boolean_list:
      if (value.is(0) || value.is(1)) value = Expr::boolean(value.is(1));
      return value.domain() == ExprDomain::boolean;
    default:
      return true;
  }
}

bool scalar_value_fits(const Value value, ArgKind kind) {
  const auto* scalar = std::get_if<ScalarType>(&value.type());
  if (scalar == nullptr) return false;
  switch (kind) {
    case ArgKind::integer:
      return scalar->domain == ExprDomain::integer;
    case ArgKind::real:
      return scalar->domain != ExprDomain::boolean;
    case ArgKind::boolean:
      return scalar->domain != ExprDomain::real;
    default:
      return true;
  }
}

bool all_tensors(std::span<const Value> values, bool may_be_null) {
  for (const Value value : values) {
    if (value ? !value.is_tensor() : !may_be_null) return false;
  }
  return true;
}

template <typename T>
bool holds(const Argument& argument) {
  return argument.is_attribute() && std::holds_alternative<T>(argument.attribute());
}

bool is_empty_list(const Argument& argument) {
  if (argument.is_value_list()) return argument.values().empty();
  if (const auto* scalars = std::get_if<Scalars>(&argument.attribute())) return scalars->empty();
  const auto* strings = std::get_if<Strings>(&argument.attribute());
  return !argument.is_value() && strings != nullptr && strings->empty();
}

bool bind_scalar(const SchemaArgument& schema, Argument& argument) {
  if (argument.is_value()) return scalar_value_fits(argument.value(), schema.kind);
  if (!argument.is_attribute()) return false;
  if (schema.kind == ArgKind::scalar && holds<std::complex<double>>(argument)) return true;
  const auto* given = std::get_if<Expr>(&argument.attribute());
  if (given == nullptr) return false;
  Expr value = *given;
  if (!convert(value, schema.kind)) return false;
  argument = Argument(value);
  return true;
}

// A single number stands for n numbers, a single flag does not.
bool has_length(const SchemaArgument& schema, size_t length) {
  if (schema.length < 2) return true;
  const bool is_single = length == 1 && schema.kind != ArgKind::boolean_list;
  return is_single || length == static_cast<size_t>(schema.length);
}

bool bind_scalar_list(const SchemaArgument& schema, Argument& argument) {
  if (is_empty_list(argument)) {
    argument = Argument(Attribute(Scalars{}));
    // Pooling takes no strides for those of its windows.
    return schema.kind != ArgKind::boolean_list || schema.length < 2;
  }
  if (!argument.is_attribute()) return false;
  Scalars values;
  if (const auto* given = std::get_if<Scalars>(&argument.attribute())) {
    values = *given;
  } else if (const auto* one = std::get_if<Expr>(&argument.attribute());
             one != nullptr && schema.length > 0) {
    values = {*one};
  } else {
    return false;
  }
  for (Expr& value : values) {
    if (!convert(value, schema.kind)) return false;
  }
  if (!has_length(schema, values.size())) return false;
  if (values.size() == 1 && schema.length > 1) {
    values.resize(static_cast<size_t>(schema.length), values.front());
  }
  argument = Argument(Attribute(std::move(values)));
  return true;
}

bool bind_tensor(const Argument& argument) {
  if (argument.is_value())
    return argument.value().is_tensor() || is_scalar(argument.value().type());
  return holds<Expr>(argument) || holds<std::complex<double>>(argument);
}

bool bind_value_list(Argument& argument, ArgKind kind) {
  if (is_empty_list(argument)) argument = Argument(std::vector<Value>{});
  if (kind == ArgKind::any_list) return argument.is_value_list();
  return argument.is_value_list() &&
         all_tensors(argument.values(), kind == ArgKind::optional_tensor_list);
}

bool bind_string_list(Argument& argument) {
  if (is_empty_list(argument)) argument = Argument(Attribute(Strings{}));
  return holds<Strings>(argument);
}

// Empty lists of strings and of scalars have the same spelling; `any` slots take the latter.
bool bind_any(Argument& argument) {
  if (argument.is_attribute() && is_empty_list(argument)) argument = Argument(Attribute(Scalars{}));
  return true;
}

bool bind_one(const SchemaArgument& schema, Argument& argument, const Module& module) {
  switch (schema.kind) {
    case ArgKind::tensor:
      return bind_tensor(argument);
    case ArgKind::tensor_list:
    case ArgKind::optional_tensor_list:
    case ArgKind::any_list:
      return bind_value_list(argument, schema.kind);
    case ArgKind::scalar:
    case ArgKind::integer:
    case ArgKind::real:
    case ArgKind::boolean:
      return bind_scalar(schema, argument);
    case ArgKind::scalar_list:
    case ArgKind::integer_list:
    case ArgKind::real_list:
    case ArgKind::boolean_list:
      return bind_scalar_list(schema, argument);
    case ArgKind::string:
      return holds<std::string>(argument);
    case ArgKind::string_list:
      return bind_string_list(argument);
    case ArgKind::dtype:
      return holds<DType>(argument);
    case ArgKind::layout:
      return holds<Layout>(argument);
    case ArgKind::device:
      return holds<Device>(argument);
    case ArgKind::memory_format:
      return holds<MemoryFormat>(argument);
    case ArgKind::generator:
      return false;
    case ArgKind::graph:
      if (holds<GraphRef>(argument)) module.graph(std::get<GraphRef>(argument.attribute()));
      return holds<GraphRef>(argument);
    case ArgKind::op:
      return holds<OpRef>(argument);
    case ArgKind::any:
      return bind_any(argument);
  }
  return false;
}

std::string describe(const Argument& argument) {
  if (argument.is_value()) {
    return argument.value() ? "a value of type " + to_string(argument.value().type()) : "null";
  }
  if (argument.is_value_list()) return "a list of values";
  return to_string(argument.attribute());
}

bool fits(const SchemaReturn& slot, const ValueType& type) {
  if (std::holds_alternative<NoneType>(type)) return true;
  const bool is_number = std::holds_alternative<ScalarType>(type);
  if (slot.kind == ArgKind::tensor || slot.kind == ArgKind::tensor_list) return is_tensor(type);
  return is_number;
}

bool fit(const std::vector<SchemaReturn>& returns, std::span<const ValueType> types) {
  const auto is_list = [](const SchemaReturn& slot) { return slot.kind == ArgKind::tensor_list; };
  const bool has_list = std::ranges::any_of(returns, is_list);
  const size_t others = returns.size() - (has_list ? 1 : 0);
  if (has_list ? types.size() < others : types.size() != others) return false;
  size_t next = 0;
  for (const SchemaReturn& slot : returns) {
    const size_t count = is_list(slot) ? types.size() - others : 1;
    for (const ValueType& type : types.subspan(next, count)) {
      if (!fits(slot, type)) return false;
    }
    next += count;
  }
  return true;
}

}  // namespace

void bind_arguments(const OpInfo& op, std::vector<Argument>& arguments, const Module& module) {
  const std::vector<SchemaArgument>& schema = op.schema.arguments;
  require(arguments.size() <= schema.size(),
          "a call may have as many arguments as its schema:", op.name(), "takes", schema.size(),
          "but was given", arguments.size());
  arguments.resize(schema.size());
  for (size_t i = 0; i < schema.size(); ++i) {
    Argument& argument = arguments[i];
    const SchemaArgument& slot = schema[i];
    if (argument.is_none()) {
      if (slot.has_default) argument = Argument(slot.default_value);
      if (!argument.is_none())
        bind_one(slot, argument, module);  // `Tensor[] x=[]` is a value list.
      const bool may_be_none = slot.optional || slot.has_default || slot.kind == ArgKind::any ||
                               slot.kind == ArgKind::generator;
      require(may_be_none, "an argument without default must be given:", op.name(), "needs",
              slot.name);
      continue;
    }
    if (slot.kind == ArgKind::any_list && argument.is_value_list()) continue;
    require(bind_one(slot, argument, module), "an argument must fit its schema:", op.name(),
            "takes", name(slot.kind), "as", slot.name, "but was given", describe(argument));
  }
}

void check_results(const OpInfo& op, std::span<const ValueType> types) {
  if (op.origin != OpOrigin::user || !name_of_written_form(op.name()).empty()) return;
  if (fit(op.schema.returns, types)) return;
  std::string stated;
  for (const ValueType& type : types) stated += (stated.empty() ? "" : ", ") + to_string(type);
  fail(ErrorCode::invalid_argument,
       "results must fit the schema of their operator:", to_string(op.schema),
       "but the program has", stated.empty() ? "none" : stated);
}

}  // namespace litz::ir
