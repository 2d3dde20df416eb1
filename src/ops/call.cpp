#include "ops/call.h"

#include <algorithm>
#include <string>
#include <variant>

#include "support/check.h"

namespace litz::ops {
namespace {

using ir::Argument;

[[noreturn]] void fail_kind(const ir::OpInfo& op, std::string_view argument, const char* wanted) {
  fail(ErrorCode::invalid_argument,
       "an argument has another kind than its operator expects:", op.name(), argument, "must be",
       wanted);
}

// A host scalar, whether written as an attribute or computed by a node.
std::optional<Expr> scalar_of(const Argument& argument) {
  if (argument.is_value()) {
    const ir::Value value = argument.value();
    if (ir::is_scalar(value.type())) return value.scalar().value;
    return std::nullopt;
  }
  if (const Expr* expr = std::get_if<Expr>(&argument.attribute())) return *expr;
  return std::nullopt;
}

DTypeCategory category_of(ExprDomain domain) {
  switch (domain) {
    case ExprDomain::boolean:
      return DTypeCategory::bool_;
    case ExprDomain::integer:
      return DTypeCategory::integer;
    case ExprDomain::real:
      return DTypeCategory::floating;
  }
  return DTypeCategory::integer;
}

// Python accepts True as 1 for any number.
Expr as_number(Expr value) {
  if (value.domain() != ExprDomain::boolean) return value;
  return where(value, Expr(1), Expr(0));
}

int64_t wrapped_dim(int64_t dim, size_t rank) {
  const auto extent = static_cast<int64_t>(std::max<size_t>(rank, 1));
  if (dim < -extent || dim >= extent) {
    const std::string text = "dimension out of range (expected to be in range of [" +
                             std::to_string(-extent) + ", " + std::to_string(extent - 1) +
                             "], but got " + std::to_string(dim) + ")";
    fail(ErrorCode::invalid_argument, text.c_str());
  }
  return dim < 0 ? dim + extent : dim;
}

}  // namespace

Call::Call(const ir::OpInfo& op, std::span<const Argument> arguments, ir::InferContext* context)
    : op_(op), arguments_(arguments), context_(context) {
  check(arguments.size() == op.schema.arguments.size(),
        "a call has one argument per schema slot:", op.name(), arguments.size(),
        op.schema.arguments.size());
}

Call::Call(const ir::Node& node) : Call(node.op(), node.arguments(), nullptr) {
  module_ = &node.graph().module();
}

const Argument& Call::argument(std::string_view name) const {
  const int i = op_.schema.find(name);
  check(i >= 0, "the schema must have the argument that a definition asks for:", op_.name(), name);
  return arguments_[static_cast<size_t>(i)];
}

bool Call::has(std::string_view name) const {
  return op_.schema.find(name) >= 0 && !argument(name).is_none();
}

bool Call::is_tensor(std::string_view name) const {
  if (op_.schema.find(name) < 0) return false;
  const Argument& given = argument(name);
  return given.is_value() && given.value().is_tensor();
}

ir::Value Call::value(std::string_view name) const {
  const Argument& given = argument(name);
  if (!given.is_value()) fail_kind(op_, name, "a tensor");
  return given.value();
}

const TensorType& Call::type(std::string_view name) const {
  const ir::Value given = value(name);
  if (!given.is_tensor()) fail_kind(op_, name, "a tensor");
  return given.tensor();
}

std::span<const ir::Value> Call::values(std::string_view name) const {
  const Argument& given = argument(name);
  if (given.is_value_list()) return given.values();
  // Any list kind may have been used for an empty list.
  if (given.is_none()) return {};
  const auto* scalars = std::get_if<ir::Scalars>(&given.attribute());
  if (!given.is_attribute() || scalars == nullptr || !scalars->empty()) {
    fail_kind(op_, name, "a list of tensors");
  }
  return {};
}

std::vector<TensorType> Call::types(std::string_view name) const {
  std::vector<TensorType> types;
  for (const ir::Value& entry : values(name)) {
    if (!entry || !entry.is_tensor()) fail_kind(op_, name, "a list of tensors without None");
    types.push_back(entry.tensor());
  }
  return types;
}

Expr Call::scalar(std::string_view name) const {
  if (const std::optional<Expr> value = scalar_of(argument(name))) return *value;
  fail_kind(op_, name, "a real number");
}

bool Call::is_complex(std::string_view name) const {
  const Argument& given = argument(name);
  return given.is_attribute() && std::holds_alternative<std::complex<double>>(given.attribute());
}

std::complex<double> Call::complex(std::string_view name) const {
  if (is_complex(name)) return std::get<std::complex<double>>(argument(name).attribute());
  return {real(name), 0.0};
}

DTypeCategory Call::scalar_category(std::string_view name) const {
  if (is_complex(name)) return DTypeCategory::complex;
  return category_of(scalar(name).domain());
}

Expr Call::expr(std::string_view name) const {
  const std::optional<Expr> value = scalar_of(argument(name));
  if (!value) fail_kind(op_, name, "an integer");
  return as_number(*value);
}

Sizes Call::sizes(std::string_view name) const {
  const Argument& given = argument(name);
  Sizes sizes;
  if (given.is_value_list()) {
    for (const ir::Value& entry : given.values()) {
      if (!entry || !ir::is_scalar(entry.type())) fail_kind(op_, name, "a list of integers");
      sizes.push_back(entry.scalar().value);
    }
  } else if (const std::optional<Expr> one = scalar_of(given)) {
    sizes.push_back(*one);
  } else if (given.is_attribute() && std::holds_alternative<ir::Scalars>(given.attribute())) {
    sizes = std::get<ir::Scalars>(given.attribute());
  } else if (!given.is_none()) {
    fail_kind(op_, name, "a list of integers");
  }
  const int length = op_.schema.arguments[static_cast<size_t>(op_.schema.find(name))].length;
  if (sizes.size() == 1 && length > 1) sizes.resize(static_cast<size_t>(length), sizes[0]);
  return sizes;
}

int64_t Call::integer(std::string_view name) const {
  const Expr value = expr(name);
  require(value.is_constant() && value.domain() == ExprDomain::integer,
          "an argument must be a constant integer here:", op_.name(), name, value);
  return value.constant();
}

std::vector<int64_t> Call::integers(std::string_view name) const {
  std::vector<int64_t> values;
  for (const Expr& entry : sizes(name)) {
    const Expr number = as_number(entry);
    require(number.is_constant() && number.domain() == ExprDomain::integer,
            "an argument must be a list of constant integers here:", op_.name(), name, number);
    values.push_back(number.constant());
  }
  return values;
}

double Call::real(std::string_view name) const {
  const Expr value = as_number(scalar(name));
  require(value.is_constant(), ErrorCode::unsupported,
          "an argument must be a constant number here:", op_.name(), name, value);
  if (value.domain() == ExprDomain::real) return value.real_constant();
  return static_cast<double>(value.constant());
}

bool Call::flag(std::string_view name) const {
  const Argument& given = argument(name);
  if (given.is_none()) return false;
  const std::optional<Expr> value = scalar_of(given);
  if (!value || !value->is_constant()) fail_kind(op_, name, "a constant bool");
  if (value->domain() == ExprDomain::boolean) return value->boolean_constant();
  if (value->domain() != ExprDomain::integer) fail_kind(op_, name, "a constant bool");
  return value->constant() != 0;
}

std::string_view Call::str(std::string_view name) const {
  const Argument& given = argument(name);
  const auto* text = given.is_attribute() ? std::get_if<std::string>(&given.attribute()) : nullptr;
  if (text == nullptr) fail_kind(op_, name, "a string");
  return *text;
}

std::optional<DType> Call::dtype(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const Argument& given = argument(name);
  const auto* dtype = given.is_attribute() ? std::get_if<DType>(&given.attribute()) : nullptr;
  if (dtype == nullptr) fail_kind(op_, name, "a dtype");
  return *dtype;
}

std::optional<MemoryFormat> Call::memory_format() const {
  if (!has("memory_format")) return std::nullopt;
  const Argument& given = argument("memory_format");
  const auto* format =
      given.is_attribute() ? std::get_if<MemoryFormat>(&given.attribute()) : nullptr;
  if (format == nullptr) fail_kind(op_, "memory_format", "a memory format");
  return *format;
}

std::optional<Device> Call::device() const {
  if (!has("device")) return std::nullopt;
  const Argument& given = argument("device");
  const auto* device = given.is_attribute() ? std::get_if<Device>(&given.attribute()) : nullptr;
  if (device == nullptr) fail_kind(op_, "device", "a device");
  return *device;
}

int64_t Call::dim(std::string_view name, size_t rank) const {
  return wrapped_dim(integer(name), rank);
}

std::vector<int64_t> Call::dims(std::string_view name, size_t rank, WhenEmpty when_empty) const {
  std::vector<int64_t> dims;
  if (has(name)) {
    for (const int64_t dim : integers(name)) {
      const int64_t wrapped = wrapped_dim(dim, rank);
      require(std::find(dims.begin(), dims.end(), wrapped) == dims.end(),
              "dimensions must be distinct:", op_.name(), name, dim);
      dims.push_back(wrapped);
    }
  }
  if (dims.empty() && when_empty == WhenEmpty::all) {
    for (size_t i = 0; i < rank; ++i) dims.push_back(static_cast<int64_t>(i));
  }
  // A rank-0 tensor accepts dimension 0 and has none.
  if (rank == 0) dims.clear();
  return dims;
}

void Call::assume(Expr condition, const std::string& what) const {
  context_->assume(condition, std::string(op_.name()) + ": " + what);
}

Expr Call::data_dependent(int ordinal, Interval range) const {
  // A decomposition has no context: the nodes that it emits define their own symbols.
  if (context_ == nullptr) return module().fresh_symbol(range);
  return context_->data_dependent(ordinal, range);
}

ir::Module& Call::module() const {
  if (module_ != nullptr) return *module_;
  if (context_ != nullptr) return context_->module();
  for (const Argument& given : arguments_) {
    for (const ir::Value& value : given.values()) {
      if (value) return value.graph()->module();
    }
  }
  fail(ErrorCode::internal, "a call without operands needs a context:", op_.name());
}

}  // namespace litz::ops
