// Simplifies parts of concatenations and concatenations of parts.
//
//   %a, %b = aten.split.Tensor(%x, 2)
//   %c = aten.cat([%a, %b, %y])           =>   %c = aten.cat([%x, %y])
//   %d = aten.slice.Tensor(%c, 0, 0, 4)        %d = %x
//
// Requires:        functional form.
// Ensures:         no part of a concatenation that lies in one operand reads the concatenation; no
//                  two neighbours in a concatenation are adjacent parts of one tensor; none has one
//                  operand, or reads one without other readers; all subject to layouts.
// Why it matters:  rotary embeddings, attention heads and fused projections split what they join.
// Cost:            one visit per node and operand, some of them a bounded number of times.

#include <algorithm>

#include "ops/view_geometry.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Argument;
using ir::Node;
using ir::Value;

// Limits quadratic time: each part of a concatenation searches all its operands.
constexpr size_t kMostOperands = 256;

// A concatenation whose operands all have its rank (PyTorch also accepts empty vectors).
struct Join {
  size_t dim = 0;
  std::span<const Value> operands;
};

std::optional<Join> join_of(const Node& node) {
  if (!node.is("aten.cat") || !node.output().is_tensor()) return std::nullopt;
  const TensorType& type = node.output().tensor();
  const auto dim = node.scalar("dim").maybe_constant();
  if (!dim || type.rank() == 0) return std::nullopt;
  const auto rank = static_cast<int64_t>(type.rank());
  const Join join{static_cast<size_t>(*dim < 0 ? *dim + rank : *dim),
                  node.argument("tensors").values()};
  for (const Value operand : join.operands) {
    if (!operand || operand.tensor().rank() != type.rank()) return std::nullopt;
  }
  return join;
}

// `length` entries of `base` from `start`, as a value that may replace `from`; null if impossible.
Value part_for(ir::Graph& graph, const Piece& piece, Value from, PassContext& context) {
  const TensorType& whole = piece.base.tensor();
  const bool is_whole = piece.start == 0 && whole.sizes[piece.dim].is(piece.length);
  const auto dim = static_cast<int64_t>(piece.dim);
  const TensorType type =
      is_whole ? whole : ops::narrowed(whole, dim, Expr(piece.start), Expr(piece.length));
  if (!can_stand_for(type, from) || !context.may_rewrite()) return {};
  if (is_whole) return piece.base;
  return create_typed(graph, "aten.slice.Tensor",
                      {Argument(piece.base), Argument(dim), Argument(piece.start),
                       Argument(piece.start + piece.length)},
                      type);
}

// The part of a concatenation's operand that `value` shows.
std::optional<Piece> operand_part(Value value) {
  std::optional<Piece> piece = piece_of(value);
  if (!piece || piece->base.producer() == nullptr) return std::nullopt;
  const auto join = join_of(*piece->base.producer());
  if (!join || join->dim != piece->dim || join->operands.size() > kMostOperands) {
    return std::nullopt;
  }
  int64_t start = 0;
  for (const Value operand : join->operands) {
    const auto length = operand.tensor().sizes[join->dim].maybe_constant();
    if (!length) return std::nullopt;
    if (piece->start < start + *length) {
      if (piece->start < start || piece->start + piece->length > start + *length) break;
      if (operand.tensor().dtype != value.tensor().dtype) break;
      return Piece{operand, piece->dim, piece->start - start, piece->length};
    }
    start += *length;
  }
  return std::nullopt;
}

bool read_operand_instead(ir::Graph& graph, Node* view, PassContext& context) {
  bool changed = false;
  const auto scope = graph.insert_before(view);
  for (const Value output : view->outputs()) {
    if (!output.is_tensor() || !output.has_uses()) continue;
    const std::optional<Piece> part = operand_part(output);
    const Value made = part ? part_for(graph, *part, output, context) : Value();
    if (!made) continue;
    graph.replace_uses(output, made);
    changed = true;
  }
  if (changed) graph.erase_if_unused(view);
  return changed;
}

