// Lets query heads that share a key and value read these in place, instead of one copy per head.
//
//   %u = aten.unsqueeze(%key, 2)                        // %key: f32[b, 8, n, d]
//   %e = aten.expand(%u, [b, 8, 4, n, d])               %u = aten.unsqueeze(%key, 2)
//   %c = aten.clone(%e, contiguous_format)              %g = aten.view(%query, [b, 8, 4, m, d])
//   %k = aten.view(%c, [b, 32, n, d])               =>  %h = litz.attention(%g, %u, %v)
//   %a = litz.attention(%query, %k, %value)             %a = aten.view(%h, [b, 32, m, d])
//
// Requires:        functional form; views have one spelling.
// Ensures:         if key and value are repeated for groups of equally many heads, the call
//                  broadcasts them over a separate dimension. Results stay equal bit for bit: every
//                  head multiplies the same matrices.
// Why it matters:  each step of a decoder copies its whole cache, once per head of a group.
// Cost:            one visit per call; a bounded walk from each.

#include <array>

#include "ops/view_geometry.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Bounds the walk along a chain of nodes, so that hostile programs take linear time.
constexpr int kLongestChain = 4;

// Matrices of a few heads, each repeated for a group of `repeats`.
struct Repeated {
  Value shared;  // [.., heads, 1, n, d]
  Expr heads;
  Expr repeats;
};

// Matches [.., heads * repeats, n, d] that views or copies an expansion of [.., heads, 1, n, d].
std::optional<Repeated> repeated(Value operand) {
  Node* view = operand.producer();
  if (view == nullptr || !is_reshape(*view)) return std::nullopt;
  const TensorType& whole = operand.tensor();
  Value expanded = view->input(0);
  for (int i = 0; i < kLongestChain && expanded.producer() != nullptr; ++i) {
    if (!is_plain_copy(*expanded.producer())) break;
    expanded = expanded.producer()->input(0);
  }
  Node* expand = expanded.producer();
  if (expand == nullptr || !expand->is("aten.expand")) return std::nullopt;
  const Value shared = expand->input(0);
  const Sizes& sizes = expanded.tensor().sizes;
  const size_t rank = sizes.size();
  if (rank < 4 || whole.rank() + 1 != rank || shared.tensor().rank() != rank) return std::nullopt;
  const Repeated found{shared, sizes[rank - 4], sizes[rank - 3]};
  for (size_t i = 0; i < rank; ++i) {
    const Expr held = i == rank - 3 ? Expr(1) : sizes[i];
    if (!known_equal(shared.tensor().sizes[i], held)) return std::nullopt;
    if (i == rank - 4 || i == rank - 3) continue;
    if (!known_equal(whole.sizes[i < rank - 3 ? i : i - 1], sizes[i])) return std::nullopt;
  }
  if (!known_equal(whole.sizes[rank - 4], found.heads * found.repeats)) return std::nullopt;
  return found;
}

// The sizes with heads split into groups, also for broadcast ones.
std::optional<Sizes> grouped(const TensorType& type, const Repeated& heads) {
  if (type.rank() < 3) return type.sizes;
  const size_t at = type.rank() - 3;
  const bool is_single = type.sizes[at].is(1);
  if (!is_single && !known_equal(type.sizes[at], heads.heads * heads.repeats)) return std::nullopt;
  Sizes sizes = type.sizes;
  sizes[at] = is_single ? Expr(1) : heads.heads;
  sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(at) + 1, is_single ? Expr(1) : heads.repeats);
  return sizes;
}

Value viewed_as(ir::Graph& graph, Value value, const Sizes& sizes, const TensorType& type) {
  return create_typed(graph, "aten.view", {Argument(value), Argument(ir::Scalars(sizes))}, type);
}

// The operand's type with other sizes; null if that would need a copy.
std::optional<TensorType> split_type(Value operand, const Repeated& heads) {
  const std::optional<Sizes> sizes = grouped(operand.tensor(), heads);
  if (!sizes) return std::nullopt;
  return ops::viewed(operand.tensor(), *sizes);
}

// Erases the chain from the copy to its source as far as it has no other readers.
void erase_chain(ir::Graph& graph, Node* node) {
  while (node != nullptr && !node->is_erased()) {
    Node* source = node->input(0).producer();
    graph.erase_if_unused(node);
    if (!node->is_erased()) return;
    node = source;
  }
}

bool share(Node* call, PassContext& context) {
  ir::Graph& graph = call->graph();
  const auto key = repeated(call->argument("key").value());
  const auto value = repeated(call->argument("value").value());
  if (!key || !value || !known_equal(key->heads, value->heads) ||
      !known_equal(key->repeats, value->repeats)) {
    return false;
  }
  const Value query = call->argument("query").value();
  const Argument& masked = call->argument("mask");
  const auto queries = split_type(query, *key);
  const auto results = split_type(call->output(), *key);
  std::optional<TensorType> mask;
  if (masked.is_value()) mask = split_type(masked.value(), *key);
  const bool has_all = query.tensor().rank() + 1 == key->shared.tensor().rank() &&
                       key->shared.tensor().rank() == value->shared.tensor().rank();
  if (!has_all || !queries || !results || (masked.is_value() && !mask) || !context.may_rewrite()) {
    return false;
  }
  const auto scope = graph.insert_before(call);
  std::vector<Argument> arguments(call->arguments().begin(), call->arguments().end());
  arguments[0] = viewed_as(graph, query, queries->sizes, *queries);
  arguments[1] = key->shared;
  arguments[2] = value->shared;
  if (mask && mask->rank() != masked.value().tensor().rank()) {
    arguments[3] = viewed_as(graph, masked.value(), mask->sizes, *mask);
  }
  const Value made = create_typed(graph, "litz.attention", std::move(arguments), *results);
  const Value shown =
      viewed_as(graph, made, call->output().tensor().sizes, call->output().tensor());
  graph.replace_uses(call->output(), shown);
  const std::array<Value, 2> copies{call->argument("key").value(), call->argument("value").value()};
  graph.erase_if_unused(call);
  for (const Value copy : copies) erase_chain(graph, copy.producer());
  return true;
}

}  // namespace

Changed share_heads(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (Node* call : graph.in_order("litz.attention")) {
    if (share(call, context)) changed = Changed::yes;
  }
  return changed;
}

}  // namespace litz::passes
