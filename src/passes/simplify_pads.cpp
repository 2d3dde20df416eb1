// Simplifies pads of pads and parts of pads.
//
//   %p = aten.constant_pad_nd(%x, [1, 1])      // %x: f32[4, 6]
//   %q = aten.constant_pad_nd(%p, [2, 0])  =>  %q = aten.constant_pad_nd(%x, [3, 1])
//   %s = aten.slice.Tensor(%p, 1, 1, 7)        %s = %x
//
// Ensures:         no pad reads one with the same value whose elements it keeps or crops from the
//                  outside in, and no view shows only the interior of a pad, subject to layouts. A
//                  pad that a later one undoes becomes a pad by nothing, which remove-no-ops
//                  removes. A pad that crops where a later one fills is not merged.
// Why it matters:  convolutions with "same" padding, windows and shifted sequences pad, then crop.
// Cost:            one visit per node; a bounded walk up its chain of views.

#include <algorithm>
#include <cmath>

#include "ops/view_geometry.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Interiors are shown by one slice per dimension; the bound keeps the walk linear for hostile
// chains.
constexpr int kLongestChain = 8;
// The largest magnitude up to which doubles represent every integer.
constexpr double kExactInteger = 9007199254740992.0;

/// The padding of one dimension; negative numbers crop.
struct Margin {
  int64_t before = 0;
  int64_t after = 0;
};

/// One per dimension, the first first; nothing for nodes of other kinds and symbolic margins.
std::optional<std::vector<Margin>> margins_of(const Node& node) {
  if (!node.is("aten.constant_pad_nd") || !node.output().is_tensor()) return std::nullopt;
  const auto* pads = std::get_if<ir::Scalars>(&node.argument("pad").attribute());
  const size_t rank = node.output().tensor().rank();
  if (pads == nullptr || pads->size() % 2 != 0 || pads->size() > 2 * rank) return std::nullopt;
  std::vector<Margin> margins(rank);
  for (size_t i = 0; i < pads->size(); i += 2) {
    const auto before = (*pads)[i].maybe_constant();
    const auto after = (*pads)[i + 1].maybe_constant();
    if (!before || !after) return std::nullopt;
    margins[rank - 1 - i / 2] = {*before, *after};
  }
  return margins;
}

ir::Scalars pads_of(std::span<const Margin> margins) {
  ir::Scalars pads;
  pads.reserve(2 * margins.size());
  for (size_t i = margins.size(); i-- > 0;) {
    pads.emplace_back(margins[i].before);
    pads.emplace_back(margins[i].after);
  }
  return pads;
}

bool fills(std::span<const Margin> margins) {
  return std::ranges::any_of(
      margins, [](const Margin& margin) { return margin.before > 0 || margin.after > 0; });
}

bool is_same_number(const Argument& a, const Argument& b) {
  if (a == b) return true;
  const std::optional<double> x = uniform_number(a);
  const std::optional<double> y = uniform_number(b);
  return x && y && *x == *y && std::signbit(*x) == std::signbit(*y) &&
         std::fabs(*x) <= kExactInteger;
}

/// Both as one; nothing if the outer one fills where the inner one crops.
std::optional<std::vector<Margin>> joined(std::span<const Margin> inner,
                                          std::span<const Margin> outer) {
  std::vector<Margin> both;
  both.reserve(inner.size());
  for (size_t i = 0; i < inner.size(); ++i) {
    if (inner[i].before < 0 && outer[i].before > 0) return std::nullopt;
    if (inner[i].after < 0 && outer[i].after > 0) return std::nullopt;
    Margin sum;
    if (__builtin_add_overflow(inner[i].before, outer[i].before, &sum.before) ||
        __builtin_add_overflow(inner[i].after, outer[i].after, &sum.after)) {
      return std::nullopt;
    }
    both.push_back(sum);
  }
  return both;
}

bool join_pads(ir::Graph& graph, Node* node, std::span<const Margin> outer, PassContext& context) {
  Node* first = node->argument("self").value().producer();
  const auto inner = first != nullptr ? margins_of(*first) : std::nullopt;
  const auto both = inner ? joined(*inner, outer) : std::nullopt;
  if (!both) return false;
  if (fills(*inner) && fills(outer) &&
      !is_same_number(first->argument("value"), node->argument("value"))) {
    return false;
  }
  if (!context.may_rewrite()) return false;
  // Results of pads are always dense, so the type stays.
  if (!fills(outer)) graph.set_argument(node, "value", first->argument("value"));
  graph.set_argument(node, "pad", Argument(pads_of(*both)));
  graph.set_argument(node, "self", first->argument("self"));
  graph.erase_if_unused(first);
  return true;
}

