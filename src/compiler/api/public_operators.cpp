// Operators of litz/ops.h: calls that run at once, or become part of the program being traced.

#include <algorithm>

#include "compiler/api/operator_calls.h"
#include "support/check.h"
#include "support/text.h"
#include "trace/tracer.h"

// After the library's own names.
#include "compiler/api/public_size.h"
#include "compiler/api/recorded_calls.h"
#include "compiler/api/tracing.h"

namespace litz {
inline namespace v1 {
namespace {

using Kind = detail::Argument::Kind;

Expr expr_of(const Scalar& number) {
  if (number.kind() == Scalar::Kind::boolean) return Expr::boolean(number.integer() != 0);
  if (number.kind() == Scalar::Kind::integer) return SizeAccess::expr(number.integer());
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
    case Kind::size:
      return SizeAccess::expr(*argument.size);
    case Kind::sizes: {
      ir::Scalars list;
      for (const Size& size : argument.sizes) list.push_back(SizeAccess::expr(size));
      return list;
    }
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

ir::Argument traced_argument(const std::shared_ptr<FunctionTracer>& tracer,
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
bool has_sizes_from_data(const ir::Value& result) {
  return result.is_tensor() && std::ranges::any_of(result.tensor().sizes, depends_on_data);
}

/// These count from the start of the memory, where an input's own elements need not begin.
bool counts_from_start_of_input(const ir::OpInfo& op, ir::Value operand) {
  const bool counts_bytes =
      op.name().starts_with("aten.as_strided") || op.name() == "aten.view.dtype";
  if (!counts_bytes || op.name().find("scatter") != std::string_view::npos) return false;
  while (operand.producer() != nullptr && has(operand.producer()->op().traits, ir::Trait::view)) {
    operand = operand.producer()->input(0);
  }
  return operand.producer() == nullptr;
}

/// Ends the part before a call that cannot be traced, so that it runs at once.
void break_before(const ir::OpInfo& op, const char* why) {
  const std::string reason = std::string(op.name()) + " " + why;
  require(end_current_part(reason), OwnErrorCode::unsupported,
          "a function that is differentiated, or compiled as a whole, must not call an operator "
          "that",
          why + std::string(":"), op.name(), "- call it outside, and pass its result");
}

/// The results of a call that became part of the function; nothing if it must run at once.
std::optional<std::vector<Tensor>> trace_call(const std::shared_ptr<FunctionTracer>& tracer,
                                              const ir::OpInfo& op,
                                              std::span<const detail::Argument> arguments) {
  std::vector<ir::Argument> operands;
  for (const detail::Argument& argument : arguments) {
    operands.push_back(traced_argument(tracer, argument));
  }
  if (!operands.empty() && operands[0].is_value() &&
      counts_from_start_of_input(op, operands[0].value())) {
    break_before(op, "views the memory of an input otherwise");
    return std::nullopt;
  }
  const std::vector<ir::Value> values = [&] {
    const auto marks = tracer->graph().annotate(current_annotations());
    return tracer->call(op.name(), std::move(operands));
  }();
  if (std::ranges::any_of(values, has_sizes_from_data)) {
    tracer->graph().erase(values.front().producer());
    break_before(op, "makes sizes that depend on data");
    return std::nullopt;
  }
  std::vector<Tensor> results;
  for (const ir::Value value : values) {
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
    // The end of a part replaces the tracer.
    if (const std::shared_ptr<FunctionTracer> tracer = current_tracer()) {
      auto results = trace_call(tracer, op, {arguments.begin(), arguments.size()});
      if (results) return std::move(*results);
    }
    std::vector<compiler::CallArgument> operands;
    for (const Argument& argument : arguments) operands.push_back(eager_argument(argument));
    const std::span<const Argument> given(arguments.begin(), arguments.size());
    if (is_recorded(given)) return recorded_call(op, given, std::move(operands));
    return shown_tensors(compiler::call_operator(op, operands));
  });
}

Tensor call_for_one(std::string_view op, std::initializer_list<Argument> arguments) {
  return std::move(call(op, arguments).front());
}

}  // namespace detail
}  // namespace v1
}  // namespace litz
