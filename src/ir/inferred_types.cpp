// Repeated inference. See inferred_types.h.

#include "ir/inferred_types.h"

#include <algorithm>

#include "support/check.h"

namespace litz::ir {
namespace {

// Calls `visit` for every expression of a type.
template <typename Visit>
void for_each_expr(const ValueType& type, Visit visit) {
  if (const auto* scalar = std::get_if<ScalarType>(&type)) visit(scalar->value);
  const auto* tensor = std::get_if<TensorType>(&type);
  if (tensor == nullptr) return;
  for (const Expr& size : tensor->sizes) visit(size);
  for (const Expr& stride : tensor->strides) visit(stride);
  visit(tensor->offset);
}

// Orders symbols by first appearance from left to right, not by id.
void append_symbols(const Expr& expr, std::vector<Expr>& out) {
  if (expr.is_constant()) return;
  if (expr.is_symbol()) {
    if (std::find(out.begin(), out.end(), expr) == out.end()) out.push_back(expr);
    return;
  }
  for (const Expr& operand : expr.operands()) append_symbols(operand, out);
}

class RecordedSymbols : public InferContext {
 public:
  explicit RecordedSymbols(const Node& node)
      : module_(node.graph().module()), symbols_(defined_symbols(node)) {}

  Module& module() override { return module_; }

  Expr data_dependent(int ordinal, Interval /*range*/) override {
    const auto index = static_cast<size_t>(ordinal);
    require(ordinal >= 0 && index < symbols_.size(),
            "a data-dependent result must define a symbol: number", ordinal);
    return symbols_[index];
  }

 private:
  Module& module_;
  std::vector<Expr> symbols_;
};

}  // namespace

std::vector<Expr> mentioned_symbols(const ValueType& type) {
  std::vector<Expr> symbols;
  for_each_expr(type, [&](const Expr& expr) { append_symbols(expr, symbols); });
  return symbols;
}

std::vector<Expr> defined_symbols(const Node& node) {
  return defined_symbols(node, [](Value value) -> const ValueType& { return value.type(); });
}

std::vector<Expr> defined_symbols(const Node& node,
                                  const std::function<const ValueType&(Value)>& operand_type) {
  std::vector<Expr> defined;
  for (const Value output : node.outputs()) {
    for_each_expr(output.type(), [&](const Expr& expr) { append_symbols(expr, defined); });
  }
  if (defined.empty()) return defined;
  std::vector<Expr> known;
  for (size_t i = 0; i < node.input_count(); ++i) {
    for_each_expr(operand_type(node.input(i)),
                  [&](const Expr& expr) { append_symbols(expr, known); });
  }
  for (const Argument& argument : node.arguments()) {
    if (!argument.is_attribute()) continue;
    if (const auto* scalar = std::get_if<Expr>(&argument.attribute()))
      append_symbols(*scalar, known);
    const auto* scalars = std::get_if<Scalars>(&argument.attribute());
    if (scalars == nullptr) continue;
    for (const Expr& scalar : *scalars) append_symbols(scalar, known);
  }
  std::erase_if(defined, [&](const Expr& symbol) {
    return std::find(known.begin(), known.end(), symbol) != known.end();
  });
  return defined;
}

std::vector<ValueType> inferred_types(const Node& node) {
  check(node.op().infer != nullptr,
        "only operators with inference can repeat it:", node.op().name());
  RecordedSymbols context(node);
  return node.op().infer(node.op(), node.arguments(), context);
}

std::string type_mismatch(const Node& node) {
  const std::vector<ValueType> types = inferred_types(node);
  if (types.size() != node.output_count()) {
    return std::to_string(types.size()) + " results, not " + std::to_string(node.output_count());
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] != node.output(i).type()) {
      return "result " + std::to_string(i) + " is " + to_string(types[i]) + ", not " +
             to_string(node.output(i).type());
    }
  }
  return "";
}

}  // namespace litz::ir
