#include "compiler/call_inputs.h"

#include <algorithm>

#include "compiler/laid_out.h"
#include "support/check.h"

namespace litz::compiler {
namespace {

using ir::InputKind;

std::string input_label(const ir::Program& program, size_t i) {
  const ir::InputSpec& spec = program.inputs[i];
  if (!spec.label.empty()) return spec.label;
  return spec.target.empty() ? program.graph().input(i).name() : spec.target;
}

std::string literal_text(const ir::Attribute& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return "'" + *text + "'";
  if (const auto* scalar = std::get_if<Expr>(&literal)) return to_string(*scalar);
  return "None";
}

/// A Python value that was fixed when the program was exported.
void require_literal(const std::string& label, const ir::Attribute& literal, const Leaf& leaf) {
  bool equal = std::holds_alternative<std::monostate>(literal) &&
               std::holds_alternative<std::monostate>(leaf);
  if (const auto* text = std::get_if<std::string>(&literal)) {
    const auto* given = std::get_if<std::string>(&leaf);
    equal = given != nullptr && *given == *text;
  } else if (const auto* scalar = std::get_if<Expr>(&literal)) {
    equal = same_number(scalar_leaf(*scalar, {}), leaf);
  }
  require(equal, "a value that was fixed at export must be passed unchanged:", label, "must be",
          literal_text(literal));
}

}  // namespace

bool is_given_by_caller(InputKind kind) {
  return kind == InputKind::user || kind == InputKind::constant_value;
}

Leaf literal_leaf(const ir::Attribute& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return *text;
  if (const auto* scalar = std::get_if<Expr>(&literal)) return scalar_leaf(*scalar, {});
  return std::monostate();
}

CallInputs::CallInputs(const ir::Program& program, const Weights& weights)
    : program_(program), weights_(weights) {
  labels_.reserve(program.inputs.size());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    labels_.push_back(input_label(program, i));
    const InputKind kind = program.inputs[i].kind;
    // Tokens and weights that nothing reads bind nothing.
    const bool binds =
        kind == InputKind::user || (!is_given_by_caller(kind) && weights.at(i).defined());
    if (!binds) continue;
    bound_.push_back({labels_[i], program.graph().input(i).type()});
    bound_indices_.push_back(i);
  }
}

/// One leaf per input of the main graph.
std::vector<Leaf> CallInputs::all_inputs(std::span<const Leaf> given) const {
  const auto expected = static_cast<size_t>(std::ranges::count_if(
      program_.inputs, [](const ir::InputSpec& spec) { return is_given_by_caller(spec.kind); }));
  require(given.size() == expected,
          "a call must give one leaf per input of the program:", given.size(), "given,", expected,
          "expected");
  std::vector<Leaf> inputs;
  inputs.reserve(program_.inputs.size());
  size_t next = 0;
  for (size_t i = 0; i < program_.inputs.size(); ++i) {
    const ir::InputSpec& spec = program_.inputs[i];
    if (spec.kind == InputKind::constant_value) {
      require_literal(labels_[i], spec.literal, given[next]);
    }
    if (is_given_by_caller(spec.kind)) {
      inputs.push_back(given[next++]);
    } else if (weights_.at(i).defined()) {
      inputs.emplace_back(weights_.at(i));
    } else {
      inputs.emplace_back();
    }
  }
  return inputs;
}

BoundCall CallInputs::bind(std::span<const Leaf> given) const {
  BoundCall call{all_inputs(given), {}};
  std::vector<Leaf> leaves;
  leaves.reserve(bound_indices_.size());
  for (const size_t i : bound_indices_) leaves.push_back(call.inputs[i]);
  bind_inputs(bound_, leaves, program_.module->exprs(), call.bindings);
  return call;
}

}  // namespace litz::compiler
