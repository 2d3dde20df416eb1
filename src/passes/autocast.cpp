#include "passes/autocast.h"

#include <optional>

#include "ir/child_graphs.h"
#include "support/check.h"

namespace litz::passes {

using ir::Argument;
using ir::Graph;
using ir::Node;
using ir::Value;
using ir::ValueType;

namespace {

// Double precision is a decision of the user that autocast respects.
bool is_castable(Value value) {
  return value && value.is_tensor() && is_floating(value.tensor().dtype) &&
         value.tensor().dtype != DType::f64;
}

// Trials must not leave symbols behind that look like part of the program.
class TrialSymbols : public ir::InferContext {
 public:
  explicit TrialSymbols(ir::Module& module) : module_(module) {}

  ir::Module& module() override { return module_; }

  Expr data_dependent(int /*ordinal*/, Interval range) override {
    return module_.fresh_symbol(range);
  }

 private:
  ir::Module& module_;
};

bool same_dtypes(const Node& node, const std::vector<ValueType>& types) {
  if (types.size() != node.output_count()) return false;
  for (size_t i = 0; i < types.size(); ++i) {
    const auto* given = std::get_if<TensorType>(&types[i]);
    const auto* wanted = std::get_if<TensorType>(&node.output(i).type());
    if (given != nullptr && wanted != nullptr && given->dtype != wanted->dtype) return false;
  }
  return true;
}

bool explains(const Node& node) {
  TrialSymbols context(node.graph().module());
  try {
    return same_dtypes(node, node.op().infer(node.op(), node.arguments(), context));
  } catch (const Error&) {
    return false;  // Operands of different dtypes, which a cast will reconcile.
  }
}

Value cast(Graph& graph, Value value, DType dtype) {
  if (value.tensor().dtype == dtype) return value;
  return graph.create("prims.convert_element_type", {Argument(value), Argument(dtype)})->output();
}

std::optional<DType> widest(const Node& node) {
  std::optional<DType> dtype;
  for (size_t i = 0; i < node.input_count(); ++i) {
    if (!is_castable(node.input(i))) continue;
    const DType own = node.input(i).tensor().dtype;
    dtype = dtype ? promote(*dtype, own) : own;
  }
  return dtype;
}

}  // namespace

Autocast::Autocast(const Node& call) {
  if (!call.is("higher_order.wrap_with_autocast")) return;
  const auto* enabled = std::get_if<Expr>(&call.argument("enabled").attribute());
  enabled_ = enabled != nullptr && enabled->is_constant() && enabled->boolean_constant();
  // Unstated, it is the device's usual one.
  const auto* device = std::get_if<std::string>(&call.argument("device_type").attribute());
  if (device != nullptr && *device == "cuda") dtype_ = DType::f16;
  if (const auto* dtype = std::get_if<DType>(&call.argument("dtype").attribute())) {
    dtype_ = *dtype;
  }
}

void Autocast::apply(Node* node) const {
  if (!enabled_ || node->op().infer == nullptr || !ir::child_graphs(*node).empty()) return;
  if (explains(*node)) return;
  Graph& graph = node->graph();
  std::vector<Value> original;
  for (size_t i = 0; i < node->input_count(); ++i) original.push_back(node->input(i));
  for (const std::optional<DType> dtype :
       {std::optional<DType>(dtype_), std::optional<DType>(DType::f32), widest(*node)}) {
    if (!dtype) continue;
    std::vector<Node*> casts;
    {
      const auto scope = graph.insert_before(node);
      for (size_t i = 0; i < original.size(); ++i) {
        if (!is_castable(original[i])) continue;
        const Value value = cast(graph, original[i], *dtype);
        if (value == original[i]) continue;
        casts.push_back(value.producer());
        graph.set_input(node, i, value);
      }
    }
    if (explains(*node)) return;
    for (size_t i = 0; i < original.size(); ++i) graph.set_input(node, i, original[i]);
    for (Node* each : casts) graph.erase_if_unused(each);
  }
  fail(ErrorCode::unsupported,
       "automatic mixed precision must be explained by casts of operands:", node->op().name(),
       ir::to_string(node->output().type()));
}

}  // namespace litz::passes
