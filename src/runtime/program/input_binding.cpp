// Every size gives one equation: declared expression = actual number. Bare symbols solve most
// equations at once. The others are solved one unknown at a time, and equations without unknowns
// are checked.

#include "runtime/program/input_binding.h"

#include <optional>
#include <utility>

#include "expr/guard.h"
#include "runtime/program/laid_out.h"
#include "support/check.h"
#include "support/text.h"

namespace litz::runtime {
namespace {

[[noreturn]] void refuse(const std::string& label, const std::string& text) {
  const std::string message = "input " + quote(label) + " " + text;
  fail(ErrorCode::invalid_argument, message.c_str());
}

std::string_view kind_name(const Value& value) {
  struct Name {
    std::string_view operator()(std::monostate) const { return "None"; }

    std::string_view operator()(const Tensor&) const { return "a tensor"; }

    std::string_view operator()(int64_t) const { return "an integer"; }

    std::string_view operator()(double) const { return "a float"; }

    std::string_view operator()(bool) const { return "a bool"; }

    std::string_view operator()(const std::string&) const { return "a string"; }
  };

  return std::visit(Name{}, value);
}

struct Equation {
  Expr declared;
  int64_t actual = 0;
  const DeclaredInput* input = nullptr;
  size_t dim = 0;
};

class Binder {
 public:
  Binder(const ExprPool& pool, Bindings& bindings) : pool_(pool), bindings_(bindings) {}

  void add(const DeclaredInput& input, const Value& value) {
    if (const auto* type = std::get_if<TensorType>(&input.type)) {
      add_tensor(input, *type, value);
    } else if (const auto* scalar = std::get_if<artifact::HostScalar>(&input.type)) {
      add_scalar(input, *scalar, value);
    }
  }

  void solve() {
    bool progress = true;
    while (progress) {
      progress = false;
      std::vector<Equation> left;
      for (const Equation& equation : equations_) {
        if (settle(equation)) {
          progress = true;
        } else {
          left.push_back(equation);
        }
      }
      equations_ = std::move(left);
    }
    if (equations_.empty()) return;
    const Equation& equation = equations_.front();
    refuse(equation.input->label, "has a size from which no symbol can be found: dimension " +
                                      std::to_string(equation.dim) + " is declared as " +
                                      litz::to_string(equation.declared));
  }

 private:
  void add_tensor(const DeclaredInput& input, const TensorType& type, const Value& value) {
    const auto* tensor = std::get_if<Tensor>(&value);
    if (tensor == nullptr || !tensor->defined()) {
      refuse(input.label, "must be a tensor " + litz::to_string(type) + ", but is " +
                              std::string(kind_name(value)));
    }
    if (tensor->dtype() != type.dtype) {
      refuse(input.label, "must be of dtype " + std::string(torch_name(type.dtype)) + ", but is " +
                              std::string(torch_name(tensor->dtype())));
    }
    if (tensor->rank() != type.rank()) {
      refuse(input.label, "must have " + std::to_string(type.rank()) + " dimensions as in " +
                              litz::to_string(type) + ", but has sizes " +
                              to_string(tensor->sizes()));
    }
    for (size_t d = 0; d < type.rank(); ++d) {
      if (type.sizes[d].is(tensor->sizes()[d])) continue;
      const Equation equation{type.sizes[d], tensor->sizes()[d], &input, d};
      // Bare symbols first: settle() of the others needs them.
      const bool is_plain = equation.declared.is_symbol() || equation.declared.is_constant();
      if (!is_plain || !settle(equation)) equations_.push_back(equation);
    }
  }

  void add_scalar(const DeclaredInput& input, const artifact::HostScalar& type,
                  const Value& value) {
    const bool is_number = std::holds_alternative<int64_t>(value) ||
                           std::holds_alternative<double>(value) ||
                           std::holds_alternative<bool>(value);
    if (!is_number ||
        (type.domain == ExprDomain::integer && std::holds_alternative<double>(value))) {
      refuse(input.label, std::string("must be ") +
                              (type.domain == ExprDomain::integer ? "an integer" : "a number") +
                              ", but is " + std::string(kind_name(value)));
    }
    if (type.value.is_symbol()) {
      const SymbolId symbol = type.value.symbol();
      if (!bindings_.find(symbol) && !bindings_.find_real(symbol)) {
        return bind_symbol(pool_, symbol, value, "input " + quote(input.label), bindings_);
      }
    }
    if (!same_number(host_value(type.value, bindings_), value)) {
      refuse(input.label, "must equal " + litz::to_string(type.value));
    }
  }

  /// True if the equation has no unknown left; it then holds.
  bool settle(const Equation& equation) {
    std::optional<SymbolId> unknown;
    if (equation.declared.is_symbol()) {
      if (!bindings_.find(equation.declared.symbol())) unknown = equation.declared.symbol();
    } else {
      for (const SymbolId symbol : free_symbols(equation.declared)) {
        if (bindings_.find(symbol)) continue;
        if (unknown) return false;
        unknown = symbol;
      }
    }
    if (unknown && !bind_from(equation, *unknown)) return false;
    const int64_t expected = evaluate(equation.declared, bindings_);
    if (expected == equation.actual) return true;
    std::string text = "must have size " + std::to_string(expected) + " in dimension " +
                       std::to_string(equation.dim);
    if (!equation.declared.is_constant()) text += " (" + litz::to_string(equation.declared) + ")";
    refuse(equation.input->label, text + ", but has " + std::to_string(equation.actual));
  }

  bool bind_from(const Equation& equation, SymbolId unknown) {
    int64_t value = equation.actual;
    if (!equation.declared.is_symbol()) {
      const auto linear = linear_in(equation.declared, unknown);
      if (!linear) return false;
      const int64_t factor = evaluate(linear->first, bindings_);
      const int64_t rest = evaluate(linear->second, bindings_);
      if (factor == 0) return false;
      if ((equation.actual - rest) % factor != 0) {
        refuse(equation.input->label, "must have a size of the form " +
                                          litz::to_string(equation.declared) + " in dimension " +
                                          std::to_string(equation.dim) + ", but has " +
                                          std::to_string(equation.actual));
      }
      value = (equation.actual - rest) / factor;
    }
    try {
      check_range(pool_.symbol(unknown), value);
    } catch (Error& error) {
      error.add_note("which is the size of input " + quote(equation.input->label) +
                     " in dimension " + std::to_string(equation.dim));
      throw;
    }
    bindings_.set(unknown, value);
    return true;
  }

  const ExprPool& pool_;
  Bindings& bindings_;
  std::vector<Equation> equations_;
};

}  // namespace

void bind_inputs(std::span<const DeclaredInput> declared, std::span<const Value> values,
                 const ExprPool& pool, Bindings& bindings) {
  check(declared.size() == values.size(),
        "every declared input must have a value:", declared.size(), values.size());
  Binder binder(pool, bindings);
  for (size_t i = 0; i < declared.size(); ++i) binder.add(declared[i], values[i]);
  binder.solve();
}

}  // namespace litz::runtime
