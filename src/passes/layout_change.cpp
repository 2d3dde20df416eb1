#include "passes/layout_change.h"

#include "ir/effects.h"
#include "ops/op_table.h"
#include "ops/view_geometry.h"
#include "passes/storage_versions.h"
#include "passes/value_facts.h"

namespace litz::passes {
namespace {

using ir::Node;
using ir::Value;

// Only hostile programs have longer chains of views.
constexpr int kLongestChain = 64;

// The result types of a view for its operand's current layout; nothing if strides cannot express
// them.
std::optional<ops::Types> shown(const Node& view) {
  if (!reads_elements_only(view)) return std::nullopt;
  try {
    return ops::definition(view.op()).meta(ops::Call(view));
  } catch (const Error&) {
    return std::nullopt;  // No strides can express the view.
  }
}

}  // namespace

bool LayoutChange::restate(Value value, const TensorType& type) {
  if (before_.empty()) first_ = value.tensor();
  const size_t count = before_.size();
  const double moves = moves_;
  if (carry(value, type, 0)) return true;
  undo_to(count);
  moves_ = moves;
  return false;
}

// Sets the new types before asking readers, so that they see the final state.
bool LayoutChange::carry(Value value, const TensorType& type, int depth) {
  const TensorType old = value.tensor();
  if (same_layout(old, type) && old.strides == type.strides) return true;
  if (depth > kLongestChain) return false;
  ir::Graph& graph = *value.graph();
  before_.emplace_back(value, old);
  graph.set_type(value, type);
  const bool is_same = same_layout(old, type);
  for (const ir::UseSite& use : value.uses()) {
    Node& user = *use.user;
    if (&user == leaving_) continue;
    if (&user == graph.return_node() || ir::has(user.op().traits, ir::Trait::higher_order)) {
      if (!is_same) return false;
    } else if (is_view(user)) {
      const bool is_shown = use.argument == 0;
      if (is_shown && !carry_through(user, depth)) return false;
    } else if (!is_same) {
      if (ir::has_effects(user) || !reads_elements_only(user)) return false;
      const double moves = costs_.reading(use, old, type);
      if (moves == kNever) return false;
      moves_ += moves * share(type);
    }
  }
  return true;
}

bool LayoutChange::carry_through(Node& view, int depth) {
  const std::optional<ops::Types> types = shown(view);
  if (!types || types->size() != view.output_count()) return false;
  for (size_t i = 0; i < types->size(); ++i) {
    const Value result = view.output(i);
    TensorType type = std::get<TensorType>((*types)[i]);
    if (type.dtype != result.tensor().dtype || type.rank() != result.tensor().rank()) return false;
    type.sizes = result.tensor().sizes;  // As recorded: equal, perhaps written differently.
    if (!carry(result, type, depth + 1)) return false;
  }
  return true;
}

double LayoutChange::share(const TensorType& type) const {
  const auto part = type.numel().maybe_constant();
  const auto whole = first_.numel().maybe_constant();
  if (!part || !whole || *whole == 0) return 1;
  return static_cast<double>(*part) / static_cast<double>(*whole);
}

void LayoutChange::undo_to(size_t count) {
  while (before_.size() > count) {
    auto& [value, type] = before_.back();
    value.graph()->set_type(value, std::move(type));
    before_.pop_back();
  }
}

std::optional<TensorType> layout_behind(const Node& view, const TensorType& wanted) {
  const TensorType& operand = view.input(0).tensor();
  if (operand.dtype != wanted.dtype || view.output_count() != 1 ||
      !known_equal(operand.numel(), wanted.numel())) {
    return std::nullopt;
  }
  if (const auto dims = permutation_of(view)) {
    TensorType type = operand;
    type.offset = wanted.offset;
    for (size_t i = 0; i < dims->size(); ++i) {
      type.strides[static_cast<size_t>((*dims)[i])] = wanted.strides[i];
    }
    return type;
  }
  if (!is_reshape(view)) return std::nullopt;
  std::optional<TensorType> type = ops::viewed(wanted, operand.sizes);
  if (type) type->device = operand.device;
  return type;
}

}  // namespace litz::passes
