// Gives results of large products rows that begin at multiples of some bytes.
//
//   %y = aten.linear(%x, %w) : bf16[4096, 50257]
//     =>
//   %y = aten.linear(%x, %w) : bf16[4096, 50257]{50264, 1}
//   %z = litz.restride(%y, [50257, 1])
//
// Requires:        functional form, and products have one spelling.
// Ensures:         large products with rows of another length write rows with gaps, and whoever read
//                  the result reads a copy. Loop nests take the copy over. Results stay equal.
// Why it matters:  an odd vocabulary makes the head of a language model six times as slow.
// Cost:            one visit per node.

#include "expr/estimate.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

/// Smaller results are not worth a copy.
constexpr double kLeastElements = 1 << 20;

bool is_product(const Node& node) {
  for (const char* const name : {"aten.linear", "aten.mm", "aten.matmul", "aten.addmm"}) {
    if (node.is(name)) return true;
  }
  return false;
}

/// The type with gaps between rows; nothing if rows begin well as they are.
std::optional<TensorType> padded(const TensorType& type, int64_t row_bytes) {
  if (type.rank() < 2 || !is_contiguous(type) || row_bytes == 0) return std::nullopt;
  const int64_t item = item_size(type.dtype);
  const auto columns = type.sizes.back().maybe_constant();
  if (!columns || item >= row_bytes || *columns * item % row_bytes == 0) return std::nullopt;
  if (estimate(type.numel()) < kLeastElements) return std::nullopt;
  const int64_t step = row_bytes / item;
  TensorType made = type;
  Expr stride = (*columns + step - 1) / step * step;
  for (size_t i = type.rank() - 1; i-- > 0;) {
    made.strides[i] = stride;
    stride = stride * type.sizes[i];
  }
  return made;
}

}  // namespace

Changed pad_products(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (Node* node = graph.first(); node != nullptr; node = node->next()) {
    if (!is_product(*node)) continue;
    const Value result = node->output();
    const TensorType old = result.tensor();
    const auto type = padded(old, context.machine.product_row_bytes);
    if (!type || !context.may_rewrite()) continue;
    graph.set_type(result, *type);
    const auto scope = graph.insert_after(node);
    const Value copy =
        create_typed(graph, "litz.restride", {result, ir::Attribute(old.strides)}, old);
    graph.replace_uses(result, copy);
    changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
