// Gives large products numbers of columns that fill whole multiples of some bytes.
//
//   %y = aten.linear(%x, %w) : bf16[4096, 50257]            // %w: a parameter
//     =>
//   %p = aten.constant_pad_nd(%w, [0, 0, 0, 7])             // computed ahead
//   %q = aten.linear(%x, %p) : bf16[4096, 50264]
//   %s = aten.slice.Tensor(%q, 1, 0, 50257)
//   %y = litz.restride(%s, [50257, 1])
//
// Requires:        functional form, and products have one spelling.
// Ensures:         no linear of many rows and another number of columns is left, if its weight is
//                  known. Who read the result reads a copy, which loop nests take over. Results stay
//                  equal.
// Why it matters:  an odd vocabulary makes the head of a language model six times as slow.
// Cost:            one visit per node.

#include <initializer_list>
#include <utility>
#include <vector>

#include "expr/estimate.h"
#include "passes/constant_values.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

/// Smaller results are not worth a copy.
constexpr double kLeastElements = 1 << 20;

/// The columns that are missing for whole multiples; 0 if there are none or they are not known.
int64_t missing_columns(const TensorType& result, int64_t row_bytes) {
  const int64_t item = item_size(result.dtype);
  const auto columns = result.sizes.back().maybe_constant();
  if (row_bytes <= item || !columns || estimate(result.numel()) < kLeastElements) return 0;
  const int64_t step = row_bytes / item;
  const int64_t missing = (step - *columns % step) % step;
  // A weight that grows by more is not computed ahead (fold_constants.cpp).
  return missing * 64 <= *columns ? missing : 0;
}

class Padding {
 public:
  Padding(ir::Graph& graph, PassContext& context)
      : graph_(graph), context_(context), constants_(graph, context) {}

  bool run() {
    bool changed = false;
    for (Node* node : graph_.in_order("aten.linear")) changed = pad(*node) || changed;
    return changed;
  }

 private:
  bool pad(Node& node) {
    const TensorType old = node.output().tensor();
    const int64_t missing = missing_columns(old, context_.machine.product_row_bytes);
    const Value weight = node.argument("weight").value();
    const ir::Argument& bias = node.argument("bias");
    const bool is_known =
        constants_.contains(weight) && (!bias.is_value() || constants_.contains(bias.value()));
    if (missing == 0 || weight.tensor().rank() != 2 || !is_known || !context_.may_rewrite()) {
      return false;
    }
    const auto scope = graph_.insert_before(&node);
    std::vector<ir::Argument> arguments{node.argument("input").value(),
                                        padded(weight, {0, 0, 0, missing})};
    if (bias.is_value()) arguments.emplace_back(padded_bias(bias.value(), missing));
    const Value wide = graph_.create("aten.linear", std::move(arguments))->output();
    const auto last = static_cast<int64_t>(old.rank()) - 1;
    const Value part =
        graph_.create("aten.slice.Tensor", {wide, Expr(last), Expr(0), old.sizes.back()})->output();
    const Value copy =
        create_typed(graph_, "litz.restride", {part, ir::Attribute(old.strides)}, old);
    graph_.replace_uses(node.output(), copy);
    graph_.erase_if_unused(&node);
    return true;
  }

  // A bias of one column broadcasts to any number of them.
  Value padded_bias(Value bias, int64_t missing) {
    const TensorType& type = bias.tensor();
    return type.rank() == 0 || type.sizes.back().is(1) ? bias : padded(bias, {0, missing});
  }

  Value padded(Value value, std::initializer_list<int64_t> widths) {
    ir::Scalars pad;
    for (const int64_t width : widths) pad.emplace_back(width);
    return graph_.create("aten.constant_pad_nd", {value, ir::Attribute(pad)})->output();
  }

  ir::Graph& graph_;
  PassContext& context_;
  ConstantValues constants_;
};

}  // namespace

Changed pad_products(ir::Graph& graph, PassContext& context) {
  if (context.machine.product_row_bytes == 0) return Changed::no;
  return Padding(graph, context).run() ? Changed::yes : Changed::no;
}

}  // namespace litz::passes