// Replaces operands that are concatenations without other readers by their operands.
bool flatten(std::vector<Value>& operands, size_t dim, DType dtype) {
  std::vector<Value> flat;
  for (const Value operand : operands) {
    const Node* producer = operand.producer();
    const auto inner = producer != nullptr ? join_of(*producer) : std::nullopt;
    bool joins = inner && inner->dim == dim && operand.use_count() == 1 &&
                 inner->operands.size() <= kMostOperands;
    for (size_t i = 0; joins && i < inner->operands.size(); ++i) {
      joins = inner->operands[i].tensor().dtype == dtype;
    }
    if (joins) {
      flat.insert(flat.end(), inner->operands.begin(), inner->operands.end());
    } else {
      flat.push_back(operand);
    }
  }
  const bool changed = flat.size() != operands.size();
  operands = std::move(flat);
  return changed;
}

// Neighbouring operands that are adjacent parts of one tensor, or one operand.
struct Run {
  Value operand;  // The first.
  size_t count = 1;
  std::optional<Piece> piece;
};

std::vector<Run> runs_of(std::span<const Value> operands, size_t dim) {
  std::vector<Run> runs;
  for (const Value operand : operands) {
    std::optional<Piece> piece = piece_of(operand);
    if (piece && piece->dim != dim) piece.reset();
    if (piece && !runs.empty() && runs.back().piece) {
      Piece& before = *runs.back().piece;
      if (before.base == piece->base && before.start + before.length == piece->start) {
        before.length += piece->length;
        ++runs.back().count;
        continue;
      }
    }
    runs.push_back({operand, 1, piece});
  }
  return runs;
}

Value united(ir::Graph& graph, const Run& run) {
  if (run.count == 1) return run.operand;
  const Piece& piece = *run.piece;
  if (piece.start == 0 && piece.base.tensor().sizes[piece.dim].is(piece.length)) return piece.base;
  return graph
      .create("aten.slice.Tensor", {Argument(piece.base), Argument(static_cast<int64_t>(piece.dim)),
                                    Argument(piece.start), Argument(piece.start + piece.length)})
      ->output();
}

// The value that equals a concatenation of one run; null if readers could not accept it.
Value only_operand(ir::Graph& graph, const Run& run, Value joined, PassContext& context) {
  if (run.operand.tensor().dtype != joined.tensor().dtype) return {};
  if (run.count > 1) return part_for(graph, *run.piece, joined, context);
  return can_stand_for(run.operand, joined) && context.may_rewrite() ? run.operand : Value();
}

bool unite_operands(ir::Graph& graph, Node* node, const Join& join, PassContext& context) {
  std::vector<Value> operands(join.operands.begin(), join.operands.end());
  const bool flattened = flatten(operands, join.dim, node->output().tensor().dtype);
  const std::vector<Run> runs = runs_of(operands, join.dim);
  const auto scope = graph.insert_before(node);
  if (runs.size() == 1) {
    if (const Value made = only_operand(graph, runs[0], node->output(), context)) {
      graph.replace_uses(node->output(), made);
      graph.erase_if_unused(node);
      return true;
    }
  }
  if ((!flattened && runs.size() == operands.size()) || !context.may_rewrite()) return false;
  std::vector<Value> merged;
  merged.reserve(runs.size());
  for (const Run& run : runs) merged.push_back(united(graph, run));
  graph.set_argument(node, "tensors", Argument(std::move(merged)));
  return true;
}

}  // namespace

Changed simplify_joins(ir::Graph& graph, PassContext& context) {
  Changed changed = Changed::no;
  for (Node* node = graph.first(); node != nullptr;) {
    Node* next = node->next();
    bool edited = false;
    if (is_view(*node)) {
      edited = read_operand_instead(graph, node, context);
    } else if (const auto join = join_of(*node)) {
      edited = unite_operands(graph, node, *join, context);
    }
    if (edited) changed = Changed::yes;
    node = next;
  }
  return changed;
}

}  // namespace litz::passes
