// Operators of litz/ops.h: calls that run at once, or become part of the program being traced.

#include <algorithm>

#include "compiler/api/operator_calls.h"
#include "support/check.h"
#include "support/text.h"

// After the library's own names.
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

using Kind = detail::Argument::Kind;

Expr expr_of(const Scalar& number) {
  if (number.kind() == Scalar::Kind::boolean) return Expr::boolean(number.integer() != 0);
  if (number.kind() == Scalar::Kind::integer) return {number.integer()};
  return Expr::real(number.number().real());
}

ir::Attribute scalar_attribute(const Scalar& number) {
  if (number.kind() == Scalar::Kind::complex) return number.number();
  return expr_of(number);
}

ir::Attribute attribute_of(const detail::Argument& argument) {
  switch (argument.kind) {
    case Kind::scalar:
      return scalar_attribute(*argument.scalar);
    case Kind::integer:
      return Expr(argument.integer);
    case Kind::real:
      return Expr::real(argument.real);
    case Kind::boolean:
      return Expr::boolean(argument.integer != 0);
    case Kind::integers:
      return ir::Scalars(argument.integers.begin(), argument.integers.end());
    case Kind::reals: {
      ir::Scalars list;
      for (const double value : argument.reals) list.push_back(Expr::real(value));
      return list;
    }
    case Kind::booleans: {
      ir::Scalars list;
      for (const bool value : argument.booleans->get()) list.push_back(Expr::boolean(value));
      return list;
    }
    case Kind::text:
      return std::string(argument.text);
    case Kind::dtype:
      return own(argument.dtype);
    case Kind::memory_format:
      return static_cast<OwnMemoryFormat>(argument.format);
    default:
      return {};
  }
}

/// Visits the tensors of a list argument; null for those that are absent.
template <typename Visit>
void for_each_entry(const detail::Argument& argument, Visit visit) {
  for (const Tensor& tensor : argument.tensors) visit(&tensor);
  for (const MaybeTensor& tensor : argument.maybe_tensors) visit(tensor.get());
}

bool is_list(const detail::Argument& argument) {
  return argument.kind == Kind::tensors || argument.kind == Kind::maybe_tensors;
}

ir::Argument traced_argument(const std::shared_ptr<trace::Tracer>& tracer,
                             const detail::Argument& argument) {
  if (argument.kind == Kind::tensor) return value_in(tracer, *argument.tensor);
  if (!is_list(argument)) return attribute_of(argument);
  std::vector<ir::Value> values;
  for_each_entry(argument, [&](const Tensor* tensor) {
    values.push_back(tensor == nullptr ? ir::Value() : value_in(tracer, *tensor));
  });
  return values;
}

compiler::CallArgument eager_argument(const detail::Argument& argument) {
  compiler::CallArgument result;
  if (argument.kind == Kind::tensor) {
    result.kind = compiler::CallArgument::Kind::tensor;
    result.tensors.push_back(TensorAccess::own(*argument.tensor));
  } else if (is_list(argument)) {
    result.kind = compiler::CallArgument::Kind::list;
    for_each_entry(argument, [&](const Tensor* tensor) {
      result.tensors.push_back(tensor == nullptr ? OwnTensor() : TensorAccess::own(*tensor));
    });
  } else {
    result.attribute = attribute_of(argument);
  }
  return result;
}

const ir::OpInfo& operator_of(std::string_view name) {
  const ir::OpInfo* op = compiler::program_ops()->find(name);
  require(op != nullptr, OwnErrorCode::unsupported, "no operator has the name", quote(name));
  return *op;
}

/// Sizes from data would have to be compared with others when the program runs, which only the
/// operators of one call do.
void require_known_sizes(const ir::OpInfo& op, const ir::Value& result) {
  if (!result.is_tensor()) return;
  const bool are_known = std::ranges::all_of(result.tensor().sizes,
                                             [](const Expr& size) { return size.is_constant(); });
  require(are_known, OwnErrorCode::unsupported,
          "a function that is traced must not call an operator whose sizes depend on data:",
          op.name(), "- call it outside, and pass its result");
}

/// These count from the start of the memory, where an input's own elements need not begin.
void require_own_memory(const ir::OpInfo& op, ir::Value operand) {
  const bool counts_bytes =
      op.name().starts_with("aten.as_strided") || op.name() == "aten.view.dtype";
  if (!counts_bytes || op.name().find("scatter") != std::string_view::npos) return;
  while (operand.producer() != nullptr && has(operand.producer()->op().traits, ir::Trait::view)) {
    operand = operand.producer()->input(0);
  }
  require(operand.producer() != nullptr, OwnErrorCode::unsupported,
          "a function that is traced must not view the memory of its inputs otherwise:", op.name(),
          "- call it outside, and pass its result");
}

std::vector<Tensor> trace_call(const std::shared_ptr<trace::Tracer>& tracer, const ir::OpInfo& op,
                               std::span<const detail::Argument> arguments) {
  std::vector<ir::Argument> operands;
  for (const detail::Argument& argument : arguments) {
    operands.push_back(traced_argument(tracer, argument));
  }
  if (!operands.empty() && operands[0].is_value()) require_own_memory(op, operands[0].value());
  std::vector<Tensor> results;
  for (const ir::Value value : tracer->call(op.name(), std::move(operands))) {
    require_known_sizes(op, value);
    const auto operand = compiler::written_operand(op, results.size());
    if (operand) {
      results.push_back(*arguments[*operand].tensor);
    } else {
      results.push_back(value.is_tensor() ? TensorAccess::shown(tracer, value) : Tensor());
    }
  }
  return results;
}

}  // namespace

static_assert(static_cast<int>(MemoryFormat::preserve) ==
              static_cast<int>(OwnMemoryFormat::preserve));

Error::Error(ErrorKind kind, const std::string& message)
    : std::runtime_error(message), kind_(kind) {}

Error::~Error() = default;

void manual_seed(uint64_t seed) { compiler::seed_random_numbers(seed); }

namespace detail {

std::vector<Tensor> call(std::string_view name, std::initializer_list<Argument> arguments) {
  return raising([&] {
    const ir::OpInfo& op = operator_of(name);
    if (const auto& tracer = current_tracer()) {
      return trace_call(tracer, op, {arguments.begin(), arguments.size()});
    }
    std::vector<compiler::CallArgument> operands;
    for (const Argument& argument : arguments) operands.push_back(eager_argument(argument));
    return shown_tensors(compiler::call_operator(op, operands));
  });
}

Tensor call_for_one(std::string_view op, std::initializer_list<Argument> arguments) {
  return std::move(call(op, arguments).front());
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
