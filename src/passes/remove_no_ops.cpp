// Removes operators that return their operand, and views and copies that change nothing.
//
//   %a = aten.expand(%x, [2, 3])          // %x: f32[2, 3]
//   %b = aten.mul.Tensor(%a, 1)     =>    %y = aten.exp(%x)
//   %y = aten.exp(%b)
//
// Ensures:         no node of its kinds repeats its operand: views that show what an earlier value
//                  of their chain shows, copies whose readers depend only on elements, arithmetic
//                  with a neutral element. Results stay equal bit for bit: x + 0.0 stays, since it
//                  turns -0.0 into 0.0; x + -0.0, x - 0.0 and x * 1 go.
// Why it matters:  exports are full of them, and each hides a pattern or costs a copy.
// Cost:            one visit per node, and another sweep while any goes; a bounded walk up its
//                  chain of views.

#include <array>
#include <cmath>

#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Chains that cancel are short: permute and back, view and back.
constexpr int kLongestChain = 8;

// The first value on the chain of views that equals `view`.
Value shown_before(Value view) {
  Value found;
  Value value = view;
  for (int i = 0; i < kLongestChain; ++i) {
    const Node* node = value.producer();
    if (node == nullptr || !is_view(*node)) break;
    value = node->input(0);
    const TensorType& type = value.tensor();
    if (type.dtype == view.tensor().dtype && type.device == view.tensor().device &&
        same_layout(type, view.tensor())) {
      found = value;
    }
  }
  return found;
}

struct Operands {
  Argument self;
  Argument other;
};

std::optional<Operands> binary_operands(const Node& node) {
  const ir::Schema& schema = node.op().schema;
  if (schema.find("self") < 0 || schema.find("other") < 0) return std::nullopt;
  return Operands{node.argument("self"), node.argument("other")};
}

bool is_number(const Argument& argument, double number) {
  const std::optional<double> uniform = uniform_number(argument);
  return uniform && *uniform == number && std::signbit(*uniform) == std::signbit(number);
}

bool is_zero(const Argument& argument) {
  return is_number(argument, 0.0) || is_number(argument, -0.0);
}

double alpha_of(const Node& node) {
  if (node.op().schema.find("alpha") < 0) return 1;
  return uniform_number(node.argument("alpha")).value_or(NAN);
}

// True if x + c or x - c keeps every x, including -0.0: the addend is -0.0 or an integer zero.
bool adds_nothing(const Node& node, const Argument& other, bool subtracts) {
  const double alpha = alpha_of(node);
  if (!is_zero(other) || !std::isfinite(alpha)) return false;
  if (!is_floating(node.output().tensor().dtype)) return true;
  const double added = *uniform_number(other) * alpha * (subtracts ? -1 : 1);
  return std::signbit(added);
}

std::string_view without_overload(std::string_view name) {
  return name.substr(0, name.find('.', name.find('.') + 1));
}

// The operand that an arithmetic operator returns unchanged.
Argument neutral_operand(const Node& node) {
  const auto operands = binary_operands(node);
  if (!operands || node.output_count() != 1 || !node.output().is_tensor()) return {};
  const DType dtype = node.output().tensor().dtype;
  if (is_complex(dtype)) return {};  // inf * (1 + 0i) has a NaN part.
  const auto& [self, other] = *operands;
  const std::string_view op = without_overload(node.op().name());
  if (op == "aten.add") {
    if (adds_nothing(node, other, false)) return self;
    if (alpha_of(node) == 1 && is_zero(self) &&
        (!is_floating(dtype) || std::signbit(*uniform_number(self)))) {
      return other;
    }
  } else if (op == "aten.sub") {
    if (adds_nothing(node, other, true)) return self;
  } else if (op == "aten.mul") {
    if (is_number(other, 1)) return self;
    if (is_number(self, 1)) return other;
  } else if (node.is("aten.div.Tensor") || node.is("aten.div.Scalar")) {
    if (is_number(other, 1)) return self;
  } else if (op == "aten.bitwise_and" && dtype == DType::bool_) {
    if (is_number(other, 1)) return self;
    if (is_number(self, 1)) return other;
  } else if ((op == "aten.bitwise_or" || op == "aten.bitwise_xor") && dtype == DType::bool_) {
    if (is_number(other, 0)) return self;
    if (is_number(self, 0)) return other;
  }
  return {};
}

bool pads_nothing(const Node& node) {
  const auto* pads = std::get_if<ir::Scalars>(&node.argument("pad").attribute());
  if (pads == nullptr) return false;
  for (const Expr pad : *pads) {
    if (!pad.is(0)) return false;
  }
  return true;
}

Argument returned_operand(const Node& node) {
  if (is_plain_copy(node)) return node.input(0);
  if (node.is("aten.constant_pad_nd") && pads_nothing(node)) return node.input(0);
  if (node.is("aten.pow.Tensor_Scalar") && is_number(node.argument("exponent"), 1) &&
      !is_complex(node.output().tensor().dtype)) {
    return node.argument("self");
  }
  if (node.is("aten.where.self")) {
    if (const auto condition = uniform_number(node.argument("condition"))) {
      return node.argument(*condition != 0 ? "self" : "other");
    }
    return {};
  }
  if (node.is("aten.native_dropout") && is_number(node.argument("train"), 0) &&
      !node.output(1).has_uses()) {
    return node.argument("input");
  }
  return neutral_operand(node);
}

Changed replace(ir::Graph& graph, Value from, Value to, PassContext& context) {
  if (!from.has_uses() || from == to || !can_stand_for(to, from)) return Changed::no;
  if (!context.may_rewrite()) return Changed::no;
  graph.replace_uses(from, to);
  return Changed::yes;
}

Changed visit(ir::Graph& graph, Node* node, PassContext& context) {
  Changed changed = Changed::no;
  if (is_view(*node)) {
    for (const Value output : node->outputs()) {
      if (!output.is_tensor()) continue;
      const Value source = shown_before(output);
      if (source && replace(graph, output, source, context) == Changed::yes) changed = Changed::yes;
    }
  } else if (node->output_count() > 0 && node->output().is_tensor()) {
    const Argument operand = returned_operand(*node);
    if (operand.is_value()) changed = replace(graph, node->output(), operand.value(), context);
  }
  if (changed == Changed::yes) graph.erase_if_unused(node);
  return changed;
}

}  // namespace

Changed remove_no_ops(ir::Graph& graph, PassContext& context) {
  // Producers come first, so operands are settled when a node is visited. Readers are not: a copy
  // may become removable only after a later view is removed.
  Changed changed = Changed::no;
  for (Changed round = Changed::yes; round == Changed::yes;) {
    round = Changed::no;
    for (Node* node = graph.first(); node != nullptr;) {
      Node* next = node->next();
      if (visit(graph, node, context) == Changed::yes) round = changed = Changed::yes;
      node = next;
    }
  }
  return changed;
}

}  // namespace litz::passes