/// The range that a view of a tensor shows along one dimension.
struct Extent {
  int64_t start = 0;
  Expr length;
};

/// A part of a pad, shown by views that each select a range along one dimension.
struct Part {
  const Node* pad = nullptr;
  std::vector<Extent> extents;
};

std::optional<Part> part_of_pad(Value view) {
  Part part;
  for (const Expr size : view.tensor().sizes) part.extents.push_back({0, size});
  Value value = view;
  for (int i = 0; i < kLongestChain; ++i) {
    const std::optional<Piece> piece = piece_of(value);
    if (!piece) return std::nullopt;
    part.extents[piece->dim].start += piece->start;
    value = piece->base;
    part.pad = value.producer();
    if (part.pad == nullptr) return std::nullopt;
    if (part.pad->is("aten.constant_pad_nd")) return part;
  }
  return std::nullopt;
}

/// The part of the pad's operand that a part of the pad shows; nothing if it includes a margin.
std::optional<std::vector<Extent>> interior(const Part& part, std::span<const Margin> margins,
                                            const TensorType& source) {
  std::vector<Extent> inside;
  inside.reserve(margins.size());
  for (size_t i = 0; i < margins.size(); ++i) {
    const Extent shown{part.extents[i].start - margins[i].before, part.extents[i].length};
    const bool is_inside =
        shown.start >= 0 && known_less_equal(Expr(shown.start) + shown.length, source.sizes[i]);
    if (!is_inside) return std::nullopt;
    inside.push_back(shown);
  }
  return inside;
}

bool shows_all(const Extent& extent, Expr size) {
  return extent.start == 0 && known_equal(extent.length, size);
}

/// The part of `source` as a value that may replace `from`; null if impossible.
Value part_for(ir::Graph& graph, Value source, std::span<const Extent> extents, Value from,
               PassContext& context) {
  TensorType type = source.tensor();
  for (size_t i = 0; i < extents.size(); ++i) {
    if (shows_all(extents[i], type.sizes[i])) continue;
    type = ops::narrowed(type, static_cast<int64_t>(i), extents[i].start, extents[i].length);
  }
  if (!can_stand_for(type, from) || !context.may_rewrite()) return {};
  for (size_t i = 0; i < extents.size(); ++i) {
    const auto dim = static_cast<int64_t>(i);
    const auto& [start, length] = extents[i];
    if (shows_all(extents[i], source.tensor().sizes[i])) continue;
    source = create_typed(
        graph, "aten.slice.Tensor",
        {Argument(source), Argument(dim), Argument(start), Argument(Expr(start) + length)},
        ops::narrowed(source.tensor(), dim, start, length));
  }
  return source;
}

bool read_source_instead(ir::Graph& graph, Node* view, PassContext& context) {
  bool changed = false;
  const auto scope = graph.insert_before(view);
  for (const Value output : view->outputs()) {
    if (!output.is_tensor() || !output.has_uses()) continue;
    const std::optional<Part> part = part_of_pad(output);
    const auto margins = part ? margins_of(*part->pad) : std::nullopt;
    if (!margins) continue;
    const Value source = part->pad->argument("self").value();
    const auto extents = interior(*part, *margins, source.tensor());
    const Value made = extents ? part_for(graph, source, *extents, output, context) : Value();
    if (!made) continue;
    graph.replace_uses(output, made);
    changed = true;
  }
  if (changed) graph.erase_if_unused(view);
  return changed;
}

}  // namespace

Changed simplify_pads(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  // Producers come first, so operands are settled when a node is visited.
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    bool edited = false;
    if (is_view(*node)) {
      edited = read_source_instead(graph, node, context);
    } else if (const auto margins = margins_of(*node)) {
      edited = join_pads(graph, node, *margins, context);
    }
    if (edited) changed = Changed::yes;
    node = next;
  }
  return changed;
}

}  // namespace litz::passes
