// Folds chains of views of one kind into one view of the first operand.
//
//   %1 = aten.transpose.int(%0, 0, 1)
//   %2 = aten.permute(%1, [1, 2, 0])     =>   %2 = aten.permute(%0, [0, 2, 1])
//
// Requires:        functional form.
// Ensures:         permutations are spelled permute, and none reads another; no view, expand or
//                  step-free slice reads one of its kind if one view of the first operand shows
//                  the same; sizes of views and expansions are spelled out. A view that splits
//                  what a view behind a permutation had joined reads the permutation of the parts:
//                  [n, b, e] -> [n, b * h, d] -> [b * h, n, d] -> [b, h, n, d].
// Why it matters:  one spelling lets later passes match and merge; views between two loop nests
//                  hide that they agree.
// Cost:            one visit per node.

#include "ops/view_geometry.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;
using Dims = std::vector<int64_t>;

bool is_expand(const Node& node) {
  return node.is("aten.expand") || node.is("aten.expand_as") || node.is("aten.broadcast_to");
}

ir::Scalars scalars(const Dims& dims) { return {dims.begin(), dims.end()}; }

// The permutation equal to `first` followed by `second`.
Dims after(const Dims& first, const Dims& second) {
  Dims dims;
  dims.reserve(second.size());
  for (const int64_t dim : second) dims.push_back(first[static_cast<size_t>(dim)]);
  return dims;
}

// A replacement for a view.
struct Composed {
  std::string_view op;
  Value base;
  std::vector<Argument> arguments;  // Without the base.
};

std::optional<Composed> composed_permutation(const Node& node) {
  const std::optional<Dims> dims = permutation_of(node);
  if (!dims) return std::nullopt;
  const Node* inner = node.input(0).producer();
  const std::optional<Dims> first = inner != nullptr ? permutation_of(*inner) : std::nullopt;
  if (first) {
    return Composed{"aten.permute", inner->input(0), {Argument(scalars(after(*first, *dims)))}};
  }
  const bool is_spelled_out =
      node.is("aten.permute") && node.argument("dims") == Argument(scalars(*dims));
  if (is_spelled_out) return std::nullopt;
  return Composed{"aten.permute", node.input(0), {Argument(scalars(*dims))}};
}

std::optional<Composed> composed_reshape(const Node& node) {
  if (!is_reshape(node)) return std::nullopt;
  const TensorType& type = node.output().tensor();
  const Node* inner = node.input(0).producer();
  if (inner != nullptr && is_reshape(*inner)) {
    const Value base = inner->input(0);
    const std::optional<TensorType> shown = ops::viewed(base.tensor(), type.sizes);
    if (shown && same_layout(*shown, type)) {
      return Composed{"aten.view", base, {Argument(ir::Scalars(type.sizes))}};
    }
  }
  const bool is_spelled_out =
      !node.is("aten.view") || node.argument("size") == Argument(ir::Scalars(type.sizes));
  if (is_spelled_out) return std::nullopt;
  return Composed{"aten.view", node.input(0), {Argument(ir::Scalars(type.sizes))}};
}

std::optional<Composed> composed_expansion(const Node& node) {
  if (!is_expand(node)) return std::nullopt;
  const TensorType& type = node.output().tensor();
  const Node* inner = node.input(0).producer();
  if (inner != nullptr && is_expand(*inner)) {
    const Value base = inner->input(0);
    if (same_layout(ops::expanded(base.tensor(), type.sizes), type)) {
      return Composed{"aten.expand", base, {Argument(ir::Scalars(type.sizes))}};
    }
  }
  const bool is_spelled_out =
      node.is("aten.expand") && node.argument("size") == Argument(ir::Scalars(type.sizes));
  if (is_spelled_out) return std::nullopt;
  return Composed{"aten.expand", node.input(0), {Argument(ir::Scalars(type.sizes))}};
}

// The consecutive sizes that make up each dimension of `whole`; nothing if some span several.
std::optional<std::vector<Sizes>> parts_of(const Sizes& whole, const Sizes& sizes) {
  std::vector<Sizes> parts;
  size_t next = 0;
  for (const Expr size : whole) {
    Sizes& part = parts.emplace_back();
    Expr product = 1;
    while (next < sizes.size() && (part.empty() || !known_equal(product, size))) {
      product = product * sizes[next];
      part.push_back(sizes[next++]);
    }
    if (part.empty() || !known_equal(product, size)) return std::nullopt;
  }
  return next == sizes.size() ? std::optional(std::move(parts)) : std::nullopt;
}

