#include "runtime/program/call_inputs.h"

#include <algorithm>

#include "runtime/program/laid_out.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::runtime {
namespace {

std::string literal_text(const artifact::Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return "'" + *text + "'";
  if (const auto* scalar = std::get_if<Expr>(&literal)) return to_string(*scalar);
  return "None";
}

/// A Python value that was fixed when the program was exported.
void require_literal(const artifact::ProgramInput& input, const Value& value) {
  bool equal = std::holds_alternative<std::monostate>(input.literal) &&
               std::holds_alternative<std::monostate>(value);
  if (const auto* text = std::get_if<std::string>(&input.literal)) {
    const auto* given = std::get_if<std::string>(&value);
    equal = given != nullptr && *given == *text;
  } else if (const auto* scalar = std::get_if<Expr>(&input.literal)) {
    equal = same_number(host_value(*scalar, {}), value);
  }
  require(equal, "a value that was fixed at export must be passed unchanged:", input.label,
          "must be", literal_text(input.literal));
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

Value literal_value(const artifact::Literal& literal) {
  if (const auto* text = std::get_if<std::string>(&literal)) return *text;
  if (const auto* scalar = std::get_if<Expr>(&literal)) return host_value(*scalar, {});
  return std::monostate();
}

CallInputs::CallInputs(const artifact::Signature& signature, const Weights& weights,
                       const ExprPool& pool)
    : signature_(signature), weights_(weights), pool_(pool), positions_(signature.inputs.size()) {
  std::vector<DeclaredInput> known;
  std::vector<Value> known_values;
  for (size_t i = 0; i < signature.inputs.size(); ++i) {
    const artifact::ProgramInput& input = signature.inputs[i];
    if (is_given_by_caller(input.kind)) {
      const bool is_literal = input.kind == InputKind::constant_value;
      if (is_literal) literals_.push_back(i);
      positions_[i] = given_.size();
      given_.push_back({input.label, is_literal ? artifact::ValueType() : input.type});
    } else if (weights.at(i).defined()) {  // Tokens and weights without readers have no data.
      const auto* tensor = std::get_if<TensorType>(&input.type);
      if (tensor != nullptr && std::ranges::all_of(tensor->sizes, &Expr::is_constant)) {
        known.push_back({input.label, input.type});
        known_values.emplace_back(weights.at(i));
      } else {
        sized_.push_back({input.label, input.type});
        sized_indices_.push_back(i);
      }
    }
  }
  Bindings none;
  bind_inputs(known, known_values, pool, none);
}

std::vector<Value> CallInputs::all(std::span<const Value> given) const {
  std::vector<Value> inputs(signature_.inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (is_given_by_caller(signature_.inputs[i].kind)) {
      inputs[i] = given[positions_[i]];
    } else if (weights_.at(i).defined()) {
      inputs[i] = weights_.at(i);
    }
  }
  return inputs;
}

void CallInputs::bind(std::span<const Value> given, Bindings& bindings) const {
  if (given.size() != given_.size()) refuse_count(given_, given.size());
  for (const size_t i : literals_) require_literal(signature_.inputs[i], given[positions_[i]]);
  if (sized_.empty()) return bind_inputs(given_, given, pool_, bindings);
  // Together, since a symbol may be found in one and needed in the other.
  std::vector<DeclaredInput> declared = given_;
  std::vector<Value> values(given.begin(), given.end());
  declared.insert(declared.end(), sized_.begin(), sized_.end());
  for (const size_t i : sized_indices_) values.emplace_back(weights_.at(i));
  bind_inputs(declared, values, pool_, bindings);
}

}  // namespace litz::runtime
