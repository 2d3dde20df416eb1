#include "passes/value_facts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <utility>

#include "ops/call.h"
#include "ops/op_table.h"
#include "passes/storage_versions.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::passes {

using ir::Argument;
using ir::Node;
using ir::Value;

namespace {

bool looks_at_layout(const Node& user) {
  return ir::has(user.op().traits, ir::Trait::view) ||
         ir::has(user.op().traits, ir::Trait::higher_order) || is_view(user) ||
         !reads_elements_only(user);
}

// True for numbers that a cast to any dtype except bool keeps; f8 cannot represent larger integers.
bool is_exact_everywhere(double number) {
  return std::isinf(number) || (number == std::trunc(number) && std::fabs(number) <= 8);
}

std::optional<double> literal_number(const Argument& argument) {
  if (!argument.is_attribute()) return std::nullopt;
  const auto* scalar = std::get_if<Expr>(&argument.attribute());
  if (scalar == nullptr || !scalar->is_constant()) return std::nullopt;
  switch (scalar->domain()) {
    case ExprDomain::integer:
      return static_cast<double>(scalar->constant());
    case ExprDomain::real:
      return scalar->real_constant();
    case ExprDomain::boolean:
      return scalar->boolean_constant() ? 1 : 0;
  }
  return std::nullopt;
}

/// The name or value of the node's fill, from its operator table row; empty for other nodes.
std::string_view filling(const Node& node) {
  const ir::OpInfo& op = node.op();
  const bool writes_operands = op.functional != nullptr;
  if (op.definition == nullptr || writes_operands) return {};
  return ops::definition(op).fills_with;
}

std::optional<double> fill_number(const Node& node) {
  const std::string_view filled = filling(node);
  if (const std::optional<int64_t> number = parse_int(filled)) return static_cast<double>(*number);
  return literal_number(node.argument(filled));
}

// Real chains of views are short; the bound keeps the walk linear for hostile ones.
constexpr int kLongestChain = 8;

std::vector<int64_t> exchanged(size_t rank, int64_t a, int64_t b) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  if (rank > 0) std::swap(dims[static_cast<size_t>(a)], dims[static_cast<size_t>(b)]);
  return dims;
}

}  // namespace

bool same_layout(const TensorType& a, const TensorType& b) {
  if (a.rank() != b.rank() || !known_equal(a.offset, b.offset)) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!known_equal(a.sizes[i], b.sizes[i])) return false;
    if (a.sizes[i].is(1) || a.sizes[i].is(0)) continue;
    if (!known_equal(a.strides[i], b.strides[i])) return false;
  }
  return true;
}

bool only_elements_matter(Value value) {
  const Node* terminator = value.graph()->return_node();
  for (const ir::UseSite& use : value.uses()) {
    if (use.user == terminator || looks_at_layout(*use.user)) return false;
  }
  return true;
}

bool can_stand_for(Value to, Value from) {
  return to.is_tensor() && can_stand_for(to.tensor(), from);
}

bool can_stand_for(const TensorType& a, Value from) {
  if (!from.is_tensor()) return false;
  const TensorType& b = from.tensor();
  if (a.dtype != b.dtype || a.device != b.device || a.rank() != b.rank()) return false;
  for (size_t i = 0; i < a.rank(); ++i) {
    if (!known_equal(a.sizes[i], b.sizes[i])) return false;
  }
  return same_layout(a, b) || only_elements_matter(from);
}

std::optional<double> uniform_number(Value value) {
  if (!value.is_tensor() || is_complex(value.tensor().dtype)) return std::nullopt;
  const DType dtype = value.tensor().dtype;
  for (int i = 0; i < kLongestChain && value.producer() != nullptr; ++i) {
    const Node& node = *value.producer();
    if (is_fill(node)) {
      const std::optional<double> number = fill_number(node);
      if (!number) return std::nullopt;
      if (dtype == DType::bool_) return *number != 0 ? 1 : 0;
      // Unsigned integers have no negatives, 8-bit floats and integers no infinities.
      const bool is_wide_float = is_floating(dtype) && !is_float8(dtype);
      const bool fits = is_wide_float || (std::isfinite(*number) && *number >= 0);
      return fits && is_exact_everywhere(*number) ? number : std::nullopt;
    }
    if (!is_view(node) || node.input(0).tensor().dtype != dtype) return std::nullopt;
    value = node.input(0);
  }
  return std::nullopt;
}