// A view of a permutation of a view, expressed as a permutation of one view.
struct Parted {
  Value base;
  TensorType type;  // The type of the view of `base`.
  Dims dims;
};

std::optional<Parted> parted(const Node& node) {
  const Node* turn = is_reshape(node) ? node.input(0).producer() : nullptr;
  const std::optional<Dims> dims = turn != nullptr ? permutation_of(*turn) : std::nullopt;
  const Node* joined = dims ? turn->input(0).producer() : nullptr;
  if (joined == nullptr || !is_reshape(*joined)) return std::nullopt;
  const TensorType& type = node.output().tensor();
  const auto parts = parts_of(turn->output().tensor().sizes, type.sizes);
  if (!parts) return std::nullopt;
  // The parts in the order before the permutation, with the start of each.
  std::vector<size_t> place(dims->size());
  for (size_t i = 0; i < dims->size(); ++i) place[static_cast<size_t>((*dims)[i])] = i;
  Sizes sizes;
  Dims begin(dims->size());
  for (size_t d = 0; d < place.size(); ++d) {
    const Sizes& part = (*parts)[place[d]];
    begin[place[d]] = static_cast<int64_t>(sizes.size());
    sizes.insert(sizes.end(), part.begin(), part.end());
  }
  Parted found{joined->input(0), {}, {}};
  const std::optional<TensorType> shown = ops::viewed(found.base.tensor(), sizes);
  if (!shown) return std::nullopt;
  found.type = *shown;
  for (size_t i = 0; i < parts->size(); ++i) {
    for (size_t k = 0; k < (*parts)[i].size(); ++k) {
      found.dims.push_back(begin[i] + static_cast<int64_t>(k));
    }
  }
  const bool is_same = same_layout(ops::permuted(*shown, found.dims), type);
  return is_same ? std::optional(std::move(found)) : std::nullopt;
}

bool is_slice(const Node& node) { return node.is("aten.slice.Tensor") || node.is("aten.narrow"); }

std::optional<Composed> composed_slice(const Node& node) {
  const Node* inner = node.input_count() > 0 ? node.input(0).producer() : nullptr;
  if (!is_slice(node) || inner == nullptr || !is_slice(*inner)) return std::nullopt;
  const std::optional<Piece> outer_piece = piece_of(node.output());
  const std::optional<Piece> inner_piece = piece_of(inner->output());
  if (!outer_piece || !inner_piece || outer_piece->dim != inner_piece->dim) return std::nullopt;
  const int64_t start = inner_piece->start + outer_piece->start;
  return Composed{"aten.slice.Tensor",
                  inner_piece->base,
                  {Argument(static_cast<int64_t>(outer_piece->dim)), Argument(start),
                   Argument(start + outer_piece->length)}};
}

std::optional<Composed> composed(const Node& node) {
  if (node.output_count() != 1 || !node.output().is_tensor() || node.input_count() == 0) {
    return std::nullopt;
  }
  if (auto permutation = composed_permutation(node)) return permutation;
  if (auto reshape = composed_reshape(node)) return reshape;
  if (auto expansion = composed_expansion(node)) return expansion;
  return composed_slice(node);
}

// Replaces a view by a value, and erases views that have no reader left.
void replace_view(ir::Graph& graph, Node* node, Value made) {
  Node* inner = node->input(0).producer();
  graph.replace_uses(node->output(), made);
  graph.erase_if_unused(node);
  if (inner != nullptr) graph.erase_if_unused(inner);
}

}  // namespace

Changed compose_views(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  // Producers come first, so the operand of a view is already composed: one sweep suffices.
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    if (std::optional<Composed> whole = composed(*node); whole && context.may_rewrite()) {
      const auto scope = graph.insert_before(node);
      std::vector<Argument> arguments{Argument(whole->base)};
      for (Argument& argument : whole->arguments) arguments.push_back(std::move(argument));
      const Value made =
          create_typed(graph, whole->op, std::move(arguments), node->output().type());
      replace_view(graph, node, made);
      changed = Changed::yes;
    } else if (std::optional<Parted> view = parted(*node); view && context.may_rewrite()) {
      const auto scope = graph.insert_before(node);
      const Value shown =
          create_typed(graph, "aten.view",
                       {Argument(view->base), Argument(ir::Scalars(view->type.sizes))}, view->type);
      const Value made =
          create_typed(graph, "aten.permute", {Argument(shown), Argument(scalars(view->dims))},
                       node->output().type());
      replace_view(graph, node, made);
      next = shown.producer();  // May read another view.
      changed = Changed::yes;
    }
    node = next;
  }
  return changed;
}

}  // namespace litz::passes
