#include "compiler/program_signature.h"

#include <vector>

#include "support/check.h"

namespace litz::compiler {
namespace {

std::string label_of(const ir::Program& program, size_t i) {
  const ir::InputSpec& spec = program.inputs[i];
  if (!spec.label.empty()) return spec.label;
  return spec.target.empty() ? program.graph().input(i).name() : spec.target;
}

/// The data of a weight; undefined if no node reads or writes it.
Tensor data_of(const ir::Program& program, size_t i, bool is_written) {
  const ir::InputSpec& spec = program.inputs[i];
  if (!is_weight(spec.kind)) return {};
  const bool is_read = program.graph().input(i).has_uses();
  require(spec.data.defined() || !is_read, ErrorCode::not_found,
          "the archive must hold this weight to run the program:", spec.target);
  if (is_read || is_written) return spec.data;
  if (spec.data.defined()) spec.data.storage()->release_pages(0, spec.data.storage()->size());
  return {};
}

}  // namespace

artifact::ValueType value_type(const ir::ValueType& type) {
  if (const auto* tensor = std::get_if<TensorType>(&type)) return *tensor;
  if (const auto* scalar = std::get_if<ir::ScalarType>(&type)) {
    return artifact::HostScalar{scalar->domain, scalar->value};
  }
  return std::monostate();
}

namespace {

/// The type of a result: of a value, or of a number that needs no node.
artifact::ValueType output_type(const ir::Argument& output) {
  if (output.is_value()) return value_type(output.value().type());
  const auto* const scalar = std::get_if<Expr>(&output.attribute());
  if (scalar == nullptr) return std::monostate();
  return artifact::HostScalar{scalar->domain(), *scalar};
}

}  // namespace

artifact::Literal literal_of(const ir::Attribute& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return *text;
  if (const auto* scalar = std::get_if<Expr>(&literal)) return *scalar;
  return std::monostate();
}

artifact::Signature signature_of(const ir::Program& program) {
  artifact::Signature signature;
  std::vector<bool> is_written(program.inputs.size());
  const std::span<const ir::Argument> outputs = program.graph().outputs();
  for (size_t i = 0; i < program.outputs.size(); ++i) {
    const ir::OutputSpec& spec = program.outputs[i];
    if (is_mutation(spec.kind)) is_written[static_cast<size_t>(spec.input)] = true;
    signature.outputs.push_back({spec.kind, spec.input, spec.label, output_type(outputs[i])});
  }
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    const ir::InputSpec& spec = program.inputs[i];
    artifact::ProgramInput& input = signature.inputs.emplace_back();
    input.kind = spec.kind;
    input.persistent = spec.persistent;
    input.label = label_of(program, i);
    input.name = program.graph().input(i).name();
    input.type = value_type(program.graph().input(i).type());
    input.literal = literal_of(spec.literal);
    input.data = data_of(program, i, is_written[i]);
  }
  signature.guards = program.guards;
  return signature;
}

}  // namespace litz::compiler