std::optional<double> uniform_number(const Argument& argument) {
  if (argument.is_value()) return uniform_number(argument.value());
  return literal_number(argument);
}

bool reads_elements_only(const Node& node) {
  const std::string_view name = node.op().name();
  return !name.starts_with("aten.as_strided") && !name.starts_with("aten.resize");
}

bool is_reshape(const Node& node) { return ir::has(node.op().traits, ir::Trait::reshape); }

bool is_fill(const Node& node) { return !filling(node).empty(); }

bool is_plain_copy(const Node& node) {
  if (!ir::has(node.op().traits, ir::Trait::copy)) return false;
  const TensorType& from = node.input(0).tensor();
  const TensorType& to = node.output().tensor();
  return from.dtype == to.dtype && from.device == to.device;
}

std::optional<std::vector<int64_t>> permutation_of(const Node& node) {
  const std::string_view name = node.op().name();
  if (node.input_count() != 1 || !node.input(0).is_tensor() || node.output_count() != 1) {
    return std::nullopt;
  }
  const ops::Call call(node);
  const size_t rank = node.input(0).tensor().rank();
  if (name == "aten.permute") return call.dims("dims", rank, ops::Call::WhenEmpty::none);
  if (rank == 0) return std::nullopt;
  if (name == "aten.transpose.int" || name == "aten.swapdims") {
    return exchanged(rank, call.dim("dim0", rank), call.dim("dim1", rank));
  }
  if (name == "aten.swapaxes") {
    return exchanged(rank, call.dim("axis0", rank), call.dim("axis1", rank));
  }
  const auto last = static_cast<int64_t>(rank) - 1;
  if (name == "aten.t") return exchanged(rank, 0, last);
  if (name == "aten.mT" && rank >= 2) return exchanged(rank, last - 1, last);
  return std::nullopt;
}

std::optional<Piece> piece_of(Value value) {
  const Node* node = value.producer();
  if (node == nullptr || !value.is_tensor() || !is_view(*node)) return std::nullopt;
  const Value base = node->input(0);
  const TensorType& whole = base.tensor();
  const TensorType& part = value.tensor();
  if (whole.rank() != part.rank() || whole.rank() == 0 || whole.dtype != part.dtype) {
    return std::nullopt;
  }
  std::optional<size_t> dim;
  for (size_t i = 0; i < whole.rank(); ++i) {
    if (known_equal(whole.sizes[i], part.sizes[i])) {
      if (whole.sizes[i].is(1) || known_equal(whole.strides[i], part.strides[i])) continue;
      return std::nullopt;
    }
    if (dim) return std::nullopt;
    dim = i;
  }
  if (!dim) {
    if (!known_equal(whole.offset, part.offset)) return std::nullopt;
    const auto size = whole.sizes[0].maybe_constant();
    if (!size) return std::nullopt;
    return Piece{base, 0, 0, *size};
  }
  const auto size = whole.sizes[*dim].maybe_constant();
  const auto length = part.sizes[*dim].maybe_constant();
  const auto stride = whole.strides[*dim].maybe_constant();
  const auto distance = (part.offset - whole.offset).maybe_constant();
  if (!size || !length || !stride || !distance || *length < 1 || *stride < 1) return std::nullopt;
  if (*length > 1 && !known_equal(whole.strides[*dim], part.strides[*dim])) return std::nullopt;
  if (*distance < 0 || *distance % *stride != 0) return std::nullopt;
  const int64_t start = *distance / *stride;
  if (start + *length > *size) return std::nullopt;
  return Piece{base, *dim, start, *length};
}

Value create_typed(ir::Graph& graph, std::string_view op, std::vector<Argument> arguments,
                   const ir::ValueType& type) {
  const ir::OpInfo* info = graph.module().ops().find(op);
  check(info != nullptr, "passes name operators that exist:", op);
  return graph.create_typed(*info, std::move(arguments), {type})->output();
}

std::vector<std::vector<size_t>> shared_inputs(const ir::Program& program) {
  std::map<const Storage*, std::vector<size_t>> by_memory;  // Looked up; order does not matter.
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const Tensor& data = program.inputs[i].data;
    if (data.defined() && data.storage()->size() > 0) by_memory[data.storage().get()].push_back(i);
  }
  std::vector<std::vector<size_t>> shared;
  for (auto& [memory, inputs] : by_memory) {
    if (inputs.size() > 1) shared.push_back(std::move(inputs));
  }
  std::ranges::sort(shared);
  return shared;
}

}  // namespace litz::passes
