#include "compiler/call_inputs.h"

#include <algorithm>

#include "compiler/laid_out.h"
#include "support/check.h"
#include "support/text.h"

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

[[noreturn]] void refuse_count(std::span<const DeclaredInput> expected, size_t given) {
  const std::string counts =
      std::to_string(given) + " given, " + std::to_string(expected.size()) + " expected";
  std::string missing;
  for (size_t i = given; i < expected.size(); ++i) {
    missing += (i == given ? " - without " : ", ") + quote(expected[i].label);
  }
  fail(ErrorCode::invalid_argument,
       "a call must give every input of the program:", counts + missing);
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
    : program_(program), weights_(weights), positions_(program.inputs.size()) {
  std::vector<DeclaredInput> known;
  std::vector<Leaf> known_leaves;
  labels_.reserve(program.inputs.size());
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    labels_.push_back(input_label(program, i));
    const InputKind kind = program.inputs[i].kind;
    const ir::ValueType& type = program.graph().input(i).type();
    if (is_given_by_caller(kind)) {
      const bool is_literal = kind == InputKind::constant_value;
      if (is_literal) literals_.push_back(i);
      positions_[i] = given_.size();
      given_.push_back({labels_[i], is_literal ? ir::ValueType(ir::NoneType()) : type});
    } else if (weights.at(i).defined()) {  // Not tokens and weights that nothing reads.
      const auto* tensor = std::get_if<TensorType>(&type);
      if (tensor != nullptr && std::ranges::all_of(tensor->sizes, &Expr::is_constant)) {
        known.push_back({labels_[i], type});
        known_leaves.emplace_back(weights.at(i));
      } else {
        sized_.push_back({labels_[i], type});
        sized_indices_.push_back(i);
      }
    }
  }
  Bindings none;
  bind_inputs(known, known_leaves, program.module->exprs(), none);
}

std::vector<Leaf> CallInputs::all(std::span<const Leaf> given) const {
  std::vector<Leaf> inputs(program_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_given_by_caller(program_.inputs[i].kind)) {
      inputs[i] = given[positions_[i]];
    } else if (weights_.at(i).defined()) {
      inputs[i] = weights_.at(i);
    }
  }
  return inputs;
}

Bindings CallInputs::bind(std::span<const Leaf> given) const {
  if (given.size() != given_.size()) refuse_count(given_, given.size());
  for (const size_t i : literals_) {
    require_literal(labels_[i], program_.inputs[i].literal, given[positions_[i]]);
  }
  Bindings bindings;
  if (sized_.empty()) {
    bind_inputs(given_, given, program_.module->exprs(), bindings);
    return bindings;
  }
  // Together, since a symbol may be found in one and needed in the other.
  std::vector<DeclaredInput> declared = given_;
  std::vector<Leaf> leaves(given.begin(), given.end());
  declared.insert(declared.end(), sized_.begin(), sized_.end());
  for (const size_t i : sized_indices_) leaves.emplace_back(weights_.at(i));
  bind_inputs(declared, leaves, program_.module->exprs(), bindings);
  return bindings;
}

}  // namespace litz::compiler
