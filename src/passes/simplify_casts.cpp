// Drops the inner one of two casts if it is exact.
//
//   %a = aten._to_copy(%x, dtype=f32)      // %x: bf16
//   %y = aten._to_copy(%a, dtype=f64)   =>  %y = aten._to_copy(%x, dtype=f64)
//
// Requires:        functional form.
// Ensures:         no cast reads a cast to a dtype that represents every value of its operand,
//                  unless integers are cast through a float to an integer. Inexact casts stay: the
//                  rounding may be intended.
// Why it matters:  autocast and half-precision models widen and narrow around every operator.
// Cost:            one visit per node.

#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

bool is_cast(const Node& node) {
  const bool casts = node.is("aten._to_copy") || node.is("prims.convert_element_type");
  return casts && node.input(0).is_tensor() &&
         node.input(0).tensor().device == node.output().tensor().device;
}

// Significand bits including the leading one, and the exponents of the least and the largest bit.
struct FloatRange {
  int bits = 0;
  int least = 0;
  int most = 0;
};

std::optional<FloatRange> float_range(DType dtype) {
  switch (dtype) {
    case DType::f64:
      return FloatRange{53, -1074, 1023};
    case DType::f32:
      return FloatRange{24, -149, 127};
    case DType::f16:
      return FloatRange{11, -24, 15};
    case DType::bf16:
      return FloatRange{8, -133, 127};
    default:
      return std::nullopt;
  }
}

struct IntegerRange {
  int bits = 0;  // Bits of the magnitude.
  bool is_signed = false;
};

std::optional<IntegerRange> integer_range(DType dtype) {
  if (dtype == DType::bool_) return IntegerRange{1, false};
  if (!is_integer(dtype)) return std::nullopt;
  const auto bits = static_cast<int>(item_size(dtype)) * 8;
  const bool is_signed =
      dtype == DType::i8 || dtype == DType::i16 || dtype == DType::i32 || dtype == DType::i64;
  return IntegerRange{is_signed ? bits - 1 : bits, is_signed};
}

// True when `to` represents every value of `from`.
bool holds_every(DType to, DType from) {
  if (to == from) return true;
  if (to == DType::bool_) return false;
  const auto wide = float_range(to);
  const auto narrow = float_range(from);
  const auto integers = integer_range(from);
  if (wide && narrow) {
    return wide->bits >= narrow->bits && wide->least <= narrow->least && wide->most >= narrow->most;
  }
  if (wide && integers) return integers->bits <= wide->bits && integers->bits <= wide->most;
  const auto more = integer_range(to);
  if (more && integers) {
    return more->bits >= integers->bits && (more->is_signed || !integers->is_signed);
  }
  return false;
}

// True if casting `from` to `to` directly equals casting through `between`.
bool may_skip(DType from, DType between, DType to) {
  if (!holds_every(between, from)) return false;
  // Out-of-range floats and integers are converted to integers by different rules.
  const bool integer_to_integer = integer_range(from) && integer_range(to) && to != DType::bool_;
  if (integer_to_integer && float_range(between)) return holds_every(to, from);
  return true;
}

bool skip_inner_cast(ir::Graph& graph, Node* node, PassContext& context) {
  Node* inner = node->input(0).producer();
  if (inner == nullptr || !is_cast(*inner)) return false;
  const Value source = inner->input(0);
  const DType from = source.tensor().dtype;
  const DType between = inner->output().tensor().dtype;
  const DType to = node->output().tensor().dtype;
  if (from == between || !may_skip(from, between, to) || !context.may_rewrite()) return false;
  if (from == to && can_stand_for(source, node->output())) {
    graph.replace_uses(node->output(), source);
    graph.erase_if_unused(node);
  } else {
    // The outer cast's memory format is part of its result type, which stays.
    graph.set_input(node, 0, source);
  }
  graph.erase_if_unused(inner);
  return true;
}

}  // namespace

Changed simplify_casts(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    if (is_cast(*node) && skip_inner_cast(graph, node, context)) changed = Changed::yes;
    node = next;
  }
  return changed;
}

}  // namespace litz::passes
