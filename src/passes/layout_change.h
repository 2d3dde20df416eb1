// Tries another layout for a value, with all consequences for views of it, and can undo it.
//
//   LayoutChange change(costs);
//   if (change.restate(value, type) && change.moves() < 2) change.keep();
//
// The rule of stated layouts: internal results of loop nests and of library calls have the layout
// that their type states. A view's type is always what its operator infers from its operand's
// layout. Values that the caller, a child graph or a reader of memory (as_strided, resize) gets
// keep their recorded layout.

#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "passes/layout_costs.h"

namespace litz::passes {

class LayoutChange {
 public:
  /// `leaving`: a reader that is ignored because the caller will erase it.
  explicit LayoutChange(const LayoutCosts& costs, const ir::Node* leaving = nullptr)
      : costs_(costs), leaving_(leaving) {}

  /// Restores the types unless they were kept.
  ~LayoutChange() { undo(); }

  LayoutChange(const LayoutChange&) = delete;
  LayoutChange& operator=(const LayoutChange&) = delete;

  /// False, with the value unchanged, if a reader cannot accept the type. Sizes and dtype must
  /// stay.
  bool restate(ir::Value value, const TensorType& type);

  /// The cost to readers of the values restated so far, in moves of the first value.
  double moves() const { return moves_; }

  void keep() { before_.clear(); }

  /// Restores all types.
  void undo() { undo_to(0); }

 private:
  bool carry(ir::Value value, const TensorType& type, int depth);
  bool carry_through(ir::Node& view, int depth);
  double share(const TensorType& type) const;
  void undo_to(size_t count);

  const LayoutCosts& costs_;
  const ir::Node* leaving_;
  std::vector<std::pair<ir::Value, TensorType>> before_;
  TensorType first_;
  double moves_ = 0;
};

/// The layout that the operand of a view must have so that its first result has layout `wanted`,
/// for views of all elements that only rearrange dimensions. Nothing if there is none.
std::optional<TensorType> layout_behind(const ir::Node& view, const TensorType& wanted);

}  // namespace litz::passes
